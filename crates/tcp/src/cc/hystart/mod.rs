//! Leaving slow start before it loses: a part that Reno and CUBIC share.

pub mod linux;
pub mod plus_plus;

use engine::registry::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Feedback, Start};

/// What looks for the end of slow start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub enum Kind {
    /// Nothing: only a loss ends it.
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

/// What is known of slow start after an acknowledgment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// It goes on.
    Continue,
    /// It should end at the present window.
    Exit,
}

/// One of them at work.
pub(crate) enum Hystart {
    Off,
    PlusPlus(plus_plus::PlusPlus),
    Linux(linux::Linux),
}

impl Hystart {
    pub fn new(kind: Kind, linux: linux::Parameters, start: &Start) -> Self {
        match kind {
            Kind::Off => Hystart::Off,
            // [RFC9406 s4.3]: only for a slow start whose threshold is the initial, arbitrarily high one.
            Kind::PlusPlus if start.ssthresh.is_finite() => Hystart::Off,
            Kind::PlusPlus => Hystart::PlusPlus(plus_plus::PlusPlus::new()),
            Kind::Linux => Hystart::Linux(linux::Linux::new(linux)),
        }
    }

    /// An acknowledgment has come during slow start, with the window at `cwnd` segments.
    pub fn on_feedback(&mut self, feedback: &Feedback, cwnd: f64) -> Verdict {
        match self {
            Hystart::Off => Verdict::Continue,
            Hystart::PlusPlus(this) => this.on_feedback(feedback),
            Hystart::Linux(this) => this.on_feedback(feedback, cwnd),
        }
    }

    /// By how much slow start may grow for `bytes` acknowledged. Without HyStart++ that is `limit`.
    pub fn growth(&self, bytes: f64, segment: f64, limit: f64) -> f64 {
        match self {
            Hystart::PlusPlus(this) => this.growth(bytes, segment),
            _ => bytes.min(limit),
        }
    }

    /// Slow start has ended, or something was lost.
    pub fn on_exit(&mut self, timeout: bool) {
        match self {
            Hystart::Off => {}
            // [RFC9406 s4.3]: later slow starts are ordinary ones.
            Hystart::PlusPlus(_) => *self = Hystart::Off,
            Hystart::Linux(this) if timeout => this.reset(),
            Hystart::Linux(_) => {}
        }
    }
}

/// A fault if `bits` select nothing that Linux's HyStart could look at.
pub(crate) fn unless_detects(key: &'static str, bits: u8) -> Option<Fault> {
    (!(1..=3).contains(&bits)).then(|| {
        Fault::new(key, bits, "1 (the train of acknowledgments), 2 (delay) or 3 (both)")
            .hint("hystart = \"off\" looks at nothing")
    })
}
