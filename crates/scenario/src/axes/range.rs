//! The values of an axis: a list, or a range with steps.

use std::fmt::Display;
use std::str::FromStr;

use engine::{Bytes, Rate, Share, Span};
use toml::{Table, Value};

use crate::problem::Problem;

/// An upper bound of values, against mistyped steps.
const MAX_VALUES: usize = 10_000;

/// Whether `table` is a range, and not a part of a key such as `links` in `links.wire.delay`.
pub(super) fn is_range(table: &Table) -> bool {
    ["from", "to"].iter().all(|end| table.get(*end).is_some_and(|value| !value.is_array() && !value.is_table()))
}

/// Values listed or described by `value`.
pub(super) fn list_axis_values(key: &str, value: &Value) -> Result<Vec<Value>, Problem> {
    let values = match value {
        Value::Array(list) => list.clone(),
        Value::Table(range) if is_range(range) => range_of(key, range)?,
        other => {
            let expected =
                "a list of values, a range { from, to, step } or { from, to, count }, or { files = \"PATTERN\" }";
            return Err(Problem::new(expected).key(key).found(other.to_string()));
        }
    };
    if values.is_empty() {
        return Err(Problem::new("at least one value")
            .key(key)
            .found("[]")
            .hint("remove the axis, or give it a value"));
    }
    let twice = values.iter().enumerate().find(|(at, value)| values[..*at].contains(value));
    if let (Some((_, twice)), Value::Table(_)) = (twice, value) {
        let problem = Problem::new("each value once, also when rounded").key(key).found(format!("{twice} twice"));
        return Err(problem.hint("take fewer values, or values further apart"));
    }
    if let Some((at, twice)) = twice {
        let problem = Problem::new("each value once").key(format!("{key}[{at}]")).found(twice.to_string());
        return Err(problem.hint("for more replications of a point increase sweep.replications"));
    }
    Ok(values)
}

fn range_of(key: &str, range: &Table) -> Result<Vec<Value>, Problem> {
    const KNOWN: [&str; 5] = ["from", "to", "step", "count", "scale"];
    if let Some(unknown) = range.keys().find(|name| !KNOWN.contains(&name.as_str())) {
        return Err(Problem::new("no such key").key(format!("{key}.{unknown}")).nearest(unknown, KNOWN));
    }
    let end = |name: &str| {
        AxisQuantity::read(&range[name]).ok_or_else(|| {
            let expected = "a number, or a time, rate or size with its unit";
            Problem::new(expected).key(format!("{key}.{name}")).found(range[name].to_string())
        })
    };
    let (mut from, to) = (end("from")?, end("to")?);
    // Zero needs no unit.
    if ["0", "0.0", "\"0\""].contains(&range["from"].to_string().as_str()) {
        from.kind = to.kind;
    }
    let alike = |other: &AxisQuantity, name: &str| {
        if from.kind == other.kind {
            return Ok(());
        }
        let expected = format!("{}, like `from`", from.kind.name());
        Err(Problem::new(expected).key(format!("{key}.{name}")).found(range[name].to_string()))
    };
    alike(&to, "to")?;
    let log = match range.get("scale").map(|scale| scale.as_str()) {
        None | Some(Some("linear")) => false,
        Some(Some("log")) => true,
        Some(_) => {
            let problem = Problem::new("\"linear\" or \"log\"").key(format!("{key}.scale"));
            return Err(problem.found(range["scale"].to_string()));
        }
    };
    if log && (from.value <= 0.0 || to.value <= 0.0) {
        let problem = Problem::new("positive ends for a logarithmic scale").key(key);
        return Err(problem.found(format!("{} to {}", range["from"], range["to"])));
    }
    let count = match (range.get("step"), range.get("count")) {
        (Some(step), None) if !log => {
            let read = AxisQuantity::read(step).filter(|step| step.value > 0.0 && from.value <= to.value);
            let step_value = read.ok_or_else(|| {
                let problem = Problem::new("a positive step, and `from` at most `to`").key(format!("{key}.step"));
                problem.found(step.to_string())
            })?;
            alike(&step_value, "step")?;
            // A step counts as reaching the end if it misses the end only by binary rounding.
            let steps = ((to.value - from.value) / step_value.value + 1e-9).floor();
            return sample_range(key, &from, steps + 1.0, |index| from.value + index * step_value.value);
        }
        (None, Some(count)) => count.as_integer().filter(|count| *count >= 2).ok_or_else(|| {
            Problem::new("a whole number, at least 2").key(format!("{key}.count")).found(count.to_string())
        })?,
        _ => {
            let expected = "either `step` or `count` (with scale = \"log\" only `count`)";
            return Err(Problem::new(expected).key(key).found(Value::Table(range.clone()).to_string()));
        }
    };
    let last = (count - 1) as f64;
    sample_range(key, &from, count as f64, |index| {
        let share = index / last;
        if log {
            from.value * libm::pow(to.value / from.value, share)
        } else {
            from.value + (to.value - from.value) * share
        }
    })
}

