//! Periodic fades: BAD for `fade` at the end of every `period`, as behind a rotating blade or a passing train.
//!
//! Period k lasts from k P to (k + 1) P; the channel is BAD from (k + 1) P - F to (k + 1) P. A frame is lost if it overlaps BAD.

use engine::registry::{Fault, Settings};
use engine::{Span, Stream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Channel, ChannelFrame, ChannelState, FrameFate};

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The time from the end of one fade to the end of the next.
    pub period: Span,
    /// Duration of each fade; less than `period`.
    pub fade: Span,
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let fault = Fault::new("fade", self.fade, format!("less than the period, {}", self.period));
        if self.fade >= self.period { vec![fault] } else { Vec::new() }
    }
}

struct Periodic {
    period: u64,
    good: u64,
}

impl Config {
    /// The channel. It draws no random numbers. `check` ensures that a part of each period is GOOD.
    pub fn build(&self, _: Stream) -> Box<dyn Channel> {
        let period = self.period.as_nanos();
        Box::new(Periodic { period, good: period - self.fade.as_nanos() })
    }
}

impl Channel for Periodic {
    fn fate(&mut self, frame: &ChannelFrame) -> FrameFate {
        let into_period = frame.start.as_nanos() % self.period;
        let ends = into_period + frame.duration.as_nanos();
        let met_bad = self.good < self.period && (into_period >= self.good || ends > self.good);
        if met_bad { FrameFate::Corrupted } else { FrameFate::Arrives }
    }

    fn has_states(&self) -> bool {
        true
    }

    fn next_change(&mut self, after: Time) -> Option<(Time, ChannelState)> {
        if self.good == self.period {
            return None;
        }
        let (after, begun) = (after.as_nanos(), after.as_nanos() / self.period * self.period);
        let (at, state) = if after < begun + self.good {
            (begun + self.good, ChannelState::Bad)
        } else {
            (begun + self.period, ChannelState::Good)
        };
        Some((Time::from_nanos(at), state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::LinkDirection;

    #[test]
    fn frames_are_lost_in_the_last_part_of_a_period() {
        let ms = Span::from_millis;
        let mut air = Config { period: ms(100), fade: ms(20) }.build(Stream::named(1, 0, "air"));
        let mut fate = |start, duration| {
            let start = Time::from_millis(start);
            air.fate(&ChannelFrame {
                now: start,
                start,
                duration: ms(duration),
                size: 1000,
                direction: LinkDirection::Forward,
                number: None,
            })
        };
        assert_eq!(fate(0, 80), FrameFate::Arrives);
        assert_eq!(fate(75, 8), FrameFate::Corrupted);
        assert_eq!(fate(99, 0), FrameFate::Corrupted);
        assert_eq!(fate(100, 0), FrameFate::Arrives);
        assert_eq!(fate(375, 8), FrameFate::Corrupted);
        assert_eq!(air.next_change(Time::ZERO), Some((Time::from_millis(80), ChannelState::Bad)));
        assert_eq!(air.next_change(Time::from_millis(80)), Some((Time::from_millis(100), ChannelState::Good)));
    }

    #[test]
    fn fade_as_long_as_the_period_is_refused() {
        let fault = Config { period: Span::from_millis(20), fade: Span::from_millis(20) }.check().remove(0);
        assert_eq!((&*fault.key, fault.expected.as_str()), ("fade", "less than the period, 20 ms"));
    }
}
