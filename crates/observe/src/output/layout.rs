//! The columns of the traces that are tables. Each trace declares its own columns.

/// The type of the values of a column. It follows from the trace, not from the values of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TraceValueKind {
    /// Text.
    Text,
    /// Whole numbers, never missing.
    Integer,
    /// Numbers; an empty cell is a missing value.
    Number,
}

/// A column of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraceColumn {
    /// The name.
    pub name: &'static str,
    /// The unit; empty for values without one.
    pub unit: &'static str,
    /// The type of the values.
    pub kind: TraceValueKind,
    /// Definition of the values.
    pub definition: &'static str,
}

impl TraceColumn {
    pub(super) const fn new(
        name: &'static str,
        unit: &'static str,
        kind: TraceValueKind,
        definition: &'static str,
    ) -> Self {
        TraceColumn { name, unit, kind, definition }
    }
}

/// The time of a line in the traces of two columns.
pub(super) const TIME_MS: TraceColumn = TraceColumn::new("time_ms", "ms", TraceValueKind::Number, "Time");

/// The layout of a trace's file.
#[derive(Clone, Copy, Debug)]
pub enum TraceLayout {
    /// A line with the names, then cells separated by commas.
    Csv(&'static [TraceColumn]),
    /// A time and a value on each line, separated by a space.
    Pairs([TraceColumn; 2]),
    /// No table.
    None,
}

/// The line with the names of the columns.
pub(super) fn join_column_names(columns: &[TraceColumn]) -> String {
    columns.iter().map(|column| column.name).collect::<Vec<_>>().join(",")
}

/// The names of a trace's files.
#[derive(Clone, Copy, Debug)]
pub(super) enum TraceFileNames {
    /// A single file with this name.
    Whole(&'static str),
    /// Files whose names begin with this text.
    Begin(&'static str),
    /// Files whose names end with this text.
    End(&'static str),
    /// One file with this name, or several that end with `-` and this name.
    WholeOrEnd(&'static str),
}

impl TraceFileNames {
    pub fn fits(self, file: &str) -> bool {
        match self {
            TraceFileNames::Whole(name) => file == name,
            TraceFileNames::Begin(begin) => file.starts_with(begin),
            TraceFileNames::End(end) => file.ends_with(end),
            TraceFileNames::WholeOrEnd(name) => {
                file.strip_suffix(name).is_some_and(|stem| stem.is_empty() || stem.ends_with('-'))
            }
        }
    }
}
