//! ACK decimation: of successive acknowledgments every n-th is forwarded to the radio link [RFC3449 s5.2.2]; the others
//! are superseded as in ACK filtering [RFC3449 s5.2.1]. The module `thinning` defines which acknowledgments are
//! superseded and which always pass.
//!
//! Deviation: the RFC drops acknowledgments from the queue of the slow link. An agent has no access to that queue: it
//! holds an acknowledgment for at most `max_delay`, which delays an acknowledgment without a successor.

use engine::registry::{Fault, Settings};
use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::thinning::{AckProgress, Pace, Thinning};
use super::{Agent, SchemeNode, Semantics, Traits};

/// Returns the properties of the scheme.
pub fn traits() -> Traits {
    Traits {
        semantics: Semantics::Kept,
        changes: &[SchemeNode::Receiver],
        uploads: &[SchemeNode::BaseStation],
        needs_link_reports: false,
        actions: super::thinning::ACTIONS,
    }
}

/// Settings of the scheme.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Number n: one of n successive acknowledgments without other information is forwarded.
    #[serde(default = "default_every")]
    #[schemars(range(min = 1, max = 1000))]
    pub every: u32,
    /// Maximum time for which an acknowledgment is held.
    #[serde(default = "default_ack_hold_time")]
    pub max_delay: Span,
}

fn default_every() -> u32 {
    4
}

fn default_ack_hold_time() -> Span {
    Span::from_millis(10)
}

/// Maximum delay of an acknowledgment [RFC5681 s4.2].
pub(super) const MAX_ACK_DELAY: Span = Span::from_millis(500);

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if !(1..=1000).contains(&self.every) {
            faults.push(Fault::new("every", self.every, "1 to 1000; with 1 every acknowledgment passes"));
        }
        if self.max_delay == Span::ZERO || self.max_delay > MAX_ACK_DELAY {
            let expected = "more than 0, at most 500 ms, the longest delay of an acknowledgment [RFC5681 s4.2]";
            faults.push(Fault::new("max_delay", self.max_delay, expected));
        }
        faults
    }
}

impl Config {
    /// Creates the agent.
    pub fn build(&self) -> Option<Box<dyn Agent>> {
        Some(Box::new(Thinning::new(Decimation { every: self.every, max_delay: self.max_delay })))
    }
}

struct Decimation {
    every: u32,
    max_delay: Span,
}

impl Pace for Decimation {
    fn passes(&self, progress: &AckProgress, _: Time) -> bool {
        progress.waiting >= self.every
    }

    fn due(&self, progress: &AckProgress) -> Time {
        progress.since + self.max_delay
    }
}
