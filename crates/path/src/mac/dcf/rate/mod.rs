//! Rate control: the choice of a rate for each frame to a neighbour.

pub mod arf;
pub mod fixed;
pub mod minstrel;
pub mod stepping;

use engine::{Rate, Span, Stream, Time};

use crate::mac::dcf::RateIndex;

engine::registry! {
    /// The rate controls.
    pub enum RateControlConfig: "rate control" => build(rates: Rates) -> Box<dyn RateControl>, with traits: RateControlTraits {
        Fixed => fixed, "fixed", "All frames at the rate of the link", no settings, with traits;
        Arf => arf, "arf", "Lower after consecutive failures, higher after consecutive successes (Kamerman1997)";
        Minstrel => minstrel, "minstrel", "The rate with the highest measured throughput, with samples of other rates (Linux)";
        Stepping => stepping, "stepping", "A step down with each packet given up, back to the highest rate with an acknowledgment (disconnections2012)";
    }
}

impl Default for RateControlConfig {
    fn default() -> Self {
        RateControlConfig::Fixed(fixed::Config::default())
    }
}

/// Properties of a rate control that follow from its settings, for lints.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RateControlTraits {
    /// True if all frames are sent at the rate of the link.
    pub fixed: bool,
}

/// Size of the reference frame whose duration is used to compare rates, in bytes; as in the minstrel of Linux.
pub const USUAL_FRAME: u32 = 1200;

/// The available rates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rates {
    /// Rates in ascending order.
    pub rates: Vec<Rate>,
    /// Duration of a reference frame at each rate.
    pub times: Vec<Span>,
    /// Index of the link's rate, the highest that may be used.
    pub preferred: RateIndex,
    /// Random stream of the rate control.
    pub stream: Stream,
}

/// Rate control toward one neighbour.
pub trait RateControl: Send {
    /// Returns the rate of the next frame, whose attempt number is `attempt`, from 1. Called once per attempt;
    /// consecutive fragments count as one attempt at one rate.
    fn rate(&mut self, attempt: u32, now: Time) -> RateIndex;

    /// Reports an attempt at `rate`, and whether it was acknowledged.
    fn on_attempt(&mut self, rate: RateIndex, acknowledged: bool, now: Time) {
        let _ = (rate, acknowledged, now);
    }

    /// Reports an aggregate of `sent` packets, of which `acknowledged` were acknowledged. The default implementation
    /// reports one attempt, successful if at least half of the packets were acknowledged.
    fn on_aggregate(&mut self, rate: RateIndex, sent: u32, acknowledged: u32, now: Time) {
        self.on_attempt(rate, 2 * acknowledged >= sent, now);
    }

    /// Reports that a packet was given up.
    fn on_given_up(&mut self) {}
}
