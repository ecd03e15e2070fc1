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

use super::LessonFault;
use super::lexer::{ExpressionToken, split_tokens};
use super::runs::VariantRuns;
use super::value::{ExpressionValue, Series};

#[derive(Clone, Debug, PartialEq)]
enum ExpressionNode {
    Number(f64),
    Path(Vec<String>),
    Call(String, Vec<ExpressionNode>),
    Negative(Box<ExpressionNode>),
    Pair(&'static str, Box<[ExpressionNode; 2]>),
}

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression(ExpressionNode);

/// Parentheses and functions that may be open at a time: the parser is recursive.
const MAX_DEPTH: usize = 32;

impl Expression {
    /// Parses an expression.
    ///
    /// # Errors
    /// The text is not an expression.
    pub fn parse(text: &str) -> Result<Expression, LessonFault> {
        let mut parser = ExpressionParser { tokens: split_tokens(text)?, next: 0, depth: 0, text };
        let node = parser.parse_comparison()?;
        match parser.peek() {
            None => Ok(Expression(node)),
            Some(_) => Err(parser.describe_unexpected_token()),
        }
    }

    /// Evaluates the expression.
    ///
    /// # Errors
    /// The runs have no such value.
    pub fn evaluate(&self, runs: &VariantRuns) -> Result<ExpressionValue, LessonFault> {
        evaluate_node(&self.0, runs)
    }
}

/// Evaluates an expression whose value is a number.
///
/// # Errors
/// The value is not a number, or does not exist on these runs.
pub fn evaluate_number(text: &str, runs: &VariantRuns) -> Result<f64, LessonFault> {
    match Expression::parse(text)?.evaluate(runs)? {
        ExpressionValue::Number(number) => Ok(number),
        _ => Err(LessonFault::new(format!("`{text}` is not a number"))),
    }
}

/// Evaluates a comparison.
///
/// # Errors
/// The expression is no comparison, or has no value on these runs.
pub fn evaluate_comparison(text: &str, runs: &VariantRuns) -> Result<bool, LessonFault> {
    match Expression::parse(text)?.evaluate(runs)? {
        ExpressionValue::Truth(truth) => Ok(truth),
        _ => Err(LessonFault::new(format!("`{text}` is not a comparison"))),
    }
}

struct ExpressionParser<'a> {
    tokens: Vec<ExpressionToken>,
    next: usize,
    depth: usize,
    text: &'a str,
}

