//! The scripts that the fuzzer has found worth keeping, and changes of them, without the fuzzer: none makes a run panic.

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
fn scripts() {
    let mut inputs = files(&root("fuzz/corpus/drill"), "");
    inputs.extend(files(&root("crates/tcp/tests/scripts/pass"), ".pkt"));
    replay(&inputs, 5000, input::take);
}
