//! Replays the corpus of the fuzzer, the scripts of `crates/tcp`, and mutations of both. No input may panic.

#[path = "../../../fuzz/inputs/drill.rs"]
mod input;
#[path = "../../../fuzz/inputs/mutate.rs"]
mod mutate;

use std::path::{Path, PathBuf};

use mutate::{files, replay};

fn root(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder)
}

#[test]
fn corpus_and_mutated_scripts_do_not_panic() {
    let mut inputs = files(&root("fuzz/corpus/drill"), "");
    inputs.extend(files(&root("crates/tcp/tests/scripts/pass"), ".pkt"));
    replay(&inputs, 5000, input::take);
}
