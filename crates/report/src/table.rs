//! Tables that can be sorted.

use maud::{Markup, html};

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Its title.
    pub caption: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows, each with a cell for every column.
    pub rows: Vec<Vec<Cell>>,
}

/// A column.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// Its heading.
    pub name: String,
    /// Its definition, shown as a tooltip; may be empty.
    pub about: String,
    /// Whether it holds numbers, which stand at the right.
    pub number: bool,
}

/// A cell.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Cell {
    /// Its text.
    pub text: String,
    /// The number to sort it by; text if none. Empty cells come last.
    pub number: Option<f64>,
}

impl Cell {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Cell { text: text.into(), number: None }
    }

    /// A number as `text`.
    pub fn number(number: f64, text: impl Into<String>) -> Self {
        Cell { text: text.into(), number: Some(number) }
    }
}

impl Column {
    /// A column of text.
    pub fn text(name: impl Into<String>, about: impl Into<String>) -> Self {
        Column { name: name.into(), about: about.into(), number: false }
    }

    /// A column of numbers.
    pub fn number(name: impl Into<String>, about: impl Into<String>) -> Self {
        Column { name: name.into(), about: about.into(), number: true }
    }
}

/// The table in a box that scrolls if it must.
pub(crate) fn markup(table: &Table) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(table.caption) {
            table.sortable {
                caption { (table.caption) }
                thead { tr {
                    @for column in &table.columns {
                        th scope="col" class=[column.number.then_some("number")] title=[told(&column.about)] {
                            (column.name)
                        }
                    }
                } }
                tbody {
                    @for row in &table.rows {
                        tr {
                            @for (cell, column) in row.iter().zip(&table.columns) {
                                td class=(class(cell, column)) data-n=[cell.number.map(|n| n.to_string())] {
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

/// Short text stays on one line.
fn class(cell: &Cell, column: &Column) -> &'static str {
    match cell.text.chars().count() {
        _ if column.number => "number",
        ..=24 => "short",
        _ => "long",
    }
}

fn told(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}
