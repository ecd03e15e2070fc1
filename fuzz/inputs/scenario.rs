//! Fuzz input: bytes as a TOML scenario, parsed, checked, written back, and its network run briefly.
#![allow(dead_code, reason = "the goel1997 target uses only `of_file`")]

use std::rc::Rc;

use scenario::load::to_toml;
use scenario::problem::Problem;
use scenario::{Document, Loaded, NoFiles, Overrides, Source};
use sim::{NullSink, World};

/// Maximum input size in bytes; larger inputs only take longer.
const MAX_SIZE: usize = 16 << 10;

/// Runs an arbitrary input; a panic is a finding.
pub fn take(bytes: &[u8]) {
    of_file("fuzzed/input.toml", bytes);
}

/// Runs an arbitrary input under a file name, whose ending selects the language. The files that it names do not exist.
pub fn of_file(file: &str, bytes: &[u8]) {
    if bytes.len() > MAX_SIZE {
        return;
    }
    let source = Source::of_text(Rc::new(NoFiles), "input".into(), file.into(), bytes, &Overrides::default());
    match source.and_then(|source| source.resolve(&source.document)) {
        Ok(loaded) => runs(&loaded),
        Err(problems) => {
            assert!(!problems.is_empty(), "refused without a reason");
            problems.iter().for_each(complete);
        }
    }
}

fn complete(problem: &Problem) {
    assert!(!problem.expected.is_empty(), "{problem:?}");
    assert!(!problem.to_string().contains(|c: char| c.is_control() && c != '\n'), "{problem:?}");
}

fn runs(loaded: &Loaded) {
    loaded.warnings.iter().for_each(complete);
    let text = to_toml(&loaded.scenario);
    let again = Document::parse("again.toml", text.as_bytes()).map(|document| document.read());
    let again = again.expect("what is written is TOML").expect("and a scenario");
    // Compare the texts, not the values: a setting may be NaN, which does not equal itself.
    assert_eq!(to_toml(&again), text);
    let network = &loaded.network;
    if network.nodes.len().max(network.links.len()).max(network.flows.len()) <= 64 {
        World::new(network, false).advance(2000, &mut NullSink);
    }
}
