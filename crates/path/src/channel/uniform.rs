//! Independent losses, as on the thesis's wired links [goel1997 4.2 (5)].

use engine::Stream;
use engine::registry::{Fault, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Channel, Fate, Frame, FrameDraws};

/// How often.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Probability that a frame is lost, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss: f64,
}

struct Uniform {
    loss: f64,
    draws: FrameDraws,
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        Fault::unless_probability("loss", self.loss).into_iter().collect()
    }
}

impl Config {
    /// The channel.
    pub fn build(&self, stream: Stream) -> Box<dyn Channel> {
        Box::new(Uniform { loss: self.loss, draws: FrameDraws::new(stream) })
    }
}

impl Channel for Uniform {
    fn fate(&mut self, frame: &Frame) -> Fate {
        if self.draws.unit(frame) < self.loss { Fate::Corrupted } else { Fate::Arrives }
    }
}
