//! Assertions: the small part of Python that scripts use between `%{` and `}%`.
//!
//! Supported: `assert condition, note`, `print(...)`, `name = value`, `name += value`; integers, strings, names; `and`,
//! `or`, `not`, comparisons, arithmetic, `text % values`. Any other Python construct is reported as [`Unsupported`].

mod eval;
mod parse;
mod value;

pub use eval::{EvaluationError, Memory, run_assertions};
pub use parse::parse_assertions;
pub use value::PyValue;

use crate::place::ScriptPlace;

/// The parsed statements of an assertion, or the construct that is not supported.
pub type Program = Result<Vec<Statement>, Unsupported>;

/// A Python construct outside the supported subset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// Position in the script.
    pub place: ScriptPlace,
    /// The construct, as text for an error message.
    pub what: String,
}

/// A statement of an assertion block.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// Position of its first character in the script.
    pub place: ScriptPlace,
    /// Source text of the statement.
    pub text: String,
    /// Kind of the statement, with its expressions.
    pub kind: StatementKind,
}

/// The kinds of statements.
#[derive(Clone, PartialEq, Debug)]
pub enum StatementKind {
    /// `assert condition, note`. The optional note is evaluated only if the condition is false.
    Assert(Expr, Option<Expr>),
    /// `name = value`
    Set(String, Expr),
    /// `print(values)`, or an expression statement. The value of such a statement is printed too.
    Print(Vec<Expr>),
    /// `pass`, which has no effect.
    Nothing,
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// A literal: number, string, `True`, `False` or `None`.
    Value(PyValue),
    /// A variable or a member of `struct tcp_info`.
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
    Compare(Box<Expr>, Vec<(ComparisonOperator, Expr)>),
    /// `a + b`, or another binary arithmetic operator.
    Arithmetic(char, Box<Expr>, Box<Expr>),
    /// `(a, b)`
    Tuple(Vec<Expr>),
}

/// A comparison operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ComparisonOperator {
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
