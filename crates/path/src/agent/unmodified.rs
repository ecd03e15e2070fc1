//! No scheme.

pub use engine::registry::NoSettings as Config;

use super::{Agent, Semantics, Traits};

/// The requirements of the scheme, and its effect on acknowledgments.
pub fn traits() -> Traits {
    Traits { semantics: Semantics::Kept, changes: &[], uploads: &[], hears_link_layer: false }
}

/// Nothing.
pub fn build() -> Option<Box<dyn Agent>> {
    None
}
