//! The sender's part of the scheme `eln`.

pub use engine::registry::NoSettings as Config;

use super::{NoticeResponse, eln};

/// The response.
pub fn build() -> Box<dyn NoticeResponse> {
    eln::build()
}
