//! Outcomes of system calls, and the conversion of their arguments.

use crate::syntax::ast::Expr;
use crate::target::CallAnswer;

/// Outcome of a system call. Both `Ok` and `Err` hold an answer, for early return by `?`.
pub type Called = Result<CallAnswer, CallAnswer>;

/// Returns the error for an unsupported argument.
pub fn refuse_call<T>(what: impl Into<String>) -> Result<T, CallAnswer> {
    Err(CallAnswer::Unsupported(what.into()))
}

/// Returns an integer argument. `what` names the argument in errors.
pub fn read_integer(expr: Option<&Expr>, what: &str) -> Result<i64, CallAnswer> {
    match expr {
        Some(Expr::Number(number)) => Ok(*number),
        Some(other) => refuse_call(format!("`{other}` as {what}")),
        None => refuse_call(format!("a call without {what}")),
    }
}

/// Returns the names of a flags argument such as `A|B`; empty for 0.
pub fn read_flag_names(expr: Option<&Expr>, what: &str) -> Result<Vec<String>, CallAnswer> {
    match expr {
        None | Some(Expr::Number(0)) => Ok(Vec::new()),
        Some(Expr::Name(name)) => Ok(vec![name.clone()]),
        Some(Expr::Or(all)) => Ok(all.iter().map(ToString::to_string).collect()),
        Some(other) => refuse_call(format!("`{other}` as {what}")),
    }
}

/// Returns the first element of a list such as `[value]`, or the expression itself if it is no list.
pub fn first_element(expr: Option<&Expr>) -> Option<&Expr> {
    match expr {
        Some(Expr::List(all)) => all.first(),
        other => other,
    }
}

/// Returns the member called `name` of a record.
pub fn find_member<'a>(expr: Option<&'a Expr>, name: &str) -> Option<&'a Expr> {
    let Some(Expr::Record(fields)) = expr else { return None };
    let named = |field: &&crate::syntax::ast::RecordField| field.name.as_ref().is_some_and(|(known, _)| known == name);
    fields.iter().find(named).map(|field| &field.value)
}

/// Returns the sum of the lengths of I/O vectors such as `[{..., 40}, {..., 2}]`, in bytes.
pub fn sum_vector_lengths(expr: Option<&Expr>) -> Result<i64, CallAnswer> {
    let Some(Expr::List(all)) = expr else { return refuse_call("a call without vectors such as [{..., 1000}]") };
    let mut sum = 0i64;
    for vector in all {
        let Expr::Record(fields) = vector else { return refuse_call(format!("the vector `{vector}`")) };
        sum = sum.saturating_add(read_integer(fields.get(1).map(|field| &field.value), "a vector's length")?);
    }
    Ok(sum)
}
