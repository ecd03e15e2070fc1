//! A mobile that goes out of range and returns: all frames are lost while it is away. The absences have given lengths
//! and occur once or repeatedly.
//!
//! After its return the mobile receives frames at once (`at-once`), or, as in ns-2, only after it has sent a frame
//! itself (`when-it-sends`). ns-2's channel keeps stations sorted by their position at their last transmission, and
//! offers no frame to a station whose last position was out of range (ns-2.35, mac/channel.cc, `getAffectedNodes` and
//! `updateNodesList`); disconnections2012 was measured with it. A real mobile must also send first: it has to associate
//! after a long absence. With `when-it-sends` the fate of a frame depends on earlier traffic, so compared schemes do
//! not see identical channels.

use engine::registry::{Fault, Settings};
use engine::{Span, Stream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::timeline::{Timeline, check_ascending};
use super::{Channel, ChannelFrame, ChannelState, ChannelTraits, FrameFate, Keyed};
use crate::ids::LinkDirection;

/// The absences of the mobile and the conditions of its return.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Intervals `[from, to]` in which the mobile is out of range, in ascending order and disjoint.
    pub disconnections: Vec<[Span; 2]>,
    /// Period with which all intervals repeat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Span>,
    /// The number of times that all intervals occur, the first time included; more than once only with `period`. 1 if
    /// not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = REPETITIONS))]
    pub repetitions: Option<u32>,
    /// Upper bound of a random delay of each repetition, uniformly distributed from 0; default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = Span::default()))]
    pub random_offset: Option<Span>,
    /// The mobile among the link's nodes.
    #[serde(default)]
    pub mobile: Mobile,
    /// Condition under which the mobile receives frames after its return.
    #[serde(default)]
    pub reception: Reception,
}

/// A node of a link, by its position in `between`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mobile {
    /// The first node.
    First,
    /// The second node.
    #[default]
    Second,
}

/// Condition under which a mobile receives frames after its return.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reception {
    /// Immediately after its return.
    #[default]
    AtOnce,
    /// After the mobile has begun to send a frame.
    WhenItSends,
}

impl Config {
    fn repetitions(&self) -> u32 {
        self.repetitions.unwrap_or(REPETITIONS)
    }
}

/// Default number of repetitions: the intervals occur once.
const REPETITIONS: u32 = 1;
/// Maximum number of repetitions; it bounds the memory for the expanded intervals.
const MAX_REPETITIONS: u32 = 100_000;

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let ends: Vec<Span> = self.disconnections.iter().flatten().copied().collect();
        let mut faults: Vec<Fault> = check_ascending("disconnections", &ends).into_iter().collect();
        faults.extend(Fault::unless_some("repetitions", self.repetitions(), MAX_REPETITIONS));
        let first = ends.first().copied().unwrap_or_default();
        let last = ends.last().copied().unwrap_or_default();
        let random_offset = self.random_offset.unwrap_or_default();
        match self.period {
            Some(period) if first + period <= last + random_offset => {
                let until =
                    "longer than the time from the first to the last value of `disconnections`, plus `random_offset`";
                faults.push(Fault::new("period", period, until));
            }
            Some(period) if self.repetitions.is_none() => {
                let fault = Fault::new("period", period, "no value without `repetitions`: the intervals occur once");
                faults.push(fault.hint("add repetitions = 10"));
            }
            None if self.repetitions() > 1 => {
                let fault = Fault::new("repetitions", self.repetitions(), "1 without `period`");
                faults.push(fault.hint("add period = \"20 s\""));
            }
            _ => {}
        }
        faults
    }
}

struct Absence {
    timeline: Timeline,
    /// Direction of frames sent by the mobile.
    from_mobile: LinkDirection,
    reception: Reception,
    /// Times of return, in ascending order.
    returns: Vec<Time>,
    /// Start of the mobile's last frame; `None` before its first.
    sent: Option<Time>,
}

impl Config {
    /// Returns the properties of the channel.
    pub fn traits(&self) -> ChannelTraits {
        let first = self.disconnections.first();
        let first_absence = first.map(|[from, _]| Keyed { key: "disconnections", value: *from });
        ChannelTraits { first_absence, ..ChannelTraits::default() }
    }

    /// Creates the channel. It draws one number per repetition, and none without `random_offset`.
    pub fn build(&self, stream: Stream) -> Box<dyn Channel> {
        let period = self.period.unwrap_or_default();
        let random_offset = self.random_offset.unwrap_or_default().as_nanos() as f64;
        let drawn = |time: u32| Span::from_nanos((random_offset * stream.unit(u64::from(time), 0)) as u64);
        let begun = |time: u32| Time::ZERO + period.times(u64::from(time)) + drawn(time);
        let switches: Vec<Time> = (0..self.repetitions())
            .flat_map(|time| self.disconnections.iter().flatten().map(move |at| begun(time) + *at))
            .collect();
        let returns = switches.iter().copied().skip(1).step_by(2).collect();
        let from_mobile = match self.mobile {
            Mobile::First => LinkDirection::Forward,
            Mobile::Second => LinkDirection::Backward,
        };
        Box::new(Absence {
            timeline: Timeline::new(switches),
            from_mobile,
            reception: self.reception,
            returns,
            sent: None,
        })
    }
}

impl Absence {
    /// Returns true if the mobile has returned but does not receive frames yet.
    fn is_deaf(&self, now: Time) -> bool {
        let before = self.returns.partition_point(|at| *at <= now);
        let returned = before.checked_sub(1).map(|last| self.returns[last]);
        self.reception == Reception::WhenItSends && returned.is_some_and(|at| self.sent.is_none_or(|sent| sent < at))
    }
}

