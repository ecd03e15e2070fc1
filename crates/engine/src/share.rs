//! Shares and probabilities: a number, or a text in percent: `0.01` or `"1 %"`.
//!
//! Usage at a field of type `f64` or `Option<f64>`: `#[serde(deserialize_with = "engine::share::read_share")]` and
//! `#[schemars(schema_with = "engine::share::describe_share")]`; in other types the value is a [`Share`]. A share is written as
//! a number.

use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::{Serialize, Serializer};

use crate::units::UnitError;

/// A number that may be written in percent.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct Share(pub f64);

impl From<Share> for f64 {
    fn from(share: Share) -> f64 {
        share.0
    }
}

impl From<Share> for Option<f64> {
    fn from(share: Share) -> Option<f64> {
        Some(share.0)
    }
}

/// The expected value in messages.
const EXPECTED: &str = "a number, or a share such as \"1 %\"";

impl FromStr for Share {
    type Err = UnitError;

    /// Reads a number of percent. The decimal exponent is shifted, so that `"0.7 %"` is the number nearest to 0.007.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let number = text.trim().strip_suffix('%').map(str::trim).filter(|number| is_decimal(number));
        let share = number.and_then(|number| format!("{number}e-2").parse().ok());
        share.map(Share).ok_or_else(|| {
            let hint = text.trim().parse::<f64>().is_ok().then(|| format!("write {}, without quotes", text.trim()));
            UnitError { expected: EXPECTED.to_owned(), hint }
        })
    }
}

/// Whether a text consists of digits with at most one point between them.
fn is_decimal(text: &str) -> bool {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    [whole, decimals].iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrPercent;
        impl Visitor<'_> for NumberOrPercent {
            type Value = Share;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<Share, E> {
                Ok(Share(number))
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Share, E> {
                Ok(Share(number as f64))
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<Share, E> {
                Ok(Share(number as f64))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Share, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(NumberOrPercent)
    }
}

impl JsonSchema for Share {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Share".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["number", "string"], "pattern": "^\\s*[0-9]+(\\.[0-9]+)?\\s*%\\s*$" })
    }
}

/// Reads a number, or a text in percent.
///
/// # Errors
/// Any other value.
pub fn read_share<'de, D: Deserializer<'de>, T: From<Share>>(deserializer: D) -> Result<T, D::Error> {
    Share::deserialize(deserializer).map(T::from)
}

/// Returns the JSON schema of a number or a text in percent.
pub fn describe_share(generator: &mut SchemaGenerator) -> Schema {
    Share::json_schema(generator)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn percent_is_the_number_nearest_to_its_decimal_value() {
        for (text, share) in [("1 %", 0.01), ("0.7%", 0.007), (" 12.5 % ", 0.125), ("100 %", 1.0), ("0 %", 0.0)] {
            assert_eq!(text.parse(), Ok(Share(share)), "{text}");
        }
        // Division would give 0.006999999999999999.
        assert_ne!(0.7 / 100.0, 0.007);
    }

    #[test]
    fn share_is_read_from_numbers_and_percent_and_written_as_a_number() {
        let read = |value: Value| serde_json::from_value::<Share>(value).map_err(|error| error.to_string());
        assert_eq!(
            [read(json!(0.01)), read(json!("1 %")), read(json!(1))],
            [Ok(Share(0.01)), Ok(Share(0.01)), Ok(Share(1.0))]
        );
        assert_eq!(serde_json::to_value(Share(0.01)).unwrap(), json!(0.01));
        for wrong in [json!("often"), json!("-1 %"), json!("1"), json!("1.%"), json!("%"), json!(true)] {
            assert!(read(wrong.clone()).unwrap_err().contains(EXPECTED), "{wrong}");
        }
        assert_eq!("0.5".parse::<Share>().unwrap_err().hint.as_deref(), Some("write 0.5, without quotes"));
    }
}
