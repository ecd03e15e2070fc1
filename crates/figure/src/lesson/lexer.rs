//! The tokens of expressions.

use super::LessonFault;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum ExpressionToken {
    Number(f64),
    /// A variant with keys, or the name of a function.
    Path(Vec<String>),
    Sign(&'static str),
}

/// Longer signs first.
const SIGNS: [&str; 12] = ["<=", ">=", "!=", "<", ">", "=", "+", "-", "*", "/", "(", ")"];

/// Splits an expression. Names may contain hyphens. Therefore a minus between names has spaces around it.
pub(super) fn split_tokens(text: &str) -> Result<Vec<ExpressionToken>, LessonFault> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_digit() {
            let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            let number = rest[..length].parse();
            tokens.push(ExpressionToken::Number(
                number.map_err(|_| LessonFault::new(format!("{}: not a number", &rest[..length])))?,
            ));
            length
        } else if first.is_ascii_alphabetic() {
            let length = rest.find(|c: char| !is_name_character(c) && c != '.').unwrap_or(rest.len());
            let keys: Vec<String> = rest[..length].split('.').map(str::to_owned).collect();
            if keys.iter().any(String::is_empty) {
                return Err(LessonFault::new(format!("{}: an empty key", &rest[..length])));
            }
            tokens.push(ExpressionToken::Path(keys));
            length
        } else if first == ',' {
            tokens.push(ExpressionToken::Sign(","));
            1
        } else {
            let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
            let sign =
                sign.ok_or_else(|| LessonFault::new(format!("{first:?} in `{text}`: not part of an expression")))?;
            tokens.push(ExpressionToken::Sign(sign));
            sign.len()
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}