impl Channel for Absence {
    fn fate(&mut self, frame: &ChannelFrame) -> FrameFate {
        let away = self.timeline.states_during(frame.start, frame.duration).bad;
        let to_mobile = frame.direction != self.from_mobile;
        if !to_mobile {
            self.sent = self.sent.max(Some(frame.start));
        }
        if away || (to_mobile && self.is_deaf(frame.start)) { FrameFate::Corrupted } else { FrameFate::Arrives }
    }

    fn has_states(&self) -> bool {
        true
    }

    fn next_change(&mut self, after: Time) -> Option<(Time, ChannelState)> {
        self.timeline.next_change(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(reception: Reception) -> Config {
        let disconnections = vec![[Span::from_millis(100), Span::from_millis(200)]];
        let period = Some(Span::from_millis(1000));
        Config { disconnections, period, repetitions: Some(2), random_offset: None, mobile: Mobile::First, reception }
    }

    /// Returns which frames of 1 ms, given by start in ms and direction, arrive.
    fn fates(reception: Reception, frames: &[(u64, LinkDirection)]) -> Vec<bool> {
        let mut channel = config(reception).build(Stream::default());
        let fate = |(start, direction): &(u64, LinkDirection)| {
            let start = Time::from_millis(*start);
            let duration = Span::from_millis(1);
            channel.fate(&ChannelFrame { now: start, start, duration, size: 1000, direction: *direction, number: None })
                == FrameFate::Arrives
        };
        frames.iter().map(fate).collect()
    }

    const FRAMES: [(u64, LinkDirection); 10] = [
        (99, LinkDirection::Backward),
        (100, LinkDirection::Backward),
        (150, LinkDirection::Forward),
        (199, LinkDirection::Forward),
        (200, LinkDirection::Backward),
        (210, LinkDirection::Forward),
        (211, LinkDirection::Backward),
        (1150, LinkDirection::Backward),
        (1200, LinkDirection::Backward),
        (1300, LinkDirection::Forward),
    ];

    #[test]
    fn frames_are_lost_only_while_the_mobile_is_away() {
        let expected = [true, false, false, false, true, true, true, false, true, true];
        assert_eq!(fates(Reception::AtOnce, &FRAMES), expected);
    }

    /// A frame that the mobile sends while it is away does not count. Therefore it has returned at 200 ms and 1200 ms,
    /// but does not receive.
    #[test]
    fn returned_mobile_receives_only_after_sending() {
        let expected = [true, false, false, false, false, true, true, false, false, true];
        assert_eq!(fates(Reception::WhenItSends, &FRAMES), expected);
    }

    #[test]
    fn overlapping_repetitions_are_refused() {
        assert_eq!(config(Reception::AtOnce).check(), []);
        let faults = |change: fn(&mut Config)| {
            let mut config = config(Reception::AtOnce);
            change(&mut config);
            config.check().into_iter().map(|fault| fault.key).collect::<Vec<_>>()
        };
        assert_eq!(faults(|config| config.period = Some(Span::from_millis(100))), ["period"]);
        assert_eq!(faults(|config| config.period = None), ["repetitions"]);
        assert_eq!(faults(|config| config.repetitions = Some(0)), ["repetitions"]);
        assert_eq!(faults(|config| config.repetitions = None), ["period"]);
        // `repetitions` = 1 is valid with `period`, so that a sweep over `repetitions` may begin with 1.
        assert_eq!(faults(|config| config.repetitions = Some(1)), [""; 0]);
        assert_eq!(faults(|config| config.disconnections[0].reverse()), ["disconnections"]);
        // With an absence from 100 to 200 ms and a period of 1000 ms, a delay below 900 ms keeps the switches in order.
        assert_eq!(faults(|config| config.random_offset = Some(Span::from_nanos(899_999_999))), [""; 0]);
        assert_eq!(faults(|config| config.random_offset = Some(Span::from_millis(900))), ["period"]);
    }

    /// Over all switches of 400 repetitions with 100 to 200 ms in each second, lengths are unchanged and delays of 0 to
    /// 50 ms are uniform, with mean 25 and variance 50^2 / 12, within four standard errors.
    #[test]
    fn random_offset_delays_each_repetition_independently() {
        let repetitions = 400;
        let random_offset = Some(Span::from_millis(50));
        let shifted = Config { repetitions: Some(repetitions), random_offset, ..config(Reception::AtOnce) };
        let switches = |replication| {
            let mut channel = shifted.build(Stream::named(1, replication, "air"));
            let mut at = Time::ZERO;
            let next = || {
                at = channel.next_change(at)?.0;
                Some(at)
            };
            std::iter::from_fn(next).collect::<Vec<_>>()
        };
        let first = switches(0);
        assert_eq!(first.len(), 2 * repetitions as usize);
        assert_eq!(first, switches(0));
        assert_ne!(first, switches(1));
        let mut late = Vec::new();
        for (time, pair) in first.chunks(2).enumerate() {
            assert_eq!(pair[1].since(pair[0]), Span::from_millis(100));
            late.push(pair[0].since(Time::from_millis(1000 * time as u64 + 100)).as_secs_f64() * 1e3);
        }
        assert!(late.iter().all(|late| (0.0..50.0).contains(late)), "{late:?}");
        let n = late.len() as f64;
        let mean = late.iter().sum::<f64>() / n;
        assert!((mean - 25.0).abs() < 4.0 * (50.0 * 50.0 / 12.0 / n).sqrt(), "{mean}");
        let early = late.iter().filter(|late| **late < 12.5).count() as f64 / n;
        assert!((early - 0.25).abs() < 4.0 * (0.25 * 0.75 / n).sqrt(), "{early}");
    }
}
