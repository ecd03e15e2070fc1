//! Text with others around its parts, and which mutants stand where.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

/// Text before and after a part of a file. Parts are those of a syntax tree: one is within another, or apart from it.
pub struct Edit {
    pub range: Range<usize>,
    /// Pieces of text, each with the mutants that it holds.
    pub before: Vec<(String, Vec<usize>)>,
    pub after: String,
}

/// A file with mutants in it.
pub struct Schemata {
    pub text: String,
    /// The mutants that are not in it.
    pub left_out: Vec<usize>,
    /// Parts of the text and the mutants there, without those of parts within.
    scopes: Vec<(Range<usize>, Vec<usize>)>,
}

impl Schemata {
    /// The mutants of the smallest part that holds this place and any mutant; all of the file if there is none smaller.
    pub fn blamed(&self, place: &Range<usize>) -> Vec<usize> {
        let mut around: Vec<&Range<usize>> =
            self.scopes.iter().map(|(scope, _)| scope).filter(|scope| within(place, scope)).collect();
        around.sort_by_key(|scope| scope.len());
        let held = |scope: &Range<usize>| -> BTreeSet<usize> {
            let inner = self.scopes.iter().filter(|(inner, _)| within(inner, scope));
            inner.flat_map(|(_, numbers)| numbers.iter().copied()).collect()
        };
        let found = around.into_iter().map(held).find(|numbers| !numbers.is_empty());
        found.unwrap_or_default().into_iter().collect()
    }
}

fn within(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The text with the edits. Of edits of the same part the first is the outermost; an empty part comes before one that
/// begins there.
pub fn render(text: &str, mut edits: Vec<Edit>) -> Schemata {
    edits.sort_by_key(|edit| (edit.range.start, !edit.range.is_empty(), Reverse(edit.range.end)));
    let mut writer = Writer { text, at: 0, out: String::new(), open: Vec::new(), scopes: Vec::new() };
    for edit in &edits {
        writer.close(edit.range.start);
        writer.copy(edit.range.start);
        writer.open.push((edit, writer.out.len()));
        for (piece, numbers) in &edit.before {
            let start = writer.out.len();
            writer.out.push_str(piece);
            writer.scopes.push((start..writer.out.len(), numbers.clone()));
        }
    }
    writer.close(text.len());
    writer.copy(text.len());
    let Writer { out, mut scopes, .. } = writer;
    scopes.push((0..out.len(), Vec::new()));
    Schemata { text: out, left_out: Vec::new(), scopes }
}

struct Writer<'a> {
    text: &'a str,
    /// Up to here the text is copied.
    at: usize,
    out: String,
    /// Edits that have begun, and where in `out`.
    open: Vec<(&'a Edit, usize)>,
    scopes: Vec<(Range<usize>, Vec<usize>)>,
}

impl Writer<'_> {
    fn copy(&mut self, to: usize) {
        self.out.push_str(&self.text[self.at..to]);
        self.at = to;
    }

    /// Ends the edits whose part ends at `to` or before.
    fn close(&mut self, to: usize) {
        while let Some(&(edit, start)) = self.open.last()
            && edit.range.end <= to
        {
            self.copy(edit.range.end);
            self.out.push_str(&edit.after);
            self.scopes.push((start..self.out.len(), Vec::new()));
            self.open.pop();
        }
    }
}
