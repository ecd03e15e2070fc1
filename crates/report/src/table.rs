//! Tables that the reader can sort.

use maud::{Markup, html};

/// A table of a report page.
#[derive(Clone, Debug, Default)]
pub struct ReportTable {
    /// Title of the table.
    pub caption: String,
    /// Columns of the table.
    pub columns: Vec<ReportColumn>,
    /// Rows, each with one cell per column.
    pub rows: Vec<Vec<ReportCell>>,
}

/// A column of a table.
#[derive(Clone, Debug, Default)]
pub struct ReportColumn {
    /// Heading of the column.
    pub name: String,
    /// Definition of the column, shown as a tooltip; may be empty.
    pub about: String,
    /// True for a column of numbers, which is aligned to the right.
    pub number: bool,
}

/// A cell of a table.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ReportCell {
    /// Text of the cell.
    pub text: String,
    /// Number by which the cell is sorted; `None` to sort by text. Empty cells come last.
    pub number: Option<f64>,
}

impl ReportCell {
    /// Returns a cell with text.
    pub fn text(text: impl Into<String>) -> Self {
        ReportCell { text: text.into(), number: None }
    }

    /// Returns a cell with a number, shown as `text`.
    pub fn number(number: f64, text: impl Into<String>) -> Self {
        ReportCell { text: text.into(), number: Some(number) }
    }
}

impl ReportColumn {
    /// Returns a column of text.
    pub fn text(name: impl Into<String>, about: impl Into<String>) -> Self {
        ReportColumn { name: name.into(), about: about.into(), number: false }
    }

    /// Returns a column of numbers.
    pub fn number(name: impl Into<String>, about: impl Into<String>) -> Self {
        ReportColumn { name: name.into(), about: about.into(), number: true }
    }
}

/// Returns the table in a box that scrolls if the table is too wide.
pub(crate) fn render_table_markup(table: &ReportTable) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(table.caption) {
            table.sortable {
                caption { span { (table.caption) } }
                thead { tr {
                    @for column in &table.columns {
                        th scope="col" class=[column.number.then_some("number")] title=[tooltip_text(&column.about)] {
                            (column.name)
                        }
                    }
                } }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (cell, column) in row.iter().zip(&table.columns) {
                                td class=(cell_class(cell, column)) data-n=[cell.number.map(|n| n.to_string())] {
                                    (cell.text)
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Cells with short text are not wrapped.
fn cell_class(cell: &ReportCell, column: &ReportColumn) -> &'static str {
    match cell.text.chars().count() {
        _ if column.number => "number",
        ..=24 => "short",
        _ => "long",
    }
}

fn tooltip_text(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}
