//! Radios: the transmitters of a node for its wireless links.
//!
//! A shared transmitter serves one exchange of a frame and its acknowledgment at a time, as stop-and-wait does; other
//! link layers [need a transmitter for each link](path::mac::arq::Arq::needs_own_radio). Links without a link layer
//! have separate transmitters in any case, and a station of a medium has one in each of its media.

use serde::{Deserialize, Serialize};

/// The number of transmitters of a node for its wireless links.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Radio {
    /// One for each link, on separate frequencies.
    #[default]
    PerLink,
    /// One transmitter for all links with stop-and-wait: frames to different neighbours wait for each other.
    Shared,
}

impl Radio {
    /// The scenario name of each variant, and a one-line description.
    pub const MEMBERS: &'static [(&'static str, &'static str)] =
        &[("per-link", "A transmitter for each link"), ("shared", "One transmitter for all")];

    /// Whether several links use one transmitter.
    pub const fn is_shared(self) -> bool {
        matches!(self, Radio::Shared)
    }
}
