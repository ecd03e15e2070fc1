//! Parser of scripts: head, events, times, system calls.

use engine::time::NANOS_PER_SEC;
use engine::{Span, Time};

use super::SyntaxError;
use super::ast::{Call, Code, Commands, EventAction, HeadOption, Script, ScriptEvent, When};
use super::token::{Piece, ScriptToken, split_tokens};
use crate::code;
use crate::place::ScriptPlace;

/// Direction of a packet. An injected packet must be complete, without `...` or alternatives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PacketDirection {
    /// `<`: injected by the script.
    In,
    /// `>`: sent by the host under test.
    Out,
}

/// Parses a script.
pub fn parse_script(text: &str) -> Result<Script, SyntaxError> {
    let pieces = split_tokens(text)?;
    ScriptParser { text, pieces: &pieces, at: 0, depth: 0 }.script()
}

/// The tokens of a script and the position of the next one.
pub(super) struct ScriptParser<'a> {
    text: &'a str,
    pieces: &'a [Piece<'a>],
    at: usize,
    /// Nesting depth of the current value.
    pub(super) depth: usize,
}

/// Head options with an integer value.
const NUMBERS: [&str; 3] = ["tolerance_usecs", "tcp_ts_tick_usecs", "mtu"];

/// Expected beginning of an event, for error messages.
const TIME: &str = "a time such as `0`, `+.1` or `*`";

