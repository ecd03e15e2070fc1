//! 3000 bytes.

pub use engine::registry::NoSettings as Config;

use engine::Bytes;

use super::{SizeDistribution, fixed};

/// Creates the distribution.
pub fn build() -> Box<dyn SizeDistribution> {
    fixed::Config { bytes: Bytes(3000) }.build()
}
