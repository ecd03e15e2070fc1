//! Values of assertion expressions, with Python's semantics.

use std::cmp::Ordering;
use std::fmt;

/// A Python value.
#[derive(Clone, PartialEq, Debug)]
pub enum PyValue {
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// A string.
    Text(String),
    /// `True` or `False`.
    Bool(bool),
    /// `None`.
    None,
    /// A tuple.
    Tuple(Vec<PyValue>),
}

impl PyValue {
    /// Returns true if the value is true in a Python condition.
    pub fn holds(&self) -> bool {
        match self {
            PyValue::Int(number) => *number != 0,
            PyValue::Float(number) => *number != 0.0,
            PyValue::Text(text) => !text.is_empty(),
            PyValue::Bool(holds) => *holds,
            PyValue::None => false,
            PyValue::Tuple(all) => !all.is_empty(),
        }
    }

    /// Returns the value as an integer, with `True` as 1 as in Python; `None` for other kinds of values.
    pub fn whole(&self) -> Option<i64> {
        match self {
            PyValue::Int(number) => Some(*number),
            PyValue::Bool(holds) => Some(i64::from(*holds)),
            _ => None,
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            PyValue::Float(number) => Some(*number),
            _ => self.whole().map(|number| number as f64),
        }
    }

    /// Returns the order of the value relative to `other`; `None` for values that cannot be ordered.
    pub fn compare(&self, other: &PyValue) -> Option<Ordering> {
        match (self, other) {
            (PyValue::Text(a), PyValue::Text(b)) => Some(a.cmp(b)),
            (PyValue::None, PyValue::None) => Some(Ordering::Equal),
            _ => match (self.whole(), other.whole()) {
                (Some(a), Some(b)) => Some(a.cmp(&b)),
                _ => self.number()?.partial_cmp(&other.number()?),
            },
        }
    }

    /// Returns `self sign other`; `None` for an undefined operation.
    pub fn arithmetic(&self, sign: char, other: &PyValue) -> Option<PyValue> {
        if let PyValue::Text(format) = self {
            return match (sign, other) {
                ('%', PyValue::Tuple(values)) => format_values(format, values).map(PyValue::Text),
                ('%', value) => format_values(format, std::slice::from_ref(value)).map(PyValue::Text),
                ('+', PyValue::Text(other)) => Some(PyValue::Text(format!("{format}{other}"))),
                _ => None,
            };
        }
        if let (Some(a), Some(b)) = (self.whole(), other.whole()) {
            // Python's integer division rounds towards negative infinity.
            let down = |a: i64, b: i64| Some(a.checked_div(b)? - i64::from(a % b != 0 && (a < 0) != (b < 0)));
            return match sign {
                '+' => a.checked_add(b).map(PyValue::Int),
                '-' => a.checked_sub(b).map(PyValue::Int),
                '*' => a.checked_mul(b).map(PyValue::Int),
                '/' if b != 0 => Some(PyValue::Float(a as f64 / b as f64)),
                '\\' => down(a, b).map(PyValue::Int),
                '%' => Some(PyValue::Int(a - down(a, b)? * b)),
                '&' => Some(PyValue::Int(a & b)),
                _ => None,
            };
        }
        let (a, b) = (self.number()?, other.number()?);
        match sign {
            '+' => Some(PyValue::Float(a + b)),
            '-' => Some(PyValue::Float(a - b)),
            '*' => Some(PyValue::Float(a * b)),
            '/' if b != 0.0 => Some(PyValue::Float(a / b)),
            '\\' if b != 0.0 => Some(PyValue::Float((a / b).floor())),
            _ => None,
        }
    }
}

impl fmt::Display for PyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PyValue::Int(number) => write!(f, "{number}"),
            PyValue::Float(number) => write!(f, "{number:?}"),
            PyValue::Text(text) => f.write_str(text),
            PyValue::Bool(true) => write!(f, "True"),
            PyValue::Bool(false) => write!(f, "False"),
            PyValue::None => write!(f, "None"),
            PyValue::Tuple(all) => {
                let all: Vec<String> = all.iter().map(ToString::to_string).collect();
                write!(f, "({})", all.join(", "))
            }
        }
    }
}

/// Returns `format % values`. Each conversion such as `%d` takes the next value, and widths and precisions are ignored.
fn format_values(format: &str, values: &[PyValue]) -> Option<String> {
    let mut values = values.iter();
    let mut out = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        match chars.by_ref().find(char::is_ascii_alphabetic) {
            Some('x') => out.push_str(&format!("{:x}", values.next()?.whole()?)),
            Some(_) => out.push_str(&values.next()?.to_string()),
            None => out.push('%'),
        }
    }
    Some(out)
}
