//! A constant rate: the rate of the link, or else of its medium.

use engine::Time;

use super::{RateControl, RateControlTraits, Rates};
use crate::mac::dcf::RateIndex;

pub use engine::registry::NoSettings as Config;

struct Fixed(RateIndex);

impl RateControl for Fixed {
    fn rate(&mut self, _: u32, _: Time) -> RateIndex {
        self.0
    }
}

/// Returns the properties of the rate control.
pub fn traits() -> RateControlTraits {
    RateControlTraits { fixed: true }
}

/// Creates the rate control of a link.
pub fn build(rates: Rates) -> Box<dyn RateControl> {
    Box::new(Fixed(rates.preferred))
}
