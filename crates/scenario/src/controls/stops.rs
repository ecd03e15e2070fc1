//! Positions of sliders: round values around a given one, in the notation of scenarios.

use std::fmt::Display;
use std::str::FromStr;

use engine::{Bytes, Decibels, Frequency, Length, Rate, Span, Speed};

/// Round numbers of a decade, in tenths.
const ROUND: [u32; 21] = [10, 11, 12, 13, 15, 16, 18, 20, 22, 25, 28, 30, 35, 40, 45, 50, 55, 60, 70, 80, 90];

/// Whole numbers up to this limit all have a position.
const ALL_TO: f64 = 20.0;

/// Maximum distance of two ends for which every whole number between them has a position.
const MOST_WHOLE: f64 = 256.0;

/// Positions on each side of zero, on a slider with negative values.
const STEPS: i32 = 40;

/// Positions of a share, from 0 to 1.
const SHARES: u32 = 100;

/// Smallest share with positions at equal distances. Smaller shares have positions at equal ratios.
const LARGE_SHARE: f64 = 0.1;

/// The dimension of a quantity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dimension {
    Span,
    Rate,
    Bytes,
    Frequency,
    Length,
    SignedLength,
    Speed,
    SignedSpeed,
    Decibels,
}

/// Limits of a number, where the schema states them.
#[derive(Clone, Copy, Default)]
pub(super) struct NumberBounds {
    pub min: Option<f64>,
    pub max: Option<f64>,
}

/// A kind of values with positions.
#[derive(Clone, Copy)]
pub(super) enum SliderScale {
    Quantity(Dimension),
    /// The limit of a queue.
    Limit,
    Integer(NumberBounds),
    Number(NumberBounds),
}

/// The positions of a slider.
#[derive(Debug)]
pub(super) struct Stops {
    pub texts: Vec<String>,
    /// The position nearest to the value.
    pub at: usize,
}

impl Dimension {
    /// The dimension of a definition of the schema.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "Span" => Dimension::Span,
            "Rate" => Dimension::Rate,
            "Bytes" => Dimension::Bytes,
            "Frequency" => Dimension::Frequency,
            "Length" => Dimension::Length,
            "SignedLength" => Dimension::SignedLength,
            "Speed" => Dimension::Speed,
            "SignedSpeed" => Dimension::SignedSpeed,
            "Decibels" => Dimension::Decibels,
            _ => return None,
        })
    }

    /// A usual value.
    pub fn usual(self) -> &'static str {
        match self {
            Dimension::Span => "100 ms",
            Dimension::Rate => "10 Mbps",
            Dimension::Bytes => "10 kB",
            Dimension::Frequency => "10 /s",
            Dimension::Length | Dimension::SignedLength => "100 m",
            Dimension::Speed | Dimension::SignedSpeed => "1 m/s",
            Dimension::Decibels => "10 dB",
        }
    }

    fn zero(self) -> &'static str {
        match self {
            Dimension::Span => "0 s",
            Dimension::Rate => "0 bps",
            Dimension::Bytes => "0 B",
            Dimension::Frequency => "0 /s",
            Dimension::Length | Dimension::SignedLength => "0 m",
            Dimension::Speed | Dimension::SignedSpeed => "0 m/s",
            Dimension::Decibels => "0 dB",
        }
    }

    fn read(self, text: &str) -> Option<f64> {
        fn base<T: FromStr>(text: &str, units: fn(T) -> u64) -> Option<f64> {
            text.parse().ok().map(|quantity| units(quantity) as f64)
        }
        match self {
            Dimension::Span => base(text, Span::as_nanos),
            Dimension::Rate => base(text, Rate::bits_per_sec),
            Dimension::Bytes => base(text, |bytes: Bytes| bytes.0),
            Dimension::Frequency => {
                base(text, |frequency: Frequency| (1_000.0 / frequency.mean_interval_s()).round() as u64)
            }
            Dimension::Length => base(text, |length: Length| length.0),
            Dimension::Speed => base(text, |speed: Speed| speed.0),
            Dimension::Decibels => base(text, |ratio: Decibels| ratio.0),
            Dimension::SignedLength => parse_signed(text, Dimension::Length),
            Dimension::SignedSpeed => parse_signed(text, Dimension::Speed),
        }
    }

    /// The value in the unit that gives the shortest text. A value in base units is whole.
    fn write(self, value: f64) -> String {
        fn text(quantity: Option<impl Display>) -> String {
            quantity.map_or_else(String::new, |quantity| quantity.to_string())
        }
        let whole = value.abs().round() as u64;
        if whole == 0 {
            return self.zero().to_owned();
        }
        match self {
            Dimension::Span => text(Some(Span::from_nanos(whole))),
            Dimension::Rate => text(Rate::from_bits_per_sec(whole)),
            Dimension::Bytes => text(Some(Bytes(whole))),
            Dimension::Frequency => text(Frequency::from_millihertz(whole)),
            Dimension::Length => text(Some(Length(whole))),
            Dimension::Speed => text(Some(Speed(whole))),
            Dimension::Decibels => text(Some(Decibels(whole))),
            Dimension::SignedLength | Dimension::SignedSpeed => {
                let unsigned = if self == Dimension::SignedLength { Dimension::Length } else { Dimension::Speed };
                format!("{}{}", if value < 0.0 { "-" } else { "" }, unsigned.write(value.abs()))
            }
        }
    }
}

