//! A sweep's figures for people: one table for each figure.

use lab::metric::Metric;
use lab::sweep::analysis::{Analysis, Row, Silent};
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
    let (scale, unit) = scale(metric, &rows);
    let keys = analysis.keys();
    let compared = rows.iter().any(|row| row.against.is_some());
    let mut named = rows.iter().map(|row| &row.subject).chain(silent.iter().map(|silent| &silent.subject));
    let subjects = named.next().is_some_and(|first| named.any(|other| other != first));
    // Columns that would be empty in every line are left out.
    let repeated = rows.iter().any(|row| row.ci.is_some());
    let lost = rows.iter().any(|row| row.without > 0) || !silent.is_empty();
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
        let half = |interval: Interval| interval.half_width();
        let width = figure.ci.map_or(0.0, half) / scale;
        let decimals = decimals(width, figure.mean / scale);
        let number = |value: f64| {
            let text = format!("{:.decimals$}", value / scale);
            // What does not vary has no digits of its own: 12, not 12.0000.
            let still = width == 0.0 && text.contains('.');
            if still { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
        };
        let none = || "-".to_owned();
        line.push(figure.n.to_string());
        if lost {
            line.push(figure.without.to_string());
        }
        line.push(number(figure.mean));
        if repeated {
            line.push(figure.ci.map_or_else(none, |ci| number(half(ci))));
            line.push(figure.run.map_or_else(none, |run| format!("{} to {}", number(run.low), number(run.high))));
        }
        if compared {
            let against = figure.against.as_ref();
            let percent = against.and_then(|against| against.percent);
            line.push(percent.map_or_else(none, change));
            if repeated {
                let ci = against.and_then(|against| against.percent_ci);
                line.push(ci.map_or_else(none, |ci| format!("{:.1}", half(ci))));
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

/// A change, without a sign where it rounds to nothing.
fn change(percent: f64) -> String {
    if percent.abs() < 0.05 { "0.0 %".into() } else { format!("{percent:+.1} %") }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: two digits of the half width, six of a value that has none.
    #[test]
    fn as_many_digits_as_mean_something() {
        assert_eq!(
            (decimals(0.0123, 5.0), decimals(1.23, 50.0), decimals(12.3, 500.0), decimals(123.0, 5000.0)),
            (3, 1, 0, 0)
        );
        assert_eq!((decimals(0.0, 7.008), decimals(0.0, 0.0), decimals(0.0, 123_456_789.0)), (5, 0, 0));
    }

    #[test]
    fn a_change_that_rounds_to_nothing_has_no_sign() {
        assert_eq!([change(-0.04), change(0.0), change(0.05), change(-12.34)], ["0.0 %", "0.0 %", "+0.1 %", "-12.3 %"]);
    }
}
