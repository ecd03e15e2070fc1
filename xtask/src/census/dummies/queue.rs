//! Drop-tail with room for three packets.

pub use engine::registry::NoSettings as Config;

use engine::Stream;

use super::{Limit, QueueDiscipline, drop_tail};

/// The queue.
pub fn build(stream: Stream) -> Box<dyn QueueDiscipline> {
    drop_tail::Config::from(Limit::Packets(3)).build(stream)
}