impl ExpressionParser<'_> {
    fn peek(&self) -> Option<&ExpressionToken> {
        self.tokens.get(self.next)
    }

    fn describe_unexpected_token(&self) -> LessonFault {
        match self.peek() {
            Some(token) => LessonFault::new(format!("`{}`: unexpected {token:?}", self.text)),
            None => LessonFault::new(format!("`{}`: the end is missing", self.text)),
        }
    }

    /// Takes the next token if it is one of these signs.
    fn take_sign(&mut self, signs: &[&str]) -> Option<&'static str> {
        match self.peek() {
            Some(ExpressionToken::Sign(sign)) if signs.contains(sign) => {
                let sign = *sign;
                self.next += 1;
                Some(sign)
            }
            _ => None,
        }
    }

    fn parse_comparison(&mut self) -> Result<ExpressionNode, LessonFault> {
        let mut parts = Vec::new();
        loop {
            let left = self.parse_sum()?;
            parts.push(match self.take_sign(&["<", "<=", ">", ">=", "=", "!="]) {
                Some(sign) => ExpressionNode::Pair(sign, Box::new([left, self.parse_sum()?])),
                None => left,
            });
            match self.peek() {
                Some(ExpressionToken::Path(word)) if word.len() == 1 && word[0] == "and" => self.next += 1,
                _ => break,
            }
        }
        let joined = parts.into_iter().reduce(|left, right| ExpressionNode::Pair("and", Box::new([left, right])));
        joined.ok_or_else(|| self.describe_unexpected_token())
    }

    fn parse_sum(&mut self) -> Result<ExpressionNode, LessonFault> {
        let mut node = self.parse_product()?;
        while let Some(sign) = self.take_sign(&["+", "-"]) {
            node = ExpressionNode::Pair(sign, Box::new([node, self.parse_product()?]));
        }
        Ok(node)
    }

    fn parse_product(&mut self) -> Result<ExpressionNode, LessonFault> {
        let mut node = self.parse_factor()?;
        while let Some(sign) = self.take_sign(&["*", "/"]) {
            node = ExpressionNode::Pair(sign, Box::new([node, self.parse_factor()?]));
        }
        Ok(node)
    }

    fn parse_factor(&mut self) -> Result<ExpressionNode, LessonFault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(LessonFault::new(format!("`{}`: more than {MAX_DEPTH} levels", self.text)));
        }
        let node = self.parse_factor_at_depth()?;
        self.depth -= 1;
        Ok(node)
    }

    fn parse_factor_at_depth(&mut self) -> Result<ExpressionNode, LessonFault> {
        if self.take_sign(&["-"]).is_some() {
            return Ok(ExpressionNode::Negative(Box::new(self.parse_factor()?)));
        }
        if self.take_sign(&["("]).is_some() {
            let node = self.parse_comparison()?;
            self.take_sign(&[")"]).ok_or_else(|| self.describe_unexpected_token())?;
            return Ok(node);
        }
        let token = self.peek().cloned().ok_or_else(|| self.describe_unexpected_token())?;
        match token {
            ExpressionToken::Number(number) => {
                self.next += 1;
                Ok(ExpressionNode::Number(number))
            }
            ExpressionToken::Path(keys) => {
                self.next += 1;
                match <[String; 1]>::try_from(keys) {
                    Ok([name]) => self.parse_call(name),
                    Err(keys) => Ok(ExpressionNode::Path(keys)),
                }
            }
            ExpressionToken::Sign(_) => Err(self.describe_unexpected_token()),
        }
    }

    fn parse_call(&mut self, name: String) -> Result<ExpressionNode, LessonFault> {
        self.take_sign(&["("])
            .ok_or_else(|| LessonFault::new(format!("`{}`: `{name}` without a key or arguments", self.text)))?;
        let mut arguments = vec![self.parse_sum()?];
        while self.take_sign(&[","]).is_some() {
            arguments.push(self.parse_sum()?);
        }
        self.take_sign(&[")"]).ok_or_else(|| self.describe_unexpected_token())?;
        Ok(ExpressionNode::Call(name, arguments))
    }
}

fn evaluate_node(node: &ExpressionNode, runs: &VariantRuns) -> Result<ExpressionValue, LessonFault> {
    match node {
        ExpressionNode::Number(number) => Ok(ExpressionValue::Number(*number)),
        ExpressionNode::Path(keys) => runs.evaluate_path(keys),
        ExpressionNode::Negative(inner) => Ok(ExpressionValue::Number(-evaluate_number_node(inner, runs)?)),
        ExpressionNode::Call(name, arguments) => evaluate_call(name, arguments, runs),
        ExpressionNode::Pair("and", both) => match (evaluate_node(&both[0], runs)?, evaluate_node(&both[1], runs)?) {
            (ExpressionValue::Truth(left), ExpressionValue::Truth(right)) => Ok(ExpressionValue::Truth(left && right)),
            _ => Err(LessonFault::new("`and` joins two comparisons")),
        },
        ExpressionNode::Pair(sign, both) => {
            let [left, right] = [evaluate_number_node(&both[0], runs)?, evaluate_number_node(&both[1], runs)?];
            Ok(match *sign {
                "+" => ExpressionValue::Number(left + right),
                "-" => ExpressionValue::Number(left - right),
                "*" => ExpressionValue::Number(left * right),
                "/" if right == 0.0 => return Err(LessonFault::new("a division by 0")),
                "/" => ExpressionValue::Number(left / right),
                "<" => ExpressionValue::Truth(left < right),
                "<=" => ExpressionValue::Truth(left <= right),
                ">" => ExpressionValue::Truth(left > right),
                ">=" => ExpressionValue::Truth(left >= right),
                // Counts and times are compared as they are written, not as results of long calculations.
                "=" => ExpressionValue::Truth((left - right).abs() <= 1e-9),
                _ => ExpressionValue::Truth((left - right).abs() > 1e-9),
            })
        }
    }
}

