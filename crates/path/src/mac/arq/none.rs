//! No link-level retransmission.

pub use engine::registry::NoSettings as Config;

use super::StopAndWait;

/// Nothing.
pub fn build() -> Option<StopAndWait> {
    None
}
