//! Expressions over the results of runs, such as `yours.flows.page.completion_time_s < 1`.
//!
//! ```text
//! comparison = sum [("<" | "<=" | ">" | ">=" | "=" | "!=") sum] ["and" comparison]
//! sum        = product {("+" | "-") product}
//! product    = factor {("*" | "/") factor}
//! factor     = number | "-" factor | "(" comparison ")" | function "(" sum {"," sum} ")" | path
//! path       = variant "." key {"." key}
//! ```
//!
//! Paths lead into the variant's summary, as `lasthop run --json` prints it; an entry of a list is addressed by its name.
//! `VARIANT.report.FLOW.KEY` leads into what `explain` found, `VARIANT.series.FLOW.NAME` is a series (`sent`, `resent`,
//! `acks`, `duplicates`, `cwnd`, `ssthresh`, `rtt`, `srtt`, `rto`, `queue`, `goodput`, `bad`), and
//! `VARIANT.marks.FLOW.KIND` the series of the marks of a kind. A series has rows of a time and a value.
//!
//! | function | value |
//! |---|---|
//! | `count(S)` | the number of rows |
//! | `max(S)`, `min(S)` | the greatest and the smallest value |
//! | `value(S, T)` | the value of the last row at or before T |
//! | `time(S, N)` | the time of the N-th row, from the end if N is negative |
//! | `gap(S)` | the longest time between a row and the next |
//! | `reaches(S, X)` | the time of the first row whose value is at least X |
//! | `within(S, A, B)` | the rows from A until before B, a series |

use super::Fault;
use super::lexer::{Token, tokens};
use super::runs::Runs;
use super::value::{Series, Value};

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Number(f64),
    Path(Vec<String>),
    Call(String, Vec<Node>),
    Negative(Box<Node>),
    Pair(&'static str, Box<[Node; 2]>),
}

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression(Node);

/// Parentheses and functions that may be open at a time: the parser is recursive.
const MAX_DEPTH: usize = 32;

impl Expression {
    /// Parses an expression.
    ///
    /// # Errors
    /// The text is not an expression.
    pub fn parse(text: &str) -> Result<Expression, Fault> {
        let mut parser = Parser { tokens: tokens(text)?, next: 0, depth: 0, text };
        let node = parser.comparison()?;
        match parser.peek() {
            None => Ok(Expression(node)),
            Some(_) => Err(parser.unexpected()),
        }
    }

    /// Evaluates the expression.
    ///
    /// # Errors
    /// The runs have no such value.
    pub fn evaluate(&self, runs: &Runs) -> Result<Value, Fault> {
        evaluate(&self.0, runs)
    }
}

/// The number that an expression is.
///
/// # Errors
/// It is none, or has no value on these runs.
pub fn number(text: &str, runs: &Runs) -> Result<f64, Fault> {
    match Expression::parse(text)?.evaluate(runs)? {
        Value::Number(number) => Ok(number),
        _ => Err(Fault::new(format!("`{text}` is not a number"))),
    }
}

/// The truth of a comparison.
///
/// # Errors
/// The expression is no comparison, or has no value on these runs.
pub fn truth(text: &str, runs: &Runs) -> Result<bool, Fault> {
    match Expression::parse(text)?.evaluate(runs)? {
        Value::Truth(truth) => Ok(truth),
        _ => Err(Fault::new(format!("`{text}` is not a comparison"))),
    }
}

