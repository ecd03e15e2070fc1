//! The absence of a scheme.

pub use engine::registry::NoSettings as Config;

use super::{Agent, Semantics, Traits};

/// Returns the properties of the scheme.
pub fn traits() -> Traits {
    Traits { semantics: Semantics::Kept, changes: &[], uploads: &[], needs_link_reports: false, actions: &[] }
}

/// Creates no agent.
pub fn build() -> Option<Box<dyn Agent>> {
    None
}
