//! Values of assertion expressions, with Python's semantics.

use std::cmp::Ordering;
use std::fmt;

/// A Python value.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
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
    Tuple(Vec<Value>),
}

impl Value {
    /// Returns true if the value is true in a Python condition.
    pub fn holds(&self) -> bool {
        match self {
            Value::Int(number) => *number != 0,
            Value::Float(number) => *number != 0.0,
            Value::Text(text) => !text.is_empty(),
            Value::Bool(holds) => *holds,
            Value::None => false,
            Value::Tuple(all) => !all.is_empty(),
        }
    }

    /// Returns the value as an integer, with `True` as 1 as in Python; `None` for other kinds of values.
    pub fn whole(&self) -> Option<i64> {
        match self {
            Value::Int(number) => Some(*number),
            Value::Bool(holds) => Some(i64::from(*holds)),
            _ => None,
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Value::Float(number) => Some(*number),
            _ => self.whole().map(|number| number as f64),
        }
    }

    /// Returns the order of the value relative to `other`; `None` for values that cannot be ordered.
    pub fn compare(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
            (Value::None, Value::None) => Some(Ordering::Equal),
            _ => match (self.whole(), other.whole()) {
                (Some(a), Some(b)) => Some(a.cmp(&b)),
                _ => self.number()?.partial_cmp(&other.number()?),
            },
        }
    }

    /// Returns `self sign other`; `None` for an undefined operation.
    pub fn arithmetic(&self, sign: char, other: &Value) -> Option<Value> {
        if let Value::Text(format) = self {
            return match (sign, other) {
                ('%', Value::Tuple(values)) => formatted(format, values).map(Value::Text),
                ('%', value) => formatted(format, std::slice::from_ref(value)).map(Value::Text),
                ('+', Value::Text(other)) => Some(Value::Text(format!("{format}{other}"))),
                _ => None,
            };
        }
        if let (Some(a), Some(b)) = (self.whole(), other.whole()) {
            // Python's integer division rounds towards negative infinity.
            let down = |a: i64, b: i64| Some(a.checked_div(b)? - i64::from(a % b != 0 && (a < 0) != (b < 0)));
            return match sign {
                '+' => a.checked_add(b).map(Value::Int),
                '-' => a.checked_sub(b).map(Value::Int),
                '*' => a.checked_mul(b).map(Value::Int),
                '/' if b != 0 => Some(Value::Float(a as f64 / b as f64)),
                '\\' => down(a, b).map(Value::Int),
                '%' => Some(Value::Int(a - down(a, b)? * b)),
                '&' => Some(Value::Int(a & b)),
                _ => None,
            };
        }
        let (a, b) = (self.number()?, other.number()?);
        match sign {
            '+' => Some(Value::Float(a + b)),
            '-' => Some(Value::Float(a - b)),
            '*' => Some(Value::Float(a * b)),
            '/' if b != 0.0 => Some(Value::Float(a / b)),
            '\\' if b != 0.0 => Some(Value::Float((a / b).floor())),
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(number) => write!(f, "{number}"),
            Value::Float(number) => write!(f, "{number:?}"),
            Value::Text(text) => f.write_str(text),
            Value::Bool(true) => write!(f, "True"),
            Value::Bool(false) => write!(f, "False"),
            Value::None => write!(f, "None"),
            Value::Tuple(all) => {
                let all: Vec<String> = all.iter().map(ToString::to_string).collect();
                write!(f, "({})", all.join(", "))
            }
        }
    }
}

/// Returns `format % values`: each conversion such as `%d` takes the next value; widths and precisions are ignored.
fn formatted(format: &str, values: &[Value]) -> Option<String> {
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