fn parse_signed(text: &str, unsigned: Dimension) -> Option<f64> {
    match text.trim().strip_prefix('-') {
        Some(text) => unsigned.read(text).map(|value| -value),
        None => unsigned.read(text),
    }
}

impl SliderScale {
    fn read(self, text: &str) -> Option<f64> {
        match self {
            SliderScale::Quantity(dimension) => dimension.read(text),
            SliderScale::Limit => text.strip_suffix("packets").or(text.strip_suffix("packet"))?.trim().parse().ok(),
            SliderScale::Integer(_) | SliderScale::Number(_) => {
                text.parse().ok().filter(|value: &f64| value.is_finite())
            }
        }
    }

    fn write(self, value: f64) -> String {
        match self {
            SliderScale::Quantity(dimension) => dimension.write(value),
            SliderScale::Limit if value == 1.0 => "1 packet".to_owned(),
            SliderScale::Limit => format!("{value} packets"),
            SliderScale::Integer(_) => format!("{}", value.round()),
            SliderScale::Number(_) => format!("{value}"),
        }
    }

    fn is_whole(self) -> bool {
        !matches!(self, SliderScale::Number(_))
    }

    fn ends(self) -> NumberBounds {
        match self {
            SliderScale::Integer(ends) | SliderScale::Number(ends) => ends,
            SliderScale::Quantity(Dimension::Rate | Dimension::Frequency) | SliderScale::Limit => {
                NumberBounds { min: Some(1.0), max: None }
            }
            SliderScale::Quantity(_) => NumberBounds { min: Some(0.0), max: None },
        }
    }

    /// Returns the factors by which positions reach below and above a value. Much more data or time would make runs
    /// long. If no value is known, the factors are large.
    fn reach(self, is_set: bool) -> (f64, f64) {
        match self {
            SliderScale::Quantity(_) if !is_set => (10_000.0, 1_000.0),
            SliderScale::Quantity(Dimension::Span) => (100.0, 100.0),
            SliderScale::Quantity(_) | SliderScale::Limit => (100.0, 10.0),
            SliderScale::Integer(_) | SliderScale::Number(_) => (10.0, 10.0),
        }
    }

    fn usual(self) -> f64 {
        match self {
            SliderScale::Quantity(dimension) => dimension.read(dimension.usual()).unwrap_or(1.0),
            SliderScale::Limit => 100.0,
            SliderScale::Integer(NumberBounds { min, .. }) => min.unwrap_or(0.0).max(10.0),
            SliderScale::Number(NumberBounds { min, max }) => match min {
                Some(min) if min >= 1.0 => 10.0 * min,
                _ => max.map_or(1.0, |max| max / 10.0),
            },
        }
    }

