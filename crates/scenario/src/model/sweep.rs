//! The part of a scenario about sweeps: axes, comparisons, replications.

use std::fmt;

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Serialize};
use toml::Table;

/// Many runs of one scenario: a grid of points, cases compared at each of them with common random numbers,
/// replications.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Number of replications of each point, each with separate random streams.
    #[serde(default)]
    pub replications: Replications,
    /// The metrics to show, by the names that `lasthop list metrics` shows; the first one is the main metric.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<String>,
    /// Keys of the scenario and their values, as `"links.wire.delay" = ["50 ms", "100 ms"]` or
    /// `{ from = "50 ms", to = "200 ms", step = "50 ms" }`. Every combination is a point.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub axes: Table,
    /// Keys whose values vary together, in lists of equal length.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<serde_json::Map<String, serde_json::Value>>")]
    pub zip: Vec<Table>,
    /// The cases compared at every point with common random numbers: one key and its values, as `scheme =
    /// ["unmodified", "refined-icmp"]`, or cases by name, each a table of changes. The other cases are compared with
    /// the first.
    #[serde(default, skip_serializing_if = "Table::is_empty")]
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub compare: Table,
}

/// The number of replications of a point.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Replications {
    /// A fixed number.
    Fixed(u64),
    /// Until the mean is known with the given precision.
    UntilPrecise(Precision),
}

/// A derived untagged enum could not report which setting is wrong.
impl<'de> Deserialize<'de> for Replications {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrTable;
        impl<'de> Visitor<'de> for NumberOrTable {
            type Value = Replications;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a whole number, such as 10, or {{ precision = 0.02 }}")
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Replications, E> {
                let count = u64::try_from(number);
                count.map(Replications::Fixed).map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
            }
            fn visit_u64<E: Error>(self, count: u64) -> Result<Replications, E> {
                Ok(Replications::Fixed(count))
            }
            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Replications, M::Error> {
                Precision::deserialize(MapAccessDeserializer::new(map)).map(Replications::UntilPrecise)
            }
        }
        deserializer.deserialize_any(NumberOrTable)
    }
}

/// The precision of a mean.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Precision {
    /// Half-width of the interval as a share of the mean, such as 0.02.
    #[serde(deserialize_with = "engine::share::read_share")]
    #[schemars(schema_with = "engine::share::describe_share")]
    pub precision: f64,
    /// The confidence level.
    #[serde(default = "ninety_five", deserialize_with = "engine::share::read_share")]
    #[schemars(schema_with = "engine::share::describe_share")]
    pub level: f64,
    /// The metric; the main one if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// Minimum number of replications.
    #[serde(default = "default_min_replications")]
    pub min: u64,
    /// Maximum number of replications.
    #[serde(default = "default_max_replications")]
    pub max: u64,
}

impl Replications {
    /// Minimum and maximum.
    pub fn bounds(&self) -> (u64, u64) {
        match self {
            Replications::Fixed(count) => (*count, *count),
            Replications::UntilPrecise(precision) => (precision.min, precision.max),
        }
    }
}

impl Default for Replications {
    fn default() -> Self {
        Replications::Fixed(default_min_replications())
    }
}

fn ninety_five() -> f64 {
    0.95
}

fn default_min_replications() -> u64 {
    10
}

fn default_max_replications() -> u64 {
    1000
}
