//! Radios: the transmitters of a node for its wireless links.
//!
//! A shared transmitter serves one exchange of a frame and its acknowledgment at a time, so that only links whose ARQ
//! allows it can use one ([`shares_a_radio`](path::mac::arq::Arq::shares_a_radio)). Links of a medium are not affected:
//! a station has one transmitter in each of its media.

use serde::{Deserialize, Serialize};

/// The number of transmitters of a node for its wireless links.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Radio {
    /// One for each link, on separate frequencies.
    #[default]
    PerLink,
    /// One for all links with stop-and-wait: frames to different neighbours wait for each other.
    Shared,
}

impl Radio {
    /// The name of each in scenarios, and one line about it.
    pub const MEMBERS: &'static [(&'static str, &'static str)] =
        &[("per-link", "A transmitter for each link"), ("shared", "One transmitter for all")];

    /// Whether several links use one transmitter.
    pub const fn is_shared(self) -> bool {
        matches!(self, Radio::Shared)
    }
}
