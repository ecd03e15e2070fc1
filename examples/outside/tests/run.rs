//! The members have their effects in a run, and their errors are those of any setting.

use outside::members;
use scenario::load::Loaded;
use scenario::problem::Problem;
use sim::{NullSink, Results, World};

const SCENARIO: &str = include_str!("../scenario.toml");

fn load(text: &str) -> Result<Loaded, Vec<Problem>> {
    scenario::from_toml_with("scenario.toml", text, &members().expect("the names are free"))
}

fn run(from: &str, to: &str) -> Results {
    let text = SCENARIO.replace(from, to);
    let loaded = load(&text).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let mut world = World::new(&loaded.network, false);
    world.run(&mut NullSink);
    world.results()
}

#[test]
fn scenario_names_four_members() {
    let loaded = load(SCENARIO).unwrap();
    let found: Vec<_> = loaded.outside.iter().map(|member| (member.registry, &*member.name)).collect();
    assert_eq!(
        found,
        [
            ("scheme", "mark-at-air"),
            ("queue discipline", "lifo"),
            ("channel", "every-nth"),
            ("congestion control", "scalable")
        ]
    );
}

#[test]
fn each_setting_changes_the_run() {
    let completed = |from, to| run(from, to).flows[0].completed.expect("5 MB take less than 600 s");
    let base = completed("", "");
    assert_eq!(base, completed("", ""), "a run repeats");
    for (from, to) in
        [("n = 500", "n = 50"), ("decrease = 0.25", "decrease = 0.75"), ("threshold = 5", "threshold = 1")]
    {
        assert_ne!(base, completed(from, to), "{to}");
    }
    // The wire is the bottleneck: the newest packet overtakes those that wait.
    let slow = |queue| {
        let text = SCENARIO.replace("rate = \"10 Mbps\"", "rate = \"1 Mbps\"");
        let text = text.replace("queue = { kind = \"lifo\", packets = 50 }", queue);
        let loaded = load(&text).unwrap();
        let mut world = World::new(&loaded.network, false);
        world.run(&mut NullSink);
        world.results().flows[0].completed
    };
    assert_ne!(slow("queue = { kind = \"lifo\", packets = 50 }"), slow("queue = \"50 packets\""));
}

#[test]
fn wrong_settings_name_key_value_and_expectation() {
    let problem = |from: &str, to: &str| load(&SCENARIO.replace(from, to)).unwrap_err().remove(0);
    let wrong = problem("n = 500", "n = 1");
    assert_eq!((wrong.key.as_deref(), wrong.found.as_deref()), (Some("links.air.channel.n"), Some("1")));
    assert_eq!(wrong.expected, "2 or more");
    assert!(wrong.place.is_some());
    let misspelt = problem("kind = \"scalable\"", "kind = \"scalble\"");
    assert_eq!(misspelt.hint.as_deref(), Some("did you mean \"scalable\"?"));
}

#[test]
fn program_writes_members_and_metrics() {
    let mut out = Vec::new();
    outside::run(concat!(env!("CARGO_MANIFEST_DIR"), "/scenario.toml"), &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "nodes.station.scheme = mark-at-air (scheme)");
    assert!(lines.iter().any(|line| line.contains("goodput_bps = ") && !line.ends_with('-')), "{out}");
    let mut out = Vec::new();
    outside::run(concat!(env!("CARGO_MANIFEST_DIR"), "/train.toml"), &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert!(out.starts_with("links.air.channel = tunnels (channel)\n"), "{out}");
    let missing = outside::run("no such file", &mut Vec::new()).unwrap_err();
    assert!(missing.starts_with("no such file: "), "{missing}");
}
