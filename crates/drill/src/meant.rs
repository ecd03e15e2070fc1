//! Suggestions for unknown names.

use engine::near::nearest;

/// The suggestion for an unknown name, to be appended to it.
pub(crate) fn meant<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map_or(String::new(), |near| format!(" (did you mean \"{near}\"?)"))
}
