//! Inserts text around parts of a file, and records which mutants each part contains.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

/// Text to insert before and after a part of a file. Two parts are nested or disjoint, as in a syntax tree.
pub struct Edit {
    pub range: Range<usize>,
    /// Pieces of text to insert before the part, each with its mutants.
    pub before: Vec<(String, Vec<usize>)>,
    pub after: String,
}

/// A file with the schemata of its mutants.
pub struct Schemata {
    pub text: String,
    /// Mutants without a schema.
    pub left_out: Vec<usize>,
    /// Parts of the generated text with their mutants, without the mutants of nested parts.
    scopes: Vec<(Range<usize>, Vec<usize>)>,
}

impl Schemata {
    /// Returns the mutants of the smallest part that contains `place` and has any; if there is no such part, all
    /// mutants of the file.
    pub fn mutants_at(&self, place: &Range<usize>) -> Vec<usize> {
        let mut around: Vec<&Range<usize>> =
            self.scopes.iter().map(|(scope, _)| scope).filter(|scope| lies_within(place, scope)).collect();
        around.sort_by_key(|scope| scope.len());
        let held = |scope: &Range<usize>| -> BTreeSet<usize> {
            let inner = self.scopes.iter().filter(|(inner, _)| lies_within(inner, scope));
            inner.flat_map(|(_, numbers)| numbers.iter().copied()).collect()
        };
        let found = around.into_iter().map(held).find(|numbers| !numbers.is_empty());
        found.unwrap_or_default().into_iter().collect()
    }
}

fn lies_within(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Applies the edits to the text. The first of several edits of the same part becomes the outermost. An empty part
/// precedes a part that begins at the same position.
pub fn render_schemata(text: &str, mut edits: Vec<Edit>) -> Schemata {
    edits.sort_by_key(|edit| (edit.range.start, !edit.range.is_empty(), Reverse(edit.range.end)));
    let mut writer = SchemataWriter { text, at: 0, out: String::new(), open: Vec::new(), scopes: Vec::new() };
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
    let SchemataWriter { out, mut scopes, .. } = writer;
    scopes.push((0..out.len(), Vec::new()));
    Schemata { text: out, left_out: Vec::new(), scopes }
}

struct SchemataWriter<'a> {
    text: &'a str,
    /// Position up to which the text is copied.
    at: usize,
    out: String,
    /// Edits whose part has begun, with their start in `out`.
    open: Vec<(&'a Edit, usize)>,
    scopes: Vec<(Range<usize>, Vec<usize>)>,
}

impl SchemataWriter<'_> {
    fn copy(&mut self, to: usize) {
        self.out.push_str(&self.text[self.at..to]);
        self.at = to;
    }

    /// Completes the edits whose part ends at or before `to`.
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
