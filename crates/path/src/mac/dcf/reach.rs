//! Ranges of the frames of a cell.

use engine::registry::Fault;
use engine::{Decibels, Length, Rate, Span, Time};

use super::config::{Config, PATH_LOSS, RangeOf};
use crate::channel::sensitivity::minimum_input;
use crate::event::Reach;
use crate::place::crossing::is_within;
use crate::place::{NodePath, square_of, square_ratio};

/// Default ratio of carrier-sense range to range. ns-2's default radio decodes signals of at least 3.652e-10 W and
/// senses signals of at least 1.559e-11 W: with its two-ray ground model 250 m and 550 m (tcl/lib/ns-default.tcl).
const SENSED_PER_READ: [u64; 2] = [22, 10];
/// Maximum range, more than the earth's circumference.
const MAX_RANGE: Length = Length(100_000_000_000);
/// Maximum beacon interval: a field of 16 bits counts units of 1,024 us [802.11-2007 s7.3.1.3].
const MAX_INTERVAL: Span = Span::from_nanos(65_535 * 1_024_000);
/// Minimum beacon interval.
const MIN_INTERVAL: Span = Span::from_nanos(1_024_000);

/// Ranges of frames.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ranges {
    /// Range in which frames can be decoded.
    pub read: Length,
    /// Carrier-sense range.
    pub sensed: Length,
    /// Rate to which the range applies, if faster frames have a shorter range; `None` if it applies to all rates.
    pub slowest: Option<Rate>,
    /// Power ratio by which a frame must exceed a later one to be received; `None` for no capture.
    pub capture: Option<Decibels>,
    /// Path loss exponent of the received power.
    pub path_loss: f64,
}

impl Ranges {
    /// Returns the power in dB by which a frame at this rate must exceed the power of a frame that can just be decoded
    /// at the range.
    pub fn excess(&self, rate: Rate) -> f64 {
        let minimum = |rate| minimum_input(rate).unwrap_or(f64::NEG_INFINITY);
        self.slowest.map_or(0.0, |slowest| (minimum(rate) - minimum(slowest)).max(0.0))
    }

    /// Returns the square of the range of frames at this rate, in square nanometres.
    pub fn square_at(&self, rate: Rate) -> f64 {
        let thousandths = (1000.0 * self.excess(rate)).round() as u64;
        square_of(self.read.0) as f64 / square_ratio(thousandths, self.path_loss)
    }

    /// Returns whether two stations can decode or sense each other's frames at a time.
    pub fn reach(&self, a: &NodePath, b: &NodePath, now: Time) -> Reach {
        match () {
            () if is_within(a, b, square_of(self.read.0), now) => Reach::Reads,
            () if is_within(a, b, square_of(self.sensed.0), now) => Reach::Senses,
            () => Reach::Nothing,
        }
    }
}

impl Config {
    /// Returns the ranges; `None` if all stations receive each other.
    pub fn ranges(&self) -> Option<Ranges> {
        let read = self.range?;
        Some(Ranges {
            read,
            sensed: self.carrier_sense_range.unwrap_or(usually_sensed(read)),
            slowest: (self.range_of == RangeOf::LowestRate).then(|| self.standard.modes()[0].rate),
            capture: self.capture,
            path_loss: self.path_loss(),
        })
    }

    /// Returns the path loss exponent.
    pub fn path_loss(&self) -> f64 {
        self.path_loss.unwrap_or(PATH_LOSS)
    }

    /// Returns the errors of these settings.
    pub(super) fn reach_faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if let Some(range) = self.range.filter(|range| *range == Length(0) || *range > MAX_RANGE) {
            let fault = Fault::new("range", range, format!("more than 0, at most {MAX_RANGE}"));
            faults.push(fault.hint("leave it out if all stations receive each other"));
        }
        match (self.range, self.carrier_sense_range) {
            (Some(range), Some(sensed)) if sensed < range || sensed > MAX_RANGE => {
                let expected = format!("at least the range, {range}, and at most {MAX_RANGE}");
                let usual = usually_sensed(range);
                let fault = Fault::new("carrier_sense_range", sensed, expected);
                faults.push(fault.hint(format!("leave it out for 2.2 times the range, {usual}")));
            }
            (None, Some(sensed)) => faults.push(without_range("carrier_sense_range", sensed)),
            _ => {}
        }
        if self.range.is_none() {
            faults.extend(self.capture.map(|ratio| without_range("capture", ratio)));
            if self.range_of == RangeOf::LowestRate {
                faults.push(without_range("range_of", "\"lowest-rate\""));
            }
            faults.extend(self.path_loss.map(|power| without_range("path_loss", power)));
        }
        // This form of the condition also refuses NaN.
        if let Some(power) = self.path_loss.filter(|power| !(*power >= 1.0 && *power <= 10.0)) {
            faults.push(Fault::new("path_loss", power, "1 to 10: 2 in free space, 4 over ground"));
        }
        if let Some(ratio) = self.capture.filter(|ratio| *ratio > Decibels(100_000)) {
            faults.push(Fault::new("capture", ratio, "at most 100 dB"));
        }
        let fits = MIN_INTERVAL..=MAX_INTERVAL;
        if let Some(interval) = self.beacon_interval.filter(|interval| !fits.contains(interval)) {
            let fault = Fault::new("beacon_interval", interval, "1.024 ms to 67.10784 s");
            faults.push(fault.hint("most networks use 102.4 ms"));
        }
        faults
    }
}

fn usually_sensed(read: Length) -> Length {
    Length(read.0.saturating_mul(SENSED_PER_READ[0]) / SENSED_PER_READ[1])
}

fn without_range(key: &'static str, found: impl std::fmt::Display) -> Fault {
    Fault::new(key, found, "no value without `range`, since all stations receive each other")
        .hint("add range = \"250 m\"")
}
