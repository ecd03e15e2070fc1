//! Key of stored results: a hash of all inputs of the results.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};
use sim::Network;

use super::canonical::{FORM, encode_canonical};

/// The first 16 bytes of a SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 16]);

impl Digest {
    /// Key of the runs of a network: a hash of the model version and the canonical form of the network, with defaults
    /// filled in and without the replication. The spelling of the scenario and its keys without effect on results (title,
    /// outputs, the sweep itself) have no influence.
    ///
    /// # Errors
    ///
    /// If a setting of an outside member has no canonical form.
    pub fn of(network: &Network) -> Result<Self, String> {
        let form = encode_canonical(network).map_err(|error| error.to_string())?;
        Ok(Self::of_bytes(&[&FORM.to_be_bytes(), &sim::MODEL_VERSION.to_be_bytes(), &form]))
    }

    /// Returns the key of a sweep under a version of the model, from the description of the sweep.
    pub(super) fn of_sweep(model: u32, content: &str) -> Self {
        Self::of_bytes(&[&model.to_be_bytes(), content.as_bytes()])
    }

    fn of_bytes(parts: &[&[u8]]) -> Self {
        let hash = parts.iter().fold(Sha256::new(), Sha256::chain_update).finalize();
        let mut short = [0; 16];
        short.copy_from_slice(&hash[..16]);
        Digest(short)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let number = u128::from_str_radix(&text, 16).ok().filter(|_| text.len() == 32);
        let number = number.ok_or_else(|| serde::de::Error::custom("expected 32 hexadecimal digits"))?;
        Ok(Digest(number.to_be_bytes()))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
