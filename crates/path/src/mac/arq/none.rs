//! No link layer.

pub use engine::registry::NoSettings as Config;

use super::Arq;

/// Returns the absence of a link layer.
pub fn build() -> Arq {
    Arq::none()
}
