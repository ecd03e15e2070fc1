//! The destinations of an event's contents: an object of JSON, or a row of a table.

use std::borrow::Cow;
use std::io;
use std::net::Ipv4Addr;

use serde::Serialize;

use super::table::ColumnValues;

/// Receives the fields of one event. Events of one kind have the same fields in the same order. Therefore the first
/// event determines the columns of a table.
pub(super) trait Record {
    /// Receives the kind of the event, before its fields.
    fn kind(&mut self, kind: &'static str) -> io::Result<()>;
    /// A field that all events of the kind have.
    fn put<C: RecordCell + ?Sized>(&mut self, key: &'static str, value: &C) -> io::Result<()>;
    /// A field present only in some events of the kind.
    fn put_some<C: RecordCell>(&mut self, key: &'static str, value: Option<C>) -> io::Result<()>;
}

/// A value of a field: a value in JSON, and a cell of a column.
pub(super) trait RecordCell: Serialize {
    /// Whether values may be missing.
    const OPTIONAL: bool = false;
    /// An empty column of such values.
    fn column() -> ColumnValues;
    /// Appends the value to a column. Returns false if the value is missing.
    fn append_to(&self, column: &mut ColumnValues) -> bool;
}

/// Several values. In a table they are written as JSON text.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct List<T>(pub Vec<T>);

/// Implements [`RecordCell`] for types, from the type of the column and the value in it.
macro_rules! cells {
    ($($type:ty: $column:ident, $cell:pat => $value:expr;)*) => {$(
        impl RecordCell for $type {
            fn column() -> ColumnValues {
                ColumnValues::$column(Default::default())
            }
            fn append_to(&self, column: &mut ColumnValues) -> bool {
                let (ColumnValues::$column(values), $cell) = (column, self) else { return false };
                values.push($value);
                true
            }
        }
    )*};
}

cells! {
    bool: Flags, flag => *flag;
    f64: Numbers, number => *number;
    u16: Integers, number => i64::from(*number);
    u32: Integers, number => i64::from(*number);
    u64: Integers, number => i64::try_from(*number).unwrap_or(i64::MAX);
    str: Texts, text => text;
    String: Texts, text => text;
    Cow<'_, str>: Texts, text => text;
    Ipv4Addr: Texts, address => &address.to_string();
}

impl<T: Serialize> RecordCell for List<T> {
    fn column() -> ColumnValues {
        str::column()
    }
    fn append_to(&self, column: &mut ColumnValues) -> bool {
        serde_json::to_string(self).is_ok_and(|text| text.append_to(column))
    }
}

impl<C: RecordCell + ?Sized> RecordCell for &C {
    const OPTIONAL: bool = C::OPTIONAL;
    fn column() -> ColumnValues {
        C::column()
    }
    fn append_to(&self, column: &mut ColumnValues) -> bool {
        C::append_to(self, column)
    }
}

impl<C: RecordCell> RecordCell for Option<C> {
    const OPTIONAL: bool = true;
    fn column() -> ColumnValues {
        C::column()
    }
    fn append_to(&self, column: &mut ColumnValues) -> bool {
        self.as_ref().is_some_and(|value| value.append_to(column))
    }
}
