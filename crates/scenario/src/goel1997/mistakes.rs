//! One error of each kind, with its message.

use super::parse;
use crate::problem::Problem;

const NETWORK: &str = include_str!("network.dat");

/// Replacements in the network above, and the only problem that follows: its line (0 for the whole file), key and hint.
type Mistake = (&'static [(&'static str, &'static str)], usize, &'static str, &'static str);

const SPELLING: &[Mistake] = &[
    (&[("wired_link", "wired_lnk")], 25, "wired_lnk", "did you mean \"wired_link\"?"),
    (&[("bandwidth", "bandwith")], 28, "wired_link.bandwith", "did you mean \"bandwidth\"?"),
    (&[("latency = 492", "colour = 5\nlatency = 492")], 29, "wired_link.colour", "known: link_id, bandwidth,"),
    (&[("node_id = 213\n", "node_id = 213\nscheme = unmodified\n")], 24, "wireless_sink_node.scheme", "known: node_id"),
    (&[("latency = 492", "latency = 492\nlatency = 492")], 30, "wired_link.latency", "remove one"),
    (&[("    latency = 492\n", "")], 25, "wired_link.latency", "add latency = ..."),
    (&[("latency = 492", "latency = -492")], 29, "wired_link.latency", "negative"),
    (&[("latency = 492", "latency = 492 ms")], 29, "wired_link.latency", "unit is fixed"),
    (&[("latency = 492", "latency = 49 2")], 29, "wired_link.latency", ""),
    (&[("latency = 492", "latency = half")], 29, "wired_link.latency", ""),
    (&[("latency = 492", "latency = 4.9.2")], 29, "wired_link.latency", ""),
    (&[("latency = 492", "latency = 99999999999999999999")], 29, "wired_link.latency", "too large"),
    (&[("latency = 492", "latency = 0.0000001")], 29, "wired_link.latency", "finer than one ns"),
    (&[("latency = 492", "latency = 1,492")], 29, "wired_link.latency", "no separators"),
    (&[("= 8000000", "= 8e6")], 28, "wired_link.bandwidth", "without an exponent"),
    (&[("= 8000000", "= 0")], 28, "wired_link.bandwidth", "rate of zero"),
    (&[("probability = 0", "probability = 1.5")], 32, "wired_link.loss_probability", "more than certain"),
    (&[("probability = 0", "probability = -0.1")], 32, "wired_link.loss_probability", "negative"),
    (&[("random_seed = 2", "random_seed = 2.5")], 33, "wired_link.random_seed", "whole number"),
    (&[("node_id = 211", "node_id = mobile")], 9, "wired_source_node.node_id", ""),
    (&[("= 100\n", "= 0\n")], 11, "wired_source_node.num_of_pkts_to_send", "nothing would be sent"),
    (&[("size = 1024", "size = 0")], 12, "wired_source_node.pkt_size", "nothing would be sent"),
    (&[("size = 1024", "size = 70000")], 12, "wired_source_node.pkt_size", "too large for an IP packet"),
    (&[("wnd_size = 16", "wnd_size = 0")], 13, "wired_source_node.recv_wnd_size", "nothing could be sent"),
    (&[("wnd_size = 16", "wnd_size = 2000000")], 13, "wired_source_node.recv_wnd_size", "advertise"),
    (&[("= 60000", "= 0")], 3, "simulator.system_simulation_time", "nothing would happen"),
    (&[("trace = 1", "trace = 3")], 5, "simulator.read_from_trace", ""),
    (&[("trace = 1", "trace = 1\nscheme = simple-icpm")], 6, "simulator.scheme", "did you mean \"simple-icmp\"?"),
    (&[("delay = 0", "delay = 0\nradio = on")], 20, "base_station.radio", "known: per-link, shared"),
    (&[("state = 0.1", "state = 0.1\nbad_interval = 5")], 44, "wireless_link.bad_interval", ""),
    (&[("state = 0.1", "state = 0.1\nbad_interval = 9 5")], 44, "wireless_link.bad_interval", "end after it begins"),
];

const SIGNS: &[Mistake] = &[
    (&[("latency = 492", "latency 492")], 29, "wired_link.latency", "write latency = 492"),
    (&[("latency = 492", "latency")], 29, "wired_link.latency", "write latency = ..."),
    (&[("latency = 492", "latency =")], 29, "wired_link.latency", ""),
    (&[("latency = 492", "latency = = 492")], 29, "wired_link.latency", ""),
    (&[("latency = 492\n", "latency = 492")], 29, "wired_link.latency", "one attribute a line"),
    (&[("latency = 492\n", "latency = 492;")], 29, "wired_link.latency", "one attribute a line"),
    (&[("latency = 492", "latency = 492; in ms")], 29, "wired_link.latency", "one attribute a line"),
    (&[("latency = 492", "= 7\nlatency = 492")], 29, "wired_link", ""),
    (&[("latency = 492", ";\nlatency = 492")], 29, "wired_link", ""),
    (&[("    node_id = 213\n}", "    node_id = 213")], 21, "wireless_sink_node", "never closed"),
    (&[("= 3;\n}", "= 3;\n")], 35, "wireless_link", "never closed"),
    (&[("}\nbase", "}\n}\nbase")], 15, "", "a brace too many above?"),
    (&[("base", "end\nbase")], 15, "", "known: simulator"),
    (&[("base", "seed = 3\nbase")], 15, "", "between the braces"),
    (&[("base", "simulator\nbase")], 15, "simulator", "write simulator { ... }"),
    (&[("= 213", "= 21３")], 10, "", "retype it"),
];

const MEANING: &[Mistake] = &[
    (
        &[("wired_link", "wired_sink_node { node_id = 212 }\nwired_link")],
        25,
        "wired_sink_node.node_id",
        "another node_id",
    ),
    (&[("link_id = 102", "link_id = 101")], 37, "wireless_link.link_id", "another link_id"),
    (&[("node_id2 = 212", "node_id2 = 221")], 31, "wired_link.node_id2", "did you mean \"211\"?"),
    (&[("node_id2 = 212", "node_id2 = 211")], 31, "wired_link.node_id2", "joins a node with another"),
    (&[("dest_id = 213", "dest_id = 1000")], 10, "wired_source_node.dest_id", "known: 211, 212, 213"),
    (&[("dest_id = 213", "dest_id = 212")], 10, "wired_source_node.dest_id", "did you mean \"213\"?"),
    (&[("dest_id = 213", "dest_id = 211")], 10, "wired_source_node.dest_id", "did you mean \"213\"?"),
    (&[("wnd_size = 16", "wnd_size = 0.5")], 13, "wired_source_node.recv_wnd_size", "KB of 1024 bytes"),
    (&[("= 100\n", "= 18446744073709551615\n")], 11, "wired_source_node.num_of_pkts_to_send", "64 bits"),
    (&[("good_state = 5.0", "good_state = 0")], 42, "wireless_link.mean_exp_distrib_good_state", "always GOOD"),
    (&[("wireless_sink", "wired_sink")], 41, "wireless_link.node_id2", "make 213 a wireless_sink_node"),
    (&[("base_station", "normal_router_node")], 40, "wireless_link.node_id1", "make 212 a base_station"),
    (&[("}\nbase", "}\nsimulator { system_simulation_time = 1\n }\nbase")], 15, "simulator", "remove one"),
];

/// Errors in attributes that only some modes need. The channel is scripted.
const SCRIPTED: &[Mistake] = &[
    (&[("bad_interval = 940 1040\n", "")], 35, "wireless_link.bad_interval", "add a line such as"),
    (
        &[("state = 0\n", "state = 0.1\n")],
        43,
        "wireless_link.mean_exp_distrib_bad_state",
        "bad_interval gives the times",
    ),
    (&[("940 1040\n", "940 1040\nbad_interval = 500 600\n")], 45, "wireless_link.bad_interval", "in order"),
    (&[("940 1040\n", "940 1040\nbad_interval = 1040 1100\n")], 45, "wireless_link.bad_interval", "join those"),
];

fn apply_changes(text: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "the network has no {from}");
        text.replacen(from, to, 1)
    })
}