fn evaluate_number_node(node: &ExpressionNode, runs: &VariantRuns) -> Result<f64, LessonFault> {
    match evaluate_node(node, runs)? {
        ExpressionValue::Number(number) => Ok(number),
        other => Err(LessonFault::new(format!("expected a number, found {}", name_value_kind(&other)))),
    }
}

fn name_value_kind(value: &ExpressionValue) -> &'static str {
    match value {
        ExpressionValue::Number(_) => "a number",
        ExpressionValue::Truth(_) => "a comparison",
        ExpressionValue::Series(_) => "a series",
    }
}

fn evaluate_call(name: &str, arguments: &[ExpressionNode], runs: &VariantRuns) -> Result<ExpressionValue, LessonFault> {
    let expected = match name {
        "count" | "max" | "min" | "gap" => 0,
        "value" | "time" | "reaches" => 1,
        "within" => 2,
        _ => return Err(LessonFault::new(format!("{name}: no such function"))),
    };
    let [first, others @ ..] = arguments else { return Err(LessonFault::new(format!("{name} needs a series"))) };
    if others.len() != expected {
        return Err(LessonFault::new(format!("{name} takes a series and {expected} numbers, found {}", others.len())));
    }
    let series = match evaluate_node(first, runs)? {
        ExpressionValue::Series(series) => series,
        other => return Err(LessonFault::new(format!("{name} takes a series, found {}", name_value_kind(&other)))),
    };
    let numbers = others.iter().map(|node| evaluate_number_node(node, runs)).collect::<Result<Vec<_>, _>>()?;
    apply_function(name, series, &numbers)
        .ok_or_else(|| LessonFault::new(format!("{name}: the series has no such row")))
}

/// Returns the value of a function; `None` for a series without such a row. The caller has checked the number of
/// arguments.
fn apply_function(name: &str, series: Series, numbers: &[f64]) -> Option<ExpressionValue> {
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
            return Some(ExpressionValue::Series(rows.collect()));
        }
        _ => return None,
    };
    Some(ExpressionValue::Number(number))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Columns;

    /// Returns two runs. One of them has a flow of three segments and a timeout.
    fn runs() -> VariantRuns {
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
        let mut runs = VariantRuns::default();
        runs.add("first", columns.finish(json!({ "summary": summary, "flows": [flow] })));
        let summary = json!({ "flows": [{ "name": "up-load", "timeouts": 4 }] });
        runs.add("no-2", Columns::default().finish(json!({ "summary": summary, "flows": [] })));
        runs
    }

    #[test]
    fn arithmetic_follows_precedence() {
        for (text, expected) in [("2 + 3 * 4", 14.0), ("(2 + 3) * 4", 20.0), ("10 - 4 - 3", 3.0), ("-2 * 3", -6.0)] {
            assert_eq!(evaluate_number(text, &runs()), Ok(expected), "{text}");
        }
        assert_eq!(evaluate_comparison("1 < 2 and 3 >= 3", &runs()), Ok(true));
        assert_eq!(evaluate_comparison("1 < 2 and 3 != 3", &runs()), Ok(false));
    }

    #[test]
    fn paths_lead_into_summary_report_series_and_marks() {
        let runs = runs();
        assert_eq!(evaluate_number("no-2.flows.up-load.timeouts - first.flows.up-load.timeouts", &runs), Ok(3.0));
        assert_eq!(evaluate_number("first.report.up-load.budget_ms.link-rate", &runs), Ok(80.0));
        assert_eq!(evaluate_number("time(first.marks.up-load.timeout, 1)", &runs), Ok(2.5));
        assert_eq!(evaluate_number("count(first.marks.up-load.fast-retransmit)", &runs), Ok(0.0));
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
            assert_eq!(evaluate_number(text, &runs()), Ok(expected), "{text}");
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
            let fault = evaluate_number(text, &runs()).expect_err(text).to_string();
            assert!(fault.contains(part), "{text}: {fault}");
        }
        assert!(evaluate_comparison("1 + 1", &runs()).is_err());
        assert!(evaluate_comparison("1 and 2", &runs()).is_err());
        assert!(evaluate_number(&"(".repeat(10_000), &runs()).unwrap_err().to_string().contains("levels"));
        assert!(evaluate_number(&"-".repeat(10_000), &runs()).is_err());
    }
}
