//! Assertions: the small part of Python that scripts use between `%{` and `}%`.
//!
//! `assert condition, note`, `print(...)`, `name = value`, `name += value`; integers, texts, names; `and`, `or`, `not`,
//! comparisons, arithmetic, `text % values`. What else Python can do is not supported, and said so.

mod eval;
mod parse;
mod value;

pub use eval::{Failed, Memory, run};
pub use parse::parse;
pub use value::Value;

use crate::place::Place;

/// Statements, or why they cannot be run.
pub type Program = Result<Vec<Statement>, Unsupported>;

/// Something that is beyond this small part of Python.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// Where.
    pub place: Place,
    /// What.
    pub what: String,
}

/// A statement and where it begins.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// Where.
    pub place: Place,
    /// As written.
    pub text: String,
    /// What it does.
    pub kind: Kind,
}

/// What a statement does.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// `assert condition` and perhaps a note, which is worked out if the condition does not hold.
    Assert(Expr, Option<Expr>),
    /// `name = value`
    Set(String, Expr),
    /// A value that is worked out and forgotten, or printed.
    Print(Vec<Expr>),
    /// Nothing: `pass`.
    Nothing,
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// A number, a text, True, False or None.
    Value(Value),
    /// A name.
    Name(String),
    /// `not a`
    Not(Box<Expr>),
    /// `-a`
    Negative(Box<Expr>),
    /// `a and b`
    And(Box<Expr>, Box<Expr>),
    /// `a or b`
    Or(Box<Expr>, Box<Expr>),
    /// `a < b <= c`
    Compare(Box<Expr>, Vec<(Comparison, Expr)>),
    /// `a + b` and its like.
    Arithmetic(char, Box<Expr>, Box<Expr>),
    /// `(a, b)`
    Tuple(Vec<Expr>),
}

/// How two values are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    More,
    /// `>=`
    MoreOrEqual,
}