fn parse_problems(text: &str) -> Vec<Problem> {
    parse("datafile.dat", text.as_bytes()).expect_err("something is wrong")
}

fn render_problems(problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("{problem}\n")).collect()
}

fn check_mistakes(network: &str, mistakes: &[Mistake]) {
    for (changes, line, key, hint) in mistakes {
        let problems = parse_problems(&apply_changes(network, changes));
        let said = render_problems(&problems);
        let [problem] = &problems[..] else { panic!("{changes:?}: one problem expected\n{said}") };
        assert_eq!(problem.file.as_deref(), Some("datafile.dat"));
        assert_eq!(problem.place.map_or(0, |(line, _)| line), *line, "{changes:?}\n{said}");
        assert_eq!(problem.key.as_deref().unwrap_or_default(), *key, "{changes:?}\n{said}");
        assert!(problem.hint.as_deref().unwrap_or_default().contains(hint), "{changes:?}\n{said}");
        assert!(!problem.expected.is_empty());
    }
}

#[test]
fn misplaced_words_and_values_are_refused() {
    check_mistakes(NETWORK, SPELLING);
}

#[test]
fn misplaced_punctuation_is_refused() {
    check_mistakes(NETWORK, SIGNS);
}

#[test]
fn dangling_references_are_refused() {
    check_mistakes(NETWORK, MEANING);
}

