//! A mobile that goes out of reach and comes back: nothing passes while it is away. Radio silence of a given length,
//! once or again and again.
//!
//! It is heard and hears again from the moment it is back (`at-once`), or, as in ns-2, only hears again when it has
//! sent something itself (`when-it-sends`). There a channel keeps stations sorted by where they were when they last
//! sent, and a frame is not offered to one whose last place was out of reach (ns-2.35, mac/channel.cc,
//! `getAffectedNodes` and `updateNodesList`); disconnections2012 was measured like that. A real mobile has much the
//! same to do: a mobile that was gone for long must associate before anything is sent to it. What such a frame meets
//! depends on what was sent before it: schemes then do not meet the same air.

use engine::registry::{Fault, Settings};
use engine::{Span, Stream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::timeline::{Timeline, rising};
use super::{Channel, Fate, Frame, State};
use crate::event::LinkDirection;

/// When it is away, and what its return is like.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Intervals `[from, to]` in which the mobile is away, rising and apart.
    pub away: Vec<[Span; 2]>,
    /// The period with which all of them recur.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<Span>,
    /// How often they come in all, which stands beside `every`; 1 without both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// Each time all intervals come later by a random delay, uniform from 0 to this; 0 if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shift: Option<Span>,
    /// Which of the link's nodes is the mobile.
    #[serde(default)]
    pub mobile: Mobile,
    /// From when on it hears again.
    #[serde(default)]
    pub hears: Hears,
}

/// A node of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mobile {
    /// The one named first.
    First,
    /// The one named second.
    #[default]
    Second,
}

/// From when on a mobile that has come back hears.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Hears {
    /// As soon as it is back.
    #[default]
    AtOnce,
    /// When it has begun to send something.
    WhenItSends,
}

impl Config {
    fn times(&self) -> u32 {
        self.times.unwrap_or(1)
    }
}

/// An upper bound against endless expansion.
const MOST_TIMES: u32 = 100_000;

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let ends: Vec<Span> = self.away.iter().flatten().copied().collect();
        let mut faults: Vec<Fault> = rising("away", &ends).into_iter().collect();
        faults.extend(Fault::unless_some("times", self.times(), MOST_TIMES));
        let first = ends.first().copied().unwrap_or_default();
        let last = ends.last().copied().unwrap_or_default();
        let shift = self.shift.unwrap_or_default();
        match self.every {
            Some(every) if first + every <= last + shift => {
                let until = "longer than from the first of `away` to the last, and `shift` more";
                faults.push(Fault::new("every", every, until));
            }
            Some(every) if self.times.is_none() => {
                let fault = Fault::new("every", every, "nothing without `times`: they come once");
                faults.push(fault.hint("add times = 10"));
            }
            None if self.times() > 1 => {
                let fault = Fault::new("times", self.times(), "1 without `every`");
                faults.push(fault.hint("add every = \"20 s\""));
            }
            _ => {}
        }
        faults
    }
}

struct Absence {
    timeline: Timeline,
    /// The way of what the mobile sends.
    from_mobile: LinkDirection,
    hears: Hears,
    /// When it comes back, oldest first.
    returns: Vec<Time>,
    /// When the last frame of the mobile began.
    sent: Option<Time>,
}

impl Config {
    /// The channel. It draws one number for each repetition, and none without `shift`.
    pub fn build(&self, stream: Stream) -> Box<dyn Channel> {
        let every = self.every.unwrap_or_default();
        let shift = self.shift.unwrap_or_default().as_nanos() as f64;
        let drawn = |time: u32| Span::from_nanos((shift * stream.unit(u64::from(time), 0)) as u64);
        let begun = |time: u32| Time::ZERO + every.times(u64::from(time)) + drawn(time);
        let switches: Vec<Time> =
            (0..self.times()).flat_map(|time| self.away.iter().flatten().map(move |at| begun(time) + *at)).collect();
        let returns = switches.iter().copied().skip(1).step_by(2).collect();
        let from_mobile = match self.mobile {
            Mobile::First => LinkDirection::Forward,
            Mobile::Second => LinkDirection::Backward,
        };
        Box::new(Absence { timeline: Timeline::new(switches), from_mobile, hears: self.hears, returns, sent: None })
    }
}

