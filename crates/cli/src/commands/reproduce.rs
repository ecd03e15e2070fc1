//! `lasthop reproduce`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use lab::papers::reproduce::{Reproduction, reproduce_paper};
use lab::papers::{self, Mark, Number, PAPERS, Paper, Reading, Score};
use lab::store::Store;
use scenario::problem::Problem;
use serde_json::Value;
use stats::{Interval, Level};

use super::places::in_results;
use super::{Jobs, format_path, format_problems, print_visible, write_whole};
use crate::CommandFailure;
use crate::command_groups::Example;
use crate::progress::ProgressReport;
use crate::table::{align_rows, text_cells};
use crate::talk::{write_detail, write_note};

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[
    ("lasthop reproduce", "List the papers"),
    ("lasthop reproduce goel1997 --quick", "Repeat the thesis with ten replications"),
];

/// Arguments of `lasthop reproduce`.
#[derive(ClapArgs)]
pub struct Args {
    /// The paper; without one, the papers are listed
    name: Option<String>,
    /// Replications of each point [default: the number in the paper, such as 100; at least 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=100_000))]
    replications: Option<u64>,
    /// Run ten replications of each point
    #[arg(long, conflicts_with = "replications")]
    quick: bool,
    #[command(flatten)]
    jobs: Jobs,
    /// Where to write the report, the numbers and the runs [default: results/NAME]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the numbers as a JSON array instead of a table
    #[arg(long)]
    json: bool,
}

/// Reproduces a paper.
pub fn report_reproduction(args: &Args) -> Result<(), CommandFailure> {
    let Some(name) = &args.name else {
        let width = PAPERS.iter().map(|paper| paper.name.len()).max().unwrap_or(0);
        let lines = PAPERS.iter().map(|paper| format!("{:width$}  {}\n", paper.name, paper.reference));
        return print_visible(&lines.collect::<String>());
    };
    let paper = papers::find_paper(name).ok_or_else(|| {
        let problem = Problem::new("a paper").in_file("reproduce").found(format!("\"{name}\""));
        CommandFailure::Input(format_problems(&[problem.nearest(name, PAPERS.iter().map(|paper| paper.name))]))
    })?;
    let replications = if args.quick { 10 } else { args.replications.unwrap_or(paper.replications) };
    let jobs = args.jobs.count();
    let out = args.out.clone().unwrap_or_else(|| in_results(paper.name));
    if args.out.is_none() {
        write_detail(format_args!("default: --out {}", format_path(&out)));
    }
    let mut store = Store::create(&out.join("runs.sqlite"))?;
    let progress = ProgressReport::of_runs(paper.name);
    let outcome = reproduce_paper(paper, replications, &mut store, jobs, &mut |tally| {
        progress.count(tally.done, tally.wanted - tally.found)
    });
    progress.finish();
    let reproduction = outcome?;
    let level = Level::default();
    let json: Value = reproduction.numbers.iter().map(|number| number.to_json(level)).collect();
    write_whole(&out.join("numbers.json"), format!("{json:#}\n").as_bytes())?;
    let picture = report::marks::render_marks_svg(paper, &reproduction.numbers, level);
    write_whole(&out.join("numbers.svg"), picture.as_bytes())?;
    let page = report::render_html_page(&report::paper::render_paper_page(paper, &reproduction));
    write_whole(&out.join("report.html"), page.as_bytes())?;
    if args.json {
        print_visible(&format!("{json:#}\n"))?;
    } else {
        print_visible(&render_reproduction(paper, &reproduction, level))?;
    }
    write_note(format_args!("the report is {}", format_path(&out.join("report.html"))));
    Ok(())
}

fn render_reproduction(paper: &Paper, reproduction: &Reproduction, level: Level) -> String {
    let several = paper.readings.len() > 1;
    let mut rows =
        vec![text_cells(&["where", "what", "reading", "unit", "paper", "ours", "+-", "one run of ours", "mark"])];
    for number in &reproduction.numbers {
        rows.extend(render_number_lines(number, paper, level));
    }
    if !several && rows.iter().skip(1).all(|row| row[READING].is_empty()) {
        rows.iter_mut().for_each(|row| drop(row.remove(READING)));
    }
    let left = rows[0].len() - 5;
    let readings = paper.readings.iter().filter(|_| several).map(|reading| {
        let Reading { name, what, source } = reading;
        format!("reading \"{name}\": {what} ({source})\n")
    });
    let not_plain = reproduction.numbers.iter().filter(|number| number.mark(level) != Mark::Reproduced);
    let told = not_plain.map(|number| {
        let (mark, sentence) = (number.mark(level), number.sentence(level));
        format!("{}, {}: {mark}. {sentence}\n", number.place, number.label())
    });
    format!(
        "{}\n{} replications; +-: half-width of the 95 % confidence interval of our mean; one run: the interval with 95 % of our single\n\
         runs, which should contain the paper's value if the models are the same; \"0 too\": it also contains 0, and is inconclusive\n{}\n{}\n{}\n{}\n\
         numbers that do not reproduce, and why: docs/papers/{}.md\n",
        paper.reference,
        reproduction.replications,
        readings.collect::<String>(),
        align_rows(&rows, left),
        told.collect::<String>(),
        Score::of(&reproduction.numbers, level),
        paper.name
    )
}

/// The column of readings and modes.
const READING: usize = 2;

/// A line for each reading and mode; the first has the paper's value and the mark.
fn render_number_lines(number: &Number, paper: &Paper, level: Level) -> Vec<Vec<String>> {
    let show = |value: f64| format!("{value:.*}", number.places());
    let none = || "-".to_owned();
    let span = |interval: Interval| format!("{} to {}", show(interval.low), show(interval.high));
    let mut out: Vec<Vec<String>> = Vec::new();
    for (reading, ours) in number.readings() {
        for mode in ours.modes() {
            let primary = paper.readings.first().filter(|_| !number.alternatives.is_empty());
            let reading = reading.or(primary.copied()).map(|reading| reading.name.to_owned());
            let kind = (!mode.name.is_empty()).then(|| format!("{}, {:.0} %", mode.name, 100.0 * ours.share(mode)));
            let mut line = vec![
                number.place.clone(),
                number.label(),
                reading.into_iter().chain(kind).collect::<Vec<_>>().join(": "),
                number.unit.to_owned(),
                format!("{}{}", number.paper.prefix(), show(number.paper.value())),
                mode.moments.mean().map_or_else(none, show),
                mode.ci(level).map_or_else(none, |ci| {
                    let half = ci.half_width();
                    format!("{half:.*}", number.places_of(half))
                }),
                number.run_shown(mode, level).map_or_else(none, span),
                format!("{}{}", number.mark(level), if number.holds_zero(level) { ", 0 too" } else { "" }),
            ];
            if !out.is_empty() {
                for column in [0, 1, 3, 4, 8] {
                    line[column].clear();
                }
            }
            out.push(line);
        }
    }
    out
}
