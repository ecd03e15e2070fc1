//! Networks of ten thousand nodes, which are checked and built. Work quadratic in the number of nodes would take many
//! seconds, cubic work hours. Time is not measured, because such work would never finish.

use std::fmt::Write as _;

use scenario::problem::Problem;
use scenario::{Loaded, from_toml};
use sim::NodeId;
use sim::World;
use sim::routing::Routes;

const STAR: &str = include_str!("large/star.toml");
const CELL: &str = include_str!("large/cell.toml");
const NODES: usize = 10_000;

fn load(text: &str) -> Result<Loaded, Vec<Problem>> {
    from_toml("large.toml", text)
}

/// A star in which each node, link and flow is declared individually; `flow` gives the contents of a flow's table.
fn written_out(flow: impl Fn(usize) -> String) -> String {
    let mut nodes = "[nodes]\nserver = { kind = \"host\" }\nap = { kind = \"base-station\" }\n".to_owned();
    let wire = "wire = { kind = \"wired\", between = [\"server\", \"ap\"], rate = \"8 Mbps\", delay = \"20 ms\" }";
    let (mut links, mut flows) = (format!("[links]\n{wire}\n"), "[flows]\n".to_owned());
    for number in 0..NODES {
        writeln!(nodes, "m{number}x = {{ kind = \"host\" }}").unwrap();
        let air = "rate = \"2 Mbps\", delay = \"1 ms\"";
        writeln!(links, "air{number}x = {{ kind = \"wireless\", between = [\"ap\", \"m{number}x\"], {air} }}").unwrap();
        writeln!(flows, "f{number}x = {{ from = \"server\", {} }}", flow(number)).unwrap();
    }
    format!("duration = \"60 s\"\n{nodes}{links}{flows}")
}

#[test]
fn star_of_ten_thousand_hosts_is_checked_and_built() {
    let loaded = load(&STAR.replace("count = 2000", "count = 10000")).unwrap();
    assert_eq!((loaded.network.nodes.len(), loaded.network.flows.len()), (10_002, 10_000));
    World::new(&loaded.network, false);
}

#[test]
fn cell_of_ten_thousand_stations_is_checked_and_built() {
    let loaded = load(&CELL.replace("count = 2000", "count = 9999")).unwrap();
    assert_eq!((loaded.network.nodes.len(), loaded.network.flows.len()), (10_001, 9_999));
    World::new(&loaded.network, false);
}

/// Freeze-TCP's hosts observe the channels of their own links, and only the star's channels have states.
#[test]
fn ten_thousand_freeze_tcp_hosts_are_checked_and_built() {
    let star = STAR.replace("count = 2000", "count = 10000, scheme = \"freeze-tcp\"");
    World::new(&load(&star).unwrap().network, false);
    let perfect =
        star.replace("kind = \"two-state\", mean_good = \"1 s\", mean_bad = \"100 ms\"", "kind = \"perfect\"");
    let warnings = load(&perfect).unwrap().warnings;
    let idle = |warning: &&Problem| warning.key.as_deref() == Some("nodes.mobile.scheme");
    let idle: Vec<_> = warnings.iter().filter(idle).collect();
    // One warning for the first such node would suffice. But each node has a warning with its name.
    assert!(!idle.is_empty() && idle[0].expected.contains("no link of mobile1 has one"), "{:?}", idle.first());
}

#[test]
fn ten_thousand_warnings_have_their_lines() {
    let setting = "tcp = { variant = \"reno\", ecn = \"request\" }";
    let loaded = load(&written_out(|number| format!("to = \"m{number}x\", {setting}"))).unwrap();
    let of_last =
        loaded.warnings.iter().find(|warning| warning.key.as_deref() == Some("flows.f9999x.tcp.ecn")).unwrap();
    // The lines before: one for the duration, one for each table, one or two for the entries of each table, and those
    // of 9,999 flows.
    assert_eq!(of_last.place.unwrap().0, 1 + 3 + NODES + 2 + NODES + 1 + NODES);
    assert!(of_last.source.as_ref().unwrap().starts_with("f9999x = "));
}

#[test]
fn ten_thousand_wrong_names_are_reported_and_the_first_have_suggestions() {
    let problems = load(&written_out(|number| format!("to = \"m{number}y\""))).unwrap_err();
    let unknown: Vec<_> = problems.iter().filter(|problem| problem.expected == "a node").collect();
    assert_eq!(unknown.len(), NODES);
    assert_eq!(unknown[0].hint.as_deref(), Some("did you mean \"m0x\"?"));
    assert_eq!(unknown[NODES - 1].hint, None);
}

#[test]
fn wrong_name_in_many_copies_is_one_problem() {
    let problems =
        load(&STAR.replace("count = 2000", "count = 10000").replace("from = \"server\"", "from = \"servr\""));
    let problems = problems.unwrap_err();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].hint.as_deref(), Some("did you mean \"server\"?"));
}

/// From the server over the base station to each mobile.
#[test]
fn routes_of_ten_thousand_flows_have_two_hops() {
    let network = load(&STAR.replace("count = 2000", "count = 10000")).unwrap().network;
    let mut routes = Routes::new(&network);
    for flow in &network.flows {
        let (mut node, mut hops) = (flow.from, 0);
        while node != flow.to {
            let hop = routes.hop(NodeId::from_index(node), NodeId::from_index(flow.to)).unwrap().index();
            node = network.links[hop / 2].between[1 - hop % 2];
            hops += 1;
        }
        assert_eq!(hops, 2);
    }
}
