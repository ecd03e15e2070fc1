//! Evaluation of the assertions of packetdrill scripts.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::{ComparisonOperator, Expr, PyValue, Statement, StatementKind, Unsupported};
use crate::meant::suggest_name;
use crate::place::ScriptPlace;

/// Variables that assertions have assigned, by name. Later assertions of the same script can use them.
pub type Memory = BTreeMap<String, PyValue>;

/// The reason why the evaluation of assertions stopped.
#[derive(Clone, PartialEq, Debug)]
pub enum EvaluationError {
    /// The condition of an assertion is false.
    Assertion {
        /// Position of the assertion in the script.
        place: ScriptPlace,
        /// The assertion's source text.
        text: String,
        /// Names that occur in the condition, with their values.
        values: Vec<(String, PyValue)>,
        /// Value of the assertion's note; `None` if there is no note, or if the note is a single name.
        note: Option<String>,
    },
    /// The assertion uses an unsupported Python construct or an unknown name.
    Unsupported(Unsupported),
}

/// Runs the statements. Names that are not in `memory` are looked up with `known`; `names` lists the names that `known`
/// resolves, for suggestions in errors. Printed text goes to `print`, with the position of its statement.
pub fn run_assertions(
    statements: &[Statement],
    memory: &mut Memory,
    known: &dyn Fn(&str) -> Option<PyValue>,
    names: &[String],
    print: &mut dyn FnMut(ScriptPlace, String),
) -> Result<(), EvaluationError> {
    for statement in statements {
        let cx = Cx { place: statement.place, memory, known, names };
        match &statement.kind {
            StatementKind::Nothing => {}
            StatementKind::Set(name, value) => {
                let value = cx.value(value)?;
                memory.insert(name.clone(), value);
            }
            StatementKind::Print(all) => {
                let values: Result<Vec<PyValue>, EvaluationError> = all.iter().map(|one| cx.value(one)).collect();
                let text = values?.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
                print(statement.place, text);
            }
            StatementKind::Assert(condition, note) => {
                if cx.value(condition)?.holds() {
                    continue;
                }
                let mut names = Vec::new();
                names_in(condition, &mut names);
                let values: Vec<(String, PyValue)> =
                    names.into_iter().filter_map(|name| cx.name(&name).ok().map(|value| (name, value))).collect();
                let note = match note {
                    None | Some(Expr::Name(_)) => None,
                    Some(note) => cx.value(note).ok().map(|note| note.to_string()),
                };
                return Err(EvaluationError::Assertion {
                    place: statement.place,
                    text: statement.text.clone(),
                    values,
                    note,
                });
            }
        }
    }
    Ok(())
}

struct Cx<'a> {
    place: ScriptPlace,
    memory: &'a Memory,
    known: &'a dyn Fn(&str) -> Option<PyValue>,
    names: &'a [String],
}

impl Cx<'_> {
    fn unsupported_error(&self, what: String) -> EvaluationError {
        EvaluationError::Unsupported(Unsupported { place: self.place, what })
    }

    fn name(&self, name: &str) -> Result<PyValue, EvaluationError> {
        let value = self.memory.get(name).cloned().or_else(|| (self.known)(name));
        value.ok_or_else(|| {
            let all = self.memory.keys().chain(self.names).map(String::as_str);
            self.unsupported_error(format!("the name `{name}` in an assertion{}", suggest_name(name, all)))
        })
    }

    fn value(&self, expr: &Expr) -> Result<PyValue, EvaluationError> {
        Ok(match expr {
            Expr::Value(value) => value.clone(),
            Expr::Name(name) => self.name(name)?,
            Expr::Not(inner) => PyValue::Bool(!self.value(inner)?.holds()),
            Expr::Negative(inner) => self.arithmetic('-', &PyValue::Int(0), &self.value(inner)?)?,
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
                        return Ok(PyValue::Bool(false));
                    }
                    left = right;
                }
                PyValue::Bool(true)
            }
            Expr::Arithmetic(sign, left, right) => self.arithmetic(*sign, &self.value(left)?, &self.value(right)?)?,
            Expr::Tuple(all) => PyValue::Tuple(all.iter().map(|one| self.value(one)).collect::<Result<_, _>>()?),
        })
    }

    fn arithmetic(&self, sign: char, left: &PyValue, right: &PyValue) -> Result<PyValue, EvaluationError> {
        let shown = if sign == '\\' { "//".to_owned() } else { sign.to_string() };
        left.arithmetic(sign, right).ok_or_else(|| self.unsupported_error(format!("{left} {shown} {right}")))
    }

    fn compares(&self, how: ComparisonOperator, left: &PyValue, right: &PyValue) -> Result<bool, EvaluationError> {
        let order = left.compare(right);
        Ok(match (how, order) {
            (ComparisonOperator::Equal, order) => order == Some(Ordering::Equal),
            (ComparisonOperator::Unequal, order) => order != Some(Ordering::Equal),
            (_, None) => return Err(self.unsupported_error(format!("{left} compared with {right}"))),
            (ComparisonOperator::Less, Some(order)) => order.is_lt(),
            (ComparisonOperator::LessOrEqual, Some(order)) => order.is_le(),
            (ComparisonOperator::More, Some(order)) => order.is_gt(),
            (ComparisonOperator::MoreOrEqual, Some(order)) => order.is_ge(),
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
    use super::super::parse_assertions;
    use super::*;

    fn outcome(text: &str) -> Result<Memory, EvaluationError> {
        let mut memory = Memory::new();
        let known = |name: &str| match name {
            "tcpi_snd_cwnd" => Some(PyValue::Int(10)),
            "tcpi_lost" => Some(PyValue::Int(7)),
            _ => None,
        };
        let program =
            parse_assertions(text, ScriptPlace { line: 5, column: 10 }).map_err(EvaluationError::Unsupported)?;
        run_assertions(&program, &mut memory, &known, &[], &mut |_, _| {})?;
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
        let Err(EvaluationError::Assertion { place, text, values, note }) = failed else { panic!("{failed:?}") };
        assert_eq!(place, ScriptPlace { line: 7, column: 1 });
        assert_eq!(text, "assert tcpi_lost == 6, 'lost %d of %d' % (tcpi_lost, 9)");
        assert_eq!(values, [("tcpi_lost".to_owned(), PyValue::Int(7))]);
        assert_eq!(note.as_deref(), Some("lost 7 of 9"));
    }

    #[test]
    fn unsupported_python_is_reported_with_its_place() {
        for (text, column) in [("import os", 16), ("assert len('a') == 1", 17), ("assert x == 1", 10), ("assert ?", 17)]
        {
            let failed = outcome(text);
            let Err(EvaluationError::Unsupported(unsupported)) = failed else { panic!("{text}: {failed:?}") };
            assert_eq!(unsupported.place, ScriptPlace { line: 5, column }, "{text}: {unsupported:?}");
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
            let Err(EvaluationError::Unsupported(unsupported)) = nested(100_000) else { panic!("{open}") };
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
