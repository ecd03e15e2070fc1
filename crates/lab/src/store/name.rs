//! Kinds of stores by the names of their files.

use std::path::Path;

/// Ending of the names of append-only stores.
const JOURNAL: &str = "jsonl";

/// Whether a store is an append-only file, by its name.
pub fn is_journal(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == JOURNAL)
}
