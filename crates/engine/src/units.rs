//! Quantities with units as text: `"8 Mbps"`, `"492 ms"`, `"512 kB"`.
//!
//! Numbers are read as exact decimals, without floating point, so that the simulated value is exactly the written
//! value.

use std::fmt;
use std::str::FromStr;

use crate::time::Span;

/// A data rate in bits per second; greater than zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

/// A size in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(pub u64);

/// A mean number of events per time, in millihertz; greater than zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Frequency(u64);

/// A length in millimetres.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Length(pub u64);

/// A speed in millimetres per hour, so that `m/s` and `km/h` are integer multiples.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Speed(pub u64);

/// A power ratio in thousandths of a decibel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Decibels(pub u64);

impl Frequency {
    /// Returns a frequency of `millihertz` events in 1000 seconds; `None` for zero.
    pub const fn from_millihertz(millihertz: u64) -> Option<Self> {
        if millihertz == 0 { None } else { Some(Frequency(millihertz)) }
    }

    /// The mean time between two events, in seconds.
    pub fn mean_interval_s(self) -> f64 {
        1_000.0 / self.0 as f64
    }
}

impl Rate {
    /// Returns a rate of `bits` bits per second; `None` for zero, because a transmission would never end.
    pub const fn from_bits_per_sec(bits: u64) -> Option<Self> {
        if bits == 0 { None } else { Some(Rate(bits)) }
    }

    /// The rate in bits per second.
    pub const fn bits_per_sec(self) -> u64 {
        self.0
    }

    /// Returns the transmission time of `size` bytes, rounded down to nanoseconds.
    pub fn transmission_time(self, size: u32) -> Span {
        self.divide_transmission(size).0
    }

    /// Returns the transmission time of `size` bytes in whole nanoseconds, and what is left after them, in billionths of
    /// a bit: less than the rate sends in a nanosecond.
    pub fn divide_transmission(self, size: u32) -> (Span, u64) {
        // The product can exceed 64 bits for sizes far beyond ordinary packets.
        let bits = u64::from(size) * 8;
        match bits.checked_mul(crate::time::NANOS_PER_SEC) {
            Some(scaled) => (Span::from_nanos(scaled / self.0), scaled % self.0),
            None => {
                let scaled = u128::from(bits) * u128::from(crate::time::NANOS_PER_SEC);
                let nanos = u64::try_from(scaled / u128::from(self.0)).unwrap_or(u64::MAX);
                (Span::from_nanos(nanos), (scaled % u128::from(self.0)) as u64)
            }
        }
    }
}

/// The error for a text that is not a valid quantity. The first line of its display names the expected text. An
/// optional second line is a hint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{expected}{}", .hint.as_ref().map(|hint| format!("\n{hint}")).unwrap_or_default())]
pub struct UnitError {
    /// Description of the expected quantity, with an example.
    pub expected: String,
    /// Suggested correction; `None` if no correction is evident.
    pub hint: Option<String>,
}

/// The text form of a quantity: its name, an example, and its units in multiples of the base unit, the largest first.
struct QuantityKind {
    name: &'static str,
    example: &'static str,
    units: &'static [(&'static str, u128)],
    /// Spellings that are refused because they are ambiguous, each with a hint.
    refused: &'static [(&'static str, &'static str)],
}

const SPAN: QuantityKind = QuantityKind {
    name: "a time",
    example: "492 ms",
    units: &[
        ("h", 3_600_000_000_000),
        ("min", 60_000_000_000),
        ("s", 1_000_000_000),
        ("ms", 1_000_000),
        ("us", 1_000),
        ("µs", 1_000),
        ("ns", 1),
    ],
    refused: &[],
};

const RATE: QuantityKind = QuantityKind {
    name: "a rate",
    example: "8 Mbps",
    units: &[("Gbps", 1_000_000_000), ("Mbps", 1_000_000), ("kbps", 1_000), ("bps", 1)],
    refused: &[
        ("MBps", "for bytes per second multiply by 8 and write Mbps"),
        ("Kbps", "write kbps"),
        ("Gbit/s", "write Gbps"),
        ("Mbit/s", "write Mbps"),
        ("kbit/s", "write kbps"),
        ("bit/s", "write bps"),
    ],
};

