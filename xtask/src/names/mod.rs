//! Measures of names and comments by crate, with limits that are only lowered.
//!
//! Readers search for names, so a function name has a verb and an object, and a type name states its subject. The
//! measures are: the share of free functions with a one-word name, the share of names declared in three or more files,
//! functions named by a participle only, phrases with plainer alternatives, and functions of more than 80 lines. Test
//! code is not measured.

mod figures;
mod limits;
mod phrases;
mod source;

use figures::{Area, Measure, Offender, measure_areas};
use limits::{Excess, FILE, NameLimits};
use source::SourceFile;

use crate::{tree, workspace};

/// Maximum number of offenders in a failure message.
const NAMED: usize = 5;

/// Measures the tree, prints the figures, and fails if a figure is above its limit.
pub fn check_names() -> Result<(), String> {
    let (areas, limits) = (measure_tree()?, NameLimits::read()?);
    let mut text = render_figures(&areas);
    let below = limits.count_below(&areas)?;
    if below > 0 {
        text +=
            &format!("\n{below} figures are below their limits in {FILE}: `cargo xtask names --lower` lowers these\n");
    }
    workspace::print_text(&text)?;
    let above = limits.find_above(&areas)?;
    let lines: Vec<String> = above.iter().map(render_excess).collect();
    if lines.is_empty() { Ok(()) } else { Err(format!("above the limits of {FILE}:\n{}", lines.join("\n"))) }
}

/// Lowers the limits to the present figures, and adds limits of new crates.
pub fn lower_limits() -> Result<(), String> {
    let mut limits = NameLimits::read()?;
    limits.lower(&measure_tree()?);
    limits.write()
}

/// Prints all that counts in a crate, by measure.
pub fn list_offenders(name: &str) -> Result<(), String> {
    let areas = measure_tree()?;
    let area = areas.iter().find(|area| area.name == name);
    let area = area.ok_or_else(|| {
        let names: Vec<&str> = areas.iter().map(|area| area.name.as_str()).collect();
        format!("xtask names --list: found {name}, expected one of {}", names.join(", "))
    })?;
    let mut text = String::new();
    for measure in Measure::ALL {
        text += &format!("{}: {}\n", measure.key(), area.render_figure(measure));
        area.offenders(measure).iter().for_each(|offender| text += &format!("    {}\n", render_offender(offender)));
    }
    workspace::print_text(&text)
}

fn measure_tree() -> Result<Vec<Area>, String> {
    let mut files = Vec::new();
    for path in tree::list_tracked(&["crates", "xtask", "web/src"])? {
        if !source::is_measured(&path) {
            continue;
        }
        // A file that was deleted and not committed yet is absent.
        if let Ok(text) = std::fs::read_to_string(workspace::root_folder().join(&path)) {
            files.push(SourceFile::parse(&path, &text));
        }
    }
    Ok(measure_areas(&files))
}

fn render_figures(areas: &[Area]) -> String {
    let mut text = format!("{:<12}", "crate");
    Measure::ALL.iter().for_each(|measure| text += &format!(" {:>16}", measure.key()));
    for area in areas {
        text += &format!("\n{:<12}", area.name);
        Measure::ALL.iter().for_each(|measure| text += &format!(" {:>16}", area.render_figure(*measure)));
    }
    text + "\n"
}

fn render_excess(Excess { area, measure, limit }: &Excess<'_>) -> String {
    let offenders = area.offenders(*measure);
    let named: Vec<String> = offenders.iter().take(NAMED).map(render_offender).collect();
    let (name, key, figure) = (&area.name, measure.key(), area.render_figure(*measure));
    let mut text = format!("{name}: {key} is {figure}, expected at most {limit}: {}", named.join(", "));
    if offenders.len() > NAMED {
        text += &format!(" and {} more (`cargo xtask names --list {name}`)", offenders.len() - NAMED);
    }
    text
}

fn render_offender(Offender { path, line, text, weight }: &Offender) -> String {
    let times = if *weight > 1 { format!(" ({weight})") } else { String::new() };
    format!("{path}:{line} {text}{times}")
}