impl<'a> ScriptParser<'a> {
    pub(super) fn peek(&self) -> ScriptToken<'a> {
        self.pieces[self.at].token
    }

    /// Returns the token after the next.
    pub(super) fn peek_behind(&self) -> ScriptToken<'a> {
        self.pieces.get(self.at + 1).map_or(ScriptToken::End, |piece| piece.token)
    }

    pub(super) fn place(&self) -> ScriptPlace {
        self.pieces[self.at].place
    }

    /// Takes the next token; at the end of the script, the end token is returned each time.
    pub(super) fn take(&mut self) -> ScriptToken<'a> {
        let token = self.peek();
        if token != ScriptToken::End {
            self.at += 1;
        }
        token
    }

    /// Takes the next token if it is `token`. Returns whether it was.
    pub(super) fn accept(&mut self, token: ScriptToken<'_>) -> bool {
        let here = self.peek() == token;
        if here {
            self.take();
        }
        here
    }

    pub(super) fn sign(&mut self, sign: char) -> Result<(), SyntaxError> {
        if self.accept(ScriptToken::Sign(sign)) { Ok(()) } else { Err(self.wrong(format!("`{sign}`"))) }
    }

    pub(super) fn word(&mut self, expected: &str) -> Result<&'a str, SyntaxError> {
        match self.peek() {
            ScriptToken::Word(word) => {
                self.take();
                Ok(word)
            }
            _ => Err(self.wrong(expected)),
        }
    }

    /// Returns the error for a next token that is not the expected one.
    pub(super) fn wrong(&self, expected: impl Into<String>) -> SyntaxError {
        SyntaxError { place: self.place(), found: self.peek().describe(), expected: expected.into(), hint: None }
    }

    /// Parses an integer from 0 to `most`.
    pub(super) fn whole(&mut self, what: &str, most: u64) -> Result<u64, SyntaxError> {
        let ScriptToken::Number(text) = self.peek() else { return Err(self.wrong(what)) };
        let number = parse_integer(text).and_then(|number| u64::try_from(number).ok()).filter(|number| *number <= most);
        let number = number.ok_or_else(|| self.wrong(format!("{what}, 0 to {most}")))?;
        self.take();
        Ok(number)
    }

    /// Returns the byte offset of the next token in the script.
    pub(super) fn at(&self) -> usize {
        self.pieces[self.at].bytes.0
    }

    /// Takes the rest of the current event, up to the next line that begins with a time; returns the text from byte
    /// `from` on.
    pub(super) fn rest_of_event(&mut self, from: usize) -> String {
        let (mut to, mut line) = (self.at(), self.place().line);
        let begins =
            |token| matches!(token, ScriptToken::Number(_) | ScriptToken::Sign('+' | '*') | ScriptToken::Commands(_));
        while self.peek() != ScriptToken::End && (self.place().line == line || !begins(self.peek())) {
            (to, line) = (self.pieces[self.at].bytes.1, self.place().line);
            self.take();
        }
        self.text[from..to].split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn script(&mut self) -> Result<Script, SyntaxError> {
        let mut options = Vec::new();
        while let ScriptToken::Option(text) = self.peek() {
            options.push(self.head_option(text)?);
        }
        let setup = self.commands();
        let mut events = Vec::new();
        while !matches!(self.peek(), ScriptToken::End | ScriptToken::Commands(_)) {
            events.push(self.event()?);
        }
        if events.is_empty() && self.peek() == ScriptToken::End {
            return Err(self.wrong("an event, such as `0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3`"));
        }
        let cleanup = self.commands();
        if self.peek() != ScriptToken::End {
            let mut error = self.wrong("the end of the script after commands without a time");
            error.hint = Some("write a time such as `+0` in front of commands between events".into());
            return Err(error);
        }
        Ok(Script { options, setup, events, cleanup })
    }

    fn head_option(&mut self, text: &str) -> Result<HeadOption, SyntaxError> {
        let place = self.place();
        let (name, value) = match text[2..].split_once('=') {
            Some((name, value)) => (name, Some(value.trim_matches('"').to_owned())),
            None => (&text[2..], None),
        };
        let number = value.as_ref().is_some_and(|value| value.parse::<u64>().is_ok());
        if NUMBERS.contains(&name) && !number {
            return Err(self.wrong(format!("a whole number, as in `--{name}=1000`")));
        }
        self.take();
        Ok(HeadOption { place, name: name.to_owned(), value })
    }

    fn commands(&mut self) -> Vec<Commands> {
        let mut all = Vec::new();
        while let ScriptToken::Commands(text) = self.peek() {
            all.push(Commands { place: self.place(), text: text.to_owned() });
            self.take();
        }
        all
    }

    fn event(&mut self) -> Result<ScriptEvent, SyntaxError> {
        let place = self.place();
        let when = self.when()?;
        let blocks = self.accept(ScriptToken::Ellipsis);
        let returns = blocks.then(|| self.seconds("the time by which the call must return")).transpose()?;
        let action_place = self.place();
        let found = self.peek().describe();
        let action = self.action(returns)?;
        if !matches!(action, EventAction::Expect(_)) && !matches!(when, When::At(_) | When::After(_)) {
            return Err(SyntaxError {
                place: action_place,
                found,
                expected: "`>` after `*` or a range of times: calls and injected packets have one time".into(),
                hint: None,
            });
        }
        Ok(ScriptEvent { place, when, action_place, action })
    }

    /// Parses the end of a range of times that begins at `from`.
    fn range_end(&mut self, relative: bool, from: Span) -> Result<Span, SyntaxError> {
        if self.accept(ScriptToken::Sign('+')) != relative {
            return Err(self.wrong("both ends of a range with `+`, or both without"));
        }
        let place = self.place();
        let to = self.seconds("the end of the range, in seconds")?;
        if to < from {
            return Err(SyntaxError {
                place,
                found: format!("{to}"),
                expected: format!("an end that is not before the range's beginning, {from}"),
                hint: None,
            });
        }
        Ok(to)
    }

    fn when(&mut self) -> Result<When, SyntaxError> {
        if self.accept(ScriptToken::Sign('*')) {
            return Ok(When::Any);
        }
        let relative = self.accept(ScriptToken::Sign('+'));
        let from = self.seconds(if relative { "a number of seconds" } else { TIME })?;
        let is_range = self.accept(ScriptToken::Sign('~'));
        let to = is_range.then(|| self.range_end(relative, from)).transpose()?;
        let at = |span: Span| Time::ZERO + span;
        Ok(match (relative, to) {
            (true, None) => When::After(from),
            (true, Some(to)) => When::AfterBetween(from, to),
            (false, None) => When::At(at(from)),
            (false, Some(to)) => When::Between(at(from), at(to)),
        })
    }

    /// Parses a decimal number of seconds, exact to a nanosecond.
    fn seconds(&mut self, expected: &str) -> Result<Span, SyntaxError> {
        let ScriptToken::Number(text) = self.peek() else { return Err(self.wrong(expected)) };
        let span = parse_seconds(text).ok_or_else(|| self.wrong(format!("{expected}, to a nanosecond at most")))?;
        self.take();
        Ok(span)
    }

    fn action(&mut self, returns: Option<Span>) -> Result<EventAction, SyntaxError> {
        let place = self.place();
        if returns.is_some() && !matches!(self.peek(), ScriptToken::Word(_)) {
            return Err(self.wrong("a system call: only calls have a time to return by"));
        }
        match self.peek() {
            ScriptToken::Sign('<') => {
                self.take();
                Ok(EventAction::Inject(self.packet(PacketDirection::In)?))
            }
            ScriptToken::Sign('>') => {
                self.take();
                Ok(EventAction::Expect(self.packet(PacketDirection::Out)?))
            }
            ScriptToken::Commands(text) => {
                self.take();
                Ok(EventAction::Commands(Commands { place, text: text.to_owned() }))
            }
            ScriptToken::Code(text) => {
                self.take();
                Ok(EventAction::Code(Code {
                    place,
                    text: text.trim().to_owned(),
                    program: code::parse_assertions(text, place),
                }))
            }
            ScriptToken::Word(_) => Ok(EventAction::Call(self.call(returns)?)),
            _ => Err(self.wrong("`<`, `>`, a system call, commands in backticks or assertions in %{ }%")),
        }
    }

    fn call(&mut self, returns: Option<Span>) -> Result<Call, SyntaxError> {
        let name = self.word("the name of a system call")?.to_owned();
        self.sign('(')?;
        let args = self.exprs(')')?;
        self.sign('=')?;
        let result = self.expr()?;
        let errno = match self.peek() {
            // A word without a leading `E` belongs to the next event, whose time is missing.
            ScriptToken::Word(errno) if errno.starts_with('E') => {
                self.take();
                Some(errno.to_owned())
            }
            _ => None,
        };
        // Skip the description of the error.
        if self.accept(ScriptToken::Sign('(')) {
            while !self.accept(ScriptToken::Sign(')')) {
                if self.peek() == ScriptToken::End {
                    return Err(self.wrong("`)` after the note"));
                }
                self.take();
            }
        }
        Ok(Call { returns, name, args, result, errno })
    }
}

/// Parses an integer, decimal or with the prefix `0x`.
pub(super) fn parse_integer(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => i64::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    value.ok().map(|value| sign * value)
}

/// Parses a decimal number of seconds such as `.005`; `None` for a number that is negative, too large, or finer than a
/// nanosecond.
fn parse_seconds(text: &str) -> Option<Span> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    if decimals.len() > 9 || text.starts_with('-') {
        return None;
    }
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let nanos: u64 = format!("{decimals:0<9}").parse().ok()?;
    whole.checked_mul(NANOS_PER_SEC)?.checked_add(nanos).map(Span::from_nanos)
}
