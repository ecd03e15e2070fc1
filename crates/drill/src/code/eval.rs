//! Evaluation of the assertions of packetdrill scripts.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::{Comparison, Expr, Kind, Statement, Unsupported, Value};
use crate::meant::meant;
use crate::place::Place;

/// Variables that assertions have assigned, by name; visible to later assertions of the same script.
pub type Memory = BTreeMap<String, Value>;

/// Why the evaluation of assertions stopped.
#[derive(Clone, PartialEq, Debug)]
pub enum Failed {
    /// The condition of an assertion is false.
    Assertion {
        /// Position of the assertion in the script.
        place: Place,
        /// The assertion's source text.
        text: String,
        /// Names that occur in the condition, with their values.
        values: Vec<(String, Value)>,
        /// Value of the assertion's note; `None` without a note, or if the note is a single name.
        note: Option<String>,
    },
    /// The assertion uses an unsupported Python construct or an unknown name.
    Unsupported(Unsupported),
}

/// Runs the statements. Names that are not in `memory` are looked up with `known`; `names` lists the names that `known`
/// resolves, for suggestions in errors. Printed text goes to `print`, with the position of its statement.
pub fn run(
    statements: &[Statement],
    memory: &mut Memory,
    known: &dyn Fn(&str) -> Option<Value>,
    names: &[String],
    print: &mut dyn FnMut(Place, String),
) -> Result<(), Failed> {
    for statement in statements {
        let cx = Cx { place: statement.place, memory, known, names };
        match &statement.kind {
            Kind::Nothing => {}
            Kind::Set(name, value) => {
                let value = cx.value(value)?;
                memory.insert(name.clone(), value);
            }
            Kind::Print(all) => {
                let values: Result<Vec<Value>, Failed> = all.iter().map(|one| cx.value(one)).collect();
                let text = values?.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
                print(statement.place, text);
            }
            Kind::Assert(condition, note) => {
                if cx.value(condition)?.holds() {
                    continue;
                }
                let mut names = Vec::new();
                names_in(condition, &mut names);
                let values: Vec<(String, Value)> =
                    names.into_iter().filter_map(|name| cx.name(&name).ok().map(|value| (name, value))).collect();
                let note = match note {
                    None | Some(Expr::Name(_)) => None,
                    Some(note) => cx.value(note).ok().map(|note| note.to_string()),
                };
                return Err(Failed::Assertion { place: statement.place, text: statement.text.clone(), values, note });
            }
        }
    }
    Ok(())
}

struct Cx<'a> {
    place: Place,
    memory: &'a Memory,
    known: &'a dyn Fn(&str) -> Option<Value>,
    names: &'a [String],
}

impl Cx<'_> {
    fn unsupported(&self, what: String) -> Failed {
        Failed::Unsupported(Unsupported { place: self.place, what })
    }

    fn name(&self, name: &str) -> Result<Value, Failed> {
        let value = self.memory.get(name).cloned().or_else(|| (self.known)(name));
        value.ok_or_else(|| {
            let all = self.memory.keys().chain(self.names).map(String::as_str);
            self.unsupported(format!("the name `{name}` in an assertion{}", meant(name, all)))
        })
    }

    fn value(&self, expr: &Expr) -> Result<Value, Failed> {
        Ok(match expr {
            Expr::Value(value) => value.clone(),
            Expr::Name(name) => self.name(name)?,
            Expr::Not(inner) => Value::Bool(!self.value(inner)?.holds()),
            Expr::Negative(inner) => self.arithmetic('-', &Value::Int(0), &self.value(inner)?)?,
            Expr::And(left, right) => match self.value(left)? {
                left if left.holds() => self.value(right)?,
                left => left,
            },
            Expr::Or(left, right) => match self.value(left)? {
                left if left.holds() => left,
                _ => self.value(right)?,
            },
            Expr::Compare(first, rest) => {
                let mut left = self.value(first)?;
                for (how, right) in rest {
                    let right = self.value(right)?;
                    if !self.compares(*how, &left, &right)? {
                        return Ok(Value::Bool(false));
                    }
                    left = right;
                }
                Value::Bool(true)
            }
            Expr::Arithmetic(sign, left, right) => self.arithmetic(*sign, &self.value(left)?, &self.value(right)?)?,
            Expr::Tuple(all) => Value::Tuple(all.iter().map(|one| self.value(one)).collect::<Result<_, _>>()?),
        })
    }

    fn arithmetic(&self, sign: char, left: &Value, right: &Value) -> Result<Value, Failed> {
        let shown = if sign == '\\' { "//".to_owned() } else { sign.to_string() };
        left.arithmetic(sign, right).ok_or_else(|| self.unsupported(format!("{left} {shown} {right}")))
    }

    fn compares(&self, how: Comparison, left: &Value, right: &Value) -> Result<bool, Failed> {
        let order = left.compare(right);
        Ok(match (how, order) {
            (Comparison::Equal, order) => order == Some(Ordering::Equal),
            (Comparison::Unequal, order) => order != Some(Ordering::Equal),
            (_, None) => return Err(self.unsupported(format!("{left} compared with {right}"))),
            (Comparison::Less, Some(order)) => order.is_lt(),
            (Comparison::LessOrEqual, Some(order)) => order.is_le(),
            (Comparison::More, Some(order)) => order.is_gt(),
            (Comparison::MoreOrEqual, Some(order)) => order.is_ge(),
        })
    }
}

