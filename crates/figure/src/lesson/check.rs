//! Checks: whether a reader has done a step.

use serde::{Deserialize, Serialize};

use super::expression::{evaluate_comparison, evaluate_number};
use super::{LessonFault, VariantRuns, text};

/// What makes a step done.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "LessonCheck"))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LessonCheck {
    /// A comparison of results holds.
    Metric {
        /// The comparison.
        that: String,
        /// The hint until it holds.
        not_yet: String,
    },
    /// The reader selects a mark in the graph.
    Mark {
        /// The kind of the mark.
        mark: String,
        /// The variant whose graph contains the mark; any variant if not given.
        #[cfg_attr(test, ts(optional))]
        variant: Option<String>,
        /// The hint after another mark.
        missed: String,
    },
    /// The reader types a number.
    Answer {
        /// The question.
        ask: String,
        /// The right number, an expression.
        value: String,
        /// The unit in which the number is typed.
        #[cfg_attr(test, ts(optional))]
        unit: Option<String>,
        /// The greatest error that is right, in this unit.
        tolerance: f64,
        /// The hint after another number.
        hint: String,
    },
    /// The reader chooses an answer.
    Choice {
        /// The question.
        ask: String,
        /// The answers.
        choices: Vec<LessonChoice>,
        /// The hint after a wrong choice.
        hint: String,
    },
}

/// An answer to choose.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "LessonChoice"))]
#[serde(deny_unknown_fields)]
pub struct LessonChoice {
    /// The answer.
    pub text: String,
    /// The comparison that holds if the answer is right.
    pub right_if: String,
}

/// The answer of the reader.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "given", rename_all = "kebab-case")]
pub enum ReaderAnswer {
    /// Nothing: the results alone decide.
    Nothing,
    /// A selected mark.
    Mark {
        /// The kind.
        kind: String,
        /// The variant's name.
        variant: String,
    },
    /// A typed number.
    Number {
        /// The number, in the unit of the check.
        number: f64,
    },
    /// A chosen answer.
    Choice {
        /// Index of the answer in the list.
        choice: usize,
    },
}

impl LessonCheck {
    /// True if the step is done.
    ///
    /// # Errors
    /// An expression of the check has no value on these runs.
    pub fn judge(&self, runs: &VariantRuns, given: &ReaderAnswer) -> Result<bool, LessonFault> {
        match (self, given) {
            (LessonCheck::Metric { that, .. }, _) => evaluate_comparison(that, runs),
            (LessonCheck::Mark { mark, variant, .. }, ReaderAnswer::Mark { kind, variant: found }) => {
                Ok(mark == kind && variant.as_ref().is_none_or(|variant| variant == found))
            }
            (LessonCheck::Answer { value, unit, tolerance, .. }, ReaderAnswer::Number { number: given }) => {
                is_right_answer(value, runs, unit.as_deref(), *tolerance, *given)
            }
            (LessonCheck::Choice { choices, .. }, ReaderAnswer::Choice { choice }) => {
                choices.get(*choice).map_or(Ok(false), |choice| evaluate_comparison(&choice.right_if, runs))
            }
            _ => Ok(false),
        }
    }
}

/// Whether a number in a unit answers a question within a tolerance.
///
/// # Errors
/// The expression has no value on these runs.
pub fn is_right_answer(
    value: &str,
    runs: &VariantRuns,
    unit: Option<&str>,
    tolerance: f64,
    given: f64,
) -> Result<bool, LessonFault> {
    let right = text::convert_to_unit(evaluate_number(value, runs)?, unit)?;
    // A number that is off by just the tolerance is right, whatever its binary fraction.
    Ok((right - given).abs() <= tolerance * (1.0 + 1e-9))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> LessonCheck {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn answer_is_right_within_its_tolerance_in_its_unit() {
        let check = check("kind = 'answer'\nask = ''\nvalue = '0.21'\nunit = 'ms'\ntolerance = 5\nhint = ''");
        let judge = |number| check.judge(&VariantRuns::default(), &ReaderAnswer::Number { number });
        assert_eq!([205.0, 210.0, 215.0].map(judge), [Ok(true), Ok(true), Ok(true)]);
        assert_eq!([204.9, 215.1, 0.21, f64::NAN].map(judge), [Ok(false), Ok(false), Ok(false), Ok(false)]);
        assert_eq!(check.judge(&VariantRuns::default(), &ReaderAnswer::Nothing), Ok(false));
    }

    #[test]
    fn mark_is_right_by_kind_and_variant() {
        let check = check("kind = 'mark'\nmark = 'timeout'\nvariant = 'a'\nmissed = ''");
        let judge = |kind: &str, variant: &str| {
            check.judge(
                &VariantRuns::default(),
                &ReaderAnswer::Mark { kind: kind.to_owned(), variant: variant.to_owned() },
            )
        };
        assert_eq!(judge("timeout", "a"), Ok(true));
        assert_eq!(judge("timeout", "b"), Ok(false));
        assert_eq!(judge("lost", "a"), Ok(false));
    }

    #[test]
    fn choice_is_right_if_its_comparison_holds() {
        let check = check(
            "kind = 'choice'\nask = ''\nhint = ''\nchoices = [{ text = '', right_if = '1 > 2' }, { text = '', right_if = '1 < 2' }]",
        );
        let judge = |choice| check.judge(&VariantRuns::default(), &ReaderAnswer::Choice { choice });
        assert_eq!([0, 1, 2].map(judge), [Ok(false), Ok(true), Ok(false)]);
    }
}
