//! Outcomes of system calls, and the conversion of their arguments.

use crate::syntax::ast::Expr;
use crate::target::Answer;

/// Outcome of a system call; both `Ok` and `Err` hold one, so that `?` can return early.
pub type Called = Result<Answer, Answer>;

/// Returns the error for an unsupported argument.
pub fn unsupported<T>(what: impl Into<String>) -> Result<T, Answer> {
    Err(Answer::Unsupported(what.into()))
}

/// Returns an integer argument; `what` names it in errors.
pub fn number(expr: Option<&Expr>, what: &str) -> Result<i64, Answer> {
    match expr {
        Some(Expr::Number(number)) => Ok(*number),
        Some(other) => unsupported(format!("`{other}` as {what}")),
        None => unsupported(format!("a call without {what}")),
    }
}

/// Returns the names of a flags argument such as `A|B`; empty for 0.
pub fn names(expr: Option<&Expr>, what: &str) -> Result<Vec<String>, Answer> {
    match expr {
        None | Some(Expr::Number(0)) => Ok(Vec::new()),
        Some(Expr::Name(name)) => Ok(vec![name.clone()]),
        Some(Expr::Or(all)) => Ok(all.iter().map(ToString::to_string).collect()),
        Some(other) => unsupported(format!("`{other}` as {what}")),
    }
}

/// Returns the first element of a list such as `[value]`, or the expression itself if it is no list.
pub fn first(expr: Option<&Expr>) -> Option<&Expr> {
    match expr {
        Some(Expr::List(all)) => all.first(),
        other => other,
    }
}

/// Returns the member called `name` of a record.
pub fn member<'a>(expr: Option<&'a Expr>, name: &str) -> Option<&'a Expr> {
    let Some(Expr::Record(fields)) = expr else { return None };
    let named = |field: &&crate::syntax::ast::Field| field.name.as_ref().is_some_and(|(known, _)| known == name);
    fields.iter().find(named).map(|field| &field.value)
}

/// Returns the sum of the lengths of I/O vectors such as `[{..., 40}, {..., 2}]`, in bytes.
pub fn vectors(expr: Option<&Expr>) -> Result<i64, Answer> {
    let Some(Expr::List(all)) = expr else { return unsupported("a call without vectors such as [{..., 1000}]") };
    let mut sum = 0i64;
    for vector in all {
        let Expr::Record(fields) = vector else { return unsupported(format!("the vector `{vector}`")) };
        sum = sum.saturating_add(number(fields.get(1).map(|field| &field.value), "a vector's length")?);
    }
    Ok(sum)
}