/// Adds the names in an expression to `names`, without duplicates.
fn names_in(expr: &Expr, names: &mut Vec<String>) {
    match expr {
        Expr::Value(_) => {}
        Expr::Name(name) if names.contains(name) => {}
        Expr::Name(name) => names.push(name.clone()),
        Expr::Not(inner) | Expr::Negative(inner) => names_in(inner, names),
        Expr::And(left, right) | Expr::Or(left, right) | Expr::Arithmetic(_, left, right) => {
            names_in(left, names);
            names_in(right, names);
        }
        Expr::Compare(first, rest) => {
            names_in(first, names);
            rest.iter().for_each(|(_, one)| names_in(one, names));
        }
        Expr::Tuple(all) => all.iter().for_each(|one| names_in(one, names)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn outcome(text: &str) -> Result<Memory, Failed> {
        let mut memory = Memory::new();
        let known = |name: &str| match name {
            "tcpi_snd_cwnd" => Some(Value::Int(10)),
            "tcpi_lost" => Some(Value::Int(7)),
            _ => None,
        };
        let program = parse(text, Place { line: 5, column: 10 }).map_err(Failed::Unsupported)?;
        run(&program, &mut memory, &known, &[], &mut |_, _| {})?;
        Ok(memory)
    }

    #[test]
    fn true_assertions_pass() {
        for text in [
            "assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd",
            "assert 5 < tcpi_lost <= 7 and not tcpi_lost == 8",
            "assert tcpi_lost == 8 or tcpi_snd_cwnd != 11, 'cwnd=%d' % tcpi_snd_cwnd",
            "\nassert tcpi_lost == 7, tcpi_lost # seven\nassert (tcpi_lost + 3) * 2 // 3 == 6\n",
            "print(tcpi_lost); cwnd = 9; cwnd += 1; assert tcpi_snd_cwnd == cwnd",
            "assert -7 // 2 == -4; assert -7 % 3 == 2; assert 7 / 2 == 3.5; assert 0x7f == 127",
            "assert (tcpi_lost == 7 and\n   tcpi_snd_cwnd == 10)",
            "assert 1 & 1 + 1 == 0; assert (1 & 1) + 1 == 2; assert 3 & 6 & 10 == 2",
        ] {
            outcome(text).unwrap_or_else(|failed| panic!("{text}: {failed:?}"));
        }
    }

    #[test]
    fn false_assertion_reports_place_values_and_note() {
        let failed =
            outcome("x = 1\nassert tcpi_snd_cwnd == 10\nassert tcpi_lost == 6, 'lost %d of %d' % (tcpi_lost, 9)");
        let Err(Failed::Assertion { place, text, values, note }) = failed else { panic!("{failed:?}") };
        assert_eq!(place, Place { line: 7, column: 1 });
        assert_eq!(text, "assert tcpi_lost == 6, 'lost %d of %d' % (tcpi_lost, 9)");
        assert_eq!(values, [("tcpi_lost".to_owned(), Value::Int(7))]);
        assert_eq!(note.as_deref(), Some("lost 7 of 9"));
    }

    #[test]
    fn unsupported_python_is_reported_with_its_place() {
        for (text, column) in [("import os", 16), ("assert len('a') == 1", 17), ("assert x == 1", 10), ("assert ?", 17)]
        {
            let failed = outcome(text);
            let Err(Failed::Unsupported(unsupported)) = failed else { panic!("{text}: {failed:?}") };
            assert_eq!(unsupported.place, Place { line: 5, column }, "{text}: {unsupported:?}");
        }
    }

    #[test]
    fn deeply_nested_expression_is_refused_without_stack_overflow() {
        for (open, close) in
            [("(", ")"), ("-", ""), ("not ", ""), ("1 + ", ""), ("1 * ", ""), ("1 and ", ""), ("1 or ", "")]
        {
            let nested = |depth: usize| outcome(&format!("assert {}1{}", open.repeat(depth), close.repeat(depth)));
            if open != "not " {
                nested(100).unwrap();
            }
            let Err(Failed::Unsupported(unsupported)) = nested(100_000) else { panic!("{open}") };
            assert_eq!(unsupported.what, "a statement of more than 100 operators and parentheses", "{open}");
        }
        // The limit applies to each statement separately.
        outcome(&"assert 1 + 1\n".repeat(1000)).unwrap();
    }

    #[test]
    fn malformed_assertions_do_not_panic() {
        for text in [
            "assert 1 % 0",
            "assert 9223372036854775807 + 1",
            "assert 'x",
            "assert (1",
            "x = = 3",
            "assert 1 / 0",
            "assert -9223372036854775807 // -1 * 9",
            "assert 'a' < 1",
            "'%d' % 'x'",
            "assert 1.5 % 2",
            "é",
            "assert 1é",
        ] {
            let _ = outcome(text);
        }
    }
}
