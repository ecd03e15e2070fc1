//! ACK decimation: of successive acknowledgments every n-th is forwarded to the radio link [RFC3449 s5.2.2], the others
//! are superseded as in ACK filtering [RFC3449 s5.2.1]. `thinning` defines which are superseded and which always pass.
//!
//! Deviation: the RFC drops from the queue of the slow link. An agent does not see that queue: an acknowledgment waits
//! here instead, at most `within`, so one that no other follows is late by that.

use engine::registry::{Fault, Settings};
use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::thinning::{Pace, Progress, Thinning};
use super::{Agent, Place, Semantics, Traits};

/// The requirements of the scheme, and its effect on acknowledgments.
pub fn traits() -> Traits {
    Traits {
        semantics: Semantics::Kept,
        changes: &[Place::Receiver],
        uploads: &[Place::BaseStation],
        hears_link_layer: false,
    }
}

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// One of this many acknowledgments that only advance is forwarded.
    #[serde(default = "four")]
    #[schemars(range(min = 1, max = 1000))]
    pub every: u32,
    /// How long one may be kept.
    #[serde(default = "ten_milliseconds")]
    pub within: Span,
}

fn four() -> u32 {
    4
}

fn ten_milliseconds() -> Span {
    Span::from_millis(10)
}

/// How long an acknowledgment may be delayed at all [RFC5681 s4.2].
pub(super) const LONGEST: Span = Span::from_millis(500);

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if !(1..=1000).contains(&self.every) {
            faults.push(Fault::new("every", self.every, "1 to 1000; at 1 all pass"));
        }
        if self.within == Span::ZERO || self.within > LONGEST {
            let expected = "more than 0, at most 500 ms, the longest delay of an acknowledgment [RFC5681 s4.2]";
            faults.push(Fault::new("within", self.within, expected));
        }
        faults
    }
}

impl Config {
    /// The agent.
    pub fn build(&self) -> Option<Box<dyn Agent>> {
        Some(Box::new(Thinning::new(Decimation { every: self.every, within: self.within })))
    }
}

struct Decimation {
    every: u32,
    within: Span,
}

impl Pace for Decimation {
    fn passes(&self, progress: &Progress, _: Time) -> bool {
        progress.waiting >= self.every
    }

    fn due(&self, progress: &Progress) -> Time {
        progress.since + self.within
    }
}
