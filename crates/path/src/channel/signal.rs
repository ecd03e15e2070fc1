//! A signal that becomes stronger and weaker: fast rates need more of it than slow ones. For links of a medium, whose rates
//! differ from frame to frame.
//!
//! A frame arrives if the signal is never weaker, while it lasts, than the minimum input level at which the standard asks a
//! receiver to read its rate: with at most 10 % of 1,000-byte frames lost for OFDM and high throughput [802.11-2012 s18.3.10.2,
//! s20.3.21.1], 8 % of 1,024-byte frames for direct sequence [s16.4.8.2, s17.4.8.2]. So it does for a receiver that is just
//! good enough; below that level everything is lost. For 1 and 5.5 Mbps the standard names no level, and those of 2 and 11 Mbps
//! stand.

use engine::registry::{Fault, Settings};
use engine::{Rate, Span, Stream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Channel, Fate, Frame};

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

/// The weakest signal in which a receiver must be able to read a rate, in units of 100 kbps and dBm.
const MINIMUM_INPUT: [(u64, f64); 20] = [
    (10, -80.0),
    (20, -80.0),
    (55, -76.0),
    (110, -76.0),
    (60, -82.0),
    (90, -81.0),
    (120, -79.0),
    (180, -77.0),
    (240, -74.0),
    (360, -70.0),
    (480, -66.0),
    (540, -65.0),
    (65, -82.0),
    (130, -79.0),
    (195, -77.0),
    (260, -74.0),
    (390, -70.0),
    (520, -66.0),
    (585, -65.0),
    (650, -64.0),
];

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
        let is_rate = |(tenths, _): &&(u64, f64)| tenths * 100_000 == rate.bits_per_sec();
        match MINIMUM_INPUT.iter().find(is_rate) {
            Some((_, minimum)) if self.weakest(frame) < *minimum => Fate::Corrupted,
            _ => Fate::Arrives,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Way;
    use crate::mac::dcf::Standard;

    fn level(from: u64, dbm: f64) -> Level {
        Level { from: Span::from_millis(from), dbm }
    }

    #[test]
    fn fast_rates_need_more_of_it() {
        let levels = vec![level(0, -60.0), level(100, -72.0), level(200, -90.0)];
        let mut signal = Config { levels }.build(Stream::default());
        let mut arrives = |start: u64, micros: u64, rate: &str| {
            let (start, duration) = (Time::from_millis(start), Span::from_nanos(1000 * micros));
            let frame = Frame { now: start, start, duration, size: 1500, way: Way::Forward, number: Some(0) };
            signal.fate_at(&frame, rate.parse().unwrap()) == Fate::Arrives
        };
        assert!(arrives(0, 500, "54 Mbps") && arrives(99, 1000, "54 Mbps"));
        assert!(!arrives(99, 1001, "54 Mbps"), "it becomes weaker before the end");
        assert!(!arrives(100, 500, "36 Mbps") && arrives(100, 500, "24 Mbps"));
        assert!(!arrives(200, 0, "6 Mbps"));
    }

    #[test]
    fn every_rate_of_a_standard_has_its_minimum() {
        for standard in Standard::ALL {
            let minimum = |rate: Rate| {
                MINIMUM_INPUT.iter().find(|(tenths, _)| tenths * 100_000 == rate.bits_per_sec()).map(|(_, dbm)| *dbm)
            };
            let minima: Vec<f64> = standard.modes().iter().map(|mode| minimum(mode.rate).expect("a minimum")).collect();
            assert!(minima.is_sorted(), "{standard:?}: {minima:?}");
        }
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
