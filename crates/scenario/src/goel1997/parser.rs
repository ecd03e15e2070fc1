//! The parser: blocks of attributes.
//!
//! ```text
//! file  = { name "{" { entry } "}" }
//! entry = name "=" value { value } [ ";" ] end-of-line
//! ```
//!
//! Line ends are allowed around braces. After an error parsing continues with the next line, so that an error does not
//! hide later ones.

use super::lexer::Token;
use super::report::Report;
use crate::problem::{Problem, sanitize_input};

/// A word, and the byte at which it begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

/// An attribute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct DatafileEntry<'a> {
    pub(super) name: Word<'a>,
    /// The values after the `=`. They are empty if the line was wrong, which has been reported.
    pub(super) values: Vec<Word<'a>>,
}

/// The names of the components.
pub(super) const NAMES: [&str; 10] = [
    "simulator",
    "wired_source_node",
    "wireless_source_node",
    "normal_router_node",
    "base_station",
    "wired_sink_node",
    "wireless_sink_node",
    "wired_link",
    "wireless_link",
    "shared_links",
];

/// A component and its attributes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ComponentBlock<'a> {
    pub(super) name: Word<'a>,
    pub(super) entries: Vec<DatafileEntry<'a>>,
}

/// The blocks of a text.
pub(super) fn parse_blocks<'a>(tokens: &[(Token<'a>, usize)], report: &mut Report<'_>) -> Vec<ComponentBlock<'a>> {
    let mut parser = Parser { tokens, next: 0, report };
    let mut blocks = Vec::new();
    // Of consecutive stray lines only the first is reported.
    let mut stray = false;
    loop {
        parser.skip_newlines();
        match parser.take() {
            (Token::End, _) => break,
            (Token::Word(text), at) if parser.next_beyond_newlines() == Token::Open => {
                stray = false;
                blocks.push(parser.block(Word { text, at }));
            }
            (token, at) => {
                if !std::mem::replace(&mut stray, true) {
                    let problem = explain_stray_token(token, parser.peek());
                    parser.report.at(at, problem);
                }
                parser.skip_line();
            }
        }
    }
    if tokens.iter().all(|(token, _)| matches!(token, Token::Newline | Token::End)) {
        parser.report.whole(Problem::new("components; the file has none").hint("begin with simulator { ... }"));
    }
    blocks
}

/// Explains a token outside of braces. The error depends on the following token.
fn explain_stray_token(token: Token<'_>, next: Token<'_>) -> Problem {
    match token {
        Token::Word(word) if NAMES.contains(&word) => {
            Problem::new(format!("{{ after {word}")).key(word).hint(format!("write {word} {{ ... }}"))
        }
        Token::Word(word) => {
            let problem = Problem::new("a component: its name and {").found(sanitize_input(word));
            match next {
                Token::Equals => problem.hint("attributes are between the braces of a component"),
                _ => problem.nearest(&sanitize_input(word), NAMES),
            }
        }
        token => {
            Problem::new("a component: its name and {").found(describe_token(token)).hint("a brace too many above?")
        }
    }
}

fn describe_token(token: Token<'_>) -> String {
    match token {
        Token::Word(word) => sanitize_input(word),
        Token::Open => "{".into(),
        Token::Close => "}".into(),
        Token::Equals => "=".into(),
        Token::Semicolon => ";".into(),
        Token::Newline => "the end of the line".into(),
        Token::End => "the end of the file".into(),
    }
}

struct Parser<'t, 'a, 'r, 'f> {
    tokens: &'t [(Token<'a>, usize)],
    next: usize,
    report: &'r mut Report<'f>,
}

impl<'a> Parser<'_, 'a, '_, '_> {
    fn peek(&self) -> Token<'a> {
        self.tokens[self.next].0
    }

    /// Takes the next token, which is `End` after the last one.
    fn take(&mut self) -> (Token<'a>, usize) {
        let token = self.tokens[self.next];
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    fn skip_newlines(&mut self) {
        while self.peek() == Token::Newline {
            self.take();
        }
    }

    fn next_beyond_newlines(&self) -> Token<'a> {
        let mut rest = self.tokens[self.next..].iter().map(|(token, _)| *token);
        rest.find(|token| *token != Token::Newline).unwrap_or(Token::End)
    }

    /// Skips to the end of the line, or to a brace that closes a block on it.
    fn skip_line(&mut self) {
        while !matches!(self.peek(), Token::Newline | Token::Close | Token::End) {
            self.take();
        }
    }

    /// The remainder of a block, from its `{` on.
    fn block(&mut self, name: Word<'a>) -> ComponentBlock<'a> {
        let shown_name = sanitize_input(name.text);
        self.skip_newlines();
        self.take();
        let mut entries = Vec::new();
        loop {
            self.skip_newlines();
            match self.take() {
                (Token::Close, _) => break,
                (Token::End, _) => {
                    self.report_unclosed(name);
                    break;
                }
                (Token::Word(_), _) if self.next_beyond_newlines() == Token::Open => {
                    // The next component begins here; the caller parses it.
                    self.next -= 1;
                    self.report_unclosed(name);
                    break;
                }
                (Token::Word(text), at) => entries.push(self.entry(&shown_name, Word { text, at })),
                (token, at) => {
                    let problem = Problem::new("an attribute, such as node_id = 211").key(shown_name.as_str());
                    self.report.at(at, problem.found(describe_token(token)));
                    self.skip_line();
                }
            }
        }
        ComponentBlock { name, entries }
    }

    fn report_unclosed(&mut self, name: Word<'_>) {
        let shown_name = sanitize_input(name.text);
        let problem = Problem::new(format!("}} after the last attribute of {shown_name}")).key(shown_name);
        self.report.at(name.at, problem.hint("its { is never closed"));
    }

    /// The remainder of an attribute after its name.
    fn entry(&mut self, component: &str, name: Word<'a>) -> DatafileEntry<'a> {
        let mut entry = DatafileEntry { name, values: Vec::new() };
        let attribute = sanitize_input(name.text);
        let wrong = |expected: &str, token| {
            Problem::new(expected).key(format!("{component}.{attribute}")).found(describe_token(token))
        };
        if self.peek() != Token::Equals {
            let token = self.peek();
            let value = if let Token::Word(word) = token { sanitize_input(word) } else { "...".into() };
            self.report.at(name.at, wrong("= after the name", token).hint(format!("write {attribute} = {value}")));
            self.skip_line();
            return entry;
        }
        self.take();
        while let Token::Word(text) = self.peek() {
            let (_, at) = self.take();
            entry.values.push(Word { text, at });
        }
        if entry.values.is_empty() {
            let problem = wrong("a value after the =", self.peek());
            self.report.at(name.at, problem.hint(format!("write {attribute} = ...")));
            self.skip_line();
            return entry;
        }
        if self.peek() == Token::Equals && entry.values.len() > 1 {
            // The last word is the name of another attribute, and is read as the beginning of a line.
            entry.values.pop();
            self.next -= 1;
        } else if self.peek() == Token::Semicolon {
            self.take();
        }
        let (token, at) = self.tokens[self.next];
        if !matches!(token, Token::Newline | Token::Close | Token::End) {
            self.report.at(at, wrong("the end of the line", token).hint("write one attribute a line"));
            let another = matches!(token, Token::Word(_)) && self.tokens[self.next + 1].0 == Token::Equals;
            if !another {
                self.skip_line();
            }
        }
        entry
    }
}
