//! Scenario values as text.

use serde_json::Value;

/// A scenario value as text.
pub fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
