//! Lessons on the runs that the page shows.

use ::figure::lesson::check::is_right_answer;
use ::figure::lesson::expression::evaluate_comparison;
use ::figure::lesson::{VariantRuns, lesson_to_json, text};
use serde_json::Value;
use wasm_bindgen::prelude::*;

/// Reads a lesson; returns it as JSON.
///
/// # Errors
/// The text is no lesson.
#[wasm_bindgen]
pub fn lesson(text: &str) -> Result<String, JsError> {
    Ok(lesson_to_json(text)?.to_string())
}

/// The runs on which a lesson's expressions are evaluated.
#[wasm_bindgen]
#[derive(Default)]
pub struct LessonRuns(VariantRuns);

#[wasm_bindgen]
impl LessonRuns {
    /// Creates an empty list.
    #[wasm_bindgen(constructor)]
    pub fn new() -> LessonRuns {
        LessonRuns::default()
    }

    /// Adds the run of a variant, the head of its figure as JSON.
    ///
    /// # Errors
    /// The head is not JSON.
    pub fn add(&mut self, variant: &str, head: &str) -> Result<(), JsError> {
        let head: Value = serde_json::from_str(head)?;
        self.0.add(variant, ::figure::Figure { head, columns: Vec::new() });
        Ok(())
    }

    /// Adds a column to the run that was added last.
    pub fn add_column(&mut self, values: Vec<f64>) {
        self.0.add_column(values);
    }

    /// Fills results into a text.
    pub fn fill(&self, text: &str) -> String {
        text::fill_known_results(text, &self.0)
    }

    /// Whether a comparison holds.
    ///
    /// # Errors
    /// The expression has no value in these runs.
    pub fn holds(&self, comparison: &str) -> Result<bool, JsError> {
        Ok(evaluate_comparison(comparison, &self.0)?)
    }

    /// Whether a number in a unit answers a question within its tolerance.
    ///
    /// # Errors
    /// The correct answer has no value in these runs.
    pub fn answers(&self, value: &str, unit: Option<String>, tolerance: f64, given: f64) -> Result<bool, JsError> {
        Ok(is_right_answer(value, &self.0, unit.as_deref(), tolerance, given)?)
    }
}
