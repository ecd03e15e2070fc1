//! Quantities as the user wrote them. Messages would otherwise use the shortest form: `3 kB` instead of `"3000 B"`.

use std::str::FromStr;

use engine::{Bytes, Decibels, Length, Rate, Share, Signed, Span, Speed};
use toml::{Table, Value};

/// Returns the quantity `found` in the form of `value`, the value in the text, if both are the same quantity.
pub(super) fn as_written(found: &str, value: &Value) -> Option<String> {
    if let Value::String(written) = value {
        if written.parse::<Share>().is_ok_and(|share| found.parse() == Ok(share.0)) {
            return Some(format!("\"{written}\""));
        }
        // Some messages quote the text, others do not.
        return match found.strip_prefix('"').and_then(|found| found.strip_suffix('"')) {
            Some(found) => is_same_quantity(found, written).then(|| format!("\"{written}\"")),
            None => is_same_quantity(found, written).then(|| written.clone()),
        };
    }
    let found = format!("found = {found}").parse::<Table>().ok()?.remove("found")?;
    are_same_quantities(&found, value).then(|| value.to_string())
}

fn are_same_quantities(found: &Value, value: &Value) -> bool {
    match (found, value) {
        (Value::String(found), Value::String(written)) => is_same_quantity(found, written),
        (Value::Array(found), Value::Array(written)) if found.len() == written.len() => {
            found.iter().zip(written).all(|(found, written)| are_same_quantities(found, written))
        }
        _ => false,
    }
}

fn is_same_quantity(a: &str, b: &str) -> bool {
    fn read<T: FromStr + PartialEq>(a: &str, b: &str) -> bool {
        a.parse::<T>().is_ok_and(|a| b.parse::<T>().is_ok_and(|b| a == b))
    }
    let unsigned = read::<Span>(a, b) || read::<Rate>(a, b) || read::<Bytes>(a, b) || read::<Decibels>(a, b);
    unsigned || read::<Signed<Length>>(a, b) || read::<Signed<Speed>>(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_shows_the_value_as_written_in_the_file() {
        let written = |found: &str, value: Value| as_written(found, &value);
        let text = |text: &str| Value::String(text.to_owned());
        assert_eq!(written("3 kB", text("3000 B")).as_deref(), Some("3000 B"));
        assert_eq!(written("\"3 kB\"", text("3000 B")).as_deref(), Some("\"3000 B\""));
        assert_eq!(
            written("[\"1 km\", \"-1 m\"]", Value::Array(vec![text("1000 m"), text("-100 cm")])).as_deref(),
            Some("[\"1000 m\", \"-100 cm\"]")
        );
        assert_eq!(written("0.01", text("1 %")).as_deref(), Some("\"1 %\""));
        assert_eq!(written("\"0 ns\"", text("0")).as_deref(), Some("\"0\""));
        // A part of the value, or a word that describes it.
        assert_eq!(written("1 kB", text("3000 B")), None);
        assert_eq!(written("neither", text("3000 B")), None);
        assert_eq!(written("[\"1 km\"]", Value::Array(vec![text("1000 m"), text("1 m")])), None);
        assert_eq!(written("5", Value::Integer(5)), None);
    }
}
