//! Up to 5 ms.

pub use engine::registry::NoSettings as Config;

use engine::Span;

use super::{Law, uniform};

/// The law.
pub fn build() -> Box<dyn Law> {
    uniform::Config { low: Span::ZERO, high: Span::from_millis(5) }.build()
}
