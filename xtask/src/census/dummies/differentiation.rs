//! No loss is congestion.

pub use engine::registry::NoSettings as Config;

use engine::Time;

use super::{LossCause, LossDifferentiation};
use crate::cc::Feedback;

struct Wireless;

/// The loss differentiation.
pub fn build(_: f64) -> Box<dyn LossDifferentiation> {
    Box::new(Wireless)
}

impl LossDifferentiation for Wireless {
    fn on_feedback(&mut self, _: &Feedback) {}

    fn cause(&mut self, _: Time, _: u32) -> LossCause {
        LossCause::Wireless
    }
}
