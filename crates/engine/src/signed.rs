//! Quantities with a sign, such as coordinates and velocities.

use std::fmt;
use std::str::FromStr;

use crate::units::UnitError;

/// A quantity that may be negative: `"-20 m"`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Signed<T> {
    /// True for a value below zero.
    pub negative: bool,
    /// The absolute value.
    pub size: T,
}

impl<T> Signed<T> {
    /// Returns the signed value in the base unit; `size` returns the magnitude of a quantity.
    pub fn value(&self, size: impl FnOnce(&T) -> u64) -> i128 {
        let size = i128::from(size(&self.size));
        if self.negative { -size } else { size }
    }
}

impl<T: FromStr<Err = UnitError>> FromStr for Signed<T> {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let text = text.trim();
        match text.strip_prefix('-') {
            // The parser of the quantity refuses a second sign.
            Some(rest) => Ok(Signed { negative: true, size: rest.trim_start().parse()? }),
            None => Ok(Signed { negative: false, size: text.parse()? }),
        }
    }
}

impl<T: fmt::Display> fmt::Display for Signed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.negative { "-" } else { "" }, self.size)
    }
}

impl<T: fmt::Display> fmt::Debug for Signed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl<T: fmt::Display> serde::Serialize for Signed<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, T: FromStr<Err = UnitError>> serde::Deserialize<'de> for Signed<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SignedText<T>(std::marker::PhantomData<T>);
        impl<T: FromStr<Err = UnitError>> serde::de::Visitor<'_> for SignedText<T> {
            type Value = Signed<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                // The quantity's error for an empty text describes the expected texts.
                let expected = "".parse::<T>().err().map_or_else(String::new, |error| error.expected);
                f.write_str(&expected)
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Signed<T>, E> {
                text.parse().map_err(E::custom)
            }
            crate::visit_zero!();
        }
        deserializer.deserialize_any(SignedText(std::marker::PhantomData))
    }
}

impl<T: schemars::JsonSchema> schemars::JsonSchema for Signed<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Signed{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = T::json_schema(generator);
        if let Some(pattern) = schema.get_mut("pattern") {
            let signed = pattern.as_str().map(|text| text.replacen("^(?:\\s*", "^(?:\\s*-?\\s*", 1));
            *pattern = signed.into();
        }
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Length;

    #[test]
    fn leading_minus_makes_the_value_negative() {
        let read = |text: &str| text.parse::<Signed<Length>>();
        assert_eq!(read("-1.5 m").map(|length| length.value(|length| length.0)), Ok(-1500));
        assert_eq!(read("2 km").map(|length| length.value(|length| length.0)), Ok(2_000_000));
        assert_eq!(read("-1.5 m").map(|length| length.to_string()).as_deref(), Ok("-1.5 m"));
        assert!(read("--1 m").is_err());
        assert!(read("- 1").unwrap_err().hint.is_some());
    }
}
