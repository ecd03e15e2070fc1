//! The table of a metric, with all values, whether or not a chart shows them.

use lab::export::parse_base_numbers;
use lab::figures::key::shorten_key;
use lab::figures::{MetricFigure, axis_value, words};
use lab::sweep::analysis::AnalysisEntry;
use stats::Interval;

use crate::Estimate;
use crate::capitalize_first;
use crate::number::{typeset_change, typeset_number};
use crate::table::{ReportCell, ReportColumn, ReportTable};

/// Maximum number of rows, limited by the time a browser needs to sort them. `lasthop export` writes all rows.
pub(super) const MAX_ROWS: usize = 5000;

pub(super) fn tabulate_metric(figure: &MetricFigure<'_>) -> ReportTable {
    let analysis = figure.analysis;
    let level = figure.level();
    let keys = analysis.keys();
    let cases = analysis.cases();
    let named = cases.iter().any(|case| !case.is_empty());
    let subjects = figure.subjects.len() > 1;
    let optional =
        OptionalColumns { without: figure.entries.iter().any(|entry| entry.without > 0), change: cases.len() > 1 };
    let mut columns: Vec<ReportColumn> = Vec::new();
    let mut places: Vec<Vec<ReportCell>> = vec![Vec::new(); figure.entries.len()];
    for key in &keys {
        let cells = render_key_cells(figure, key);
        columns.push(ReportColumn::text(words::name_key(shorten_key(key, &keys)), *key));
        places.iter_mut().zip(cells).for_each(|(row, cell)| row.push(cell));
    }
    if named {
        columns.push(ReportColumn::text("case", "the compared setting"));
    }
    if subjects {
        columns.push(ReportColumn::text(figure.kind(), "the subject of the metric"));
    }
    columns.push(ReportColumn::number("n", "replications with a value"));
    if optional.without {
        columns.push(ReportColumn::number("without", "replications without a value"));
    }
    columns.push(ReportColumn::number("mean", figure.measure()));
    columns.push(ReportColumn::number("±", format!("half width of the {level} % confidence interval of the mean")));
    columns.push(ReportColumn::number("one run", format!("prediction interval: it contains {level} % of single runs")));
    if optional.change {
        let first = cases[0];
        columns.push(ReportColumn::number(
            format!("change to {first}"),
            "change of the means; its interval pairs replications",
        ));
        columns
            .push(ReportColumn::number("±", format!("half width of the {level} % confidence interval of the change")));
    }
    let rows = figure.entries.iter().zip(places).take(MAX_ROWS).map(|(entry, mut row)| {
        if named {
            row.push(ReportCell::text(cases.get(entry.cell.case).copied().unwrap_or_default()));
        }
        if subjects {
            row.push(ReportCell::text(&entry.subject));
        }
        row.extend(render_estimate_cells(figure, entry, optional));
        row
    });
    let mut caption = format!(
        "{}: mean, its {level} % confidence interval, and the {level} % prediction interval of one run",
        capitalize_first(&figure.measure())
    );
    if figure.entries.len() > MAX_ROWS {
        caption.push_str(&format!("; the first {MAX_ROWS} of {} rows", figure.entries.len()));
    }
    ReportTable { caption, rows: rows.collect(), columns }
}

/// Columns that a metric may lack.
#[derive(Clone, Copy)]
struct OptionalColumns {
    /// Replications without a value.
    without: bool,
    /// The change to the first case, and the half width of its interval.
    change: bool,
}

/// Returns the cells of an entry's estimate.
fn render_estimate_cells(
    figure: &MetricFigure<'_>,
    entry: &AnalysisEntry<'_>,
    optional: OptionalColumns,
) -> Vec<ReportCell> {
    let estimate = Estimate::of(entry, figure.scale);
    let n = estimate.as_ref().map_or(0, |it| it.n);
    let count = |count: u64| ReportCell::number(count as f64, count.to_string());
    let none = || ReportCell::text("–");
    let mut cells = vec![count(n)];
    if optional.without {
        cells.push(count(entry.without));
    }
    let left = if optional.change { 5 } else { 3 };
    let Some(it) = estimate else {
        cells.extend((0..left).map(|_| none()));
        return cells;
    };
    let places = it.decimals();
    cells.push(ReportCell::number(it.mean, typeset_number(it.mean, places)));
    cells.push(it.half.map_or_else(none, |half| ReportCell::number(half, typeset_number(half, places))));
    let run = |run: Interval| {
        ReportCell::number(
            run.low,
            format!("{} to {}", typeset_number(run.low, places), typeset_number(run.high, places)),
        )
    };
    cells.push(it.run.map_or_else(none, run));
    if optional.change {
        cells.push(it.change.map_or_else(none, |change| ReportCell::number(change, typeset_change(change))));
        cells.push(
            it.change_ci
                .map(|ci| ci.half_width())
                .map_or_else(none, |half| ReportCell::number(half, typeset_number(half, 1))),
        );
    }
    cells
}

/// Returns the cells of a key by entry, with the numbers by which they are sorted.
fn render_key_cells(figure: &MetricFigure<'_>, key: &str) -> Vec<ReportCell> {
    let texts: Vec<String> = figure.entries.iter().map(|entry| axis_value(entry, key).unwrap_or_default()).collect();
    let read = parse_base_numbers(&texts).map_or_else(|| vec![None; texts.len()], |(_, _, values)| values);
    texts.into_iter().zip(read).map(|(text, number)| ReportCell { text, number }).collect()
}
