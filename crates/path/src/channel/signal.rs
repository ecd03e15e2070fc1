//! A received signal power that changes over time: faster rates need more power than slower ones. For links of a
//! medium, whose rates differ from frame to frame.
//!
//! A frame arrives if the signal power during its whole duration is at least the [minimum input level](minimum_input)
//! of its rate. This models a receiver that just satisfies the standard; below that level all frames are lost.

use engine::registry::{Fault, Settings};
use engine::{Rate, Span, Stream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use super::level::Level;
use super::sensitivity::minimum_input;
use super::{Channel, ChannelFrame, ChannelTraits, FrameFate, Keyed};

/// The signal power over time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Power levels in chronological order, the first from "0 s".
    pub levels: Vec<Level>,
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        match self.levels.first() {
            None => faults.push(Fault::new("levels", "none", "at least one").hint("[{ from = \"0 s\", dbm = -60 }]")),
            Some(first) if first.from > Span::ZERO => {
                faults.push(Fault::new("levels", first.from, "0 s for the first level"));
            }
            Some(_) => {}
        }
        for pair in self.levels.windows(2).filter(|pair| pair[1].from <= pair[0].from) {
            faults.push(Fault::new("levels", pair[1].from, format!("a time after {}", pair[0].from)));
        }
        for level in self.levels.iter().filter(|level| !level.dbm.is_finite()) {
            faults.push(Fault::new("levels", level.dbm, "a number of dBm"));
        }
        faults
    }
}

impl Config {
    /// Returns the properties of the channel.
    pub fn traits(&self) -> ChannelTraits {
        let signal = Some(Keyed { key: "levels", value: self.levels.clone() });
        ChannelTraits { signal, ..ChannelTraits::default() }
    }

    /// Creates the channel. It draws no random numbers.
    pub fn build(&self, _: Stream) -> Box<dyn Channel> {
        Box::new(Signal { levels: self.levels.iter().map(|level| (Time::ZERO + level.from, level.dbm)).collect() })
    }
}

struct Signal {
    levels: Vec<(Time, f64)>,
}

impl Signal {
    /// Returns the minimum power during a frame, in dBm.
    fn weakest(&self, frame: &ChannelFrame) -> f64 {
        let end = frame.start + frame.duration;
        let first = self.levels.partition_point(|(from, _)| *from <= frame.start).saturating_sub(1);
        let during = self.levels[first..].iter().take_while(|(from, _)| *from <= frame.start || *from < end);
        during.fold(f64::INFINITY, |weakest, (_, dbm)| weakest.min(*dbm))
    }
}

impl Channel for Signal {
    /// A frame without a rate of the standard always arrives.
    fn fate(&mut self, _: &ChannelFrame) -> FrameFate {
        FrameFate::Arrives
    }

    fn fate_at(&mut self, frame: &ChannelFrame, rate: Rate) -> FrameFate {
        match minimum_input(rate) {
            Some(minimum) if self.weakest(frame) < minimum => FrameFate::Corrupted,
            _ => FrameFate::Arrives,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::LinkDirection;

    fn level(from: u64, dbm: f64) -> Level {
        Level { from: Span::from_millis(from), dbm }
    }

    #[test]
    fn faster_rates_need_more_power() {
        let levels = vec![level(0, -60.0), level(100, -72.0), level(200, -90.0)];
        let mut signal = Config { levels }.build(Stream::default());
        let mut arrives = |start: u64, micros: u64, rate: &str| {
            let (start, duration) = (Time::from_millis(start), Span::from_nanos(1000 * micros));
            let frame = ChannelFrame {
                now: start,
                start,
                duration,
                size: 1500,
                direction: LinkDirection::Forward,
                number: Some(0),
            };
            signal.fate_at(&frame, rate.parse().unwrap()) == FrameFate::Arrives
        };
        assert!(arrives(0, 500, "54 Mbps") && arrives(99, 1000, "54 Mbps"));
        assert!(!arrives(99, 1001, "54 Mbps"), "the power falls before the end of the frame");
        assert!(!arrives(100, 500, "36 Mbps") && arrives(100, 500, "24 Mbps"));
        assert!(!arrives(200, 0, "6 Mbps"));
    }

    #[test]
    fn levels_start_at_0_in_chronological_order() {
        let faults = |levels: Vec<Level>| Config { levels }.check().len();
        assert_eq!(faults(vec![]), 1);
        assert_eq!(faults(vec![level(1, -60.0)]), 1);
        assert_eq!(faults(vec![level(0, -60.0), level(0, -70.0)]), 1);
        assert_eq!(faults(vec![level(0, f64::NAN)]), 1);
        assert_eq!(faults(vec![level(0, -60.0), level(5, -70.0)]), 0);
    }
}
