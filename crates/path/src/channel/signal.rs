//! A signal that becomes stronger and weaker: fast rates need more of it than slow ones. For links of a medium, whose rates
//! differ from frame to frame.
//!
//! A frame arrives if the signal is never weaker, while it lasts, than the [minimum input](minimum_input) of its rate. So it does
//! for a receiver that is just good enough; below that level everything is lost.

use engine::registry::{Fault, Settings};
use engine::{Rate, Span, Stream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Channel, Fate, Frame};
use crate::mac::dcf::sensitivity::minimum_input;

/// How strong the signal is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// In order of time, the first from "0 s".
    pub levels: Vec<Level>,
}

/// A strength that lasts until the next one.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// Since when.
    pub from: Span,
    /// In dBm, both ways.
    pub dbm: f64,
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        match self.levels.first() {
            None => faults.push(Fault::new("levels", "none", "at least one").hint("[{ from = \"0 s\", dbm = -60 }]")),
            Some(first) if first.from > Span::ZERO => {
                faults.push(Fault::new("levels", first.from, "0 s, where the first begins"));
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
    /// The channel. It draws nothing.
    pub fn build(&self, _: Stream) -> Box<dyn Channel> {
        Box::new(Signal { levels: self.levels.iter().map(|level| (Time::ZERO + level.from, level.dbm)).collect() })
    }
}

struct Signal {
    levels: Vec<(Time, f64)>,
}

impl Signal {
    /// The weakest it is while a frame lasts.
    fn weakest(&self, frame: &Frame) -> f64 {
        let end = frame.start + frame.duration;
        let first = self.levels.partition_point(|(from, _)| *from <= frame.start).saturating_sub(1);
        let during = self.levels[first..].iter().take_while(|(from, _)| *from <= frame.start || *from < end);
        during.fold(f64::INFINITY, |weakest, (_, dbm)| weakest.min(*dbm))
    }
}

impl Channel for Signal {
    /// Of a frame at no rate of a standard.
    fn fate(&mut self, _: &Frame) -> Fate {
        Fate::Arrives
    }

    fn fate_at(&mut self, frame: &Frame, rate: Rate) -> Fate {
        match minimum_input(rate) {
            Some(minimum) if self.weakest(frame) < minimum => Fate::Corrupted,
            _ => Fate::Arrives,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::LinkDirection;

    fn level(from: u64, dbm: f64) -> Level {
        Level { from: Span::from_millis(from), dbm }
    }

    #[test]
    fn fast_rates_need_more_of_it() {
        let levels = vec![level(0, -60.0), level(100, -72.0), level(200, -90.0)];
        let mut signal = Config { levels }.build(Stream::default());
        let mut arrives = |start: u64, micros: u64, rate: &str| {
            let (start, duration) = (Time::from_millis(start), Span::from_nanos(1000 * micros));
            let frame = Frame { now: start, start, duration, size: 1500, way: LinkDirection::Forward, number: Some(0) };
            signal.fate_at(&frame, rate.parse().unwrap()) == Fate::Arrives
        };
        assert!(arrives(0, 500, "54 Mbps") && arrives(99, 1000, "54 Mbps"));
        assert!(!arrives(99, 1001, "54 Mbps"), "it becomes weaker before the end");
        assert!(!arrives(100, 500, "36 Mbps") && arrives(100, 500, "24 Mbps"));
        assert!(!arrives(200, 0, "6 Mbps"));
    }

    #[test]
    fn levels_begin_at_the_beginning_and_rise_in_time() {
        let faults = |levels: Vec<Level>| Config { levels }.check().len();
        assert_eq!(faults(vec![]), 1);
        assert_eq!(faults(vec![level(1, -60.0)]), 1);
        assert_eq!(faults(vec![level(0, -60.0), level(0, -70.0)]), 1);
        assert_eq!(faults(vec![level(0, f64::NAN)]), 1);
        assert_eq!(faults(vec![level(0, -60.0), level(5, -70.0)]), 0);
    }
}
