//! Replays the fuzzer's corpus and mutations of it without the fuzzer: no reader panics.

#[path = "../../../fuzz/inputs/mutate.rs"]
mod mutate;

#[path = "../../../fuzz/inputs/goel1997.rs"]
mod goel1997;
#[path = "../../../fuzz/inputs/recordings.rs"]
mod recordings;
#[path = "../../../fuzz/inputs/scenario.rs"]
mod scenario;

use std::path::{Path, PathBuf};

use mutate::{files, replay};

fn root(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder)
}

#[test]
fn scenarios_never_panic() {
    let mut inputs = files(&root("fuzz/corpus/scenario"), "");
    inputs.extend(files(&root("examples"), ".toml"));
    replay(&inputs, 2000, scenario::take);
}

#[test]
fn datafiles_never_panic() {
    let mut inputs = files(&root("fuzz/corpus/goel1997"), "");
    inputs.extend(files(&root("examples/goel1997"), ".dat"));
    replay(&inputs, 2000, goel1997::take);
}

#[test]
fn recorded_links_never_panic() {
    replay(&files(&root("fuzz/corpus/recordings"), ""), 20_000, recordings::take);
}