const FREQUENCY: QuantityKind = QuantityKind {
    name: "a number per time",
    example: "20 /s",
    units: &[("/ms", 1_000_000), ("/s", 1_000)],
    refused: &[
        ("/min", "divide by 60 and write /s"),
        ("Hz", "write /s"),
        ("bps", "this is a number of flows per time: write /s"),
        ("Mbps", "this is a number of flows per time: write /s"),
    ],
};

const BYTES: QuantityKind = QuantityKind {
    name: "a size",
    example: "512 kB",
    units: &[
        ("GiB", 1 << 30),
        ("GB", 1_000_000_000),
        ("MiB", 1 << 20),
        ("MB", 1_000_000),
        ("KiB", 1 << 10),
        ("kB", 1_000),
        ("B", 1),
    ],
    refused: &[
        ("KB", "KB is ambiguous, 1000 or 1024 bytes: write kB or KiB"),
        ("kb", "for kilobits divide by 8 and write kB"),
        ("Mb", "for megabits divide by 8 and write MB"),
        ("Gb", "for gigabits divide by 8 and write GB"),
    ],
};

const LENGTH: QuantityKind = QuantityKind {
    name: "a length",
    example: "250 m",
    units: &[("km", 1_000_000), ("m", 1_000), ("cm", 10), ("mm", 1)],
    refused: &[("Mm", "for Mm multiply by 1000 and write km; mm are thousandths of m")],
};

const SPEED: QuantityKind = QuantityKind {
    name: "a speed",
    example: "5 m/s",
    units: &[("m/s", 3_600_000), ("km/h", 1_000_000), ("mm/s", 3_600), ("mm/h", 1)],
    refused: &[
        ("km/s", "for km/s multiply by 1000 and write m/s"),
        ("Mm/s", "for Mm/s multiply by 1000000 and write m/s; mm/s are thousandths of m/s"),
    ],
};

const DECIBELS: QuantityKind = QuantityKind {
    name: "a ratio",
    example: "10 dB",
    units: &[("dB", 1_000), ("mdB", 1)],
    refused: &[("db", "write dB")],
};

impl QuantityKind {
    fn error(&self, hint: Option<String>) -> UnitError {
        let units: Vec<&str> = self.units.iter().rev().map(|(name, _)| *name).filter(|name| *name != "µs").collect();
        UnitError {
            expected: format!("{} such as \"{}\" (units: {})", self.name, self.example, units.join(", ")),
            hint,
        }
    }

    /// Parses `text` as a decimal number and a unit, exactly.
    fn parse(&self, text: &str) -> Result<u64, UnitError> {
        let text = text.trim();
        if text.starts_with('-') {
            return Err(self.error(Some("it cannot be negative".into())));
        }
        let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(text.len());
        let (number, unit) = (text[..split].trim(), text[split..].trim());
        if number.is_empty() {
            return Err(self.error(None));
        }
        if unit.is_empty() {
            return Err(self.error(Some(format!("add a unit after {number}"))));
        }
        if let Some((_, why)) = self.refused.iter().find(|(name, _)| *name == unit) {
            return Err(self.error(Some((*why).into())));
        }
        let Some(&(_, scale)) = self.units.iter().find(|(name, _)| *name == unit) else {
            let near = self.units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit));
            return Err(self.error(near.map(|(name, _)| format!("did you mean \"{number} {name}\"?"))));
        };
        let digits = number.replace('_', "");
        let (whole, decimals) = digits.split_once('.').unwrap_or((&digits, ""));
        let decimals = decimals.trim_end_matches('0');
        if whole.is_empty() || decimals.contains('.') {
            return Err(self.error(None));
        }
        if whole.len() > 20 || decimals.len() > 12 {
            return Err(self.error(Some("too many digits: at most 20 before and 12 after the decimal point".into())));
        }
        let mantissa: u128 = format!("{whole}{decimals}").parse().map_err(|_| self.error(None))?;
        let scaled = mantissa.checked_mul(scale).ok_or_else(|| self.error(Some("too large".into())))?;
        let divisor = 10u128.pow(decimals.len() as u32);
        if scaled % divisor != 0 {
            let finest = self.units.last().map_or("", |(name, _)| name);
            return Err(self.error(Some(format!("finer than one {finest}"))));
        }
        u64::try_from(scaled / divisor).map_err(|_| self.error(Some("too large".into())))
    }

    /// Writes `value` exactly, in the unit that gives the shortest text.
    fn write(&self, value: u64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = u128::from(value);
        let exact = self.units.iter().filter(|(_, scale)| value >= *scale && value * 1000 % scale == 0);
        let texts = exact.map(|(name, scale)| {
            let (whole, thousandths) = (value / scale, value * 1000 / scale % 1000);
            let decimals = format!(".{thousandths:03}");
            format!("{whole}{} {name}", decimals.trim_end_matches('0').trim_end_matches('.'))
        });
        match texts.min_by_key(String::len) {
            Some(text) => f.write_str(&text),
            None => write!(f, "0 {}", self.units.last().map_or("", |(name, _)| name)),
        }
    }
}

