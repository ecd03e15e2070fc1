//! The text forms of quantities: names, units with their spellings, and how texts are read and written.

use std::fmt;

use super::PER_SECOND;

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
pub(super) struct QuantityKind {
    name: &'static str,
    example: &'static str,
    units: &'static [(&'static str, u128)],
    /// Other spellings of units, each with the unit. They are read and never written.
    spellings: &'static [(&'static str, &'static str)],
    /// Spellings that are refused because they are ambiguous, each with a hint.
    refused: &'static [(&'static str, &'static str)],
}

pub(super) const SPAN: QuantityKind = QuantityKind {
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
    // The spellings of tc(8), and the words.
    spellings: &[
        ("hr", "h"),
        ("hour", "h"),
        ("hours", "h"),
        ("mins", "min"),
        ("minute", "min"),
        ("minutes", "min"),
        ("sec", "s"),
        ("secs", "s"),
        ("second", "s"),
        ("seconds", "s"),
        ("msec", "ms"),
        ("msecs", "ms"),
        ("millisecond", "ms"),
        ("milliseconds", "ms"),
        // The Greek letter; the unit above has the micro sign.
        ("\u{3bc}s", "us"),
        ("usec", "us"),
        ("usecs", "us"),
        ("microsecond", "us"),
        ("microseconds", "us"),
        ("nsec", "ns"),
        ("nsecs", "ns"),
        ("nanosecond", "ns"),
        ("nanoseconds", "ns"),
    ],
    refused: &[("m", "for minutes write min, for milliseconds ms")],
};

pub(super) const RATE: QuantityKind = QuantityKind {
    name: "a rate",
    example: "8 Mbps",
    units: &[("Gbps", 1_000_000_000), ("Mbps", 1_000_000), ("kbps", 1_000), ("bps", 1)],
    // `Mbit` is the spelling of tc(8), where `Mbps` are bytes per second.
    spellings: &[
        ("Gbit/s", "Gbps"),
        ("Mbit/s", "Mbps"),
        ("kbit/s", "kbps"),
        ("bit/s", "bps"),
        ("bits/s", "bps"),
        ("Gb/s", "Gbps"),
        ("Mb/s", "Mbps"),
        ("kb/s", "kbps"),
        ("b/s", "bps"),
        ("Gbit", "Gbps"),
        ("Mbit", "Mbps"),
        ("kbit", "kbps"),
        ("bit", "bps"),
    ],
    refused: &[
        ("Kbps", "write kbps"),
        ("Kbit/s", "write kbps"),
        ("GBps", "for bytes per second multiply by 8 and write Gbps"),
        ("MBps", "for bytes per second multiply by 8 and write Mbps"),
        ("kBps", "for bytes per second multiply by 8 and write kbps"),
        ("Bps", "for bytes per second multiply by 8 and write bps"),
        ("GB/s", "for bytes per second multiply by 8 and write Gbps"),
        ("MB/s", "for bytes per second multiply by 8 and write Mbps"),
        ("kB/s", "for bytes per second multiply by 8 and write kbps"),
        ("B/s", "for bytes per second multiply by 8 and write bps"),
    ],
};

pub(super) const FREQUENCY: QuantityKind = QuantityKind {
    name: "a number per time",
    example: "20 /s",
    units: &[("/ms", 1_000 * PER_SECOND as u128), ("/s", PER_SECOND as u128), ("/min", PER_SECOND as u128 / 60)],
    spellings: &[
        ("/msec", "/ms"),
        ("/sec", "/s"),
        ("/second", "/s"),
        ("per second", "/s"),
        ("/minute", "/min"),
        ("per minute", "/min"),
    ],
    refused: &[
        ("/h", "divide by 60 and write /min"),
        ("/hour", "divide by 60 and write /min"),
        ("Hz", "write /s"),
        ("bps", "this is a number of flows per time: write /s"),
        ("Mbps", "this is a number of flows per time: write /s"),
    ],
};

pub(super) const BYTES: QuantityKind = QuantityKind {
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
    spellings: &[("byte", "B"), ("bytes", "B"), ("octets", "B")],
    refused: &[
        ("KB", "KB is ambiguous, 1000 or 1024 bytes: write kB or KiB"),
        ("kb", "for kilobits divide by 8 and write kB"),
        ("Mb", "for megabits divide by 8 and write MB"),
        ("Gb", "for gigabits divide by 8 and write GB"),
    ],
};

pub(super) const LENGTH: QuantityKind = QuantityKind {
    name: "a length",
    example: "250 m",
    units: &[("km", 1_000_000), ("m", 1_000), ("cm", 10), ("mm", 1)],
    spellings: &[("metre", "m"), ("metres", "m"), ("meter", "m"), ("meters", "m")],
    refused: &[("Mm", "for Mm multiply by 1000 and write km; mm are thousandths of m")],
};

pub(super) const SPEED: QuantityKind = QuantityKind {
    name: "a speed",
    example: "5 m/s",
    units: &[("m/s", 3_600_000), ("km/h", 1_000_000), ("mm/s", 3_600), ("mm/h", 1)],
    spellings: &[("m/sec", "m/s"), ("kmh", "km/h"), ("kph", "km/h")],
    refused: &[
        ("km/s", "for km/s multiply by 1000 and write m/s"),
        ("Mm/s", "for Mm/s multiply by 1000000 and write m/s; mm/s are thousandths of m/s"),
    ],
};

pub(super) const DECIBELS: QuantityKind = QuantityKind {
    name: "a ratio",
    example: "10 dB",
    units: &[("dB", 1_000), ("mdB", 1)],
    spellings: &[],
    refused: &[("db", "write dB")],
};

