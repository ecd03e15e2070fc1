//! No link-level retransmission.

pub use engine::registry::NoSettings as Config;

use super::Arq;

/// Nothing.
pub fn build() -> Arq {
    Arq::none()
}
