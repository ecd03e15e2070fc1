//! Trained policies in files beside a scenario: read, stored with the result, and reported if missing or wrong.

use scenario::load::to_toml;
use testkit::run_network;

use crate::common::folder::ScenarioFolder;

const SCENARIO: &str = r#"
duration = "10 s"
nodes = { a = { kind = "host" }, b = { kind = "host" } }
links.wire = { kind = "wired", between = ["a", "b"], rate = "8 Mbps", delay = "50 ms", queue = "100 packets" }
flows.flow = { from = "a", to = "b", receive_window = "1 MB", tcp = { variant = "linux", control = { kind = "policy", file = "net.toml" } } }
"#;

/// tanh(1/2 - 2 delay): keeps a queue.
const NETWORK: &str = "rules = { observe = [\"delay\"] }\nlayers = [{ weights = [[-2.0]], bias = [0.5] }]\n";

/// The scenario, and the network file next to it.
fn folder(network: Option<&str>) -> ScenarioFolder {
    let network = network.map(|network| ("net.toml", network.into()));
    ScenarioFolder::new("path.toml", network.into_iter().chain([("path.toml", SCENARIO.into())]))
}

fn problem(network: Option<&str>) -> String {
    let problems = folder(network).load(&[]).err().unwrap_or_default();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].key.as_deref(), Some("flows.flow.tcp.control.file"));
    problems[0].to_string()
}

/// The stored scenario contains the network, and gives the same run without the file.
#[test]
fn stored_scenario_needs_no_file() {
    let mut folder = folder(Some(NETWORK));
    let loaded = folder.load(&[]).unwrap();
    let first = run_network(&loaded.network);
    folder.remove("net.toml");
    folder.write("path.toml", to_toml(&loaded.scenario));
    assert_eq!(run_network(&folder.load(&[]).unwrap().network), first);
    assert!(first.flows[0].bytes_delivered > 8_000_000, "most of 10 MB: {first:?}");
}

#[test]
fn missing_and_wrong_files_are_reported() {
    assert!(problem(None).contains("net.toml does not exist"));
    let wrong = |network: &str| problem(Some(network));
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
