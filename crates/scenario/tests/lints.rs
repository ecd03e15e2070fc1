//! Lints and the examples.

use scenario::Overrides;
use testkit::{example_paths, load_example};

/// Examples of what a lint warns of.
const SHOW_A_LINT: &[(&str, &str)] = &[("bufferbloat.toml", "buffer-size"), ("bufferbloat-wifi.toml", "buffer-size")];

#[test]
fn examples_cause_no_lint_warnings() {
    let files = example_paths();
    assert!(files.len() >= 8, "{files:?}");
    let mut unexpected = Vec::new();
    for path in files {
        let loaded = load_example(&path, &Overrides::default());
        let shows = SHOW_A_LINT.iter().find(|(name, _)| path.ends_with(name)).map(|(_, lint)| *lint);
        let other = loaded.warnings.iter().filter(|warning| warning.lint != shows);
        unexpected.extend(other.map(|warning| format!("{}: {warning}", path.display())));
    }
    assert!(unexpected.is_empty(), "{}", unexpected.join("\n"));
    // The purpose of this example is a queue of five packets of 31.5 kB: "the link is idle after each loss".
    let overrides = Overrides { set: vec!["links.slow.queue=5 packets".into()], ..Overrides::default() };
    let warnings = load_example("sawtooth.toml", &overrides).warnings;
    assert!(warnings.len() == 1 && warnings[0].lint == Some("buffer-size"), "{warnings:?}");
}
