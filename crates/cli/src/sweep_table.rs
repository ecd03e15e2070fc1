//! A sweep's metrics as text, with a table for each metric.

use lab::export::format_json_value;
use lab::figures::key::shorten_key;
use lab::figures::number::{choose_scale, format_decimals, plain_percent};
use lab::sweep::analysis::Analysis;
use observe::metric::Metric;
use report::Estimate;
use stats::Interval;

use crate::table::{align_rows, text_cells};

/// Maximum number of names in the line of links, media, stations and nodes with 0 in every run.
const NAMED: usize = 8;

/// The tables of all metrics.
pub fn render_sweep_tables(analysis: &Analysis) -> String {
    let sweep = &analysis.sweep;
    let mut out = format!("{}\n", if sweep.title.is_empty() { &sweep.name } else { &sweep.title });
    for metric in analysis.metrics() {
        out.push_str(&format!("\n{}", render_metric_table(analysis, metric)));
    }
    let level = 100.0 * analysis.level.get();
    if analysis.cells.iter().any(|cell| cell.runs.len() > 1) {
        out.push_str(&format!(
            "\nn: replications; +-: half-width of the {level} % confidence interval of the mean; one run: the {level} % prediction interval of a single run\n"
        ));
    }
    out
}

fn render_metric_table(analysis: &Analysis, metric: &Metric) -> String {
    let mut entries = analysis.entries(metric);
    let idle: Vec<String> = Analysis::idle(metric, &entries).into_iter().map(str::to_owned).collect();
    entries.retain(|entry| !idle.contains(&entry.subject));
    let rows = || entries.iter().filter_map(|entry| entry.row.as_ref());
    let (scale, unit) = choose_scale(metric, rows().map(|row| row.mean));
    let keys = analysis.keys();
    let compared = rows().any(|row| row.against.is_some());
    let subjects = entries.windows(2).any(|pair| pair[0].subject != pair[1].subject);
    // Columns without any value are omitted.
    let repeated = rows().any(|row| row.ci.is_some());
    let lost = entries.iter().any(|entry| entry.without > 0);
    let mut head: Vec<String> = keys.iter().map(|key| shorten_key(key, &keys).to_owned()).collect();
    let cases = analysis.cases();
    if cases.iter().any(|case| !case.is_empty()) {
        head.push("case".into());
    }
    if subjects {
        head.push("of".into());
    }
    let left = head.len();
    head.push("n".into());
    if lost {
        head.push("without".into());
    }
    head.extend(text_cells(if repeated { &["mean", "+-", "one run"] } else { &["value"] }));
    if compared {
        head.push(format!("change to {}", cases.first().copied().unwrap_or_default()));
        if repeated {
            head.push("+-".into());
        }
    }
    let columns = head.len();
    let mut table = vec![head];
    for entry in &entries {
        let mut line: Vec<String> = entry.cell.changes.iter().map(|(_, to)| format_json_value(to)).collect();
        if cases.iter().any(|case| !case.is_empty()) {
            line.push(entry.cell.case_name.clone());
        }
        if subjects {
            line.push(entry.subject.clone());
        }
        let Some(it) = Estimate::of(entry, scale) else {
            line.push("0".into());
            line.extend(lost.then(|| entry.without.to_string()));
            line.resize(columns, "-".into());
            table.push(line);
            continue;
        };
        let places = it.decimals();
        let between =
            |it: Interval| format!("{} to {}", format_decimals(it.low, places), format_decimals(it.high, places));
        let none = || "-".to_owned();
        line.push(it.n.to_string());
        if lost {
            line.push(it.without.to_string());
        }
        line.push(format_decimals(it.mean, places));
        if repeated {
            line.push(it.half.map_or_else(none, |half| format_decimals(half, places)));
            line.push(it.run.map_or_else(none, between));
        }
        if compared {
            line.push(it.change.map_or_else(none, plain_percent));
            if repeated {
                line.push(it.change_ci.map_or_else(none, |ci| format_decimals(ci.half_width(), 1)));
            }
        }
        table.push(line);
    }
    let unit = if unit.is_empty() { String::new() } else { format!(", {unit}") };
    let mut out = format!("{}{unit}\n{}", metric.name, align_rows(&table, left));
    if !idle.is_empty() {
        let more = idle.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        out.push_str(&format!("0 in every run: {}{more}\n", idle[..idle.len().min(NAMED)].join(", ")));
    }
    out
}
