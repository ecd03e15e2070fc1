//! Replays the fuzzer's corpus and mutations of it without the fuzzer: no reader panics.

#[path = "../../../fuzz/inputs/mutate.rs"]
mod mutate;

#[path = "../../../fuzz/inputs/capture.rs"]
mod captures;

use std::path::{Path, PathBuf};

use mutate::{files, replay};

fn root(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder)
}

#[test]
fn captures_never_panic() {
    replay(&files(&root("fuzz/corpus/capture"), ""), 2000, captures::take);
}
