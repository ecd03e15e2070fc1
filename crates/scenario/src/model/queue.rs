//! Queue in front of a link: a discipline with its settings, or only the limit of a drop-tail queue.

use std::borrow::Cow;
use std::fmt;

use engine::bare_name::{self, BareName};
use engine::tagged::KIND;
use path::queue::{DEFAULT_LIMIT, Limit, QueueConfig, drop_tail};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};

use super::Profile;

/// Reads `"50 packets"` as drop-tail with this limit, the name of a discipline as that discipline with its defaults,
/// and a table unchanged. Drop-tail with only a limit is written as the limit.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Queue(pub QueueConfig);

impl Queue {
    /// Default queue of a link.
    pub fn of_profile(profile: Profile) -> Self {
        match profile {
            Profile::Exact => DEFAULT_LIMIT.into(),
            // The thesis's program has no queue limits [goel1997 B.3].
            Profile::Goel1997 => Limit::None.into(),
        }
    }
}

impl From<Limit> for Queue {
    fn from(limit: Limit) -> Self {
        Queue(limit.into())
    }
}

impl Serialize for Queue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.drop_tail() {
            Some(drop_tail::Config { limit, ecn_threshold: Limit::None }) => limit.serialize(serializer),
            _ => self.0.serialize(serializer),
        }
    }
}

impl BareName for Queue {
    const KEY: &'static str = KIND;
    const TAKES_VALUE: bool = true;

    fn read_table<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        QueueConfig::deserialize(deserializer).map(Queue)
    }

    fn read_name<E: Error>(text: &str) -> Result<Self, E> {
        match text.parse::<Limit>() {
            Ok(limit) => Ok(limit.into()),
            // A limit begins with a digit; a misspelled name gets the list of names.
            Err(_) if text.trim().starts_with(|first: char| first.is_ascii_alphabetic()) => {
                Self::read_table(bare_name::name_table(KIND, text.trim()))
            }
            Err(error) => Err(E::custom(error)),
        }
    }

    fn expect(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a string such as \"50 packets\", or a table with a `kind`")
    }
}

impl<'de> Deserialize<'de> for Queue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        bare_name::read_bare_name(deserializer)
    }
}

impl JsonSchema for Queue {
    fn schema_name() -> Cow<'static, str> {
        "Queue".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (limit, table) = (generator.subschema_for::<Limit>(), generator.subschema_for::<QueueConfig>());
        let names: Vec<&str> = QueueConfig::MEMBERS.iter().map(|(name, _)| *name).collect();
        json_schema!({ "anyOf": [{ "type": "string", "enum": names, "description": "name of a kind, with its default settings" }, limit, table] })
    }
}
