//! Suggestions for unknown names.

use engine::near::nearest_name;

/// Returns the suggestion for an unknown name, to be appended to it; empty if no known name is similar.
pub(crate) fn suggest_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest_name(name, known).map_or(String::new(), |near| format!(" (did you mean \"{near}\"?)"))
}
