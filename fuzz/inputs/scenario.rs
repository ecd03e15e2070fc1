//! Bytes as a TOML scenario: read, checked, written back, and its network run for a moment.
#![allow(dead_code, reason = "goel1997 uses a part of it")]

use lab::load::{self, Loaded, Overrides, to_toml};
use scenario::Document;
use scenario::problem::Problem;
use sim::{NullSink, World};

/// Larger inputs say nothing new and take longer.
const LONGEST: usize = 16 << 10;

/// Takes any bytes. Panics are findings.
pub fn take(bytes: &[u8]) {
    if bytes.len() <= LONGEST && !names_a_device(bytes) {
        of_file("fuzzed/input.toml", bytes);
    }
}

/// The same for any file name: its ending decides about the language.
pub fn of_file(file: &str, bytes: &[u8]) {
    let source = load::of_text("input".into(), file.into(), bytes, &Overrides::default());
    match source.and_then(|source| source.resolve(&source.document)) {
        Ok(loaded) => runs(&loaded),
        Err(problems) => {
            assert!(!problems.is_empty(), "refused without a reason");
            problems.iter().for_each(complete);
        }
    }
}

/// Recordings are read from the files that a scenario names, and some files never end.
pub fn names_a_device(bytes: &[u8]) -> bool {
    ["/dev", "/proc", "/sys", "\\u", "\\x", "\\U"]
        .iter()
        .any(|name| bytes.windows(name.len()).any(|part| part == name.as_bytes()))
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
    // The texts: a setting may be NaN, which is not what it is.
    assert_eq!(to_toml(&again), text);
    let network = &loaded.network;
    if network.nodes.len().max(network.links.len()).max(network.flows.len()) <= 64 {
        World::new(network, false).advance(2000, &mut NullSink);
    }
}
