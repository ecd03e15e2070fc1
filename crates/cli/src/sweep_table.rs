//! A sweep's figures for people: one table for each figure.

use lab::metric::Metric;
use lab::sweep::analysis::{Analysis, Row};
use stats::Interval;

use crate::table::{aligned, row};

/// Every figure asked for.
pub fn of(analysis: &Analysis) -> String {
    let sweep = &analysis.sweep;
    let mut out = format!("{}\n", if sweep.title.is_empty() { &sweep.name } else { &sweep.title });
    for metric in analysis.metrics() {
        out.push_str(&format!("\n{}\n\n", figure(analysis, metric)));
    }
    out
}

fn figure(analysis: &Analysis, metric: &Metric) -> String {
    let rows = analysis.rows(metric);
    let (scale, unit) = scale(metric, &rows);
    let keys = analysis.keys();
    let compared = rows.iter().any(|row| row.against.is_some());
    let subjects = rows.iter().any(|row| row.subject != rows[0].subject);
    // The last part of a key says most; the whole of it where two would look alike.
    let short = |key: &str| {
        let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
        if keys.iter().filter(|other| last(other) == last(key)).count() > 1 { key.to_owned() } else { last(key) }
    };
    let mut head: Vec<String> = keys.iter().map(|key| short(key)).collect();
    let cases = analysis.cases();
    if cases.iter().any(|case| !case.is_empty()) {
        head.push("case".into());
    }
    if subjects {
        head.push("of".into());
    }
    let left = head.len();
    head.extend(row(&["n", "mean", "+-", "one run"]));
    if compared {
        head.extend([format!("change to {}", cases.first().copied().unwrap_or_default()), "+-".into()]);
    }
    let mut table = vec![head];
    for figure in &rows {
        let Some(cell) = analysis.cell(figure) else { continue };
        let value = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let mut line: Vec<String> = cell.changes.iter().map(|(_, to)| value(to)).collect();
        if cases.iter().any(|case| !case.is_empty()) {
            line.push(cell.case_name.clone());
        }
        if subjects {
            line.push(figure.subject.clone());
        }
        let half = |interval: Interval| interval.half_width();
        let decimals = decimals(figure.ci.map(half).unwrap_or(0.0) / scale, figure.mean / scale);
        let number = |value: f64| format!("{:.decimals$}", value / scale);
        let none = || "-".to_owned();
        line.push(figure.n.to_string());
        line.push(number(figure.mean));
        line.push(figure.ci.map_or_else(none, |ci| number(half(ci))));
        line.push(figure.run.map_or_else(none, |run| format!("{} to {}", number(run.low), number(run.high))));
        if compared {
            let against = figure.against.as_ref();
            let percent = against.and_then(|against| against.percent);
            line.push(percent.map_or_else(none, |percent| format!("{percent:+.1} %")));
            let ci = against.and_then(|against| against.percent_ci);
            line.push(ci.map_or_else(none, |ci| format!("{:.1}", half(ci))));
        }
        table.push(line);
    }
    let unit = if unit.is_empty() { String::new() } else { format!(", {unit}") };
    let level = 100.0 * analysis.level.get();
    let legend = format!("+-: half of the {level} % interval of the mean; one run: where {level} % of single runs lie");
    format!("{}{unit} ({legend})\n{}", metric.name, aligned(&table, left))
}

/// What to divide by, so that numbers are short, and the unit then.
fn scale(metric: &Metric, rows: &[Row]) -> (f64, String) {
    if metric.unit != "bit/s" {
        return (1.0, metric.unit.to_owned());
    }
    match rows.iter().map(|row| row.mean).fold(0.0, f64::max) {
        most if most >= 1e7 => (1e6, "Mbit/s".into()),
        most if most >= 1e4 => (1e3, "kbit/s".into()),
        _ => (1.0, "bit/s".into()),
    }
}

/// Decimals that show two digits of the half width; where there is none, six digits of the value.
fn decimals(half: f64, value: f64) -> usize {
    let digits = |number: f64| number.abs().log10().floor();
    let places = if half > 1e-12 * value.abs() {
        1.0 - digits(half)
    } else if value != 0.0 {
        5.0 - digits(value)
    } else {
        0.0
    };
    places.clamp(0.0, 9.0) as usize
}
