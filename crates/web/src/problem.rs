//! Problems of scenarios as data.

use ::scenario::problem::Problem;
use figure::protocol::ProblemData;
use serde_json::json;
use wasm_bindgen::JsValue;

/// Formats the problems as a JSON array. Each has its place, the key, the value found, the expected one, a hint, and
/// the text that the command prints.
pub fn problems_to_json(problems: &[Problem]) -> String {
    json!(problems.iter().map(ProblemData::from).collect::<Vec<_>>()).to_string()
}

/// The exception of a call for a wrong scenario: the text of [`problems_to_json`].
pub fn problems_to_exception(problems: &[Problem]) -> JsValue {
    JsValue::from_str(&problems_to_json(problems))
}
