//! Properties of a channel that follow from its settings, for lints and the loader.

use engine::Span;

use super::level::Level;

/// Properties of a channel.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ChannelTraits {
    /// The loss probability, if it is constant.
    pub steady_loss: Option<Keyed<SteadyLoss>>,
    /// The start of the first absence of a mobile, if there are absences.
    pub first_absence: Option<Keyed<Span>>,
    /// The signal power over time, if frames arrive at the rates for which it suffices.
    pub signal: Option<Keyed<Vec<Level>>>,
    /// True if the states are read from a recording, so that a run does not record them again.
    pub recorded: bool,
}

/// A property, with the setting from which it follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keyed<T> {
    /// The key of the setting.
    pub key: &'static str,
    /// The property.
    pub value: T,
}

/// A constant loss probability, 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SteadyLoss {
    /// Loss probability of a frame.
    OfFrame(f64),
    /// Error probability of a bit: a frame is lost if any of its bits is wrong.
    OfBit(f64),
}

impl SteadyLoss {
    /// Returns the probability.
    pub fn probability(self) -> f64 {
        match self {
            SteadyLoss::OfFrame(probability) | SteadyLoss::OfBit(probability) => probability,
        }
    }
}