struct Parser<'a> {
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
    text: &'a str,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next)
    }

    fn unexpected(&self) -> Fault {
        match self.peek() {
            Some(token) => Fault::new(format!("`{}`: unexpected {token:?}", self.text)),
            None => Fault::new(format!("`{}`: the end is missing", self.text)),
        }
    }

    /// Takes one of these signs, if it is next.
    fn take(&mut self, signs: &[&str]) -> Option<&'static str> {
        match self.peek() {
            Some(Token::Sign(sign)) if signs.contains(sign) => {
                let sign = *sign;
                self.next += 1;
                Some(sign)
            }
            _ => None,
        }
    }

    fn comparison(&mut self) -> Result<Node, Fault> {
        let mut parts = Vec::new();
        loop {
            let left = self.sum()?;
            parts.push(match self.take(&["<", "<=", ">", ">=", "=", "!="]) {
                Some(sign) => Node::Pair(sign, Box::new([left, self.sum()?])),
                None => left,
            });
            match self.peek() {
                Some(Token::Path(word)) if word.len() == 1 && word[0] == "and" => self.next += 1,
                _ => break,
            }
        }
        let joined = parts.into_iter().reduce(|left, right| Node::Pair("and", Box::new([left, right])));
        joined.ok_or_else(|| self.unexpected())
    }

    fn sum(&mut self) -> Result<Node, Fault> {
        let mut node = self.product()?;
        while let Some(sign) = self.take(&["+", "-"]) {
            node = Node::Pair(sign, Box::new([node, self.product()?]));
        }
        Ok(node)
    }

    fn product(&mut self) -> Result<Node, Fault> {
        let mut node = self.factor()?;
        while let Some(sign) = self.take(&["*", "/"]) {
            node = Node::Pair(sign, Box::new([node, self.factor()?]));
        }
        Ok(node)
    }

    fn factor(&mut self) -> Result<Node, Fault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Fault::new(format!("`{}`: more than {MAX_DEPTH} levels", self.text)));
        }
        let node = self.factor_within()?;
        self.depth -= 1;
        Ok(node)
    }

    fn factor_within(&mut self) -> Result<Node, Fault> {
        if self.take(&["-"]).is_some() {
            return Ok(Node::Negative(Box::new(self.factor()?)));
        }
        if self.take(&["("]).is_some() {
            let node = self.comparison()?;
            self.take(&[")"]).ok_or_else(|| self.unexpected())?;
            return Ok(node);
        }
        let token = self.peek().cloned().ok_or_else(|| self.unexpected())?;
        match token {
            Token::Number(number) => {
                self.next += 1;
                Ok(Node::Number(number))
            }
            Token::Path(keys) => {
                self.next += 1;
                match <[String; 1]>::try_from(keys) {
                    Ok([name]) => self.call(name),
                    Err(keys) => Ok(Node::Path(keys)),
                }
            }
            Token::Sign(_) => Err(self.unexpected()),
        }
    }

    fn call(&mut self, name: String) -> Result<Node, Fault> {
        self.take(&["("]).ok_or_else(|| Fault::new(format!("`{}`: `{name}` without a key or arguments", self.text)))?;
        let mut arguments = vec![self.sum()?];
        while self.take(&[","]).is_some() {
            arguments.push(self.sum()?);
        }
        self.take(&[")"]).ok_or_else(|| self.unexpected())?;
        Ok(Node::Call(name, arguments))
    }
}

fn evaluate(node: &Node, runs: &Runs) -> Result<Value, Fault> {
    match node {
        Node::Number(number) => Ok(Value::Number(*number)),
        Node::Path(keys) => runs.value(keys),
        Node::Negative(inner) => Ok(Value::Number(-number_of(inner, runs)?)),
        Node::Call(name, arguments) => call(name, arguments, runs),
        Node::Pair("and", both) => match (evaluate(&both[0], runs)?, evaluate(&both[1], runs)?) {
            (Value::Truth(left), Value::Truth(right)) => Ok(Value::Truth(left && right)),
            _ => Err(Fault::new("`and` joins two comparisons")),
        },
        Node::Pair(sign, both) => {
            let [left, right] = [number_of(&both[0], runs)?, number_of(&both[1], runs)?];
            Ok(match *sign {
                "+" => Value::Number(left + right),
                "-" => Value::Number(left - right),
                "*" => Value::Number(left * right),
                "/" if right == 0.0 => return Err(Fault::new("a division by 0")),
                "/" => Value::Number(left / right),
                "<" => Value::Truth(left < right),
                "<=" => Value::Truth(left <= right),
                ">" => Value::Truth(left > right),
                ">=" => Value::Truth(left >= right),
                // Counts and times are compared as they are written, not as results of long calculations.
                "=" => Value::Truth((left - right).abs() <= 1e-9),
                _ => Value::Truth((left - right).abs() > 1e-9),
            })
        }
    }
}

