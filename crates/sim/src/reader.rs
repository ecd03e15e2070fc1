//! The reading of received data by the application at the receiving end of a flow over TCP.
//!
//! By default an application reads data on arrival. A reader is one of
//!
//! ```text
//! rate      a program that reads up to one full segment, and then processes it at the rate:
//!           after a read of n bytes the next one follows n / rate later, or when data arrives
//! bursts    at the times s + k every, k = 0, 1, ..., up to `burst` bytes are read       s: the start of the flow
//! pauses    data is read on arrival, except from s + k every to s + k every + for, k = 1, 2, ...
//! ```
//!
//! Unread data occupies the receive buffer, and the receiver advertises the free part of it [RFC9293 s3.8.6].
//!
//! Limits: a reader does not save up time in which there was no data. The application is scheduled without delay. The
//! sending end reads requests on arrival.

use std::borrow::Cow;
use std::fmt;

use engine::registry::{Fault, Settings};
use engine::{Bytes, Rate, Span};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// The reading of received data: a rate such as `"2 Mbps"`, or a table of a rate, of bursts, or of pauses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReaderConfig {
    /// One segment at a time is read and processed, at this rate.
    Rate(Rate),
    /// Periodic reads of a limited size.
    Bursts(ReaderBursts),
    /// Data is read on arrival, except during periodic pauses.
    Pauses(ReaderPauses),
}

/// Periodic reads of a limited size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct ReaderBursts {
    /// Maximum bytes of a read.
    pub burst: Bytes,
    /// Time between two reads.
    pub every: Span,
}

/// Periodic pauses of an application that otherwise reads on arrival.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReaderPauses {
    /// Time between the beginnings of two pauses, and from the start of the flow to the first pause.
    pub every: Span,
    /// Duration of a pause, less than `every`.
    #[serde(rename = "for")]
    pub duration: Span,
}

/// The table of a reader: `rate`, or `burst` with `every`, or `pauses`.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReaderTable {
    /// One segment at a time is read and processed, at this rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rate: Option<Rate>,
    /// Maximum bytes of a read, one each `every`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    burst: Option<Bytes>,
    /// Time between two reads of `burst`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    every: Option<Span>,
    /// Data is read on arrival, except during periodic pauses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pauses: Option<ReaderPauses>,
}

const FORMS: &str = "a rate such as \"2 Mbps\", or one of the tables { rate = \"2 Mbps\" }, \
    { burst = \"64 KiB\", every = \"100 ms\" } and { pauses = { every = \"2 s\", for = \"500 ms\" } }";

impl ReaderTable {
    /// Returns the reader that the table describes; `None` unless it has the keys of exactly one form.
    fn select_form(self) -> Option<ReaderConfig> {
        match self {
            ReaderTable { rate: Some(rate), burst: None, every: None, pauses: None } => Some(ReaderConfig::Rate(rate)),
            ReaderTable { rate: None, burst: Some(burst), every: Some(every), pauses: None } => {
                Some(ReaderConfig::Bursts(ReaderBursts { burst, every }))
            }
            ReaderTable { rate: None, burst: None, every: None, pauses: Some(pauses) } => {
                Some(ReaderConfig::Pauses(pauses))
            }
            _ => None,
        }
    }
}

impl Settings for ReaderConfig {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        match *self {
            ReaderConfig::Rate(rate) => {
                if rate.bits_per_sec() < 8 {
                    faults.push(Fault::new("rate", rate, "at least 8 bps, a byte per second"));
                }
            }
            ReaderConfig::Bursts(ReaderBursts { burst, every }) => {
                if burst == Bytes(0) {
                    faults.push(Fault::new("burst", burst, "at least one byte"));
                } else if every == Span::ZERO {
                    faults.push(Fault::new("every", every, "more than 0"));
                } else if u128::from(burst.0) * 1_000_000_000 < u128::from(every.as_nanos()) {
                    let expected = format!("at most {} s for bursts of {burst}: at least a byte per second", burst.0);
                    faults.push(Fault::new("every", every, expected));
                }
            }
            ReaderConfig::Pauses(ReaderPauses { every, duration }) => {
                if every == Span::ZERO {
                    faults.push(Fault::new("pauses.every", every, "more than 0"));
                } else if duration == Span::ZERO {
                    faults.push(Fault::new("pauses.for", duration, "more than 0").hint("without pauses leave it out"));
                } else if duration >= every {
                    let expected = format!("less than `every` ({every})");
                    faults.push(Fault::new("pauses.for", duration, expected));
                }
            }
        }
        faults
    }
}

