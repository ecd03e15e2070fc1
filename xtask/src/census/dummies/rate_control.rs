//! ARF with its defaults.

pub use engine::registry::NoSettings as Config;

use super::{RateControl, Rates, arf};

/// The rate control.
pub fn build(rates: Rates) -> Box<dyn RateControl> {
    arf::Config::default().build(rates)
}
