//! Links: a rate, a delay, and a queue in front.

pub(crate) mod due;
pub mod fifo;
pub mod jitter;
pub mod priority;
pub mod variable;

pub use crate::counters::Counters;

use engine::{Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How transmission times are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Timing {
    /// bits / rate, to the nanosecond.
    #[default]
    Exact,
    /// bits / rate cut to whole milliseconds, as the thesis's program did: 8.5 ms is 8 ms and an acknowledgment
    /// takes no time. Part of the `goel1997` profile.
    WholeMilliseconds,
}

/// What one direction of a link does to a packet's time.
#[derive(Clone, Debug)]
pub struct Line {
    /// Bits per second.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Span,
    /// How transmission times are computed.
    pub timing: Timing,
    /// The last size asked for and its time: most packets one way have one size, and a division costs as much as an event.
    last: (u32, Span),
}

impl Line {
    /// A line of the given rate and delay.
    pub fn new(rate: Rate, delay: Span, timing: Timing) -> Self {
        Line { rate, delay, timing, last: (0, Span::ZERO) }
    }

    /// How long `size` bytes take to send.
    #[inline]
    pub fn transmission_time(&mut self, size: u32) -> Span {
        if self.last.0 != size {
            let exact = self.rate.transmission_time(size);
            let span = match self.timing {
                Timing::Exact => exact,
                Timing::WholeMilliseconds => exact.whole_millis(),
            };
            self.last = (size, span);
        }
        self.last.1
    }
}
