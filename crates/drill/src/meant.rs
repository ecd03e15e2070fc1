//! Names that nobody knows.

use engine::near::nearest;

/// What somebody may have meant by a name that nobody knows, to stand behind it.
pub(crate) fn meant<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map_or(String::new(), |near| format!(" (did you mean \"{near}\"?)"))
}
