//! What a run's results are kept under: everything that they depend on.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::load::to_toml;
use scenario::Scenario;

/// The first 16 bytes of SHA-256 over the model's version and the scenario, without its replication and without what
/// changes no result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 16]);

impl Digest {
    /// Of a scenario with its recorded channels read in.
    pub fn of(scenario: &Scenario) -> Self {
        let mut plain = scenario.clone();
        plain.title.clear();
        plain.replication = 0;
        plain.output = Default::default();
        plain.sweep = None;
        Self::of_text(&to_toml(&plain))
    }

    /// Of a text.
    pub fn of_text(text: &str) -> Self {
        Self::of_text_under(sim::MODEL_VERSION, text)
    }

    /// Of a text, as a program with this version of the model has it.
    pub(super) fn of_text_under(model: u32, text: &str) -> Self {
        let hash = Sha256::new().chain_update(model.to_be_bytes()).chain_update(text).finalize();
        let mut short = [0; 16];
        short.copy_from_slice(&hash[..16]);
        Digest(short)
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
