//! Up to 5 ms.

pub use engine::registry::NoSettings as Config;

use engine::Span;

use super::{DelayDistribution, uniform};

/// Creates the distribution.
pub fn build() -> Box<dyn DelayDistribution> {
    uniform::Config { low: Span::ZERO, high: Span::from_millis(5) }.build()
}