    /// The positions for a key. The positions surround `base`, the key's value in the text or its default, and include
    /// `base` and `current`; `words` are at the end.
    pub fn stops(self, base: Option<&str>, current: Option<&str>, words: &[&str]) -> Stops {
        let value = |text: Option<&str>| text.and_then(|text| self.read(text));
        let known = value(base).or(value(current));
        let base = known.unwrap_or_else(|| self.usual());
        let now = value(current).unwrap_or(base);
        let mut values = self.values(base, now, known.is_some());
        values.push(base);
        values.sort_by(f64::total_cmp);
        let mut texts: Vec<String> = Vec::new();
        let mut at = 0;
        let mut nearest = f64::INFINITY;
        for value in values {
            let text = self.write(value);
            if texts.last() == Some(&text) {
                continue;
            }
            let distance =
                if value > 0.0 && now > 0.0 { ratio_of_larger(value, now) - 1.0 } else { (value - now).abs() };
            if distance < nearest {
                (at, nearest) = (texts.len(), distance);
            }
            texts.push(text);
        }
        if let Some(word) = words.iter().position(|word| Some(*word) == current) {
            at = texts.len() + word;
        }
        texts.extend(words.iter().map(|word| (*word).to_owned()));
        Stops { texts, at }
    }

    fn values(self, base: f64, now: f64, is_known: bool) -> Vec<f64> {
        if let SliderScale::Quantity(Dimension::SignedLength | Dimension::SignedSpeed) = self {
            let end = decade_above(2.0 * base.abs().max(now.abs()).max(self.usual() / 2.0));
            return (-STEPS..=STEPS).map(|step| (end * f64::from(step) / f64::from(STEPS)).round()).collect();
        }
        let NumberBounds { min, max } = self.ends();
        if base.min(now) < 0.0 {
            // The value may be negative, as a power in dBm.
            let end = decade_above(-base.min(now));
            return (0..=SHARES)
                .map(|share| round_to_twelve_digits(end * (f64::from(share) / f64::from(SHARES) - 1.0)))
                .collect();
        }
        let least = min.unwrap_or(0.0).max(0.0);
        if let (SliderScale::Integer(_), Some(max)) = (self, max.filter(|max| max - least <= MOST_WHOLE)) {
            return (least as u32..=max as u32).map(f64::from).collect();
        }
        // A number up to 1 could be a share.
        let max = max.or(matches!(self, SliderScale::Number(_))
            .then_some(1.0)
            .filter(|_| is_known && base.max(now) <= 1.0 && least < 1.0));
        if let (SliderScale::Number(_), Some(1.0)) = (self, max)
            && base >= LARGE_SHARE
        {
            return (0..=SHARES).map(|share| f64::from(share) / f64::from(SHARES)).collect();
        }
        let (below, above) = self.reach(is_known);
        let middle = if base > 0.0 { base } else { self.usual() };
        let smallest = if now > 0.0 { now.min(middle / below) } else { middle / below };
        let (from, to) = (decade_below(smallest), decade_above(now.max(middle * above)));
        let to = if matches!(self, SliderScale::Integer(_)) { to.max(ALL_TO) } else { to };
        let (from, to) = (from.max(least), max.map_or(to, |max| to.min(max)));
        let mut values = Vec::new();
        if least == 0.0 {
            values.push(0.0);
        }
        let mut decade = decade_below(from.max(f64::MIN_POSITIVE));
        while decade <= to {
            values.extend(ROUND.iter().map(|tenths| round_to_twelve_digits(f64::from(*tenths) * decade / 10.0)));
            decade = round_to_twelve_digits(decade * 10.0);
        }
        values.extend([from, to]);
        if matches!(self, SliderScale::Integer(_)) {
            values.extend((least.min(ALL_TO) as u32..=to.min(ALL_TO) as u32).map(f64::from));
        }
        let is_position = |value: &f64| {
            let is_in = *value == 0.0 && least == 0.0 || (from..=to).contains(value);
            (is_in || matches!(self, SliderScale::Integer(_)) && *value >= least && *value <= to)
                && (!self.is_whole() || value.fract() == 0.0)
        };
        values.retain(is_position);
        values
    }
}

fn ratio_of_larger(a: f64, b: f64) -> f64 {
    if a > b { a / b } else { b / a }
}

