//! Values in the arguments of system calls.

use super::SyntaxError;
use super::ast::{Expr, RecordField};
use super::parser::{ScriptParser, parse_integer};
use super::token::ScriptToken;

/// Maximum nesting depth of values; it bounds the recursion.
const MAX_DEPTH: usize = 64;

impl ScriptParser<'_> {
    /// Parses values separated by commas, up to and including `close`.
    pub(super) fn exprs(&mut self, close: char) -> Result<Vec<Expr>, SyntaxError> {
        let mut all = Vec::new();
        while !self.accept(ScriptToken::Sign(close)) {
            all.push(self.expr()?);
            if !self.accept(ScriptToken::Sign(',')) && self.peek() != ScriptToken::Sign(close) {
                return Err(self.wrong(format!("`,` or `{close}`")));
            }
        }
        Ok(all)
    }

    pub(super) fn expr(&mut self) -> Result<Expr, SyntaxError> {
        let first = self.single()?;
        if self.peek() != ScriptToken::Sign('|') {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.accept(ScriptToken::Sign('|')) {
            all.push(self.single()?);
        }
        Ok(Expr::Or(all))
    }

    fn single(&mut self) -> Result<Expr, SyntaxError> {
        if self.depth == MAX_DEPTH {
            return Err(self.wrong(format!("at most {MAX_DEPTH} nested values")));
        }
        self.depth += 1;
        let value = self.value();
        self.depth -= 1;
        value
    }

    fn value(&mut self) -> Result<Expr, SyntaxError> {
        let wrong = self.wrong("a value: `...`, a number, a name, a text, `[...]` or `{...}`");
        Ok(match self.take() {
            ScriptToken::Ellipsis => Expr::Any,
            ScriptToken::Number(text) => match parse_integer(text) {
                Some(number) => Expr::Number(number),
                None if text.contains('.') => Expr::Decimal(text.to_owned()),
                None => return Err(wrong),
            },
            ScriptToken::Address(text) => Expr::Name(text.to_owned()),
            ScriptToken::Text(text) => Expr::Text(text.to_owned()),
            ScriptToken::Sign('[') => Expr::List(self.exprs(']')?),
            ScriptToken::Sign('{') => self.record()?,
            ScriptToken::Word(name) if self.accept(ScriptToken::Sign('(')) => {
                Expr::Apply(name.to_owned(), self.exprs(')')?)
            }
            ScriptToken::Word(name) => Expr::Name(name.to_owned()),
            _ => return Err(wrong),
        })
    }

    /// Parses the rest of a record after its `{`.
    fn record(&mut self) -> Result<Expr, SyntaxError> {
        let mut fields = Vec::new();
        while !self.accept(ScriptToken::Sign('}')) {
            fields.push(self.field()?);
            if !self.accept(ScriptToken::Sign(',')) && self.peek() != ScriptToken::Sign('}') {
                return Err(self.wrong("`,` or `}`"));
            }
        }
        Ok(Expr::Record(fields))
    }

    fn field(&mut self) -> Result<RecordField, SyntaxError> {
        let place = self.place();
        let value = self.expr()?;
        if !self.accept(ScriptToken::Sign('=')) && !self.accept(ScriptToken::Sign(':')) {
            return Ok(RecordField { name: None, value });
        }
        let name = match value {
            Expr::Name(name) => (name, None),
            // In `msg_iov(2) = ...` the parentheses hold the number of elements.
            Expr::Apply(name, mut args) if args.len() == 1 => (name, args.pop()),
            _ => {
                return Err(SyntaxError {
                    place,
                    found: "another value".into(),
                    expected: "the name of a member in front of `=`".into(),
                    hint: None,
                });
            }
        };
        Ok(RecordField { name: Some(name), value: self.expr()? })
    }
}
