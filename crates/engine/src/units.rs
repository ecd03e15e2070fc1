//! Quantities with units as text: `"8 Mbps"`, `"492 ms"`, `"512 kB"`.
//!
//! Numbers are read as exact decimals, without floating point, so that the simulated value is exactly the written
//! value.

mod quantity_kind;

use std::fmt;
use std::str::FromStr;

use crate::time::Span;
pub use quantity_kind::UnitError;
use quantity_kind::{BYTES, DECIBELS, FREQUENCY, LENGTH, RATE, SPAN, SPEED};

/// A data rate in bits per second; greater than zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

/// A size in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(pub u64);

/// A mean number of events per time, in multiples of one event in 60 million seconds, so that `/s` and `/min` are
/// integer multiples; greater than zero.
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

/// One event per second, in units of [`Frequency`].
const PER_SECOND: u64 = 60_000_000;

impl Frequency {
    /// Returns a frequency of `millihertz` events in 1000 seconds; `None` for zero and beyond the range.
    pub const fn from_millihertz(millihertz: u64) -> Option<Self> {
        match millihertz.checked_mul(PER_SECOND / 1_000) {
            None | Some(0) => None,
            Some(units) => Some(Frequency(units)),
        }
    }

    /// The mean time between two events, in seconds.
    pub fn mean_interval_s(self) -> f64 {
        PER_SECOND as f64 / self.0 as f64
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

/// The methods of a visitor by which a number that is zero is read as the text `"0"`, and other numbers are refused.
#[doc(hidden)]
#[macro_export]
macro_rules! visit_zero {
    () => {
        $crate::visit_zero! { visit_i64, i64, Signed, 0 }
        $crate::visit_zero! { visit_u64, u64, Unsigned, 0 }
        $crate::visit_zero! { visit_f64, f64, Float, 0.0 }
    };
    ($method:ident, $type:ty, $unexpected:ident, $zero:literal) => {
        fn $method<E: $crate::serde::de::Error>(self, number: $type) -> Result<Self::Value, E> {
            if number == $zero {
                self.visit_str("0")
            } else {
                Err(E::invalid_type($crate::serde::de::Unexpected::$unexpected(number), &self))
            }
        }
    };
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
                    $crate::visit_zero!();
                }
                deserializer.deserialize_any(QuantityText)
            }
        }

        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $kind.json_schema("0".parse::<$type>().is_ok())
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
    |value| match value {
        0 => Err(FREQUENCY.error(Some("zero never happens".into()))),
        _ => Ok(Frequency(value)),
    },
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
        assert_eq!("20 /s".parse().ok(), Frequency::from_millihertz(20_000));
        assert_eq!("2.5/ms".parse(), "2500 /s".parse::<Frequency>());
        assert_eq!("0.1 /s".parse::<Frequency>().unwrap().mean_interval_s(), 10.0);
        assert_eq!("1500 /s".parse::<Frequency>().unwrap().to_string(), "1.5 /ms");
        assert!("0 /s".parse::<Frequency>().is_err());
        assert_eq!("6 /h".parse::<Frequency>().unwrap_err().hint.as_deref(), Some("divide by 60 and write /min"));
    }

    /// 4.8667 /s are 292.002 /min; "120 /min" is 2 /s. A frequency below 1 /s has a text too.
    #[test]
    fn frequencies_with_decimals_and_per_minute_are_read_back() {
        let read = |text: &str| text.parse::<Frequency>().unwrap();
        assert_eq!(read("120 /min"), read("2 /s"));
        assert_eq!(read("120 /min").to_string(), "2 /s");
        assert_eq!(read("4.8667 /s").mean_interval_s(), 1.0 / 4.8667);
        assert_eq!(read("0.1 /s").to_string(), "6 /min");
        for text in ["4.8667 /s", "0.1 /s", "0.001 /s", "0.000001 /min", "7 /min", "1.5 /ms", "0.0333 /s"] {
            assert_eq!(read(&read(text).to_string()), read(text), "{text}");
        }
        let hint = "0.0000001 /min".parse::<Frequency>().unwrap_err().hint;
        assert_eq!(hint.as_deref(), Some("finer than 1/1000000 of one /min"));
    }

    #[test]
    fn common_spellings_of_units_are_the_same_quantity() {
        fn same<T: FromStr<Err = UnitError> + PartialEq + fmt::Debug>(one: &str, other: &str) {
            assert_eq!(one.parse::<T>(), other.parse::<T>(), "{one}");
            assert!(one.parse::<T>().is_ok(), "{one}");
        }
        for (one, other) in [("20msec", "20 ms"), ("20 sec", "20 s"), ("2 minutes", "2 min"), ("3 \u{3bc}s", "3 us")] {
            same::<Span>(one, other);
        }
        for (one, other) in
            [("10 Mbit/s", "10 Mbps"), ("10Mbit", "10 Mbps"), ("64 kb/s", "64 kbps"), ("9 bit/s", "9 bps")]
        {
            same::<Rate>(one, other);
        }
        same::<Bytes>("1500 bytes", "1.5 kB");
        same::<Frequency>("5 per second", "5 /s");
        same::<Length>("3 metres", "3 m");
        same::<Speed>("50 km/h", "50 kmh");
        let hint = |text: &str| text.parse::<Rate>().unwrap_err().hint.unwrap();
        assert_eq!(hint("1 MB/s"), "for bytes per second multiply by 8 and write Mbps");
        assert_eq!(hint("1,5 Mbps"), "the decimal mark is a point");
    }

    #[test]
    fn zero_needs_no_unit_and_no_quotes() {
        for text in ["0", "0.0", " 00 "] {
            assert_eq!(text.parse(), Ok(Span::ZERO), "{text:?}");
        }
        assert_eq!("0".parse(), Ok(Bytes(0)));
        assert_eq!("0".parse::<Rate>().unwrap_err().hint.as_deref(), Some("a rate of zero never sends anything"));
        assert_eq!("8".parse::<Span>().unwrap_err().hint.as_deref(), Some("add a unit after 8"));
        let read = |value: serde_json::Value| serde_json::from_value::<Span>(value).map_err(|error| error.to_string());
        assert_eq!(read(0.into()), Ok(Span::ZERO));
        assert_eq!(read(0.0.into()), Ok(Span::ZERO));
        assert!(read(5.into()).unwrap_err().contains("expected a time such as \"492 ms\""));
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
