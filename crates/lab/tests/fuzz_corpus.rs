//! Replays the fuzzer's corpus and mutations of it without the fuzzer: no reader panics.

#[path = "../../../fuzz/inputs/mutate.rs"]
mod mutate;

#[path = "../../../fuzz/inputs/store.rs"]
mod store;

use std::path::{Path, PathBuf};

use mutate::{files, replay};

fn root(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder)
}

#[test]
fn stores_never_panic() {
    replay(&files(&root("fuzz/corpus/store"), ""), 200, store::take);
}