fn sample_range(key: &str, like: &AxisQuantity, count: f64, value: impl Fn(f64) -> f64) -> Result<Vec<Value>, Problem> {
    if count > MAX_VALUES as f64 {
        let problem = Problem::new(format!("at most {MAX_VALUES} values")).key(key);
        return Err(problem.found(format!("{count}")));
    }
    Ok((0..count as u32).map(|index| like.kind.write(value(f64::from(index)))).collect())
}

/// A number with its unit.
pub(super) struct AxisQuantity {
    kind: AxisQuantityKind,
    value: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum AxisQuantityKind {
    Integer,
    Float,
    Span,
    Rate,
    Bytes,
}

impl AxisQuantity {
    pub(super) fn read(value: &Value) -> Option<Self> {
        fn base<T: FromStr>(text: &str, units: fn(T) -> u64) -> Option<f64> {
            text.parse().ok().map(|quantity| units(quantity) as f64)
        }
        let (kind, value) = match value {
            Value::Integer(number) => (AxisQuantityKind::Integer, *number as f64),
            Value::Float(number) if number.is_finite() => (AxisQuantityKind::Float, *number),
            Value::String(text) if text.trim().ends_with('%') => {
                (AxisQuantityKind::Float, text.parse::<Share>().ok()?.0)
            }
            Value::String(text) => [
                (AxisQuantityKind::Span, base(text, Span::as_nanos)),
                (AxisQuantityKind::Rate, base(text, Rate::bits_per_sec)),
                (AxisQuantityKind::Bytes, base(text, |bytes: Bytes| bytes.0)),
            ]
            .into_iter()
            .find_map(|(kind, value)| Some((kind, value?)))?,
            _ => return None,
        };
        Some(AxisQuantity { kind, value })
    }

    pub(super) fn is_positive(&self) -> bool {
        self.value > 0.0
    }

    /// Returns the value times a factor. Returns `None` if the product is 0 when rounded, too large, or above 1 for a
    /// number that could be a share.
    pub(super) fn times(&self, factor: f64) -> Option<Value> {
        let value = self.value * factor;
        let most = match self.kind {
            AxisQuantityKind::Float if self.value <= 1.0 => 1.0,
            AxisQuantityKind::Float => f64::MAX,
            // The largest whole number up to which a float is exact.
            AxisQuantityKind::Integer | AxisQuantityKind::Span | AxisQuantityKind::Rate | AxisQuantityKind::Bytes => {
                2f64.powi(53)
            }
        };
        let is_zero = self.kind != AxisQuantityKind::Float && value.round() == 0.0;
        (value <= most && !is_zero).then(|| self.kind.write(value))
    }
}

impl AxisQuantityKind {
    fn name(self) -> &'static str {
        match self {
            AxisQuantityKind::Integer => "a whole number",
            AxisQuantityKind::Float => "a number with a decimal point",
            AxisQuantityKind::Span => "a time",
            AxisQuantityKind::Rate => "a rate",
            AxisQuantityKind::Bytes => "a size",
        }
    }

