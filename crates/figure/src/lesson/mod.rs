//! Lessons: guided pages with figures. A lesson is a text in Markdown with a head in TOML between lines of `+++`: the
//! example with its variants, and steps that each end with a check.
//!
//! - [`Lesson::parse`] reads a lesson, [`lesson_to_json`] passes it on to a page;
//! - [`VariantRuns`] are the runs of its variants, on which [expressions](expression) are evaluated;
//! - [`fill_results`](text::fill_results) puts results into a text; [`LessonCheck::judge`] decides whether a step is done.

pub mod check;
pub mod expression;
mod lexer;
pub mod runs;
pub mod text;
pub mod value;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use check::{LessonCheck, ReaderAnswer};
pub use runs::VariantRuns;

/// A lesson.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// The title in lists.
    pub title: String,
    /// The file of the scenario in `examples/`.
    pub example: String,
    /// The question that the lesson answers.
    pub question: String,
    /// The part of the time axis that is shown first, in seconds.
    #[cfg_attr(test, ts(optional))]
    pub range: Option<[f64; 2]>,
    /// The name of the flow that is shown first; the first flow if there is none.
    #[cfg_attr(test, ts(optional))]
    pub flow: Option<String>,
    /// The runs that are shown side by side.
    pub variants: Vec<LessonVariant>,
    /// The tasks of the reader, in this order.
    pub steps: Vec<LessonStep>,
    /// The introduction: the Markdown after the head.
    #[serde(default)]
    pub introduction: String,
}

/// A run of a lesson.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "LessonVariant"))]
#[serde(deny_unknown_fields)]
pub struct LessonVariant {
    /// The name, which expressions use.
    pub name: String,
    /// Changes `KEY=VALUE` of the example.
    #[cfg_attr(test, ts(optional, as = "Option<_>"))]
    #[serde(default)]
    pub changes: Vec<String>,
    /// The scheme of every node.
    #[cfg_attr(test, ts(optional))]
    pub scheme: Option<String>,
}

/// A step. Its texts are Markdown with results in `{{...}}`. In `try` and `see` these are results of the runs before
/// the step, in `why` of the runs after it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "LessonStep"))]
#[serde(deny_unknown_fields)]
pub struct LessonStep {
    /// What to do.
    pub r#try: String,
    /// The changes that a reader would make.
    #[cfg_attr(test, ts(optional, as = "Option<_>"))]
    #[serde(default)]
    pub r#do: Vec<LessonChange>,
    /// What to look at.
    pub see: String,
    /// Event and cause, shown when the step is done.
    pub why: String,
    /// The part of the time axis to show, in seconds; unchanged if there is none.
    #[cfg_attr(test, ts(optional))]
    pub range: Option<[f64; 2]>,
    /// The name of the flow to show; unchanged if there is none.
    #[cfg_attr(test, ts(optional))]
    pub flow: Option<String>,
    /// Decides whether the step is done.
    pub check: LessonCheck,
}

/// Changes of one variant.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "LessonChange"))]
#[serde(deny_unknown_fields)]
pub struct LessonChange {
    /// The variant's name.
    pub variant: String,
    /// Changes `KEY=VALUE`; each replaces an earlier one of its key.
    pub set: Vec<String>,
}

/// A wrong lesson, or an expression without a value on these runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonFault(String);

impl LessonFault {
    fn new(text: impl Into<String>) -> LessonFault {
        LessonFault(text.into())
    }
}

impl fmt::Display for LessonFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LessonFault {}

impl Lesson {
    /// Reads a lesson.
    ///
    /// # Errors
    /// The text has no head, or its head is not TOML with the keys of a lesson.
    pub fn parse(text: &str) -> Result<Lesson, LessonFault> {
        let (head, introduction) = split_lesson(text)?;
        let mut lesson: Lesson = toml::from_str(&head).map_err(|error| LessonFault::new(error.to_string()))?;
        lesson.introduction = introduction;
        Ok(lesson)
    }
}

/// A lesson as JSON for a page: the keys as they are written, and `introduction`. It does not check that they are the keys
/// of a [`Lesson`]: a test does, and the code for it would enlarge a page's module by three percent.
///
/// # Errors
/// The text has no head, or its head is not TOML.
pub fn lesson_to_json(text: &str) -> Result<Value, LessonFault> {
    let (head, introduction) = split_lesson(text)?;
    let table: toml::Table = head.parse().map_err(|error: toml::de::Error| LessonFault::new(error.to_string()))?;
    let mut lesson = convert_toml_to_json(toml::Value::Table(table));
    lesson["introduction"] = introduction.into();
    Ok(lesson)
}

/// The head and the introduction.
fn split_lesson(text: &str) -> Result<(String, String), LessonFault> {
    let text = text.replace("\r\n", "\n");
    let parts = text.strip_prefix("+++\n").and_then(|rest| rest.split_once("\n+++\n"));
    let (head, body) = parts.ok_or_else(|| LessonFault::new("expected a head in TOML between two lines `+++`"))?;
    Ok((head.to_owned(), body.trim().to_owned()))
}

fn convert_toml_to_json(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(truth) => truth.into(),
        toml::Value::Datetime(date) => date.to_string().into(),
        toml::Value::Array(items) => items.into_iter().map(convert_toml_to_json).collect(),
        toml::Value::Table(table) => table.into_iter().map(|(key, value)| (key, convert_toml_to_json(value))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "+++
title = \"A timeout\"
example = \"timeout.toml\"
question = \"Why?\"
variants = [{ name = \"reno\" }]

[[steps]]
try = \"Look.\"
see = \"The mark.\"
why = \"A timeout.\"
check = { kind = \"mark\", mark = \"timeout\", missed = \"Not this one.\" }
+++

A *text*.
";

    #[test]
    fn lesson_consists_of_head_and_introduction() {
        let lesson = Lesson::parse(TEXT).unwrap();
        assert_eq!(lesson.introduction, "A *text*.");
        assert_eq!(lesson.variants[0].name, "reno");
        assert!(matches!(&lesson.steps[0].check, LessonCheck::Mark { mark, .. } if mark == "timeout"));
        let windows = Lesson::parse(&TEXT.replace('\n', "\r\n")).unwrap();
        assert_eq!(windows.introduction, lesson.introduction);
    }

    #[test]
    fn json_has_the_keys_of_the_lesson_and_its_introduction() {
        let json = lesson_to_json(TEXT).unwrap();
        assert_eq!(json["introduction"], "A *text*.");
        assert_eq!(json["steps"][0]["check"]["mark"], "timeout");
        let lesson: Lesson = serde_json::from_value(json).unwrap();
        assert_eq!(lesson.title, "A timeout");
        assert!(lesson_to_json("A text.").is_err() && lesson_to_json("+++\na = \n+++\n").is_err());
    }

    #[test]
    fn text_without_head_and_head_with_an_unknown_key_are_faults() {
        assert!(Lesson::parse("A text.").unwrap_err().to_string().contains("+++"));
        let wrong = TEXT.replace("question", "qestion");
        assert!(Lesson::parse(&wrong).unwrap_err().to_string().contains("qestion"), "{:?}", Lesson::parse(&wrong));
        let unknown = TEXT.replace("\"mark\", mark", "\"marc\", mark");
        assert!(Lesson::parse(&unknown).is_err());
    }
}
