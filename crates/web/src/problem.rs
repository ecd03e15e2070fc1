//! Problems of scenarios as data.

use ::scenario::problem::Problem;
use serde_json::{Value, json};
use wasm_bindgen::JsValue;

/// The problems as a JSON array, each with its place, the key, the value found, the expected one, a hint, and the text that
/// the command prints.
pub fn to_json(problems: &[Problem]) -> String {
    let problem = |problem: &Problem| {
        let (line, column) = problem.place.unzip();
        json!({
            "file": problem.file,
            "line": line,
            "column": column,
            "key": problem.key,
            "found": problem.found,
            "expected": problem.expected,
            "hint": problem.hint,
            "lint": problem.lint,
            "text": problem.to_string(),
        })
    };
    problems.iter().map(problem).collect::<Value>().to_string()
}

/// The exception of a call for a wrong scenario: the text of [`to_json`].
pub fn thrown(problems: &[Problem]) -> JsValue {
    JsValue::from_str(&to_json(problems))
}
