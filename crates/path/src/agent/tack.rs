//! Acknowledgments thinned as by TACK (Li2020): at the frequency that the path needs, with losses reported at once.
//!
//! TACK's frequency is `min(rate / (L segments), beta / RTTmin)`: an acknowledgment passes if `bytes` more bytes are
//! acknowledged *and* `rtt / share` has elapsed since the last one. If fewer bytes are acknowledged, the held
//! acknowledgment is sent `rtt / share` after the first one held. The module `thinning` defines which acknowledgments
//! are superseded and which pass at once (TACK's "instant" ACKs).
//!
//! Deviations: TACK is a protocol of both ends, whose acknowledgments report rate, round trip time and every loss. Here
//! its frequency is applied to the acknowledgments of a standard receiver, so the sender's window grows with the
//! acknowledgments that it receives. TACK measures RTTmin; a node on the path cannot, so `rtt` is a setting.

use engine::registry::{Fault, Settings};
use engine::{Bytes, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ack_decimation::MAX_ACK_DELAY;
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
    /// Approximate minimum round trip time of the flows.
    #[serde(default = "hundred_milliseconds")]
    pub rtt: Span,
    /// Maximum number of acknowledgments per round trip time: TACK's beta.
    #[serde(default = "default_share")]
    #[schemars(range(min = 1, max = 1000))]
    pub share: u32,
    /// Minimum number of bytes per acknowledgment: TACK's L, of two segments.
    #[serde(default = "two_segments")]
    pub bytes: Bytes,
}

fn hundred_milliseconds() -> Span {
    Span::from_millis(100)
}

fn default_share() -> u32 {
    4
}

fn two_segments() -> Bytes {
    Bytes(2 * 1460)
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if let Some(fault) = Fault::unless_some("share", self.share, 1000) {
            faults.push(fault);
        } else if self.interval() == Span::ZERO || self.interval() > MAX_ACK_DELAY {
            let expected =
                "more than 0, and rtt / share at most 500 ms, the longest delay of an acknowledgment [RFC5681 s4.2]";
            faults.push(Fault::new("rtt", self.rtt, expected));
        }
        if self.bytes.0 > 1 << 30 {
            faults.push(Fault::new("bytes", self.bytes, "at most 1 GiB"));
        }
        faults
    }
}

impl Config {
    fn interval(&self) -> Span {
        Span::from_nanos(self.rtt.as_nanos() / u64::from(self.share.max(1)))
    }

    /// Creates the agent.
    pub fn build(&self) -> Option<Box<dyn Agent>> {
        Some(Box::new(Thinning::new(Tack { interval: self.interval(), bytes: self.bytes.0 })))
    }
}

struct Tack {
    interval: Span,
    bytes: u64,
}

impl Pace for Tack {
    fn passes(&self, progress: &AckProgress, now: Time) -> bool {
        u64::from(progress.bytes) >= self.bytes && now >= progress.passed + self.interval
    }

    fn due(&self, progress: &AckProgress) -> Time {
        let enough = u64::from(progress.bytes) >= self.bytes;
        (if enough { progress.passed } else { progress.since }) + self.interval
    }
}
