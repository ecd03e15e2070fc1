//! Independent losses of 5 %.

pub use engine::registry::NoSettings as Config;

use engine::Stream;

use super::{Channel, uniform};

/// The channel.
pub fn build(stream: Stream) -> Box<dyn Channel> {
    uniform::Config { loss: 0.05 }.build(stream)
}
