//! Vegas with its defaults.

pub use engine::registry::NoSettings as Config;

use super::{CongestionControl, Start, vegas};

/// The congestion control.
pub fn build(start: Start) -> Box<dyn CongestionControl> {
    vegas::Config::default().build(start)
}
