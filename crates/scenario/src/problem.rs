//! Errors and warnings about an input.

use std::fmt;

use crate::meant_name::find_meant_name;

/// A problem: its place, the value found, the expected one, and a hint.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Problem {
    /// Name of the file as given by the user.
    pub file: Option<String>,
    /// Line and column in the file, from 1.
    pub place: Option<(usize, usize)>,
    /// The text of that line.
    pub source: Option<String>,
    /// The key, as a path: `links.air.rate`.
    pub key: Option<String>,
    /// The value found.
    pub found: Option<String>,
    /// The expected value, or a description of the error.
    pub expected: String,
    /// The other changes of the case, in a sweep.
    pub among: Option<String>,
    /// A hint for correcting the problem.
    pub hint: Option<String>,
    /// Lint that reported the problem; `None` for errors.
    pub lint: Option<&'static str>,
}

impl Problem {
    /// A problem without a position.
    pub fn new(expected: impl Into<String>) -> Self {
        Problem { expected: expected.into(), ..Self::default() }
    }

    /// Sets the file.
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// Sets the position to byte `offset` of `text`.
    pub fn at_offset(mut self, text: &str, offset: usize) -> Self {
        let before = &text.as_bytes()[..offset.min(text.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count();
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let column = String::from_utf8_lossy(&before[start..]).chars().count();
        self.place = Some((line + 1, column + 1));
        self.source = text.lines().nth(line).map(str::to_owned);
        self
    }

    /// Sets the key.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets the value found.
    pub fn found(mut self, found: impl Into<String>) -> Self {
        self.found = Some(found.into());
        self
    }

    /// Sets the hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The nearest of `known` to `name`, as a hint, or all of them if none is near.
    pub fn nearest<'a>(self, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        let problem = self.did_you_mean(name, known.iter().copied());
        match problem.hint {
            None if (1..=20).contains(&known.len()) => problem.hint(format!("known: {}", known.join(", "))),
            _ => problem,
        }
    }

    /// The nearest of `known` to `name`, as a hint, if one is near.
    pub fn did_you_mean<'a>(self, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        match find_meant_name(name, known) {
            Some(other) => self.hint(format!("did you mean \"{other}\"?")),
            None => self,
        }
    }
}

/// Lists names, limited to the first few.
pub fn join_names(names: &[&str]) -> String {
    const MAX_NAMES: usize = 4;
    match names {
        [] => String::new(),
        [alone] => (*alone).to_owned(),
        [first @ .., last] if names.len() <= MAX_NAMES => format!("{} and {last}", first.join(", ")),
        _ => format!("{} and {} more", names[..MAX_NAMES - 1].join(", "), names.len() + 1 - MAX_NAMES),
    }
}

/// Text from an input, fit for a terminal: short, one line, no control characters.
pub fn sanitize_input(text: &str) -> String {
    const MAX_LENGTH: usize = 60;
    let mut out: String = text
        .chars()
        .take(MAX_LENGTH)
        .flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] })
        .collect();
    if text.chars().nth(MAX_LENGTH).is_some() {
        out.push('…');
    }
    out
}

/// Returns the part of a line around `column`, which counts from 1, and the number of characters of that part before
/// the column. The part is short and has no control characters.
fn excerpt_line(line: &str, column: usize) -> (String, usize) {
    const MAX_LENGTH: usize = 72;
    // Each character of the line is replaced by one character, so that columns do not change.
    let plain = |c: char| match c {
        '\t' => ' ',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    let line: Vec<char> = line.trim_end().chars().map(plain).collect();
    let indent = line.iter().take_while(|c| c.is_whitespace()).count();
    let at = (column - 1).clamp(indent, line.len());
    let from = at.saturating_sub(MAX_LENGTH / 2).min(line.len().saturating_sub(MAX_LENGTH)).max(indent);
    let to = line.len().min(from + MAX_LENGTH);
    let cut = |cut: bool| if cut { "…" } else { "" };
    let shown: String = line[from..to].iter().collect();
    let before = at - from + usize::from(from > indent);
    (format!("{}{shown}{}", cut(from > indent), cut(to < line.len())), before)
}

impl fmt::Display for Problem {
    /// ```text
    /// network.toml:12:8: links.air.rate: found "8 mbps", expected a rate such as "8 Mbps"
    ///   12 | rate = "8 mbps"
    ///      |        ^
    ///   hint: did you mean "8 Mbps"?
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}:")?;
            if let Some((line, column)) = self.place {
                write!(f, "{line}:{column}:")?;
            }
            write!(f, " ")?;
        }
        if let Some(key) = &self.key {
            write!(f, "{key}: ")?;
        }
        match &self.found {
            Some(found) => write!(f, "found {}, expected {}", sanitize_input(found), self.expected)?,
            None => write!(f, "{}", self.expected)?,
        }
        if let Some(lint) = self.lint {
            write!(f, " [{lint}]")?;
        }
        if let (Some((line, column)), Some(source)) = (self.place, &self.source) {
            let ((source, before), number) = (excerpt_line(source, column), line.to_string());
            let (margin, indent) = (" ".repeat(number.len()), " ".repeat(before));
            write!(f, "\n  {number} | {source}\n  {margin} | {indent}^")?;
        }
        if let Some(among) = &self.among {
            write!(f, "\n  with {}", sanitize_input(among))?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}

#[cfg(test)]
mod tests {
    use super::{Problem, excerpt_line};

    #[test]
    fn caret_is_under_the_column() {
        let problem = Problem::new("wrong").in_file("f").at_offset("a = 1\n\t  bc = 2\n", 14);
        assert_eq!(problem.to_string(), "f:2:9: wrong\n  2 | bc = 2\n    |      ^");
    }

    #[test]
    fn long_line_is_cut_around_the_column() {
        let line: String = ('a'..='z').cycle().take(200).collect();
        for column in 1..=201 {
            let (shown, before) = excerpt_line(&line, column);
            let shown: Vec<char> = shown.chars().collect();
            assert!(shown.len() <= 74, "{column}");
            assert_eq!(shown.get(before), line.chars().collect::<Vec<_>>().get(column - 1), "{column}");
        }
        assert!(excerpt_line(&line, 1).0.starts_with("abc") && excerpt_line(&line, 200).0.ends_with("opqr"));
    }
}
