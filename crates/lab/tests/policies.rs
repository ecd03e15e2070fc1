//! Trained policies in files beside a scenario: read, stored with the result, and reported if missing or wrong.

use std::path::{Path, PathBuf};

use lab::load::{Overrides, load, to_toml};
use testkit::run_network;

const SCENARIO: &str = r#"
duration = "10 s"
nodes = { a = { kind = "host" }, b = { kind = "host" } }
links.wire = { kind = "wired", between = ["a", "b"], rate = "8 Mbps", delay = "50 ms", queue = "100 packets" }
flows.flow = { from = "a", to = "b", receive_window = "1 MB", tcp = { variant = "linux", control = { kind = "policy", file = "net.toml" } } }
"#;

/// tanh(1/2 - 2 delay): holds a queue.
const NETWORK: &str = "rules = { observe = [\"delay\"] }\nlayers = [{ weights = [[-2.0]], bias = [0.5] }]\n";

fn scenario(test: &str, network: Option<&str>) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("policies-{test}"));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("path.toml"), SCENARIO).unwrap();
    if let Some(network) = network {
        std::fs::write(dir.join("net.toml"), network).unwrap();
    }
    dir.join("path.toml")
}

fn problem(path: &Path) -> String {
    let problems = load(path, &Overrides::default()).err().unwrap_or_default();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].key.as_deref(), Some("flows.flow.tcp.control.file"));
    problems[0].to_string()
}

/// The stored scenario holds the network: it gives the same run without the file.
#[test]
fn stored_scenario_needs_no_file() {
    let path = scenario("stored", Some(NETWORK));
    let loaded = load(&path, &Overrides::default()).unwrap();
    let first = run_network(&loaded.network);
    std::fs::remove_file(path.with_file_name("net.toml")).unwrap();
    std::fs::write(&path, to_toml(&loaded.scenario)).unwrap();
    assert_eq!(run_network(&load(&path, &Overrides::default()).unwrap().network), first);
    assert!(first.flows[0].bytes_delivered > 8_000_000, "most of 10 MB: {first:?}");
}

/// Another network is another result under another key.
#[test]
fn network_is_part_of_the_identity_of_a_run() {
    let digest = |network: &str| {
        let loaded = load(&scenario("digest", Some(network)), &Overrides::default()).unwrap();
        lab::store::Digest::of(&loaded.network).unwrap()
    };
    assert_eq!(digest(NETWORK), digest(NETWORK));
    assert_ne!(digest(NETWORK), digest(&NETWORK.replace("0.5", "0.50000000000000011")));
}

#[test]
fn missing_and_wrong_files_are_reported() {
    assert!(problem(&scenario("missing", None)).contains("net.toml does not exist"));
    let wrong = |network: &str| problem(&scenario("wrong", Some(network)));
    let unknown = wrong(&NETWORK.replace("delay", "dlay"));
    assert!(unknown.contains("net.toml") && unknown.contains("line 1") && unknown.contains("`delay`"), "{unknown}");
    let shape = wrong(&NETWORK.replace("[0.5]", "[0.5, 0.5]"));
    assert!(
        !shape.contains("network.layers")
            && shape.contains("line 2: ")
            && shape.contains("1 rows of weights and 2 numbers"),
        "{shape}"
    );
    let third = "layers = [\n{ weights = [[1.0]], bias = [0.0] },\n{ weights = [[1.0, 2.0]], bias = [0.0] },\n]\n";
    let rows = wrong(&format!("rules = {{ observe = [\"delay\"] }}\n{third}"));
    assert!(rows.contains("line 4: ") && rows.contains("layers[1]: 1, one for each input, not a row of 2"), "{rows}");
    let step = wrong(&NETWORK.replace("observe", "step = \"0 s\", observe"));
    assert!(step.contains("line 1: ") && step.contains("rules.step: ") && !step.contains("not \n"), "{step}");
    let number = wrong(&NETWORK.replace("0.5", "nan"));
    assert!(number.contains("finite"), "{number}");
}