impl fmt::Display for ReaderConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReaderConfig::Rate(rate) => write!(f, "\"{rate}\""),
            ReaderConfig::Bursts(ReaderBursts { burst, every }) => {
                write!(f, "{{ burst = \"{burst}\", every = \"{every}\" }}")
            }
            ReaderConfig::Pauses(ReaderPauses { every, duration }) => {
                write!(f, "{{ pauses = {{ every = \"{every}\", for = \"{duration}\" }} }}")
            }
        }
    }
}

impl Serialize for ReaderConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let table = match *self {
            ReaderConfig::Rate(rate) => return rate.serialize(serializer),
            ReaderConfig::Bursts(ReaderBursts { burst, every }) => {
                ReaderTable { burst: Some(burst), every: Some(every), ..ReaderTable::default() }
            }
            ReaderConfig::Pauses(pauses) => ReaderTable { pauses: Some(pauses), ..ReaderTable::default() },
        };
        table.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ReaderConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RateOrTable;
        impl<'de> Visitor<'de> for RateOrTable {
            type Value = ReaderConfig;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(FORMS)
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<ReaderConfig, E> {
                Rate::deserialize(text.into_deserializer()).map(ReaderConfig::Rate)
            }
            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<ReaderConfig, M::Error> {
                let table = ReaderTable::deserialize(MapAccessDeserializer::new(map))?;
                table.select_form().ok_or_else(|| M::Error::custom(format!("exactly one form: {FORMS}")))
            }
        }
        deserializer.deserialize_any(RateOrTable)
    }
}

impl JsonSchema for ReaderConfig {
    fn schema_name() -> Cow<'static, str> {
        "Reader".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let forms = [generator.subschema_for::<Rate>(), generator.subschema_for::<ReaderTable>()];
        json_schema!({ "anyOf": forms })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(config: ReaderConfig) -> Vec<String> {
        config.check().into_iter().map(|fault| fault.key.into_owned()).collect()
    }

    /// Each invalid value has one fault, at its key.
    #[test]
    fn invalid_reader_has_one_fault() {
        let rate = |bits| ReaderConfig::Rate(Rate::from_bits_per_sec(bits).unwrap());
        assert_eq!((faults(rate(7)), faults(rate(8))), (vec!["rate".into()], vec![]));
        let bursts = |burst, every| ReaderConfig::Bursts(ReaderBursts { burst: Bytes(burst), every });
        assert_eq!(faults(bursts(0, Span::ZERO)), ["burst"]);
        assert_eq!(faults(bursts(10, Span::ZERO)), ["every"]);
        assert_eq!(faults(bursts(10, Span::from_millis(10_001))), ["every"], "less than a byte per second");
        assert!(faults(bursts(10, Span::from_secs(10))).is_empty());
        let pauses = |every, duration| {
            let (every, duration) = (Span::from_millis(every), Span::from_millis(duration));
            ReaderConfig::Pauses(ReaderPauses { every, duration })
        };
        assert_eq!(faults(pauses(0, 0)), ["pauses.every"]);
        assert_eq!(faults(pauses(1000, 0)), ["pauses.for"]);
        assert_eq!(faults(pauses(1000, 1000)), ["pauses.for"]);
        assert!(faults(pauses(1000, 999)).is_empty());
    }
}
