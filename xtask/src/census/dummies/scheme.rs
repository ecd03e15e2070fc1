//! The base station's part of the scheme `eln`.

pub use engine::registry::NoSettings as Config;

use super::{Agent, Traits, eln};

/// As `eln`.
pub fn traits() -> Traits {
    eln::traits()
}

/// The agent.
pub fn build() -> Option<Box<dyn Agent>> {
    eln::Config::default().build()
}