impl Absence {
    /// Whether the mobile has come back and does not hear yet.
    fn is_deaf(&self, now: Time) -> bool {
        let before = self.returns.partition_point(|at| *at <= now);
        let returned = before.checked_sub(1).map(|last| self.returns[last]);
        self.hears == Hears::WhenItSends && returned.is_some_and(|at| self.sent.is_none_or(|sent| sent < at))
    }
}

impl Channel for Absence {
    fn fate(&mut self, frame: &Frame) -> Fate {
        let away = self.timeline.touched(frame.start, frame.duration).bad;
        let to_mobile = frame.way != self.from_mobile;
        if !to_mobile {
            self.sent = self.sent.max(Some(frame.start));
        }
        if away || (to_mobile && self.is_deaf(frame.start)) { Fate::Corrupted } else { Fate::Arrives }
    }

    fn has_states(&self) -> bool {
        true
    }

    fn next_change(&mut self, after: Time) -> Option<(Time, State)> {
        self.timeline.next_change(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(hears: Hears) -> Config {
        let away = vec![[Span::from_millis(100), Span::from_millis(200)]];
        Config { away, every: Some(Span::from_millis(1000)), times: Some(2), shift: None, mobile: Mobile::First, hears }
    }

    /// The fates of frames of a millisecond, from the mobile or to it.
    fn fates(hears: Hears, frames: &[(u64, LinkDirection)]) -> Vec<bool> {
        let mut channel = config(hears).build(Stream::default());
        let fate = |(start, way): &(u64, LinkDirection)| {
            let start = Time::from_millis(*start);
            let duration = Span::from_millis(1);
            channel.fate(&Frame { now: start, start, duration, size: 1000, way: *way, number: None }) == Fate::Arrives
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
    fn nothing_passes_while_it_is_away_and_all_does_again_at_once() {
        let expected = [true, false, false, false, true, true, true, false, true, true];
        assert_eq!(fates(Hears::AtOnce, &FRAMES), expected);
    }

    /// A frame that it sent while away does not count: at 200 and at 1200 it is back and deaf.
    #[test]
    fn it_hears_nothing_until_it_has_sent_something_itself() {
        let expected = [true, false, false, false, false, true, true, false, false, true];
        assert_eq!(fates(Hears::WhenItSends, &FRAMES), expected);
    }

    #[test]
    fn what_comes_again_has_room() {
        assert_eq!(config(Hears::AtOnce).check(), []);
        let faults = |change: fn(&mut Config)| {
            let mut config = config(Hears::AtOnce);
            change(&mut config);
            config.check().iter().map(|fault| fault.key).collect::<Vec<_>>()
        };
        assert_eq!(faults(|config| config.every = Some(Span::from_millis(100))), ["every"]);
        assert_eq!(faults(|config| config.every = None), ["times"]);
        assert_eq!(faults(|config| config.times = Some(0)), ["times"]);
        assert_eq!(faults(|config| config.times = None), ["every"]);
        // A sweep over `times` may begin with one.
        assert_eq!(faults(|config| config.times = Some(1)), [""; 0]);
        assert_eq!(faults(|config| config.away[0].reverse()), ["away"]);
        // From 100 to 200 ms, again after 1000: 899.999 ms later at most, or two times could be in the wrong order.
        assert_eq!(faults(|config| config.shift = Some(Span::from_nanos(899_999_999))), [""; 0]);
        assert_eq!(faults(|config| config.shift = Some(Span::from_millis(900))), ["every"]);
    }

    /// All switches of 400 repetitions, 100 to 200 ms in a second: lengths stay, and delays of 0 to 50 ms are uniform,
    /// with mean 25 and variance 50^2 / 12, within four standard errors.
    #[test]
    fn a_shift_delays_each_repetition_by_a_draw_of_its_own() {
        let times = 400;
        let shifted = Config { times: Some(times), shift: Some(Span::from_millis(50)), ..config(Hears::AtOnce) };
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
        assert_eq!(first.len(), 2 * times as usize);
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
