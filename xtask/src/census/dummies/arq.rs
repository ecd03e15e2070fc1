//! Stop-and-wait with its defaults.

pub use engine::registry::NoSettings as Config;

use super::{Arq, stop_and_wait};

/// The link layer.
pub fn build() -> Arq {
    stop_and_wait::Config::default().build()
}
