//! The channel without loss.

use engine::Stream;
pub use engine::registry::NoSettings as Config;

use super::{Channel, ChannelFrame, FrameFate};

struct Perfect;

/// Creates the channel. It draws no random numbers.
pub fn build(_: Stream) -> Box<dyn Channel> {
    Box::new(Perfect)
}

impl Channel for Perfect {
    fn fate(&mut self, _: &ChannelFrame) -> FrameFate {
        FrameFate::Arrives
    }

    fn loses(&self) -> bool {
        false
    }
}
