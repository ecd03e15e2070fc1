//! Selective repeat: each frame is acknowledged individually, and only a frame whose timer expires is retransmitted,
//! before any new one [LinCostello2004 ch. 22].
//!
//! The far end buffers frames after a missing one, at most a window of them. With `in_order` it delivers packets in
//! sequence; a frame that was given up is skipped one propagation delay later. That models the far end's own timer
//! (t-Reassembly of LTE and 5G), here neither early nor late. Without `in_order` packets are delivered on arrival.
//!
//! Deviations: numbers never wrap; an acknowledgment names one frame, so a lost one costs a retransmission.

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
    /// Maximum range of frames sent, from the oldest unacknowledged one on.
    #[serde(default = "sixty_four")]
    #[schemars(range(min = 1))]
    pub window: u32,
    /// Maximum number of transmissions of a frame, the first included.
    #[serde(default = "default_max_transmissions")]
    #[schemars(range(min = 1))]
    pub max_transmissions: u32,
    /// Time beyond the earliest possible acknowledgment after which the timer expires.
    #[serde(default = "one_millisecond")]
    pub margin: Span,
    /// Size of a link acknowledgment.
    #[serde(default = "ack_size")]
    pub ack_size: Bytes,
    /// Whether packets are delivered in sequence, or on arrival.
    #[serde(default = "default_repeat_in_order")]
    pub in_order: bool,
}

fn default_repeat_in_order() -> bool {
    true
}

impl Default for Config {
    fn default() -> Self {
        Config {
            window: sixty_four(),
            max_transmissions: default_max_transmissions(),
            margin: one_millisecond(),
            ack_size: ack_size(),
            in_order: default_repeat_in_order(),
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
            policy: WindowPolicy::SelectiveRepeat { in_order: self.in_order },
            window: self.window,
            max_transmissions: self.max_transmissions,
            margin: self.margin,
            ack_size: self.ack_size.0 as u32,
        }
        .into()
    }
}
