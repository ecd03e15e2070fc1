//! Loss differentiation: guesses the cause of a loss at the sender without signals from the network (the thesis's
//! future work [goel1997 6.2]).

pub mod biaz;
pub mod mbiaz;
pub mod none;
pub mod spike;
pub mod zigzag;

use engine::Time;

use crate::cc::Feedback;

engine::registry! {
    /// The kinds of loss differentiation.
    pub enum DifferentiationConfig: "loss differentiation" => build(segment: f64) -> Box<dyn LossDifferentiation> {
        None => none, "none", "Every loss counts as congestion, as in standard TCP", no settings;
        Biaz => biaz, "biaz", "Wireless if the gap between acknowledgments is the time of the lost segments (Biaz and Vaidya 1999)";
        Mbiaz => mbiaz, "mbiaz", "Biaz with a narrower gap (Cen, Cosman, Voelker 2003)";
        Spike => spike, "spike", "Congestion during a spike of the round trip (Tobe et al. 2000)";
        ZigZag => zigzag, "zigzag", "Wireless if the round trip is below a threshold that rises with consecutive losses (Cen, Cosman, Voelker 2003)";
    }
}

impl Default for DifferentiationConfig {
    fn default() -> Self {
        DifferentiationConfig::None(none::Config::default())
    }
}

/// The assumed cause of a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LossCause {
    /// A full queue: the sender must reduce its rate.
    Congestion,
    /// Corruption on the wireless hop: retransmit without a reduction.
    Wireless,
}

/// Guesses the cause of losses.
///
/// The sender calls `on_feedback` for every acknowledgment, before anything reacts to it, and `cause` when fast
/// recovery is about to begin for a loss that no message from the network has explained. Timeouts are always
/// congestion.
pub trait LossDifferentiation: Send {
    /// Processes an acknowledgment.
    fn on_feedback(&mut self, feedback: &Feedback);
    /// The assumed cause of the loss of `segments` consecutive segments.
    fn cause(&mut self, now: Time, segments: u32) -> LossCause;
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Feeds acknowledgments to a differentiation and queries it about losses.
    pub struct Teller {
        pub differentiation: Box<dyn LossDifferentiation>,
        now: Time,
        una: u64,
    }

    impl Teller {
        pub fn new(config: &DifferentiationConfig) -> Self {
            Teller { differentiation: config.build(1000.0), now: Time::ZERO, una: 0 }
        }

        /// Acknowledges `bytes` more after `wait` ms, with a round trip of `rtt` ms.
        pub fn ack(&mut self, wait: u64, bytes: u64, rtt: u64) {
            self.ack_after(engine::Span::from_millis(wait), bytes, engine::Span::from_millis(rtt));
        }

        /// Processes an acknowledgment as `ack` does, with times of any resolution.
        pub fn ack_after(&mut self, wait: engine::Span, bytes: u64, rtt: engine::Span) {
            self.now += wait;
            self.una += bytes;
            let mut feedback = crate::cc::tests::feedback(0, Some(rtt));
            (feedback.now, feedback.una, feedback.nxt) = (self.now, self.una, self.una + 10_000);
            (feedback.acked, feedback.delivered) = (bytes, bytes);
            self.differentiation.on_feedback(&feedback);
        }

        pub fn cause(&mut self, segments: u32) -> LossCause {
            self.differentiation.cause(self.now, segments)
        }
    }
}
