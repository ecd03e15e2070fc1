//! No differentiation: every loss is congestion [RFC5681 s3.1].

use engine::Time;
pub use engine::registry::NoSettings as Config;

use super::{LossCause, LossDifferentiation};
use crate::cc::Feedback;

/// Creates the differentiation.
pub fn build(_: f64) -> Box<dyn LossDifferentiation> {
    Box::new(None)
}

struct None;

impl LossDifferentiation for None {
    fn on_feedback(&mut self, _: &Feedback) {}

    fn cause(&mut self, _: Time, _: u32) -> LossCause {
        LossCause::Congestion
    }
}
