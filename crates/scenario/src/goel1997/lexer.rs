//! The lexer: words and punctuation.

use super::report::Report;
use crate::problem::{Problem, sanitize_input};

/// A word, a punctuation character, or the end of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// Anything between blanks and signs.
    Word(&'a str),
    /// `{`
    Open,
    /// `}`
    Close,
    /// `=`
    Equals,
    /// `;`
    Semicolon,
    /// The end of a line.
    Newline,
    /// The end of the text. This token is the last one, and occurs once.
    End,
}

/// The tokens of `text`, without blanks and comments, each with the byte at which it begins.
pub(super) fn tokenize_text(text: &str) -> Vec<(Token<'_>, usize)> {
    let mut tokens = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let code = line.find('#').map_or(line, |comment| &line[..comment]);
        tokenize_line(code, start, &mut tokens);
        start += line.len();
        if line.ends_with('\n') {
            tokens.push((Token::Newline, start - 1));
        }
    }
    tokens.push((Token::End, text.len()));
    tokens
}

/// Adds the tokens of a line without its comment. The line begins at byte `start` of the text.
fn tokenize_line<'a>(code: &'a str, start: usize, tokens: &mut Vec<(Token<'a>, usize)>) {
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let at = start + code.len() - rest.len();
        let length = match punctuation_token(first) {
            Some(token) => {
                tokens.push((token, at));
                1
            }
            None if first.is_ascii_whitespace() => 1,
            None => {
                let ends = |c: char| c.is_ascii_whitespace() || punctuation_token(c).is_some();
                let length = rest.find(ends).unwrap_or(rest.len());
                tokens.push((Token::Word(&rest[..length]), at));
                length
            }
        };
        rest = &rest[length..];
    }
}

fn punctuation_token(c: char) -> Option<Token<'static>> {
    match c {
        '{' => Some(Token::Open),
        '}' => Some(Token::Close),
        '=' => Some(Token::Equals),
        ';' => Some(Token::Semicolon),
        _ => None,
    }
}

/// Reports non-ASCII letters outside of comments, where they look like ASCII characters.
pub(super) fn check_ascii(tokens: &[(Token<'_>, usize)], report: &mut Report<'_>) {
    for (token, at) in tokens {
        if let Token::Word(word) = token
            && let Some(inside) = word.find(|c: char| !c.is_ascii())
        {
            let problem =
                Problem::new("ASCII letters, digits and punctuation outside comments").found(sanitize_input(word));
            report.at(at + inside, problem.hint("retype it; copied text often has non-ASCII dashes or blanks"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blanks_are_skipped_without_changing_positions() {
        let text = "# head\r\nrandom_seed\t= 2; # why\n}";
        let expected = [
            (Token::Newline, 7),
            (Token::Word("random_seed"), 8),
            (Token::Equals, 20),
            (Token::Word("2"), 22),
            (Token::Semicolon, 23),
            (Token::Newline, 30),
            (Token::Close, 31),
            (Token::End, 32),
        ];
        assert_eq!(tokenize_text(text), expected);
    }
}
