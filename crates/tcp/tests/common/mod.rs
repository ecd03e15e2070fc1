//! What the tests share.
#![allow(dead_code, reason = "each test file uses some of it")]

use serde::Deserialize;
use serde::de::value::{Error, MapDeserializer};

/// The member of a registry with this name and no settings but its defaults.
pub fn member<T: for<'de> Deserialize<'de>>(name: &str) -> T {
    T::deserialize(MapDeserializer::<_, Error>::new([("kind", name)].into_iter())).expect("a member needs no settings")
}
