//! Lines and columns of a text, found by bisection, so that placing many problems needs no pass over the text for each.

/// Line and column, from 1.
pub(crate) type Place = (usize, usize);

/// Byte positions at which lines begin.
#[derive(Clone, Debug)]
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    /// Of a text.
    pub fn new(text: &str) -> Self {
        let line_ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Lines(std::iter::once(0).chain(line_ends.map(|(end, _)| end + 1)).collect())
    }

    /// The line, from 1, that contains byte `at`.
    pub fn line(&self, at: usize) -> usize {
        self.0.partition_point(|start| *start <= at)
    }

    /// Returns the position of byte `at` of `text`, and the text of its line. The lines must be those of `text`.
    pub fn place<'a>(&self, text: &'a str, at: usize) -> (Place, &'a str) {
        let at = text.floor_char_boundary(at);
        let line = self.line(at);
        let start = self.0[line - 1];
        let source = text[start..].lines().next().unwrap_or_default();
        ((line, text[start..at].chars().count() + 1), source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one() {
        let text = "a = 1\r\nü = \"x\"\n\nend";
        let lines = Lines::new(text);
        for (at, place, source) in [
            (0, (1, 1), "a = 1"),
            (4, (1, 5), "a = 1"),
            (7, (2, 1), "ü = \"x\""),
            // Within the two bytes of the ü, and after it.
            (8, (2, 1), "ü = \"x\""),
            (9, (2, 2), "ü = \"x\""),
            (16, (3, 1), ""),
            (17, (4, 1), "end"),
            (20, (4, 4), "end"),
            (99, (4, 4), "end"),
        ] {
            assert_eq!(lines.place(text, at), (place, source), "byte {at}");
        }
        assert_eq!(Lines::new("").place("", 0), ((1, 1), ""));
    }
}
