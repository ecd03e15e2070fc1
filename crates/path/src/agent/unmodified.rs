//! No scheme.

pub use engine::registry::NoSettings as Config;

use super::Agent;

/// Nothing.
pub fn build() -> Option<Box<dyn Agent>> {
    None
}
