//! WHY it was lost, guessed at the sender without signals from the network (the thesis's future work [goel1997 6.2]).

pub mod none;

use engine::Time;

use crate::cc::Feedback;

engine::registry! {
    /// The kinds of loss differentiation.
    pub enum DifferentiationConfig: "loss differentiation" => build(segment: f64) -> Box<dyn LossDifferentiation> {
        None => none, "none", "Every loss is congestion, as TCP has it", no settings;
    }
}

impl Default for DifferentiationConfig {
    fn default() -> Self {
        DifferentiationConfig::None(none::Config::default())
    }
}

/// What a loss is taken for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// A queue was full: slow down.
    Congestion,
    /// The wireless hop corrupted it: send it again, no slower.
    Wireless,
}

/// Guesses what losses are due to.
///
/// The sender calls `on_feedback` for every acknowledgment, before anything reacts to it, and `cause` when fast
/// recovery is about to begin for a loss that no message from the network has explained. Timeouts are always congestion.
pub trait LossDifferentiation: Send {
    /// An acknowledgment has come.
    fn on_feedback(&mut self, feedback: &Feedback);
    /// What the loss of `segments` segments in a row is taken for.
    fn cause(&mut self, now: Time, segments: u32) -> Cause;
}
