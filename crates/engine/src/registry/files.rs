//! Files that members read. A member names them; the loader of a scenario finds and reads them.

use std::fmt::Arguments;

use serde::de::DeserializeOwned;

use super::Fault;
use crate::Span;

/// A setting that names a file, and the setting that receives its content.
pub struct FileSetting<'a, T> {
    /// The key of the setting that names the file, such as `flows.video.traffic.file`.
    pub key: Arguments<'a>,
    /// The name of the file. It is removed when the file is read, so that the settings then contain only its contents.
    pub file: &'a mut Option<String>,
    /// The content of the file.
    pub content: &'a mut Option<T>,
}

/// An error in the content of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContentFault {
    /// The number of the line, from 1.
    pub line: usize,
    /// The expected content.
    pub expected: String,
}

impl ContentFault {
    /// Creates an error in the line `line`, which counts from 1.
    pub fn new(line: usize, expected: impl Into<String>) -> Self {
        ContentFault { line, expected: expected.into() }
    }
}

/// Reads the files of members. [`Settings::read_files`](super::Settings::read_files) calls one of the first three
/// methods for each setting of a member that names a file. A setting without a file is left unchanged. The reader
/// collects the errors.
pub trait FileReader {
    /// Reads a text with `parse`.
    fn read_text<T>(&mut self, setting: FileSetting<'_, T>, parse: impl FnOnce(&str) -> Result<T, ContentFault>);

    /// Reads a TOML document whose values `check` examines. `what` is the expected content, such as "a network".
    fn read_toml<T: DeserializeOwned>(
        &mut self,
        setting: FileSetting<'_, T>,
        what: &str,
        check: impl FnOnce(&T) -> Vec<Fault>,
    );

    /// Reads the changes of a channel between GOOD and BAD, the first one to BAD: a trace that a run writes.
    fn read_states(&mut self, setting: FileSetting<'_, Vec<Span>>);

    /// Reports content that is invalid for the setting at `key`.
    fn refuse(&mut self, key: Arguments<'_>, expected: String);
}
