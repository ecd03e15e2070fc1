//! Tables whose key `kind` selects the type of the other keys.
//!
//! serde's own `#[serde(tag = "kind")]` copies a table before parsing, and so loses the position of each value in the
//! file. Here the settings are read directly from the table if `kind` is its first key.

use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::setting::Setting;

/// The key that selects the variant.
pub const KIND: &str = "kind";

/// An enum with one variant per kind. Each variant has the settings of the kind.
pub trait Tagged<'de>: Sized {
    /// Reads the other keys of a table with this `kind`.
    ///
    /// # Errors
    /// Errors of the deserializer, and an unknown `kind`.
    fn settings<D: Deserializer<'de>>(kind: &str, settings: D) -> Result<Self, D::Error>;
}

/// Reads a table: the key `kind`, in any position, and the settings of that kind.
pub fn deserialize_tagged<'de, T: Tagged<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_map(TaggedTable(PhantomData))
}

struct TaggedTable<T>(PhantomData<T>);

impl<'de, T: Tagged<'de>> Visitor<'de> for TaggedTable<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a table with a `{KIND}`")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<T, M::Error> {
        let Some(key) = map.next_key::<String>()? else { return Err(M::Error::missing_field(KIND)) };
        if key == KIND {
            let TaggedKind(kind) = map.next_value()?;
            return T::settings(&kind, MapAccessDeserializer::new(map));
        }
        let (kind, settings) = collect_settings(key, map)?;
        T::settings(&kind, Value::Object(settings)).map_err(M::Error::custom)
    }
}

/// Reads the rest of a table whose first key is `first`: the kind and the other keys. As this function is separate from
/// the visitor, it is compiled once for each format, not once for each registry.
fn collect_settings<'de, M: MapAccess<'de>>(
    first: String,
    mut map: M,
) -> Result<(String, Map<String, Value>), M::Error> {
    let mut settings = Map::new();
    let Setting(value) = map.next_value()?;
    settings.insert(first, value);
    while let Some((key, Setting(value))) = map.next_entry()? {
        settings.insert(key, value);
    }
    let kind = settings.remove(KIND).ok_or_else(|| M::Error::missing_field(KIND))?;
    let TaggedKind(kind) = TaggedKind::deserialize(kind).map_err(M::Error::custom)?;
    Ok((kind, settings))
}

/// Reads a member from its name alone, with its default settings.
///
/// # Errors
/// The name of a required setting, if the member has one.
pub fn deserialize_name<T: DeserializeOwned>(name: &str) -> Result<T, RequiredSetting> {
    deserialize_entries([(KIND, name)])
}

/// Reads a member from a table of texts. All callers share one deserializer, because each deserializer costs another
/// copy of the code that reads the settings of all members.
///
/// # Errors
/// The name of a required setting that the table lacks, or another error in words.
pub fn deserialize_entries<'a, T: DeserializeOwned>(
    entries: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<T, RequiredSetting> {
    let table = entries.into_iter().map(|(key, value)| (key.to_owned(), Value::from(value))).collect();
    T::deserialize(Value::Object(table)).map_err(|error| RequiredSetting::from_message(&error.to_string()))
}

/// The reason why a member cannot be read from its name alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RequiredSetting {
    /// A setting that has no default is missing.
    Missing(&'static str),
    /// Another error, in words.
    Other(String),
}

impl RequiredSetting {
    /// Reads the name of the setting from the message of serde's derived code.
    fn from_message(message: &str) -> Self {
        let name = message.strip_prefix("missing field `").and_then(|rest| rest.split_once('`'));
        match name {
            Some((name, _)) => RequiredSetting::Missing(intern_name(name)),
            None => RequiredSetting::Other(message.to_owned()),
        }
    }

    /// Returns the error as an error of the format that is read.
    pub fn into_error<E: Error>(self) -> E {
        match self {
            RequiredSetting::Missing(name) => E::missing_field(name),
            RequiredSetting::Other(message) => E::custom(message),
        }
    }
}

/// Returns the name as static text, as [`Error::missing_field`] requires. Each name is stored once, and only names of
/// required settings are stored.
fn intern_name(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    match names.get(name) {
        Some(known) => known,
        None => {
            let kept: &'static str = Box::leak(name.to_owned().into_boxed_str());
            names.insert(kept);
            kept
        }
    }
}

/// The name of a kind.
struct TaggedKind(String);

impl<'de> Deserialize<'de> for TaggedKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_identifier(Name)
    }
}

struct Name;

impl Visitor<'_> for Name {
    type Value = TaggedKind;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a name in quotes")
    }
    fn visit_str<E: Error>(self, name: &str) -> Result<TaggedKind, E> {
        Ok(TaggedKind(name.to_owned()))
    }
}
