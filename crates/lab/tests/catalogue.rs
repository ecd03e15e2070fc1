//! The names that scenarios can use: metrics, formats and papers are listed with descriptions.

use std::path::Path;

use lab::catalogue::CATALOGUE;
use observe::metric::METRICS;

#[test]
fn every_metric_is_listed_and_documented() {
    let listed = CATALOGUE.iter().find(|section| section.plural == "metrics").expect("a section");
    let listed = (listed.members)();
    assert_eq!(listed.len(), METRICS.len());
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/metrics.md");
    let page = std::fs::read_to_string(page).unwrap();
    for (metric, (name, about)) in METRICS.iter().zip(listed) {
        assert_eq!(metric.name, name);
        assert!(about.contains(metric.unit) && about.contains(metric.definition), "{about}");
        assert!(page.contains(&format!("`{name}`")), "docs/metrics.md does not define {name}");
    }
    for (section, member) in [("formats", "parquet"), ("papers", "goel1997")] {
        let section = CATALOGUE.iter().find(|known| known.plural == section).expect("a section");
        assert!((section.members)().iter().any(|(name, about)| *name == member && !about.is_empty()), "{member}");
    }
}
