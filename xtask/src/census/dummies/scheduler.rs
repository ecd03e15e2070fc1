//! First come, first served.

pub use engine::registry::NoSettings as Config;

use super::{Scheduler, fifo};

/// The scheduler.
pub fn build() -> Box<dyn Scheduler> {
    fifo::build()
}
