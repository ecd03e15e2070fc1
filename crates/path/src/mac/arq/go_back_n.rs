//! Go-back-N: the far end accepts frames in sequence only and buffers none; when the oldest frame's timer expires, that
//! frame and all later ones are retransmitted [LinCostello2004 ch. 22].
//!
//! Acknowledgments are cumulative, and every arriving frame is answered by one, so the next one compensates for a lost
//! one if it arrives before the timer expires. Deliveries are always in sequence.
//!
//! Deviations: the far end sends no negative acknowledgment, so losses are detected by the timer alone; numbers never
//! wrap.

use engine::registry::{Fault, Settings};
use engine::{Bytes, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Arq;
use super::window::{
    self, SlidingWindow, WindowPolicy, ack_size, default_max_transmissions, one_millisecond, sixty_four,
};

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Maximum number of unacknowledged frames.
    #[serde(default = "sixty_four")]
    #[schemars(range(min = 1))]
    pub window: u32,
    /// Number of failures as the oldest frame of the window after which a frame is given up.
    #[serde(default = "default_max_transmissions")]
    #[schemars(range(min = 1))]
    pub max_transmissions: u32,
    /// Time beyond the earliest possible acknowledgment after which the timer expires.
    #[serde(default = "one_millisecond")]
    pub margin: Span,
    /// Size of a link acknowledgment.
    #[serde(default = "ack_size")]
    pub ack_size: Bytes,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            window: sixty_four(),
            max_transmissions: default_max_transmissions(),
            margin: one_millisecond(),
            ack_size: ack_size(),
        }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        window::check_window_settings(self.window, self.max_transmissions, self.margin, self.ack_size)
    }
}

impl Config {
    /// The link layer.
    pub fn build(&self) -> Arq {
        SlidingWindow {
            policy: WindowPolicy::GoBackN,
            window: self.window,
            max_transmissions: self.max_transmissions,
            margin: self.margin,
            ack_size: self.ack_size.0 as u32,
        }
        .into()
    }
}
