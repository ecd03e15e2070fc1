//! Tahoe's.

pub use engine::registry::NoSettings as Config;

use super::{LossRecovery, tahoe};

/// The recovery.
pub fn build() -> Box<dyn LossRecovery> {
    tahoe::build()
}