fn number_of(node: &Node, runs: &Runs) -> Result<f64, Fault> {
    match evaluate(node, runs)? {
        Value::Number(number) => Ok(number),
        other => Err(Fault::new(format!("expected a number, found {}", kind_of(&other)))),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Number(_) => "a number",
        Value::Truth(_) => "a comparison",
        Value::Series(_) => "a series",
    }
}

fn call(name: &str, arguments: &[Node], runs: &Runs) -> Result<Value, Fault> {
    let expected = match name {
        "count" | "max" | "min" | "gap" => 0,
        "value" | "time" | "reaches" => 1,
        "within" => 2,
        _ => return Err(Fault::new(format!("{name}: no such function"))),
    };
    let [first, others @ ..] = arguments else { return Err(Fault::new(format!("{name} needs a series"))) };
    if others.len() != expected {
        return Err(Fault::new(format!("{name} takes a series and {expected} numbers, found {}", others.len())));
    }
    let series = match evaluate(first, runs)? {
        Value::Series(series) => series,
        other => return Err(Fault::new(format!("{name} takes a series, found {}", kind_of(&other)))),
    };
    let numbers = others.iter().map(|node| number_of(node, runs)).collect::<Result<Vec<_>, _>>()?;
    applied(name, series, &numbers).ok_or_else(|| Fault::new(format!("{name}: the series has no such row")))
}