    /// The value in the syntax of scenarios, rounded to its precision.
    fn write(self, value: f64) -> Value {
        fn text(quantity: Option<impl Display>) -> Value {
            Value::String(quantity.map_or_else(String::new, |quantity| quantity.to_string()))
        }
        let whole = value.round() as u64;
        match self {
            AxisQuantityKind::Integer => Value::Integer(value.round() as i64),
            // Twelve digits: 0.1 + 0.2 is 0.3.
            AxisQuantityKind::Float => Value::Float(format!("{value:.11e}").parse().unwrap_or(value)),
            AxisQuantityKind::Span => text(Some(Span::from_nanos(whole))),
            AxisQuantityKind::Rate => text(Rate::from_bits_per_sec(whole)),
            AxisQuantityKind::Bytes => text(Some(Bytes(whole))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Value>, Problem> {
        let table: Table = format!("axis = {text}").parse().unwrap();
        list_axis_values("axis", &table["axis"])
    }

    fn shown(text: &str) -> Vec<String> {
        read(text).unwrap().iter().map(|value| value.to_string().replace('"', "")).collect()
    }

    #[test]
    fn range_includes_both_ends() {
        assert_eq!(shown(r#"{ from = "50 ms", to = "100 ms", step = "25 ms" }"#), ["50 ms", "75 ms", "100 ms"]);
        assert_eq!(shown(r#"{ from = 1, to = 9, step = 4 }"#), ["1", "5", "9"]);
        assert_eq!(shown(r#"{ from = 0.1, to = 0.3, step = 0.1 }"#), ["0.1", "0.2", "0.3"]);
        assert_eq!(
            shown(r#"{ from = "1 ms", to = "1 s", count = 4, scale = "log" }"#),
            ["1 ms", "10 ms", "100 ms", "1 s"]
        );
        assert_eq!(shown(r#"{ from = "1 Mbps", to = "3 Mbps", count = 3 }"#), ["1 Mbps", "2 Mbps", "3 Mbps"]);
        assert_eq!(shown(r#"{ from = "1 %", to = "3 %", step = "1 %" }"#), ["0.01", "0.02", "0.03"]);
        assert_eq!(shown(r#"{ from = 0, to = "20 ms", step = "10 ms" }"#), ["0 ns", "10 ms", "20 ms"]);
        assert_eq!(shown(r#"{ from = "4 KiB", to = "12 KiB", step = "4 KiB" }"#), ["4 KiB", "8 KiB", "12 KiB"]);
    }

    #[test]
    fn invalid_ranges_are_reported() {
        let wrong = |text: &str| {
            let problem = read(text).unwrap_err();
            (problem.key.unwrap_or_default(), problem.expected)
        };
        assert_eq!(wrong("[]").1, "at least one value");
        assert_eq!(wrong("[1, 2, 1]"), ("axis[2]".into(), "each value once".into()));
        assert_eq!(wrong(r#"{ from = "1 ms", to = 3, count = 2 }"#), ("axis.to".into(), "a time, like `from`".into()));
        assert_eq!(wrong(r#"{ from = 1, to = 3, stop = 2 }"#).0, "axis.stop");
        assert_eq!(wrong(r#"{ from = 3, to = 1, step = 1 }"#).0, "axis.step");
        assert_eq!(wrong(r#"{ from = 0, to = 1000000000, step = 1 }"#).1, "at most 10000 values");
        assert!(wrong(r#"{ from = 0, to = 9, count = 3, scale = "log" }"#).1.contains("positive ends"));
        assert_eq!(wrong(r#"{ from = 1, to = 3, count = 10 }"#).1, "each value once, also when rounded");
        assert_eq!(wrong("7").0, "axis");
    }
}
