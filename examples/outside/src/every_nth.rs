//! A channel that loses every n-th data frame of each direction; link acknowledgments arrive.

use engine::registry::Fault;
use engine::{Member, Stream};
use path::channel::{Channel, ChannelConfig, ChannelFrame, FrameFate};
use schemars::JsonSchema;
use serde::Deserialize;

/// Settings.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The number of the first lost frame, counted from 1, and the distance to the next; at least 2.
    pub n: u32,
}

impl Member<ChannelConfig> for Config {
    fn check(&self) -> Vec<Fault> {
        if self.n < 2 { vec![Fault::new("n", self.n, "2 or more")] } else { Vec::new() }
    }

    fn build(&self, _: Stream) -> Box<dyn Channel> {
        Box::new(EveryNth { n: u64::from(self.n) })
    }
}

struct EveryNth {
    n: u64,
}

impl Channel for EveryNth {
    fn fate(&mut self, frame: &ChannelFrame) -> FrameFate {
        match frame.number {
            Some(earlier) if (earlier + 1) % self.n == 0 => FrameFate::Corrupted,
            _ => FrameFate::Arrives,
        }
    }
}
