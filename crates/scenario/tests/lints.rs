//! Lints and the examples.

use scenario::Overrides;
use testkit::{example_paths, load_example};

#[test]
fn examples_cause_no_lint_warnings() {
    let files = example_paths();
    assert!(files.len() >= 8, "{files:?}");
    for path in files {
        let loaded = load_example(&path, &Overrides::default());
        assert!(loaded.warnings.is_empty(), "{}: {:?}", path.display(), loaded.warnings);
    }
    // The purpose of this example is a queue of five packets of 31.5 kB: "the link is idle after each loss".
    let overrides = Overrides { set: vec!["links.slow.queue=5 packets".into()], ..Overrides::default() };
    let warnings = load_example("sawtooth.toml", &overrides).warnings;
    assert!(warnings.len() == 1 && warnings[0].lint == Some("buffer-size"), "{warnings:?}");
}
