//! Lints and the examples.

use lab::load::{Overrides, load};

#[test]
fn no_lint_warns_of_the_examples() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    assert!(files.len() >= 8, "{files:?}");
    for path in files {
        let loaded = load(&path, &Overrides::default()).unwrap();
        assert!(loaded.warnings.is_empty(), "{}: {:?}", path.display(), loaded.warnings);
    }
    // The purpose of this example is a queue of five packets of 31.5 kB: "the link is idle after each loss".
    let overrides = Overrides { set: vec!["links.slow.queue=5 packets".into()], ..Overrides::default() };
    let sawtooth = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sawtooth.toml");
    let warnings = load(&sawtooth, &overrides).unwrap().warnings;
    assert!(warnings.len() == 1 && warnings[0].lint == Some("buffer-size"), "{warnings:?}");
}
