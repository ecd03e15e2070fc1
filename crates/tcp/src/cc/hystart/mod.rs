//! Leaving slow start before a loss: shared by Reno and CUBIC.

pub mod linux;
pub mod plus_plus;

use engine::registry::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Feedback, Start};

/// The algorithm that ends slow start before a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub enum Kind {
    /// No algorithm: slow start ends only by a loss.
    #[default]
    #[serde(rename = "off")]
    Off,
    /// HyStart++ [RFC9406 s4.2].
    #[serde(rename = "hystart++")]
    PlusPlus,
    /// Linux's HyStart: rising delay, or a long train of acknowledgments.
    #[serde(rename = "hystart")]
    Linux,
}

/// The decision after an acknowledgment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SlowStartVerdict {
    /// Slow start continues.
    Continue,
    /// Slow start should end at the current window.
    Exit,
}

/// The state of the selected algorithm.
pub(crate) enum Hystart {
    Off,
    PlusPlus(plus_plus::PlusPlus),
    Linux(linux::Linux),
}

impl Hystart {
    /// Creates the algorithm. `linux` contains the settings of Linux's HyStart; the setting for pacing in it applies to
    /// all algorithms.
    pub fn new(kind: Kind, linux: linux::Parameters, start: &Start) -> Self {
        match kind {
            Kind::Off => Hystart::Off,
            // [RFC9406 s4.3]: HyStart++ is used only for the first slow start, whose threshold is still arbitrarily
            // high.
            Kind::PlusPlus if start.ssthresh.is_finite() => Hystart::Off,
            Kind::PlusPlus => Hystart::PlusPlus(plus_plus::PlusPlus::new(linux.paces)),
            Kind::Linux => Hystart::Linux(linux::Linux::new(linux)),
        }
    }

    /// Processes an acknowledgment in slow start, with a window of `cwnd` segments.
    pub fn on_feedback(&mut self, feedback: &Feedback, cwnd: f64) -> SlowStartVerdict {
        match self {
            Hystart::Off => SlowStartVerdict::Continue,
            Hystart::PlusPlus(this) => this.on_feedback(feedback),
            Hystart::Linux(this) => this.on_feedback(feedback, cwnd),
        }
    }

    /// Returns the growth of slow start for `bytes` acknowledged. Without HyStart++ the growth is `limit`.
    pub fn growth(&self, bytes: f64, segment: f64, limit: f64) -> f64 {
        match self {
            Hystart::PlusPlus(this) => this.growth(bytes, segment),
            _ => bytes.min(limit),
        }
    }

    /// Ends the algorithm after slow start or a loss.
    pub fn on_exit(&mut self, timeout: bool) {
        match self {
            Hystart::Off => {}
            // [RFC9406 s4.3]: later slow starts do not use HyStart++.
            Hystart::PlusPlus(_) => *self = Hystart::Off,
            Hystart::Linux(this) if timeout => this.reset(),
            Hystart::Linux(_) => {}
        }
    }
}

/// A fault if `bits` select no criterion of Linux's HyStart.
pub(crate) fn unless_detects(key: &'static str, bits: u8) -> Option<Fault> {
    (!(1..=3).contains(&bits)).then(|| {
        Fault::new(key, bits, "1 (the train of acknowledgments), 2 (delay) or 3 (both)")
            .hint("hystart = \"off\" has no criteria")
    })
}