impl QuantityKind {
    pub(super) fn error(&self, hint: Option<String>) -> UnitError {
        let units: Vec<&str> = self.units.iter().rev().map(|(name, _)| *name).filter(|name| *name != "µs").collect();
        UnitError {
            expected: format!("{} such as \"{}\" (units: {})", self.name, self.example, units.join(", ")),
            hint,
        }
    }

    /// Multiples of the base unit in a unit, by any of its spellings.
    fn scale(&self, unit: &str) -> Option<u128> {
        let spelled = self.spellings.iter().find(|(spelling, _)| *spelling == unit).map_or(unit, |(_, name)| name);
        self.units.iter().find(|(name, _)| *name == spelled).map(|(_, scale)| *scale)
    }

    /// The hint for a unit that the quantity does not have.
    fn unit_hint(&self, number: &str, unit: &str) -> Option<String> {
        if unit.starts_with(',') {
            return Some("the decimal mark is a point".to_owned());
        }
        if let Some((_, why)) = self.refused.iter().find(|(name, _)| *name == unit) {
            return Some((*why).to_owned());
        }
        let near = self.units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit));
        near.map(|(name, _)| format!("did you mean \"{number} {name}\"?"))
    }

    /// Parses `text` as a decimal number and a unit, exactly. Zero needs no unit.
    pub(super) fn parse(&self, text: &str) -> Result<u64, UnitError> {
        let text = text.trim();
        if text.starts_with('-') {
            return Err(self.error(Some("it cannot be negative".into())));
        }
        let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(text.len());
        let (number, unit) = (text[..split].trim(), text[split..].trim());
        if number.is_empty() {
            return Err(self.error(None));
        }
        let digits = number.replace('_', "");
        let (whole, decimals) = digits.split_once('.').unwrap_or((&digits, ""));
        let decimals = decimals.trim_end_matches('0');
        if whole.is_empty() || decimals.contains('.') {
            return Err(self.error(None));
        }
        if unit.is_empty() {
            let is_zero = decimals.is_empty() && whole.bytes().all(|digit| digit == b'0');
            return if is_zero { Ok(0) } else { Err(self.error(Some(format!("add a unit after {number}")))) };
        }
        let Some(scale) = self.scale(unit) else { return Err(self.error(self.unit_hint(number, unit))) };
        if whole.len() > 20 || decimals.len() > 12 {
            return Err(self.error(Some("too many digits: at most 20 before and 12 after the decimal point".into())));
        }
        let mantissa: u128 = format!("{whole}{decimals}").parse().map_err(|_| self.error(None))?;
        let scaled = mantissa.checked_mul(scale).ok_or_else(|| self.error(Some("too large".into())))?;
        let divisor = 10u128.pow(decimals.len() as u32);
        if scaled % divisor != 0 {
            let finest = match self.units.last() {
                Some((name, 1)) => format!("finer than one {name}"),
                Some((name, scale)) => format!("finer than 1/{scale} of one {name}"),
                None => String::new(),
            };
            return Err(self.error(Some(finest)));
        }
        u64::try_from(scaled / divisor).map_err(|_| self.error(Some("too large".into())))
    }

    /// Writes `value` exactly, in the unit that gives the shortest text. Units with up to three decimals and a number
    /// of at least 1 are preferred.
    pub(super) fn write(&self, value: u64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = u128::from(value);
        let exact = |decimals: u32| {
            let ten = 10u128.pow(decimals);
            let exact = self.units.iter().filter(move |(_, scale)| (value * ten).is_multiple_of(*scale));
            exact.map(move |(name, scale)| {
                let (whole, part) = (value / scale, value * ten / scale % ten);
                let decimals = format!(".{part:0width$}", width = decimals as usize);
                (value >= *scale, format!("{whole}{} {name}", decimals.trim_end_matches('0').trim_end_matches('.')))
            })
        };
        let usual = exact(3).filter_map(|(is_reached, text)| is_reached.then_some(text)).min_by_key(String::len);
        match usual.or_else(|| exact(9).map(|(_, text)| text).min_by_key(String::len)) {
            Some(text) if value > 0 => f.write_str(&text),
            _ => write!(f, "0 {}", self.units.last().map_or("", |(name, _)| name)),
        }
    }

    /// The JSON Schema of the quantity. Zero needs no unit, unless the quantity cannot be zero.
    pub(super) fn json_schema(&self, takes_zero: bool) -> schemars::Schema {
        let units = self.units.iter().map(|(name, _)| *name).chain(self.spellings.iter().map(|(name, _)| *name));
        let number = "[0-9][0-9_]*(\\.[0-9]+)?";
        let zero = if takes_zero { "|\\s*0+(\\.0*)?\\s*" } else { "" };
        let pattern = format!("^(?:\\s*{number}\\s*(?:{})\\s*{zero})$", units.collect::<Vec<_>>().join("|"));
        let mut schema = schemars::json_schema!({
            "description": format!("{} such as \"{}\"", self.name, self.example),
            "pattern": pattern,
            "units": self.units.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            "spellings": self.spellings.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        });
        if takes_zero {
            schema.insert("anyOf".to_owned(), serde_json::json!([{ "type": "string" }, { "const": 0 }]));
        } else {
            schema.insert("type".to_owned(), "string".into());
        }
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_spelling_has_its_unit_and_is_neither_a_unit_nor_refused() {
        for kind in [SPAN, RATE, FREQUENCY, BYTES, LENGTH, SPEED, DECIBELS] {
            for (spelling, unit) in kind.spellings {
                assert!(kind.units.iter().any(|(name, _)| name == unit), "{spelling}");
                assert!(kind.units.iter().all(|(name, _)| name != spelling), "{spelling}");
                assert!(kind.refused.iter().all(|(name, _)| name != spelling), "{spelling}");
            }
        }
    }
}