/// Implements `FromStr`, `Display`, serde and JSON Schema for a quantity by its text form.
macro_rules! written_as {
    ($type:ident, $kind:ident, $build:expr, $value:expr) => {
        impl FromStr for $type {
            type Err = UnitError;
            fn from_str(text: &str) -> Result<Self, UnitError> {
                let build: fn(u64) -> Result<Self, UnitError> = $build;
                build($kind.parse(text)?)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let value: fn(&Self) -> u64 = $value;
                $kind.write(value(self), f)
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct QuantityText;
                impl serde::de::Visitor<'_> for QuantityText {
                    type Value = $type;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        write!(f, "{}", $kind.error(None))
                    }
                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$type, E> {
                        text.parse().map_err(E::custom)
                    }
                }
                deserializer.deserialize_str(QuantityText)
            }
        }

        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let units: Vec<&str> = $kind.units.iter().map(|(name, _)| *name).collect();
                schemars::json_schema!({
                    "type": "string",
                    "description": format!("{} such as \"{}\"", $kind.name, $kind.example),
                    "pattern": format!("^\\s*[0-9][0-9_]*(\\.[0-9]+)?\\s*({})\\s*$", units.join("|")),
                })
            }
        }
    };
}

written_as!(Span, SPAN, |nanos| Ok(Span::from_nanos(nanos)), |span| span.as_nanos());
written_as!(
    Rate,
    RATE,
    |bits| Rate::from_bits_per_sec(bits).ok_or_else(|| RATE.error(Some("a rate of zero never sends anything".into()))),
    |rate| rate.0
);
written_as!(
    Frequency,
    FREQUENCY,
    |value| Frequency::from_millihertz(value).ok_or_else(|| FREQUENCY.error(Some("zero never happens".into()))),
    |frequency| frequency.0
);
written_as!(Bytes, BYTES, |bytes| Ok(Bytes(bytes)), |bytes| bytes.0);

written_as!(Length, LENGTH, |millimetres| Ok(Length(millimetres)), |length| length.0);
written_as!(Speed, SPEED, |speed| Ok(Speed(speed)), |speed| speed.0);
written_as!(Decibels, DECIBELS, |thousandths| Ok(Decibels(thousandths)), |ratio| ratio.0);

