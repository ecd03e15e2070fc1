//! Parser for the statements and expressions of assertions.

use super::{ComparisonOperator, Expr, Program, PyValue, Statement, StatementKind, Unsupported};
use crate::place::ScriptPlace;

/// Parses the statements of `text`, which begins at `place` in the script.
pub fn parse_assertions(text: &str, place: ScriptPlace) -> Program {
    let mut statements = Vec::new();
    let mut reader = AssertionParser { text, at: 0, start: place, open: 0, depth: 0 };
    loop {
        reader.skip_lines();
        if reader.rest().is_empty() {
            return Ok(statements);
        }
        statements.push(reader.statement()?);
    }
}

struct AssertionParser<'a> {
    text: &'a str,
    at: usize,
    start: ScriptPlace,
    /// Number of open parentheses; inside parentheses a line break counts as white space.
    open: usize,
    /// Number of operators and parentheses in the current statement: an upper bound of the recursion depth.
    depth: usize,
}

/// Maximum number of operators and parentheses in a statement; it bounds the recursion depth.
const MAX_DEPTH: usize = 100;

type Read<T> = Result<T, Unsupported>;

fn in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

impl<'a> AssertionParser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn place(&self) -> ScriptPlace {
        let before = &self.text[..self.at];
        let lines = before.matches('\n').count();
        let column = before.chars().rev().take_while(|c| *c != '\n').count();
        match lines {
            0 => ScriptPlace { line: self.start.line, column: self.start.column + column },
            _ => ScriptPlace { line: self.start.line + lines, column: column + 1 },
        }
    }

    fn refuse_construct<T>(&self, what: impl Into<String>) -> Read<T> {
        Err(Unsupported { place: self.place(), what: what.into() })
    }

    /// Skips white space within a line, comments from `#` to the end of the line, and `\` at the end of a line.
    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blank = |c: char| matches!(c, ' ' | '\t' | '\r') || c == '\n' && self.open > 0;
            let blanks = rest.len() - rest.trim_start_matches(blank).len();
            self.at += blanks;
            let rest = self.rest();
            if rest.starts_with('#') {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("\\\n") {
                self.at += 2;
            } else {
                return;
            }
        }
    }

    /// Skips white space, line breaks, and semicolons between statements.
    fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            if !self.rest().starts_with(['\n', ';']) {
                return;
            }
            self.at += 1;
        }
    }

    fn accept(&mut self, sign: &str) -> bool {
        self.skip_blanks();
        let here = self.rest().starts_with(sign);
        if here {
            self.at += sign.len();
        }
        here
    }

    /// Consumes `word` if it comes next as a complete word. Returns whether it was consumed.
    fn keyword(&mut self, word: &str) -> bool {
        self.skip_blanks();
        let here = self.rest().strip_prefix(word).is_some_and(|rest| !rest.starts_with(in_word));
        if here {
            self.at += word.len();
        }
        here
    }

    fn word(&mut self) -> Option<&'a str> {
        self.skip_blanks();
        let rest = self.rest();
        let length = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
        if length == 0 || rest.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        self.at += length;
        Some(&rest[..length])
    }

    /// Counts an operator or parenthesis; an error above the limit.
    fn deeper(&mut self) -> Read<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.refuse_construct(format!("a statement of more than {MAX_DEPTH} operators and parentheses"));
        }
        Ok(())
    }

    fn statement(&mut self) -> Read<Statement> {
        self.depth = 0;
        let (place, from) = (self.place(), self.at);
        let kind = self.kind()?;
        let text = self.text[from..self.at].trim().to_owned();
        self.skip_blanks();
        if !self.rest().is_empty() && !self.rest().starts_with(['\n', ';']) {
            let rest = self.rest().lines().next().unwrap_or_default();
            return self.refuse_construct(format!("`{rest}` after a statement"));
        }
        Ok(Statement { place, text, kind })
    }

    fn kind(&mut self) -> Read<StatementKind> {
        if self.keyword("assert") {
            let condition = self.expr()?;
            let note = if self.accept(",") { Some(self.expr()?) } else { None };
            return Ok(StatementKind::Assert(condition, note));
        }
        if self.keyword("pass") {
            return Ok(StatementKind::Nothing);
        }
        for word in ["import", "from", "if", "for", "while", "def", "try", "raise"] {
            if self.keyword(word) {
                return self.refuse_construct(format!("Python's `{word}` in an assertion"));
            }
        }
        let start = self.at;
        if self.keyword("print") {
            self.skip_blanks();
            return match self.expr()? {
                Expr::Tuple(all) => Ok(StatementKind::Print(all)),
                one => Ok(StatementKind::Print(vec![one])),
            };
        }
        if let Some(name) = self.word() {
            let name = name.to_owned();
            self.skip_blanks();
            if self.rest().starts_with('=') && !self.rest().starts_with("==") {
                self.at += 1;
                return Ok(StatementKind::Set(name, self.expr()?));
            }
            for sign in ["+=", "-=", "*="] {
                if self.accept(sign) {
                    let value = Box::new(self.expr()?);
                    let sign = sign.chars().next().unwrap_or('+');
                    return Ok(StatementKind::Set(
                        name.clone(),
                        Expr::Arithmetic(sign, Box::new(Expr::Name(name)), value),
                    ));
                }
            }
            self.at = start;
        }
        let value = self.expr()?;
        Ok(StatementKind::Print(vec![value]))
    }

    fn expr(&mut self) -> Read<Expr> {
        let mut left = self.conjunction()?;
        while self.keyword("or") {
            self.deeper()?;
            left = Expr::Or(Box::new(left), Box::new(self.conjunction()?));
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Read<Expr> {
        let mut left = self.negation()?;
        while self.keyword("and") {
            self.deeper()?;
            left = Expr::And(Box::new(left), Box::new(self.negation()?));
        }
        Ok(left)
    }

    fn negation(&mut self) -> Read<Expr> {
        if !self.keyword("not") {
            return self.comparison();
        }
        self.deeper()?;
        Ok(Expr::Not(Box::new(self.negation()?)))
    }

    fn comparison(&mut self) -> Read<Expr> {
        let left = self.bits()?;
        let mut rest = Vec::new();
        const SIGNS: [(&str, ComparisonOperator); 6] = [
            ("==", ComparisonOperator::Equal),
            ("!=", ComparisonOperator::Unequal),
            ("<=", ComparisonOperator::LessOrEqual),
            (">=", ComparisonOperator::MoreOrEqual),
            ("<", ComparisonOperator::Less),
            (">", ComparisonOperator::More),
        ];
        while let Some((_, how)) = SIGNS.into_iter().find(|(sign, _)| self.accept(sign)) {
            rest.push((how, self.bits()?));
        }
        Ok(if rest.is_empty() { left } else { Expr::Compare(Box::new(left), rest) })
    }

    /// Parses operands joined by `&`, which binds less tightly than `+`.
    fn bits(&mut self) -> Read<Expr> {
        let mut left = self.sum()?;
        while self.accept("&") {
            self.deeper()?;
            left = Expr::Arithmetic('&', Box::new(left), Box::new(self.sum()?));
        }
        Ok(left)
    }

    fn sum(&mut self) -> Read<Expr> {
        let mut left = self.product()?;
        loop {
            let sign = match () {
                () if self.accept("+") => '+',
                () if self.accept("-") => '-',
                () => return Ok(left),
            };
            self.deeper()?;
            left = Expr::Arithmetic(sign, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Read<Expr> {
        let mut left = self.single()?;
        loop {
            let sign = match () {
                () if self.accept("*") => '*',
                () if self.accept("//") => '\\',
                () if self.accept("/") => '/',
                () if self.accept("%") => '%',
                () => return Ok(left),
            };
            self.deeper()?;
            left = Expr::Arithmetic(sign, Box::new(left), Box::new(self.single()?));
        }
    }

    fn single(&mut self) -> Read<Expr> {
        if self.accept("-") {
            self.deeper()?;
            return Ok(Expr::Negative(Box::new(self.single()?)));
        }
        if self.accept("(") {
            self.deeper()?;
            return self.tuple();
        }
        self.skip_blanks();
        let rest = self.rest();
        match rest.chars().next() {
            Some(quote @ ('\'' | '"')) => match rest[1..].find(quote) {
                Some(length) => {
                    self.at += length + 2;
                    Ok(Expr::Value(PyValue::Text(rest[1..=length].to_owned())))
                }
                None => self.refuse_construct("an unterminated text"),
            },
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            _ => self.name(),
        }
    }

    /// Parses the expressions after an opening parenthesis, which may span several lines.
    fn tuple(&mut self) -> Read<Expr> {
        let mut all = Vec::new();
        let mut commas = 0;
        self.open += 1;
        while !self.accept(")") {
            all.push(self.expr()?);
            if self.accept(",") {
                commas += 1;
            } else if !self.rest().starts_with(')') {
                return self.refuse_construct("unbalanced parentheses");
            }
        }
        self.open -= 1;
        match (all.len(), commas) {
            (1, 0) => Ok(all.remove(0)),
            _ => Ok(Expr::Tuple(all)),
        }
    }

    fn number(&mut self) -> Read<Expr> {
        let rest = self.rest();
        let length = rest.find(|c: char| !in_word(c) && c != '.').unwrap_or(rest.len());
        let text = &rest[..length];
        let value = match text.strip_prefix("0x") {
            Some(hex) => i64::from_str_radix(hex, 16).ok().map(PyValue::Int),
            None => text.parse().map(PyValue::Int).ok().or_else(|| text.parse().map(PyValue::Float).ok()),
        };
        match value {
            Some(value) => {
                self.at += length;
                Ok(Expr::Value(value))
            }
            None => self.refuse_construct(format!("the number `{text}`")),
        }
    }

    fn name(&mut self) -> Read<Expr> {
        let from = self.at;
        let Some(name) = self.word() else {
            let rest = self.rest().lines().next().unwrap_or_default();
            return self.refuse_construct(format!("`{rest}` in an assertion"));
        };
        self.skip_blanks();
        if let Some(sign) = ["(", "[", "."].into_iter().find(|sign| self.rest().starts_with(sign)) {
            self.at = from;
            return self.refuse_construct(format!("Python's `{name}{sign}...` in an assertion"));
        }
        Ok(match name {
            "True" => Expr::Value(PyValue::Bool(true)),
            "False" => Expr::Value(PyValue::Bool(false)),
            "None" => Expr::Value(PyValue::None),
            _ => Expr::Name(name.to_owned()),
        })
    }
}
