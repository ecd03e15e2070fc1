//! Values of assertions.

use std::cmp::Ordering;
use std::fmt;

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// A number with decimals.
    Float(f64),
    /// A text.
    Text(String),
    /// True or False.
    Bool(bool),
    /// None.
    None,
    /// Several values.
    Tuple(Vec<Value>),
}

impl Value {
    /// Whether it counts as true.
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

    /// True is 1, as in Python.
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

    /// How it compares with `other`; `None` for values that have no order.
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

    /// `self sign other`; `None` for an undefined operation.
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
            // Python rounds down.
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

/// `format % values`: each `%d` and its like takes the next value as it is.
fn formatted(format: &str, values: &[Value]) -> Option<String> {
    let mut values = values.iter();
    let mut out = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        // Widths and precisions are for columns, which notes have none of.
        match chars.by_ref().find(char::is_ascii_alphabetic) {
            Some('x') => out.push_str(&format!("{:x}", values.next()?.whole()?)),
            Some(_) => out.push_str(&values.next()?.to_string()),
            None => out.push('%'),
        }
    }
    Some(out)
}
