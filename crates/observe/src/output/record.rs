//! What the contents of an event are written to: an object of JSON, or a row of a table.

use std::io;

use serde::Serialize;

/// Receives the fields of one event. Events of one kind have the same fields in the same order, so that the first one tells
/// the columns of a table.
pub(super) trait Record {
    /// The kind of the event, before its fields.
    fn kind(&mut self, kind: &'static str) -> io::Result<()>;
    /// A field that all events of the kind have.
    fn put<C: Serialize + ?Sized>(&mut self, key: &'static str, value: &C) -> io::Result<()>;
    /// A field that only some events of the kind have.
    fn put_some<C: Serialize>(&mut self, key: &'static str, value: Option<C>) -> io::Result<()>;
}

/// Several values; in a table their text in JSON.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct List<T>(pub Vec<T>);
