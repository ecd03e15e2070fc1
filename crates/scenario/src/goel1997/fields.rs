//! The attributes of one component.

use super::parser::{ComponentBlock, DatafileEntry};
use super::quantities::{AttributeType, Refusal};
use super::report::Report;
use crate::problem::{Problem, sanitize_input};

/// A value, and its byte offset.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct LocatedValue<T> {
    pub(super) value: T,
    pub(super) at: usize,
}

/// A component's attributes. Reading an attribute declares it; [`Fields::finish`] reports unknown and missing ones.
pub(super) struct Fields<'b, 'a, 'r, 'f> {
    block: &'b ComponentBlock<'a>,
    report: &'r mut Report<'f>,
    known: Vec<&'static str>,
    missing: Vec<&'static str>,
}

impl<'b, 'a, 'r, 'f> Fields<'b, 'a, 'r, 'f> {
    pub(super) fn new(block: &'b ComponentBlock<'a>, report: &'r mut Report<'f>) -> Self {
        Fields { block, report, known: Vec::new(), missing: Vec::new() }
    }

    fn key(&self, attribute: &str) -> String {
        format!("{}.{attribute}", self.block.name.text)
    }

    /// A required attribute, given exactly once. `None` if an error has been or will be reported.
    pub(super) fn read_required<T>(&mut self, name: &'static str, kind: &AttributeType<T>) -> Option<LocatedValue<T>> {
        let entry = self.once(name);
        if entry.is_none() {
            self.missing.push(name);
        }
        self.read(entry?, kind)
    }

    /// An optional attribute, given at most once.
    pub(super) fn read_optional<T>(&mut self, name: &'static str, kind: &AttributeType<T>) -> Option<LocatedValue<T>> {
        let entry = self.once(name)?;
        self.read(entry, kind)
    }

    /// An attribute that may be given any number of times.
    pub(super) fn read_repeated<T>(&mut self, name: &'static str, kind: &AttributeType<T>) -> Vec<LocatedValue<T>> {
        self.known.push(name);
        let block = self.block;
        block
            .entries
            .iter()
            .filter(|entry| entry.name.text == name)
            .filter_map(|entry| self.read(entry, kind))
            .collect()
    }

    fn once(&mut self, name: &'static str) -> Option<&'b DatafileEntry<'a>> {
        self.known.push(name);
        let mut entries = self.block.entries.iter().filter(|entry| entry.name.text == name);
        let first = entries.next()?;
        for again in entries {
            let line = self.report.line(first.name.at);
            let problem = Problem::new(format!("{name} once; line {line} has it already")).key(self.key(name));
            self.report.at(again.name.at, problem.found(format!("{name} again")).hint("remove one of them"));
        }
        Some(first)
    }

    fn read<T>(&mut self, entry: &DatafileEntry<'_>, kind: &AttributeType<T>) -> Option<LocatedValue<T>> {
        let at = entry.values.first()?.at;
        let words: Vec<&str> = entry.values.iter().map(|word| word.text).collect();
        let text = words.join(" ");
        match (kind.read)(&text) {
            Ok(value) => Some(LocatedValue { value, at }),
            Err(Refusal(hint)) => {
                let problem = Problem::new(kind.expected).key(self.key(entry.name.text)).found(sanitize_input(&text));
                let mut problem = problem.nearest(&sanitize_input(&text), kind.words.iter().map(|(word, _)| *word));
                problem.hint = problem.hint.or(hint);
                self.report.at(at, problem);
                None
            }
        }
    }

    /// Reports unknown and missing attributes. A misspelled attribute is not also reported as missing.
    pub(super) fn finish(mut self) {
        for entry in self.block.entries.iter().filter(|entry| !self.known.contains(&entry.name.text)) {
            let name = sanitize_input(entry.name.text);
            let problem = Problem::new(format!("no such attribute of {}", self.block.name.text)).key(self.key(&name));
            let problem = problem.nearest(&name, self.known.iter().copied());
            let meant =
                problem.hint.as_deref().and_then(|hint| hint.strip_prefix("did you mean \"")?.strip_suffix("\"?"));
            self.missing.retain(|missing| Some(*missing) != meant);
            self.report.at(entry.name.at, problem);
        }
        for name in &self.missing {
            let problem = Problem::new(format!("{name} is missing")).key(self.key(name));
            self.report.at(self.block.name.at, problem.hint(format!("add {name} = ... between the braces")));
        }
    }
}
