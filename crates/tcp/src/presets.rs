//! TCP variants by the names papers use: a recovery and a congestion control.

use crate::cc::{self, ControlConfig};
use crate::recovery::{self, RecoveryConfig};

/// A variant: its name, one line about it, and its parts.
pub struct Preset {
    /// The name papers use.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Its parts.
    pub parts: fn() -> (RecoveryConfig, ControlConfig),
}

/// Every variant.
pub const PRESETS: &[Preset] = &[Preset {
    name: "reno",
    summary: "Slow start, congestion avoidance, fast retransmit and fast recovery [RFC5681]",
    parts: || {
        (RecoveryConfig::Reno(recovery::reno::Config::default()), ControlConfig::Reno(cc::reno::Config::default()))
    },
}];

/// The variant called `name`.
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

/// The names of all variants.
pub fn names() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}
