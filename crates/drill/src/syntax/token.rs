//! Tokens of a script.

use super::SyntaxError;
use crate::place::ScriptPlace;

/// A token of a script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScriptToken<'a> {
    /// Letters, digits and underscores, beginning with no digit.
    Word(&'a str),
    /// A number as written: `10`, `-1`, `.005`, `0x7f`.
    Number(&'a str),
    /// An IPv4 address in dotted notation.
    Address(&'a str),
    /// An option at the head of a script: `--name` or `--name=value`.
    Option(&'a str),
    /// Text between double quotes.
    Text(&'a str),
    /// Text between backticks: shell commands.
    Commands(&'a str),
    /// Text between `%{` and `}%`: assertions.
    Code(&'a str),
    /// `...`
    Ellipsis,
    /// Any other character.
    Sign(char),
    /// End of the script.
    End,
}

impl ScriptToken<'_> {
    /// Returns the token's description for error messages.
    pub fn describe(&self) -> String {
        match self {
            ScriptToken::Word(text)
            | ScriptToken::Number(text)
            | ScriptToken::Address(text)
            | ScriptToken::Option(text) => format!("`{text}`"),
            ScriptToken::Text(_) => "a text in quotes".into(),
            ScriptToken::Commands(_) => "commands in backticks".into(),
            ScriptToken::Code(_) => "assertions in %{ }%".into(),
            ScriptToken::Ellipsis => "`...`".into(),
            ScriptToken::Sign(sign) => format!("`{sign}`"),
            ScriptToken::End => "the end of the script".into(),
        }
    }
}

/// A token with its position; for commands and assertions, the position of their text.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// The token itself.
    pub token: ScriptToken<'a>,
    /// Position in the script.
    pub place: ScriptPlace,
    /// Start and end of the token, as byte offsets in the script.
    pub bytes: (usize, usize),
}

/// Splits `text` into tokens, of which the last one is [`ScriptToken::End`].
pub fn split_tokens(text: &str) -> Result<Vec<Piece<'_>>, SyntaxError> {
    let mut reader = Tokenizer { text, at: 0, place: ScriptPlace { line: 1, column: 1 } };
    let mut out = Vec::new();
    loop {
        reader.skip_blanks()?;
        let from = reader.at;
        let (token, place) = reader.next()?;
        out.push(Piece { token, place, bytes: (from, reader.at) });
        if token == ScriptToken::End {
            return Ok(out);
        }
    }
}

struct Tokenizer<'a> {
    text: &'a str,
    at: usize,
    place: ScriptPlace,
}

fn in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

impl<'a> Tokenizer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn advance(&mut self, bytes: usize) -> &'a str {
        let taken = &self.text[self.at..self.at + bytes];
        for c in taken.chars() {
            if c == '\n' {
                self.place = ScriptPlace { line: self.place.line + 1, column: 1 };
            } else {
                self.place.column += 1;
            }
        }
        self.at += bytes;
        taken
    }

    fn skip_blanks(&mut self) -> Result<(), SyntaxError> {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start().len();
            if blanks > 0 {
                self.advance(blanks);
            } else if rest.starts_with("//") {
                self.advance(rest.find('\n').unwrap_or(rest.len()));
            } else if rest.starts_with("/*") {
                let end = self.end_of("*/", 2, "a comment")?;
                self.advance(end);
            } else {
                return Ok(());
            }
        }
    }

    /// Returns the number of bytes up to and including `mark`, searched from offset `from` on.
    fn end_of(&self, mark: &str, from: usize, what: &str) -> Result<usize, SyntaxError> {
        let found = self.rest()[from..].find(mark).map(|at| from + at + mark.len());
        found.ok_or_else(|| SyntaxError {
            place: self.place,
            found: format!("{what} without an end"),
            expected: format!("`{mark}` after it"),
            hint: None,
        })
    }

    /// Returns the text after `open` bytes up to `mark`, with the position of the text.
    fn take_quoted(&mut self, open: usize, mark: &str, what: &str) -> Result<(&'a str, ScriptPlace), SyntaxError> {
        let end = self.end_of(mark, open, what)?;
        self.advance(open);
        let place = self.place;
        let inside = self.advance(end - open - mark.len());
        self.advance(mark.len());
        Ok((inside, place))
    }

    fn next(&mut self) -> Result<(ScriptToken<'a>, ScriptPlace), SyntaxError> {
        let (rest, place) = (self.rest(), self.place);
        let Some(first) = rest.chars().next() else { return Ok((ScriptToken::End, place)) };
        let second = rest[first.len_utf8()..].chars().next().unwrap_or(' ');
        if rest.starts_with("...") {
            self.advance(3);
            return Ok((ScriptToken::Ellipsis, place));
        }
        if rest.starts_with("%{") {
            let (code, place) = self.take_quoted(2, "}%", "an assertion")?;
            return Ok((ScriptToken::Code(code), place));
        }
        let token = match first {
            '`' => {
                let (commands, place) = self.take_quoted(1, "`", "a command")?;
                return Ok((ScriptToken::Commands(commands), place));
            }
            '"' => ScriptToken::Text(self.take_quoted(1, "\"", "a text")?.0),
            '-' if second == '-' && rest[2..].starts_with(in_word) => {
                let blank = rest.find(char::is_whitespace).unwrap_or(rest.len());
                ScriptToken::Option(self.advance(blank))
            }
            '-' if second.is_ascii_digit() || second == '.' => self.number(1),
            '.' if second.is_ascii_digit() => self.number(0),
            _ if first.is_ascii_digit() => self.number(0),
            _ if in_word(first) => {
                let length = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
                ScriptToken::Word(self.advance(length))
            }
            _ => {
                self.advance(first.len_utf8());
                ScriptToken::Sign(first)
            }
        };
        Ok((token, place))
    }

    /// Parses a number whose digits begin after `sign` bytes, or an IPv4 address.
    fn number(&mut self, sign: usize) -> ScriptToken<'a> {
        let rest = self.rest();
        let digits = |from: usize| rest[from..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - from);
        if rest[sign..].starts_with("0x") || rest[sign..].starts_with("0X") {
            let length = rest[sign + 2..].find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len() - sign - 2);
            return ScriptToken::Number(self.advance(sign + 2 + length));
        }
        let mut end = sign + digits(sign);
        let mut dots = 0;
        // A dot is part of a number only if a digit follows: `0...0.010` is a number, an ellipsis and a number.
        while rest[end..].starts_with('.') && rest[end + 1..].starts_with(|c: char| c.is_ascii_digit()) && dots < 3 {
            end += 1 + digits(end + 1);
            dots += 1;
        }
        match dots {
            0 | 1 => ScriptToken::Number(self.advance(end)),
            _ => ScriptToken::Address(self.advance(end)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<ScriptToken<'_>> {
        split_tokens(text).unwrap().into_iter().map(|piece| piece.token).collect()
    }

    #[test]
    fn dots_are_split_between_numbers_and_ellipses() {
        use ScriptToken::{Ellipsis, End, Number, Sign, Word};
        let plus = Sign('+');
        assert_eq!(tokens("+.01...0.011"), [plus, Number(".01"), Ellipsis, Number("0.011"), End]);
        assert_eq!(tokens("+0...0.010"), [plus, Number("0"), Ellipsis, Number("0.010"), End]);
        assert_eq!(tokens("P. 1"), [Word("P"), Sign('.'), Number("1"), End]);
        assert_eq!(tokens("+.3~+.310"), [plus, Number(".3"), Sign('~'), plus, Number(".310"), End]);
        assert_eq!(
            tokens("192.168.0.1 -1 0x7fffffff -"),
            [ScriptToken::Address("192.168.0.1"), Number("-1"), Number("0x7fffffff"), Sign('-'), End]
        );
    }

    #[test]
    fn comments_count_lines() {
        let pieces = split_tokens("// one\n/* two\n three */ `a\nb` %{ c }%").unwrap();
        let places: Vec<_> = pieces.iter().map(|piece| (piece.place.line, piece.place.column)).collect();
        assert_eq!(places, [(3, 12), (4, 6), (4, 11)]);
        assert_eq!(pieces[1].token, ScriptToken::Code(" c "));
    }

    #[test]
    fn unterminated_string_is_reported_at_its_beginning() {
        for (text, column) in [("  `sysctl", 3), ("%{ assert", 1), ("a \"b", 3), ("/* x", 1)] {
            assert_eq!(split_tokens(text).unwrap_err().place, ScriptPlace { line: 1, column }, "{text}");
        }
    }
}