#[test]
fn contradictory_scripts_are_refused() {
    let script = [("trace = 1", "trace = 2"), ("state = 0.1\n", "state = 0\nbad_interval = 940 1040\n")];
    check_mistakes(&apply_changes(NETWORK, &script), SCRIPTED);
}

/// The mode requires one wireless link. The network has none.
#[test]
fn trace_requires_its_link() {
    let wired = NETWORK.split_once("wireless_link").unwrap().0;
    for (mode, found) in [("trace = 0", "0 with 0 of them"), ("trace = 2", "2 with 0 of them")] {
        let problems = parse_problems(&apply_changes(wired, &[("trace = 1", mode)]));
        assert_eq!(problems[0].key.as_deref(), Some("simulator.read_from_trace"), "{}", render_problems(&problems));
        assert_eq!(problems[0].found.as_deref(), Some(found));
    }
}

#[test]
fn sources_with_a_common_sink_are_refused() {
    let source = NETWORK.split_inclusive("}\n").nth(1).unwrap().replace("211", "214");
    let problems = parse_problems(&format!("{NETWORK}{source}"));
    assert_eq!(problems.len(), 1, "{}", render_problems(&problems));
    assert_eq!(problems[0].place, Some((49, 15)));
    assert_eq!(problems[0].hint.as_deref(), Some("add a sink for each source"));
}

#[test]
fn links_that_cannot_share_a_medium_are_refused() {
    let about = |text: &str| {
        let problems = parse_problems(text);
        problems.iter().map(|problem| (problem.place.unwrap().0, problem.expected.clone())).collect::<Vec<_>>()
    };
    let shared = |id: &str| format!("{NETWORK}shared_links\n{{\n{id}\n}}\n");
    let mistakes = [
        ("", 46, "link_id is missing"),
        ("link_id = 104", 48, "the link_id of a wireless_link"),
        ("link_id = 101", 48, "the link_id of a wireless_link; this one is wired"),
        ("link_id = 102\nlink_id = 102", 49, "each link once"),
    ];
    for (text, line, expected) in mistakes {
        assert_eq!(about(&shared(text)), [(line, expected.to_owned())]);
    }
    let before = format!("shared_links {{ link_id = 102 }}\n{NETWORK}");
    assert_eq!(about(&before), [(1, "a wireless_link earlier in the file".to_owned())]);
}