impl fmt::Debug for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Debug for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Debug for Decibels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Debug for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Debug for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_exactly() {
        assert_eq!("492 ms".parse(), Ok(Span::from_millis(492)));
        assert_eq!("0.1 s".parse(), Ok(Span::from_millis(100)));
        assert_eq!("1_000.5us".parse(), Ok(Span::from_nanos(1_000_500)));
        assert_eq!("8 Mbps".parse(), Ok(Rate(8_000_000)));
        assert_eq!("16 KiB".parse(), Ok(Bytes(16_384)));
        assert_eq!("0 s".parse(), Ok(Span::ZERO));
    }

    #[test]
    fn displayed_quantities_are_parsed_back() {
        for text in ["492 ms", "1.5 s", "1233.5 ms", "2 h", "1 ns", "0 ns"] {
            let span: Span = text.parse().unwrap();
            assert_eq!(span.to_string().parse(), Ok(span), "{text}");
        }
        assert_eq!(Span::from_millis(1_500).to_string(), "1.5 s");
        assert_eq!(Bytes(10_240_000).to_string(), "10.24 MB");
        assert_eq!(Bytes(16_384).to_string(), "16 KiB");
        assert_eq!(Rate(5_500_000).to_string(), "5.5 Mbps");
    }

    #[test]
    fn error_for_a_wrong_unit_suggests_the_right_one() {
        let hint = |text: &str| text.parse::<Rate>().unwrap_err().hint.unwrap_or_default();
        assert_eq!(hint("8 mbps"), "did you mean \"8 Mbps\"?");
        assert_eq!(hint("8"), "add a unit after 8");
        assert_eq!(hint("-8 Mbps"), "it cannot be negative");
        assert_eq!(hint("0 bps"), "a rate of zero never sends anything");
        assert!("4 KB".parse::<Bytes>().unwrap_err().hint.unwrap().contains("KiB"));
        assert!("2 Mb".parse::<Bytes>().unwrap_err().hint.unwrap().contains("divide by 8"));
        assert!("0.1 ns".parse::<Span>().unwrap_err().hint.unwrap().contains("finer"));
        assert!("99999999999999999999 h".parse::<Span>().is_err());
        let hint = "99999999999999999999.000000000001 h".parse::<Span>().unwrap_err().hint;
        assert_eq!(hint.as_deref(), Some("too large"));
    }

    #[test]
    fn lengths_speeds_and_ratios_are_exact() {
        assert_eq!("250 m".parse(), Ok(Length(250_000)));
        assert_eq!("1.2 km".parse(), Ok(Length(1_200_000)));
        assert_eq!("5 m/s".parse::<Speed>(), "18 km/h".parse());
        assert_eq!("0.001 m/s".parse::<Speed>(), "1 mm/s".parse());
        assert_eq!("10 dB".parse(), Ok(Decibels(10_000)));
        let shown = |text: &str| text.parse::<Speed>().map(|speed| speed.to_string());
        assert_eq!(shown("1.5 m/s").as_deref(), Ok("1.5 m/s"));
        assert_eq!(shown("50 km/h").as_deref(), Ok("50 km/h"));
        assert_eq!(Length(1_200_000).to_string(), "1.2 km");
        let hint = "5 M".parse::<Length>().unwrap_err().hint;
        assert_eq!(hint.as_deref(), Some("did you mean \"5 m\"?"));
        assert!("0.1 mm".parse::<Length>().unwrap_err().hint.unwrap().contains("finer"));
        // The prefix M (10^6) is not read as m (10^-3).
        let hint = |text: &str| text.parse::<Speed>().unwrap_err().hint.unwrap();
        assert!(hint("1 Mm/s").contains("multiply by 1000000 and write m/s"));
        assert!(hint("1 km/s").contains("multiply by 1000 and write m/s"));
        assert!("1 Mm".parse::<Length>().unwrap_err().hint.unwrap().contains("multiply by 1000 and write km"));
    }

    #[test]
    fn frequencies_are_exact_to_millihertz() {
        assert_eq!("20 /s".parse(), Ok(Frequency(20_000)));
        assert_eq!("2.5/ms".parse(), "2500 /s".parse::<Frequency>());
        assert_eq!("0.1 /s".parse::<Frequency>().unwrap().mean_interval_s(), 10.0);
        assert_eq!("1500 /s".parse::<Frequency>().unwrap().to_string(), "1.5 /ms");
        assert!("0 /s".parse::<Frequency>().is_err());
        assert_eq!("6 /min".parse::<Frequency>().unwrap_err().hint.as_deref(), Some("divide by 60 and write /s"));
    }

    #[test]
    fn transmission_time_is_size_over_rate() {
        let rate = |text: &str| text.parse::<Rate>().unwrap();
        assert_eq!(rate("8 Mbps").transmission_time(1_000), Span::from_millis(1));
        assert_eq!(rate("1 Mbps").transmission_time(1_064), Span::from_nanos(8_512_000));
        assert_eq!(rate("3 bps").transmission_time(u32::MAX), Span::from_nanos(11_453_246_120_000_000_000));
        // 32.8 ns: 0.8 of the 10 bits of a nanosecond are left.
        assert_eq!(rate("10 Gbps").divide_transmission(41), (Span::from_nanos(32), 8_000_000_000));
    }
}
