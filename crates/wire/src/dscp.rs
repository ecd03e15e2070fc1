//! Differentiated-services code points (RFC 2474).

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The class of a packet: the DSCP of the IP header, 0 to 63 [RFC2474 s3].
///
/// In scenarios the number, or the name of a standard class: "CS0" to "CS7" [RFC2474 s4.2.2], "AF11" to "AF43"
/// [RFC2597 s6], "EF" (RFC 3246), "VA" (RFC 5865), "LE" (RFC 8622).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Dscp(u8);

impl Dscp {
    /// Best effort: the default class, CS0.
    pub const DEFAULT: Dscp = Dscp(0);
    /// Expedited forwarding: voice.
    pub const EF: Dscp = Dscp(46);

    /// The standard classes that are neither class selectors nor assured forwarding.
    const OTHERS: [(&'static str, u8); 3] = [("EF", 46), ("VA", 44), ("LE", 1)];

    /// Returns the class with this number; `None` above 63.
    pub const fn new(number: u8) -> Option<Self> {
        if number < 64 { Some(Dscp(number)) } else { None }
    }

    /// Returns its number.
    #[inline]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Returns the name of a standard class.
    pub fn name(self) -> Option<Cow<'static, str>> {
        let other = Self::OTHERS.iter().find(|(_, number)| *number == self.0);
        if let Some((name, _)) = other {
            return Some(Cow::Borrowed(name));
        }
        let (class, drop) = (self.0 >> 3, (self.0 >> 1) & 3);
        match (class, drop, self.0 & 1) {
            (_, 0, 0) => Some(format!("CS{class}").into()),
            (1..=4, 1..=3, 0) => Some(format!("AF{class}{drop}").into()),
            _ => None,
        }
    }
}

impl fmt::Display for Dscp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(&name),
            None => write!(f, "{}", self.0),
        }
    }
}

/// Message for text that names no class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoDscp;

impl fmt::Display for NoDscp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a DSCP from 0 to 63, or the name of a class such as \"EF\", \"AF41\" or \"CS1\"")
    }
}

impl FromStr for Dscp {
    type Err = NoDscp;

    fn from_str(text: &str) -> Result<Self, NoDscp> {
        let named = (0..64).map(Dscp).find(|class| class.name().is_some_and(|name| name.eq_ignore_ascii_case(text)));
        named.or_else(|| text.parse().ok().and_then(Dscp::new)).ok_or(NoDscp)
    }
}

impl Serialize for Dscp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.name() {
            Some(name) => serializer.serialize_str(&name),
            None => serializer.serialize_u8(self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Dscp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Dscp;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&NoDscp, f)
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Dscp, E> {
                text.parse().map_err(E::custom)
            }
            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Dscp, E> {
                let class = u8::try_from(number).ok().and_then(Dscp::new);
                class.ok_or_else(|| E::invalid_value(serde::de::Unexpected::Unsigned(number), &self))
            }
            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Dscp, E> {
                match u64::try_from(number) {
                    Ok(number) => self.visit_u64(number),
                    Err(_) => Err(E::invalid_value(serde::de::Unexpected::Signed(number), &self)),
                }
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl JsonSchema for Dscp {
    fn schema_name() -> Cow<'static, str> {
        "Dscp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A DSCP from 0 to 63, or the name of a class such as \"EF\", \"AF41\" or \"CS1\".",
            "anyOf": [{ "type": "integer", "minimum": 0, "maximum": 63 }, { "type": "string" }],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_classes_have_the_numbers_of_their_rfcs() {
        let numbers = ["CS0", "CS1", "AF11", "AF21", "AF41", "AF43", "EF", "VA", "LE", "CS7"];
        let numbers = numbers.map(|name| name.parse::<Dscp>().map(Dscp::number));
        assert_eq!(numbers, [0, 8, 10, 18, 34, 38, 46, 44, 1, 56].map(Ok));
        assert_eq!("64".parse::<Dscp>(), Err(NoDscp));
        assert_eq!("ef".parse::<Dscp>(), Ok(Dscp::EF));
    }

    #[test]
    fn each_class_is_restored_from_its_text() {
        for number in 0..64 {
            let class = Dscp::new(number).unwrap();
            assert_eq!(class.to_string().parse(), Ok(class));
        }
    }
}
