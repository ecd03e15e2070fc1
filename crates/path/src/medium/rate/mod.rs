//! At which rate the next frame to a neighbour is sent.

pub mod fixed;

use crate::mac::dcf::RateIndex;

engine::registry! {
    /// The kinds of rate control.
    pub enum RateControlConfig: "rate control" => build(rates: Rates) -> Box<dyn RateControl> {
        Fixed => fixed, "fixed", "Every frame at the rate of its link", no settings;
    }
}

/// What there is to choose from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rates {
    /// How many there are, slowest first.
    pub count: usize,
    /// The place of the rate that the link names.
    pub preferred: RateIndex,
}

/// The choice toward one neighbour.
pub trait RateControl: Send {
    /// The rate of the next frame, of which this is attempt number `attempt`, from 1.
    fn rate(&mut self, attempt: u32) -> RateIndex;

    /// An attempt was acknowledged, or was not.
    fn on_attempt(&mut self, acknowledged: bool) {
        let _ = acknowledged;
    }

    /// A packet was given up.
    fn on_given_up(&mut self) {}
}
