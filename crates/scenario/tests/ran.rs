//! Label of a result, which describes the run.

use scenario::Overrides;
use scenario::ran::label_run;
use testkit::load_example;

fn ran(set: &[&str], scheme: Option<&str>) -> String {
    let overrides = Overrides {
        set: set.iter().map(|set| (*set).to_owned()).collect(),
        scheme: scheme.map(str::to_owned),
        seed: Some(7),
    };
    label_run(&load_example("goel-refined.toml", &overrides)).join(" / ")
}

#[test]
fn label_of_a_run_is_independent_of_the_title() {
    assert_eq!(ran(&[], None), "refined-icmp / seed 7 / profile goel1997");
    assert_eq!(ran(&["profile=exact"], Some("unmodified")), "unmodified / seed 7 / profile exact");
}

#[test]
fn label_of_a_run_names_nodes_with_another_scheme() {
    let alone = ran(&["nodes.server.scheme=unmodified", "nodes.mobile.scheme=unmodified"], None);
    assert_eq!(alone, "unmodified (server, mobile), refined-icmp (station) / seed 7 / profile goel1997");
}

/// The server sends and has no radio, and the mobile has a radio. A host that only receives over a wire behaves the
/// same under every scheme. A router has no scheme.
#[test]
fn label_of_a_run_names_only_nodes_on_which_a_scheme_acts() {
    let wired = [
        "nodes.desk={ kind = \"host\", scheme = \"unmodified\" }",
        "nodes.core={ kind = \"router\" }",
        "links.lan={ kind = \"wired\", between = [\"core\", \"desk\"], rate = \"8 Mbps\", delay = \"1 ms\" }",
        "links.trunk={ kind = \"wired\", between = [\"server\", \"core\"], rate = \"8 Mbps\", delay = \"1 ms\" }",
        "flows.down={ from = \"server\", to = \"desk\", bytes = \"1 MB\" }",
    ];
    assert_eq!(ran(&wired, None), "refined-icmp / seed 7 / profile goel1997");
    let sends = "flows.up={ from = \"desk\", to = \"server\", bytes = \"1 MB\" }";
    let both = ran(&[&wired[..], &[sends]].concat(), None);
    assert_eq!(both, "refined-icmp (server, station, mobile), unmodified (desk) / seed 7 / profile goel1997");
}
