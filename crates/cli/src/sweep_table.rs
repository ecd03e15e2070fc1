//! A sweep's figures for people: one table for each figure.

use lab::metric::Metric;
use lab::sweep::analysis::{Analysis, Silent};
use report::Estimate;
use report::key::short;
use report::number::{plain, plain_percent, scale};
use stats::Interval;

use crate::table::{aligned, row};

/// Every figure asked for.
pub fn of(analysis: &Analysis) -> String {
    let sweep = &analysis.sweep;
    let mut out = format!("{}\n", if sweep.title.is_empty() { &sweep.name } else { &sweep.title });
    for metric in analysis.metrics() {
        out.push_str(&format!("\n{}", figure(analysis, metric)));
    }
    let level = 100.0 * analysis.level.get();
    if analysis.cells.iter().any(|cell| cell.runs.len() > 1) {
        out.push_str(&format!(
            "\nn: replications; +-: half of the {level} % interval of the mean; one run: where {level} % of single runs lie\n"
        ));
    }
    out
}

fn figure(analysis: &Analysis, metric: &Metric) -> String {
    let rows = analysis.rows(metric);
    let silent = analysis.silent(metric);
    let (scale, unit) = scale(metric, rows.iter().map(|row| row.mean));
    let keys = analysis.keys();
    let compared = rows.iter().any(|row| row.against.is_some());
    let mut named = rows.iter().map(|row| &row.subject).chain(silent.iter().map(|silent| &silent.subject));
    let subjects = named.next().is_some_and(|first| named.any(|other| other != first));
    // Columns that would be empty in every line are left out.
    let repeated = rows.iter().any(|row| row.ci.is_some());
    let lost = rows.iter().any(|row| row.without > 0) || !silent.is_empty();
    let mut head: Vec<String> = keys.iter().map(|key| short(key, &keys).to_owned()).collect();
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
    head.extend(row(if repeated { &["mean", "+-", "one run"] } else { &["value"] }));
    if compared {
        head.push(format!("change to {}", cases.first().copied().unwrap_or_default()));
        if repeated {
            head.push("+-".into());
        }
    }
    let columns = head.len();
    let mut table = vec![head];
    let begun = |point, case, subject: &str| {
        let cell = analysis.cell_at(point, case)?;
        let value = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let mut line: Vec<String> = cell.changes.iter().map(|(_, to)| value(to)).collect();
        if cases.iter().any(|case| !case.is_empty()) {
            line.push(cell.case_name.clone());
        }
        if subjects {
            line.push(subject.to_owned());
        }
        Some(line)
    };
    let mut lines: Vec<((usize, usize), Vec<String>)> = Vec::new();
    for figure in &rows {
        let Some(mut line) = begun(figure.point, figure.case, &figure.subject) else { continue };
        let it = Estimate::of(figure, scale);
        let places = it.decimals();
        let half = |interval: Interval, places| plain(interval.half_width(), places);
        let between = |it: Interval| format!("{} to {}", plain(it.low, places), plain(it.high, places));
        let none = || "-".to_owned();
        line.push(it.n.to_string());
        if lost {
            line.push(it.without.to_string());
        }
        line.push(plain(it.mean, places));
        if repeated {
            line.push(it.ci.map_or_else(none, |ci| half(ci, places)));
            line.push(it.run.map_or_else(none, between));
        }
        if compared {
            line.push(it.change.map_or_else(none, plain_percent));
            if repeated {
                line.push(it.change_ci.map_or_else(none, |ci| half(ci, 1)));
            }
        }
        lines.push(((figure.point, figure.case), line));
    }
    for Silent { point, case, subject, without } in &silent {
        let Some(mut line) = begun(*point, *case, subject) else { continue };
        line.extend(["0".into(), without.to_string()]);
        line.resize(columns, "-".into());
        lines.push(((*point, *case), line));
    }
    lines.sort_by_key(|(place, _)| *place);
    table.extend(lines.into_iter().map(|(_, line)| line));
    let unit = if unit.is_empty() { String::new() } else { format!(", {unit}") };
    format!("{}{unit}\n{}", metric.name, aligned(&table, left))
}