/// The network with a second mobile, whose link has `bandwidth` and shares the medium of the first.
fn network_with_shared_links(bandwidth: &str) -> String {
    let air = NETWORK.split_inclusive("}\n").last().unwrap();
    let air = air.replace("102", "104").replace("213", "215").replace("1000000", bandwidth);
    format!(
        "{NETWORK}wireless_sink_node {{ node_id = 215 }}\n{air}shared_links\n{{\nlink_id = 102\nlink_id = 104\n}}\n"
    )
}

#[test]
fn links_that_share_a_medium_have_one_bandwidth() {
    let text = network_with_shared_links("2000000");
    let [problem] = &parse_problems(&text)[..] else { panic!("{}", render_problems(&parse_problems(&text))) };
    assert_eq!(problem.key.as_deref(), Some("wireless_link.bandwidth"));
    assert_eq!((problem.place.unwrap().0, problem.found.as_deref()), (50, Some("2000000")));
    assert_eq!(
        problem.expected,
        "1000000, the bandwidth of link 102, with which it shares the medium [goel1997 B.3.10]"
    );
}

#[test]
fn links_that_share_a_medium_have_one_link_layer() {
    let second =
        "normal_router_node { node_id = 216\n buffer_size = 512000\n processing_delay = 0\n }\nwireless_link\n{";
    let text = network_with_shared_links("1000000")
        .replace("wireless_sink_node { node_id = 215", "wired_sink_node { node_id = 215");
    let at = text.rfind("wireless_link\n{").unwrap();
    let text =
        format!("{}{}", &text[..at], text[at..].replacen("wireless_link\n{", second, 1).replace("= 212", "= 216"));
    let [problem] = &parse_problems(&text)[..] else { panic!("{}", render_problems(&parse_problems(&text))) };
    assert_eq!(problem.expected, "a link layer at the ends of all links that share the medium, or of none of them");
    assert_eq!(problem.found.as_deref(), Some("a link layer only at the ends of link 102 or of link 104"));
}

#[test]
fn every_independent_error_is_reported() {
    let text = apply_changes(
        NETWORK,
        &[
            ("print_interval = 500", "print_interval 500"),
            ("dest_id", "destid"),
            ("base_station", "base_stattion"),
            ("= 8000000", "= fast"),
            ("latency = 1\n", "latency = -1\n"),
        ],
    );
    let lines: Vec<_> = parse_problems(&text).iter().map(|problem| problem.place.unwrap().0).collect();
    assert_eq!(lines, [4, 10, 15, 28, 39]);
}

#[test]
fn files_in_other_formats_are_refused() {
    let only = |text: &[u8]| {
        let problems = parse("datafile.dat", text).expect_err("nothing to simulate");
        assert_eq!(problems.len(), 1, "{}", render_problems(&problems));
        problems[0].to_string()
    };
    assert!(only(b"").contains("components; the file has none"));
    assert!(only(b" \r\n# nothing\n").contains("components; the file has none"));
    assert!(only(b"simulator\n{\0}").starts_with("datafile.dat:2:2: found byte 0x00, expected plain text"));
    assert!(only(b"# caf\xe9\n").starts_with("datafile.dat:1:6: found byte 0xe9, expected plain text"));
    assert!(only(b"\xff\xfes\0i\0").starts_with("datafile.dat:1:1: found byte 0xff"));
    assert!(only(b"# old\rsimulator").contains("a carriage return without a line feed"));
    assert!(only(b"simulator { system_simulation_time = 1\n }").contains("wired_source_node or wireless_source_node"));
    let without = NETWORK.split_once("}\n").unwrap().1;
    assert!(only(without.as_bytes()).contains("a simulator component; there is none"));
}

#[test]
fn number_of_reported_errors_is_limited() {
    let text = format!("simulator\n{{\n{}}}\n", "colour = 5\n".repeat(10_000));
    let problems = parse_problems(&text);
    assert_eq!(problems.len(), 101);
    assert_eq!(problems[100].expected, "9901 more problems, not shown");
}
