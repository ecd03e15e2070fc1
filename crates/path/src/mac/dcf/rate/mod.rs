//! At which rate the next frame to a neighbour is sent.

pub mod arf;
pub mod fixed;
pub mod minstrel;
pub mod stepping;

use engine::{Rate, Span, Stream, Time};

use crate::mac::dcf::RateIndex;

engine::registry! {
    /// The kinds of rate control.
    pub enum RateControlConfig: "rate control" => build(rates: Rates) -> Box<dyn RateControl> {
        Fixed => fixed, "fixed", "Every frame at the rate of its link", no settings;
        Arf => arf, "arf", "Down after failures in a row, up after successes in a row (Kamerman1997)";
        Minstrel => minstrel, "minstrel", "Frames now and then at other rates; what carried most lately is used (Linux)";
        Stepping => stepping, "stepping", "Down a step with each packet given up, back with the first acknowledgment (disconnections2012)";
    }
}

impl Default for RateControlConfig {
    fn default() -> Self {
        RateControlConfig::Fixed(fixed::Config::default())
    }
}

/// Bytes of the frame by whose time rates are compared; Linux's minstrel takes the same.
pub const USUAL_FRAME: u32 = 1200;

/// The rates to choose from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rates {
    /// Slowest first.
    pub rates: Vec<Rate>,
    /// For each, how long a usual frame takes.
    pub times: Vec<Span>,
    /// The place of the rate that the link names; the highest that is used.
    pub preferred: RateIndex,
    /// Random stream of the control.
    pub stream: Stream,
}

/// The choice toward one neighbour.
pub trait RateControl: Send {
    /// The rate of the next frame, of which this is attempt number `attempt`, from 1. Asked once for each attempt;
    /// fragments that follow one another are one, at one rate.
    fn rate(&mut self, attempt: u32, now: Time) -> RateIndex;

    /// An attempt at a rate was acknowledged, or was not.
    fn on_attempt(&mut self, rate: RateIndex, acknowledged: bool, now: Time) {
        let _ = (rate, acknowledged, now);
    }

    /// An aggregate of `sent` packets went out, of which `acknowledged` were. By default it counts as one attempt,
    /// which succeeded if half of them were.
    fn on_aggregate(&mut self, rate: RateIndex, sent: u32, acknowledged: u32, now: Time) {
        self.on_attempt(rate, 2 * acknowledged >= sent, now);
    }

    /// A packet was given up.
    fn on_given_up(&mut self) {}
}
