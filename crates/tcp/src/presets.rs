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
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "reno",
        summary: "Slow start, congestion avoidance, fast retransmit and fast recovery [RFC5681]",
        parts: || with_reno_recovery(ControlConfig::Reno(cc::reno::Config::default())),
    },
    Preset {
        name: "vegas",
        summary: "Holds a few segments in the bottleneck's queue (Brakmo and Peterson 1995), with Reno's recovery",
        parts: || with_reno_recovery(ControlConfig::Vegas(cc::vegas::Config::default())),
    },
    Preset {
        name: "westwood",
        summary: "Westwood+: cuts to what the path was seen to carry (Mascolo et al. 2004), with Reno's recovery",
        parts: || with_reno_recovery(ControlConfig::Westwood(cc::westwood::Config::default())),
    },
    Preset {
        name: "veno",
        summary: "Cuts by a fifth when the queue is short (Fu and Liew 2003), with Reno's recovery",
        parts: || with_reno_recovery(ControlConfig::Veno(cc::veno::Config::default())),
    },
    Preset {
        name: "cubic",
        summary: "Grows with the cube of the time since the last cut [RFC9438], HyStart++ [RFC9406], with Reno's recovery",
        parts: || with_reno_recovery(ControlConfig::Cubic(cc::cubic::Config::default())),
    },
    Preset {
        name: "bbr",
        summary: "Sends at the measured rate with a path's worth in flight (Cardwell et al. 2016), with Reno's recovery",
        parts: || with_reno_recovery(ControlConfig::Bbr(cc::bbr::Config::default())),
    },
    Preset {
        name: "bbr3",
        summary: "BBR version 3, which learns from losses too [draft-ietf-ccwg-bbr], with Reno's recovery",
        parts: || with_reno_recovery(ControlConfig::Bbr3(cc::bbr3::Config::default())),
    },
    Preset {
        name: "dctcp",
        summary: "Cuts in proportion to the fraction of bytes marked [RFC8257], with Reno's recovery",
        parts: || with_reno_recovery(ControlConfig::Dctcp(cc::dctcp::Config::default())),
    },
];

fn with_reno_recovery(control: ControlConfig) -> (RecoveryConfig, ControlConfig) {
    (RecoveryConfig::Reno(recovery::reno::Config::default()), control)
}

/// The variant called `name`.
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

/// The names of all variants.
pub fn names() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}
