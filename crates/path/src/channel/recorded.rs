//! A channel with recorded states [goel1997 4.2 (9), B.3.1].

use std::fmt::Arguments;

use engine::registry::{Fault, FileReader, FileSetting, Settings};
use engine::{Span, Stream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::timeline::{Timeline, check_ascending};
use super::{Channel, ChannelFrame, ChannelState, ChannelTraits, FrameFate};

/// The recorded switch times.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// File of switch times relative to the scenario's folder, with a line `time_ms GOOD|BAD` or `time_ms` for each
    /// switch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Switch times in ascending order: the first to BAD, the second to GOOD, and so on. An empty list means always
    /// GOOD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub switches: Option<Vec<Span>>,
}

struct RecordedChannel(Timeline);

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        if self.file.is_none() && self.switches.is_none() {
            let expected = "`file` or `switches` is missing".to_owned();
            return vec![Fault { key: "switches".into(), entry: None, found: None, expected, hint: None }];
        }
        check_ascending("switches", self.switches.as_deref().unwrap_or_default()).into_iter().collect()
    }

    fn read_files<F: FileReader>(&mut self, key: Arguments<'_>, reader: &mut F) {
        let (file, content) = (&mut self.file, &mut self.switches);
        reader.read_states(FileSetting { key: format_args!("{key}.file"), file, content });
    }
}

impl Config {
    /// Returns the properties of the channel.
    pub fn traits(&self) -> ChannelTraits {
        ChannelTraits { recorded: true, ..ChannelTraits::default() }
    }

    /// Creates the channel. It draws no random numbers. The scenario loader has read `file` into `switches`.
    pub fn build(&self, _: Stream) -> Box<dyn Channel> {
        Box::new(RecordedChannel(Timeline::new(self.switches.iter().flatten().map(|at| Time::ZERO + *at).collect())))
    }
}

impl Channel for RecordedChannel {
    fn fate(&mut self, frame: &ChannelFrame) -> FrameFate {
        if self.0.states_during(frame.start, frame.duration).bad { FrameFate::Corrupted } else { FrameFate::Arrives }
    }

    fn has_states(&self) -> bool {
        true
    }

    fn next_change(&mut self, after: Time) -> Option<(Time, ChannelState)> {
        self.0.next_change(after)
    }
}