/// Rounds to twelve digits, so that 0.1 times 3 is 0.3.
fn round_to_twelve_digits(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

/// Returns the largest power of ten that is not above a positive value.
fn decade_below(value: f64) -> f64 {
    let text = format!("{value:e}");
    let exponent = text.rsplit('e').next().unwrap_or("0");
    format!("1e{exponent}").parse().unwrap_or(value)
}

/// Returns the smallest power of ten that is not below a positive value.
fn decade_above(value: f64) -> f64 {
    let below = decade_below(value);
    if below < value { round_to_twelve_digits(below * 10.0) } else { below }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: NumberBounds = NumberBounds { min: None, max: None };

    fn stops(scale: SliderScale, base: Option<&str>, current: Option<&str>) -> Stops {
        scale.stops(base, current, &[])
    }

    #[test]
    fn slider_stops_are_round_values_in_decades_around_the_base_and_the_base_itself() {
        let Stops { texts, at } = stops(SliderScale::Quantity(Dimension::Rate), Some("11.37 Mbps"), Some("11.37 Mbps"));
        assert_eq!((texts.first().unwrap().as_str(), texts.last().unwrap().as_str()), ("100 kbps", "1 Gbps"));
        assert_eq!(texts[at], "11.37 Mbps");
        assert!(texts.contains(&"2.5 Mbps".to_owned()) && texts.contains(&"110 kbps".to_owned()), "{texts:?}");
        let delay = stops(SliderScale::Quantity(Dimension::Span), Some("1 ms"), Some("1 ms")).texts;
        assert_eq!((delay.first().unwrap().as_str(), delay.last().unwrap().as_str()), ("0 s", "100 ms"));
        let none = stops(SliderScale::Quantity(Dimension::Bytes), None, None);
        assert_eq!((none.texts[none.at].as_str(), none.texts.last().unwrap().as_str()), ("10 kB", "10 MB"));
    }

    #[test]
    fn slider_stops_do_not_change_with_a_value_between_them() {
        let at = |current| stops(SliderScale::Quantity(Dimension::Rate), Some("8 Mbps"), Some(current));
        let (first, second) = (at("8 Mbps"), at("450 kbps"));
        assert_eq!(first.texts, second.texts);
        assert_eq!(second.texts[second.at], "450 kbps");
        // A typed value lies between positions, or beyond them.
        let typed = at("12.34 Mbps");
        assert_eq!((typed.texts == first.texts, typed.texts[typed.at].as_str()), (true, "12 Mbps"));
        assert_eq!(at("7 Gbps").texts.last().unwrap(), "10 Gbps");
    }

    #[test]
    fn slider_stops_of_whole_numbers_and_shares_stay_in_their_range() {
        let bounded =
            stops(SliderScale::Integer(NumberBounds { min: Some(2.0), max: Some(100.0) }), Some("100"), Some("7"));
        assert_eq!((bounded.texts.len(), bounded.texts[bounded.at].as_str()), (99, "7"));
        let open = stops(SliderScale::Integer(NumberBounds { min: Some(1.0), max: None }), Some("9"), Some("9"));
        assert_eq!((open.texts[0].as_str(), open.texts[open.at].as_str()), ("1", "9"));
        assert_eq!(open.texts.last().unwrap(), "100");
        let share =
            stops(SliderScale::Number(NumberBounds { min: Some(0.0), max: Some(1.0) }), Some("0.7"), Some("0.7"));
        assert_eq!((share.texts.len(), share.texts[share.at].as_str()), (101, "0.7"));
        let loss = stops(SliderScale::Number(ANY), Some("0.02"), Some("0.02")).texts;
        assert_eq!((loss[0].as_str(), loss[1].as_str(), loss.last().unwrap().as_str()), ("0", "0.001", "1"));
        let factor = stops(SliderScale::Number(ANY), Some("2"), Some("2")).texts;
        assert_eq!(factor.last().unwrap(), "100");
    }

    #[test]
    fn slider_has_negative_stops_only_for_signed_values() {
        let Stops { texts, at } = stops(SliderScale::Quantity(Dimension::SignedLength), Some("-20 m"), Some("-20 m"));
        assert_eq!(
            (texts[0].as_str(), texts[at].as_str(), texts.last().unwrap().as_str()),
            ("-100 m", "-20 m", "100 m")
        );
        assert!(texts.contains(&"0 m".to_owned()));
        let power = stops(SliderScale::Integer(ANY), Some("-62"), Some("-68"));
        assert_eq!((power.texts[0].as_str(), power.texts.len(), power.texts[power.at].as_str()), ("-100", 101, "-68"));
    }

    #[test]
    fn special_words_are_the_last_slider_stops() {
        let Stops { texts, at } = SliderScale::Limit.stops(Some("40 packets"), Some("unlimited"), &["unlimited"]);
        assert_eq!((texts[0].as_str(), texts[at].as_str(), at), ("1 packet", "unlimited", texts.len() - 1));
    }
}