/// The value of a function; `None` for a series without such a row. The number of arguments is right.
fn applied(name: &str, series: Series, numbers: &[f64]) -> Option<Value> {
    let values = || series.iter().map(|row| row[1]);
    let number = match (name, numbers) {
        ("count", _) => series.len() as f64,
        ("max", _) => values().reduce(f64::max)?,
        ("min", _) => values().reduce(f64::min)?,
        ("gap", _) => series.windows(2).map(|pair| pair[1][0] - pair[0][0]).reduce(f64::max)?,
        ("value", [at]) => series.iter().rfind(|row| row[0] <= *at)?[1],
        ("reaches", [least]) => series.iter().find(|row| row[1] >= *least)?[0],
        ("time", [place]) if *place >= 1.0 => series.get(*place as usize - 1)?[0],
        ("time", [place]) if *place <= -1.0 => series[series.len().checked_sub(-*place as usize)?][0],
        ("within", [from, to]) => {
            let rows = series.into_iter().filter(|row| *from <= row[0] && row[0] < *to);
            return Some(Value::Series(rows.collect()));
        }
        _ => return None,
    };
    Some(Value::Number(number))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Columns;

    /// Two runs, one with a flow of three segments and a timeout.
    fn runs() -> Runs {
        let mut columns = Columns::default();
        let sent = columns.add([[0.0, 0.0, 100.0, 0.0], [0.5, 100.0, 100.0, 0.0], [2.5, 100.0, 100.0, 1.0]]);
        let timeouts = columns.add([[2.5, 100.0]]);
        let flow = json!({
            "name": "up-load",
            "sent": sent,
            "marks": [{ "kind": "timeout", "points": timeouts }],
            "report": { "budget_ms": { "link-rate": 80.0 } },
        });
        let summary = json!({ "flows": [{ "name": "up-load", "timeouts": 1, "failure": null }] });
        let mut runs = Runs::default();
        runs.add("first", columns.finish(json!({ "summary": summary, "flows": [flow] })));
        let summary = json!({ "flows": [{ "name": "up-load", "timeouts": 4 }] });
        runs.add("no-2", Columns::default().finish(json!({ "summary": summary, "flows": [] })));
        runs
    }

    #[test]
    fn arithmetic_follows_precedence() {
        for (text, expected) in [("2 + 3 * 4", 14.0), ("(2 + 3) * 4", 20.0), ("10 - 4 - 3", 3.0), ("-2 * 3", -6.0)] {
            assert_eq!(number(text, &runs()), Ok(expected), "{text}");
        }
        assert_eq!(truth("1 < 2 and 3 >= 3", &runs()), Ok(true));
        assert_eq!(truth("1 < 2 and 3 != 3", &runs()), Ok(false));
    }

    #[test]
    fn paths_lead_into_summary_report_series_and_marks() {
        let runs = runs();
        assert_eq!(number("no-2.flows.up-load.timeouts - first.flows.up-load.timeouts", &runs), Ok(3.0));
        assert_eq!(number("first.report.up-load.budget_ms.link-rate", &runs), Ok(80.0));
        assert_eq!(number("time(first.marks.up-load.timeout, 1)", &runs), Ok(2.5));
        assert_eq!(number("count(first.marks.up-load.fast-retransmit)", &runs), Ok(0.0));
    }

    #[test]
    fn functions_reduce_series_to_numbers() {
        let cases = [
            ("count(first.series.up-load.sent)", 3.0),
            ("count(first.series.up-load.resent)", 1.0),
            ("count(within(first.series.up-load.sent, 0, 0.5))", 1.0),
            ("max(first.series.up-load.sent)", 100.0),
            ("min(first.series.up-load.sent)", 0.0),
            ("gap(first.series.up-load.sent)", 2.0),
            ("value(first.series.up-load.sent, 0.4)", 0.0),
            ("value(first.series.up-load.sent, 0.5)", 100.0),
            ("time(first.series.up-load.sent, 2)", 0.5),
            ("time(first.series.up-load.sent, -1)", 2.5),
            ("reaches(first.series.up-load.sent, 50)", 0.5),
        ];
        for (text, expected) in cases {
            assert_eq!(number(text, &runs()), Ok(expected), "{text}");
        }
    }

    #[test]
    fn wrong_expressions_are_faults_that_name_the_place() {
        let cases = [
            ("", "the end"),
            ("1 +", "the end"),
            ("1 2", "unexpected"),
            ("(1", "the end"),
            ("1 % 2", "'%'"),
            ("1.2.3", "not a number"),
            ("first", "without a key"),
            ("first.flows..x", "empty key"),
            ("third.flows", "third"),
            ("first.flows.download.timeouts", "download"),
            ("first.flows.up-load.failure", "no value"),
            ("first.flows.up-load", "up-load"),
            ("first.series.up-load.sends", "sends"),
            ("first.series.other.sent", "other"),
            ("first.marks.up-load.time-out", "time-out"),
            ("count(1)", "takes a series"),
            ("count(first.series.up-load.sent, 1)", "found 1"),
            ("median(first.series.up-load.sent)", "median"),
            ("time(first.series.up-load.sent, 4)", "no such row"),
            ("time(first.series.up-load.sent, -4)", "no such row"),
            ("time(first.series.up-load.sent, 0)", "no such row"),
            ("max(first.marks.up-load.lost)", "no such row"),
            ("1 / 0", "division"),
            ("1 < 2", "not a number"),
            ("first.series.up-load.sent + 1", "a series"),
        ];
        for (text, part) in cases {
            let fault = number(text, &runs()).expect_err(text).to_string();
            assert!(fault.contains(part), "{text}: {fault}");
        }
        assert!(truth("1 + 1", &runs()).is_err());
        assert!(truth("1 and 2", &runs()).is_err());
        assert!(number(&"(".repeat(10_000), &runs()).unwrap_err().to_string().contains("levels"));
        assert!(number(&"-".repeat(10_000), &runs()).is_err());
    }
}
