//! A channel with chosen losses, to demonstrate one loss, two losses or a burst.

use engine::registry::{Fault, Settings};
use engine::{Span, Stream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::timeline::{Timeline, check_ascending};
use super::{Channel, ChannelFrame, ChannelState, FrameFate};
use crate::ids::LinkDirection;

/// The lost frames.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Intervals `[from, to]` in which every frame is lost, in ascending order and disjoint.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bad: Vec<[Span; 2]>,
    /// Numbers of lost frames from the link's first node to its second, from 0; link retransmissions count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<u64>,
    /// Numbers of lost frames in the opposite direction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drop_backward: Vec<u64>,
}

struct Scripted {
    timeline: Timeline,
    /// Numbers of lost frames of the forward and the backward direction, sorted.
    drop: [Vec<u64>; 2],
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let ends: Vec<Span> = self.bad.iter().flatten().copied().collect();
        check_ascending("bad", &ends).into_iter().collect()
    }
}

impl Config {
    /// Creates the channel. It draws no random numbers.
    pub fn build(&self, _: Stream) -> Box<dyn Channel> {
        let mut drop = [self.drop.clone(), self.drop_backward.clone()];
        drop.iter_mut().for_each(|numbers| numbers.sort_unstable());
        let switches = self.bad.iter().flatten().map(|at| Time::ZERO + *at).collect();
        Box::new(Scripted { timeline: Timeline::new(switches), drop })
    }
}

impl Channel for Scripted {
    fn fate(&mut self, frame: &ChannelFrame) -> FrameFate {
        let chosen = |direction: LinkDirection, number| self.drop[direction.index()].binary_search(&number).is_ok();
        let dropped = frame.number.is_some_and(|number| chosen(frame.direction, number));
        let lost = dropped || self.timeline.states_during(frame.start, frame.duration).bad;
        if lost { FrameFate::Corrupted } else { FrameFate::Arrives }
    }

    fn has_states(&self) -> bool {
        true
    }

    fn next_change(&mut self, after: Time) -> Option<(Time, ChannelState)> {
        self.timeline.next_change(after)
    }
}
