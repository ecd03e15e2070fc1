//! The table of a metric: all values, whether or not a chart shows them.

use lab::export::parse_base_numbers;
use lab::figures::key::shorten_key;
use lab::figures::{MetricFigure, axis_value, words};
use lab::sweep::analysis::AnalysisEntry;
use stats::Interval;

use crate::Estimate;
use crate::capital;
use crate::number::{fixed, percent};
use crate::table::{Cell, Column, Table};

/// Maximum number of rows, limited by the time a browser needs to sort them. `lasthop export` writes all rows.
pub(super) const MAX_ROWS: usize = 5000;

pub(super) fn table(figure: &MetricFigure<'_>) -> Table {
    let analysis = figure.analysis;
    let level = figure.level();
    let keys = analysis.keys();
    let cases = analysis.cases();
    let named = cases.iter().any(|case| !case.is_empty());
    let subjects = figure.subjects.len() > 1;
    let lost = figure.entries.iter().any(|entry| entry.without > 0);
    let compared = cases.len() > 1;
    let mut columns: Vec<Column> = Vec::new();
    let mut places: Vec<Vec<Cell>> = vec![Vec::new(); figure.entries.len()];
    for key in &keys {
        let cells = values(figure, key);
        columns.push(Column::text(words::name_key(shorten_key(key, &keys)), *key));
        places.iter_mut().zip(cells).for_each(|(row, cell)| row.push(cell));
    }
    if named {
        columns.push(Column::text("case", "the compared setting"));
    }
    if subjects {
        columns.push(Column::text(figure.kind(), "the subject of the metric"));
    }
    columns.push(Column::number("n", "replications with a value"));
    if lost {
        columns.push(Column::number("without", "replications without a value"));
    }
    columns.push(Column::number("mean", figure.measure()));
    columns.push(Column::number("±", format!("half width of the {level} % confidence interval of the mean")));
    columns.push(Column::number("one run", format!("prediction interval: it contains {level} % of single runs")));
    if compared {
        let first = cases[0];
        columns
            .push(Column::number(format!("change to {first}"), "change of the means; its interval pairs replications"));
        columns.push(Column::number("±", format!("half width of the {level} % confidence interval of the change")));
    }
    let rows = figure.entries.iter().zip(places).take(MAX_ROWS).map(|(entry, mut row)| {
        if named {
            row.push(Cell::text(cases.get(entry.cell.case).copied().unwrap_or_default()));
        }
        if subjects {
            row.push(Cell::text(&entry.subject));
        }
        row.extend(estimated(figure, entry, lost, compared));
        row
    });
    let mut caption = format!(
        "{}: mean, its {level} % confidence interval, and the {level} % prediction interval of one run",
        capital(&figure.measure())
    );
    if figure.entries.len() > MAX_ROWS {
        caption.push_str(&format!("; the first {MAX_ROWS} of {} rows", figure.entries.len()));
    }
    Table { caption, rows: rows.collect(), columns }
}

/// Returns the cells of an entry's estimate.
fn estimated(figure: &MetricFigure<'_>, entry: &AnalysisEntry<'_>, lost: bool, compared: bool) -> Vec<Cell> {
    let estimate = Estimate::of(entry, figure.scale);
    let n = estimate.as_ref().map_or(0, |it| it.n);
    let count = |count: u64| Cell::number(count as f64, count.to_string());
    let none = || Cell::text("–");
    let mut cells = vec![count(n)];
    if lost {
        cells.push(count(entry.without));
    }
    let left = if compared { 5 } else { 3 };
    let Some(it) = estimate else {
        cells.extend((0..left).map(|_| none()));
        return cells;
    };
    let places = it.decimals();
    cells.push(Cell::number(it.mean, fixed(it.mean, places)));
    cells.push(it.half.map_or_else(none, |half| Cell::number(half, fixed(half, places))));
    let run =
        |run: Interval| Cell::number(run.low, format!("{} to {}", fixed(run.low, places), fixed(run.high, places)));
    cells.push(it.run.map_or_else(none, run));
    if compared {
        cells.push(it.change.map_or_else(none, |change| Cell::number(change, percent(change))));
        cells.push(it.change_ci.map(|ci| ci.half_width()).map_or_else(none, |half| Cell::number(half, fixed(half, 1))));
    }
    cells
}

/// Returns the cells of a key by entry, with the numbers by which they are sorted.
fn values(figure: &MetricFigure<'_>, key: &str) -> Vec<Cell> {
    let texts: Vec<String> = figure.entries.iter().map(|entry| axis_value(entry, key).unwrap_or_default()).collect();
    let read = parse_base_numbers(&texts).map_or_else(|| vec![None; texts.len()], |(_, _, values)| values);
    texts.into_iter().zip(read).map(|(text, number)| Cell { text, number }).collect()
}
