//! A channel that repeats what was recorded [goel1997 4.2 (9), B.3.1].

use engine::registry::{Fault, Settings};
use engine::{Span, Stream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::timeline::{Timeline, rising};
use super::{Channel, Fate, Frame, State};

/// When the air switched.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// A file of switch times, one `time_ms GOOD|BAD` or bare `time_ms` a line, beside the scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Switch times, rising: the first leads into BAD, the next into GOOD, and so on. None at all: always GOOD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switches: Option<Vec<Span>>,
}

struct Recorded(Timeline);

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        if self.file.is_none() && self.switches.is_none() {
            let expected = "`file` or `switches` is missing".to_owned();
            return vec![Fault { key: "switches", entry: None, found: None, expected, hint: None }];
        }
        rising("switches", self.switches.as_deref().unwrap_or_default()).into_iter().collect()
    }
}

impl Config {
    /// The channel. It draws nothing. The scenario loader has put the contents of `file` into `switches`.
    pub fn build(&self, _: Stream) -> Box<dyn Channel> {
        Box::new(Recorded(Timeline::new(self.switches.iter().flatten().map(|at| Time::ZERO + *at).collect())))
    }
}

impl Channel for Recorded {
    fn fate(&mut self, frame: &Frame) -> Fate {
        if self.0.touched(frame.start, frame.duration).bad { Fate::Corrupted } else { Fate::Arrives }
    }

    fn has_states(&self) -> bool {
        true
    }

    fn next_change(&mut self, after: Time) -> Option<(Time, State)> {
        self.0.next_change(after)
    }
}
