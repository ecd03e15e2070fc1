//! The rate that the link names, or its medium.

use engine::Time;

use super::{RateControl, Rates};
use crate::mac::dcf::RateIndex;

pub use engine::registry::NoSettings as Config;

struct Fixed(RateIndex);

impl RateControl for Fixed {
    fn rate(&mut self, _: u32, _: Time) -> RateIndex {
        self.0
    }
}

/// Always the same rate.
pub fn build(rates: Rates) -> Box<dyn RateControl> {
    Box::new(Fixed(rates.preferred))
}
