//! The thesis's scenario language: the meaning of its examples, and the messages about each mistake.

use std::rc::Rc;

use engine::{Bytes, Rate, Span};
use path::agent::AgentConfig;
use path::channel::{ChannelConfig, recorded, scripted};
use path::mac::arq::ArqConfig;
use path::mac::dcf::Standard;
use path::scheduler::SchedulerConfig;
use scenario::goel1997::{Parsed, TraceUse, parse};
use scenario::model::Directed;
use scenario::problem::Problem;
use scenario::{Loaded, Named, NoFiles, Overrides, Source, check, document};
use sim::{NodeKind, Radio};
use testkit::{example_path, load_example, run_network};

/// Settings of a link, equal in both directions.
fn forward(link: &scenario::model::Link) -> scenario::model::Way<'_> {
    link.way(path::LinkDirection::Forward)
}

/// A network of the thesis, which the tests below change.
const NETWORK: &str = include_str!("../src/goel1997/network.dat");

fn changed(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(NETWORK.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "the network has no {from}");
        text.replacen(from, to, 1)
    })
}

fn read(text: &str) -> Parsed {
    parse("datafile.dat", text.as_bytes()).unwrap_or_else(|problems| panic!("{}", said(&problems)))
}

fn rate(text: &str) -> Rate {
    text.parse().unwrap()
}

fn said(problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("{problem}\n")).collect()
}

#[test]
fn example_of_appendix_b_converts_to_this_scenario() {
    let parsed = read(&std::fs::read_to_string(example_path("goel1997/datafile.dat")).unwrap());
    assert_eq!(parsed.warnings, []);
    assert_eq!(parsed.uses_trace, Some(TraceUse::Record { link: "102".into() }));
    let expected = r#"profile = "goel1997"
duration = "4300 s"
seed = 1

[nodes.211]
kind = "host"

[nodes.212]
kind = "base-station"
buffer = "512 kB"

[nodes.213]
kind = "host"

[links.101]
kind = "wired"
between = ["211", "212"]
rate = "8 Mbps"
delay = "492 ms"
random_seed = 2

[links.102]
kind = "wireless"
between = ["212", "213"]
rate = "1 Mbps"
delay = "1 ms"
random_seed = 3

[links.102.channel]
kind = "two-state"
mean_good = "5 s"
mean_bad = "100 ms"
loss_good = 0.0
loss_bad = 1.0

[links.102.arq]
kind = "stop-and-wait"
max_transmissions = 9
margin = "1 ms"

[flows.211]
from = "211"
to = "213"
bytes = "10.24 MB"
mss = "1 KiB"
receive_window = "16 KiB"

[output]
traces = ["seqno", "ackno", "congestion", "threshold", "wless_state", "router_pkt_arrival", "swnd_size", "air"]
print_interval = "500 ms"
"#;
    assert_eq!(document::render_scenario(&parsed.scenario), expected);
}

#[test]
fn every_example_runs() {
    for name in ["datafile.dat", "replay.dat", "shared.dat"] {
        let loaded = load_example(format!("goel1997/{name}"), &Overrides::default());
        // shared.dat has two wireless links, which the trace file of goel1997 cannot describe: one warning.
        assert_eq!(loaded.warnings.len(), usize::from(name == "shared.dat"), "{name}: {}", said(&loaded.warnings));
        let results = run_network(&loaded.network);
        assert!(results.flows.iter().all(|flow| flow.completed.is_some()), "{name}: {results:?}");
    }
}

/// Returns a network with two mobiles in one cell: a second source, sink, wired and wireless link in addition to the
/// network's.
fn cell() -> String {
    let components: Vec<&str> = NETWORK.split_inclusive("}\n").collect();
    let second = [components[1], components[3], components[4], components[5]].concat();
    let again = [
        ("node_id = 211", "node_id = 214"),
        ("213", "215"),
        ("link_id = 101", "link_id = 103"),
        ("node_id1 = 211", "node_id1 = 214"),
        ("link_id = 102", "link_id = 104"),
    ];
    let second = again.iter().fold(second, |text, (from, to)| text.replace(from, to));
    let network = NETWORK.replace("latency = 1\n", "latency = 0.002\n");
    format!("{network}{second}shared_links {{\nlink_id = 102\nlink_id = 104\n}}\n")
        .replace("latency = 1\n", "latency = 0.002\n")
}

/// The rate of 3 Mbps is not a rate of 802.11. Data frames use it with the standard's timing, and a transfer takes less
/// time than at 2 Mbps.
#[test]
fn wireless_links_may_share_any_bandwidth() {
    let completion = |bandwidth: &str| {
        let shared = read(&cell().replace("= 1000000", &format!("= {bandwidth}")));
        let cell = &shared.scenario.media["shared-1"];
        assert_eq!((cell.standard, cell.rate), (Standard::Dsss, Some(rate(&format!("{bandwidth} bps")))));
        let network = check(&shared.scenario).unwrap_or_else(|problems| panic!("{}", said(&problems))).network;
        let results = run_network(&network);
        results.flows.iter().map(|flow| flow.completed.expect("it completes")).max()
    };
    let times = ["500000", "1000000", "2000000", "3000000", "20000000"].map(completion);
    assert!(times.is_sorted_by(|slow, fast| slow > fast), "{times:?}");
}

#[test]
fn links_that_share_a_bandwidth_are_a_cell_of_802_11() {
    let shared = read(&cell());
    // Two wireless links: the trace file can describe neither.
    assert_eq!(shared.warnings.len(), 1, "{}", said(&shared.warnings));
    let cell = &shared.scenario.media["shared-1"];
    assert_eq!((cell.standard, cell.rate), (Standard::Dsss, Some(rate("1 Mbps"))));
    // Nine transmissions, as on an unshared link.
    assert_eq!((cell.short_retry_limit, cell.long_retry_limit), (Some(9), Some(9)));
    assert_eq!(cell.delay, Some(Span::from_nanos(2000)));
    for link in ["102", "104"] {
        let link = &shared.scenario.links[link];
        assert_eq!(link.medium.as_deref(), Some("shared-1"));
        assert!(link.rate.is_none() && link.delay.is_none());
        assert!(matches!(forward(link).channel(), Some(ChannelConfig::TwoState(_))) && link.arq.is_none());
    }
    assert_eq!(shared.scenario.nodes["212"].scheduler, None);
    check(&shared.scenario).unwrap_or_else(|problems| panic!("{}", said(&problems)));
}

#[test]
fn bandwidth_of_a_cell_selects_the_standard() {
    let of = |bandwidth: &str| {
        let text = cell().replace("bandwidth = 1000000\n", &format!("bandwidth = {bandwidth}\n"));
        let cell = read(&text).scenario.media["shared-1"].clone();
        (cell.standard, cell.rate.unwrap().to_string())
    };
    assert_eq!(of("2000000"), (Standard::Dsss, "2 Mbps".to_owned()));
    assert_eq!(of("5500000"), (Standard::B, "5.5 Mbps".to_owned()));
    assert_eq!(of("11000000"), (Standard::B, "11 Mbps".to_owned()));
}

#[test]
fn cell_without_a_link_layer_does_not_retry() {
    let without = [("base_station", "normal_router_node"), ("wireless_sink_node", "wired_sink_node")];
    let text = without.iter().fold(cell(), |text, (from, to)| text.replace(from, to));
    let cell = read(&text).scenario.media["shared-1"].clone();
    assert_eq!((cell.short_retry_limit, cell.long_retry_limit), (Some(1), Some(1)));
}

#[test]
fn latency_impossible_in_a_cell_is_ignored_with_a_warning() {
    let parsed = read(&cell().replace("latency = 0.002\n", "latency = 1\n"));
    assert_eq!(parsed.scenario.media["shared-1"].delay, None);
    let said = said(&parsed.warnings);
    assert_eq!(said.matches("1 ms in a shared link, expected one latency").count(), 2, "{said}");
}

#[test]
fn layout_is_free_except_for_one_attribute_per_line() {
    let expected = read(NETWORK).scenario;
    let crlf = NETWORK.replace('\n', "\r\n");
    let commented: String = NETWORK.lines().map(|line| format!("{line} # {{ = ; µs\n")).collect();
    let layouts = [
        crlf,
        format!("# first\n#second\n\n{commented}"),
        format!("\u{feff}{NETWORK}"),
        NETWORK.replace("\n{\n", " {\n"),
        NETWORK.replace("\n{\n", "\n\n# what follows\n{"),
        NETWORK.replace("\n}\n", " }\n\n"),
        NETWORK.replace(" = ", "="),
        NETWORK.replace("    ", "\t"),
        NETWORK.replace("= 213", "= 213 ;"),
        NETWORK.replace("= 213", "= 0213"),
        NETWORK.trim_end().to_owned(),
    ];
    for layout in layouts {
        assert_eq!(read(&layout).scenario, expected, "{layout}");
    }
}

#[test]
fn order_of_components_is_irrelevant() {
    let mut components: Vec<&str> = NETWORK.split_inclusive("}\n").collect();
    components.reverse();
    // Only the order of the tables differs. The comparison ignores this order.
    assert_eq!(read(&components.concat()).scenario, read(NETWORK).scenario);
}

#[test]
fn times_are_read_exactly() {
    let text = changed(&[("latency = 492", "latency = 170.000001"), ("state = 0.1", "state = 0.000000001")]);
    let scenario = read(&text).scenario;
    assert_eq!(forward(&scenario.links["101"]).delay(), Some(Span::from_nanos(170_000_001)));
    let Some(ChannelConfig::TwoState(channel)) = forward(&scenario.links["102"]).channel() else {
        panic!("two states")
    };
    assert_eq!(channel.mean_bad, Span::from_nanos(1));
}

#[test]
fn settings_without_an_attribute_get_the_thesis_values() {
    let scenario = read(&changed(&[
        ("read_from_trace = 1", "read_from_trace = 1\nscheme = refined-icmp\nseed = 7"),
        ("recv_wnd_size = 16", "recv_wnd_size = 16\nstart_time = 1500.5\nscheme = unmodified"),
        ("delay = 0", "delay = 0.5\nscheme = simple-icmp\nscheduler = fifo\nradio = shared"),
    ]))
    .scenario;
    assert_eq!(scenario.seed, 7);
    assert_eq!(scenario.scheme, Some(Named(AgentConfig::RefinedIcmp(Default::default()))));
    assert_eq!(scenario.nodes["211"].scheme, Some(Named(AgentConfig::Unmodified(Default::default()))));
    assert_eq!(scenario.flows["211"].start, Span::from_nanos(1_500_500_000));
    let base = &scenario.nodes["212"];
    assert_eq!(base.scheme, Some(Named(AgentConfig::SimpleIcmp(Default::default()))));
    assert_eq!((&base.scheduler, base.radio), (&Some(Named(SchedulerConfig::Fifo(Default::default()))), Radio::Shared));
    assert_eq!((base.buffer, base.processing_delay), (Some(Bytes(512_000)), Some(Span::from_nanos(500_000))));
}

#[test]
fn link_layer_follows_from_the_endpoints() {
    let with = read(NETWORK).scenario;
    assert!(matches!(forward(&with.links["102"]).arq(), Some(ArqConfig::StopAndWait(_))));
    let without = [("base_station", "normal_router_node"), ("wireless_sink_node", "wired_sink_node")];
    let without = read(&changed(&without)).scenario;
    assert!(matches!(forward(&without.links["102"]).arq(), Some(ArqConfig::None(_))));
    assert_eq!(without.nodes["212"].kind, NodeKind::Router);
    let at_source = [("    node_id2 = 212", "    node_id2 = 213"), ("    node_id1 = 212", "    node_id1 = 211")];
    let mut both = at_source.to_vec();
    both.extend([
        ("wired_source_node", "wireless_source_node"),
        ("    node_id2 = 213\n    mean", "    node_id2 = 212\n    mean"),
    ]);
    assert!(matches!(forward(&read(&changed(&both)).scenario.links["102"]).arq(), Some(ArqConfig::StopAndWait(_))));
}

#[test]
fn lossless_wire_has_no_channel() {
    assert_eq!(read(NETWORK).scenario.links["101"].loss, None);
    assert_eq!(
        read(&changed(&[("probability = 0", "probability = 0.01")])).scenario.links["101"].loss,
        Some(Directed::Both(engine::Share(0.01)))
    );
}

#[test]
fn channel_trace_is_read_written_or_ignored() {
    let channel = |parsed: &Parsed| forward(&parsed.scenario.links["102"]).channel().cloned();
    let air = |parsed: &Parsed| parsed.scenario.output.traces.iter().any(|name| name == "air");

    let reads = read(&changed(&[("read_from_trace = 1", "read_from_trace = 0")]));
    let from_file = recorded::Config { file: Some("trace.dat".into()), switches: None };
    assert_eq!(channel(&reads), Some(ChannelConfig::Recorded(from_file)));
    assert_eq!(reads.uses_trace, Some(TraceUse::Read { link: "102".into() }));
    // A trace that is followed is stored with the result, where it can be followed again.
    assert!(air(&reads));

    let script = [
        ("read_from_trace = 1", "read_from_trace = 2"),
        ("state = 0.1", "state = 0\nbad_interval = 1233.5 1250\nbad_interval = 1570 1778"),
    ];
    let scripted = read(&changed(&script));
    let ms = |half: u64| Span::from_nanos(half * 500_000);
    let bad = vec![[ms(2467), ms(2500)], [ms(3140), ms(3556)]];
    let told = scripted::Config { bad, drop: Vec::new(), drop_backward: Vec::new() };
    assert_eq!(channel(&scripted), Some(ChannelConfig::Scripted(told)));
    assert_eq!(scripted.uses_trace, Some(TraceUse::Record { link: "102".into() }));
    assert!(air(&scripted));

    let neither = read(&changed(&[("    read_from_trace = 1\n", "")]));
    assert_eq!(neither.uses_trace, None);
    assert!(!air(&neither));
    assert_eq!(neither.warnings.len(), 1);
    assert_eq!(neither.warnings[0].key.as_deref(), Some("simulator.read_from_trace"));
}

#[test]
fn channel_states_are_printed_only_if_requested() {
    let every = |text: &str| read(text).scenario.output.print_interval;
    assert_eq!(every(NETWORK), Some(Span::from_millis(500)));
    assert_eq!(every(&changed(&[("print_interval = 500", "print_interval = 0")])), None);
    let missing = read(&changed(&[("    print_interval = 500\n", "")]));
    assert_eq!(missing.scenario.output.print_interval, None);
    assert_eq!(missing.warnings[0].place, Some((1, 1)));
}

#[test]
fn settings_without_effect_cause_warnings() {
    let intervals = read(&changed(&[("state = 0.1", "state = 0.1\nbad_interval = 940 1040")]));
    assert_eq!(intervals.warnings[0].place.map(|(line, _)| line), Some(44));
    let second = NETWORK.rsplit_once("wireless_link").unwrap().1.replace("102", "103");
    let two = read(&format!("{NETWORK}wireless_link{second}"));
    assert_eq!(two.uses_trace, None);
    assert!(two.warnings[0].expected.contains("there are 2"), "{}", two.warnings[0]);
}

#[test]
fn problems_are_reported_at_the_component() {
    let parsed = read(&changed(&[("recv_wnd_size = 16", "recv_wnd_size = 16\nstart_time = 60000")]));
    let problems = check(&parsed.scenario).expect_err("it begins when all is over");
    let located = parsed.locate(problems[0].clone());
    let expected = "datafile.dat:14:14: wired_source_node.start_time: found 60 s, expected a time before the end \
                    (system_simulation_time of simulator)\n  14 | start_time = 60000\n     |              ^";
    assert_eq!(located.to_string(), expected);
    let parsed = read(&changed(&[("buffer_size = 512000", "buffer_size = 100")]));
    let problems = check(&parsed.scenario).expect_err("no packet fits");
    let said: Vec<String> = problems.into_iter().map(|problem| parsed.locate(problem).to_string()).collect();
    let expected = "datafile.dat:18:19: base_station.buffer_size: found 100 B, expected at least 1064 B: a packet of \
                    wired_source_node 211 never fits\n  18 | buffer_size = 100\n     |               ^\n  \
                    hint: or a smaller pkt_size of wired_source_node 211";
    assert_eq!(said[0], expected);
    // A key has the line and the name of its attribute; a key without an attribute has the line and the name of its
    // component.
    for (key, line, name) in [
        ("duration", 3, "simulator.system_simulation_time"),
        ("output.traces", 1, "simulator"),
        ("output.print_interval", 4, "simulator.print_interval"),
        ("flows.211.receive_window", 13, "wired_source_node.recv_wnd_size"),
        ("nodes.212.scheme", 15, "base_station"),
        ("links.101.between[1]", 31, "wired_link.node_id2"),
        ("links.101.delay", 29, "wired_link.latency"),
        ("links.102.channel.mean_bad", 43, "wireless_link.mean_exp_distrib_bad_state"),
        ("links.102.arq.margin", 35, "wireless_link"),
    ] {
        let located = parsed.locate(Problem::new("anything").key(key));
        let found = (located.place.map(|(line, _)| line), located.key.as_deref());
        assert_eq!(found, (Some(line), Some(name)), "{key}");
    }
    let unknown = parsed.locate(Problem::new("anything").key("somewhere.else"));
    assert_eq!((unknown.file.as_deref(), unknown.place), (Some("datafile.dat"), None));
}

#[test]
fn flags_turn_traces_and_kinds_of_events_off() {
    let flags = "read_from_trace = 1\ntrace_ackno = 0\ntrace_seqno = 1\ntrace_events = 1\nevent_corrupted = 0\nevent_given_up = 0\nevent_state = 1";
    let output = read(&changed(&[("read_from_trace = 1", flags)])).scenario.output;
    let traces =
        ["seqno", "congestion", "threshold", "wless_state", "router_pkt_arrival", "swnd_size", "events", "air"];
    assert_eq!(output.traces, traces);
    assert_eq!(output.events, ["-corrupted", "-given-up"]);
    let problems =
        parse("datafile.dat", changed(&[("read_from_trace = 1", "event_icmp = 2")]).as_bytes()).expect_err("no flag");
    assert_eq!(problems[0].key.as_deref(), Some("simulator.event_icmp"));
    assert_eq!(problems[0].expected, "0 (off) or 1 (on)");
}

#[test]
fn channel_can_follow_a_named_file() {
    let follows = |setting: &str| {
        let parsed = read(&changed(&[("read_from_trace = 1", setting)]));
        assert_eq!(parsed.uses_trace, Some(TraceUse::Read { link: "102".into() }));
        match forward(&parsed.scenario.links["102"]).channel() {
            Some(ChannelConfig::Recorded(recorded)) => recorded.file.clone(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(follows("read_from_trace = 0").as_deref(), Some("trace.dat"));
    let named = "read_from_trace = 0 results/datafile-seed1/trace.dat";
    assert_eq!(follows(named).as_deref(), Some("results/datafile-seed1/trace.dat"));
    for (setting, hint) in [("1 here.dat", "only 0 takes a file"), ("0 my trace.dat", "cannot have blanks")] {
        let text = changed(&[("read_from_trace = 1", &format!("read_from_trace = {setting}"))]);
        let problems = parse("datafile.dat", text.as_bytes()).expect_err(setting);
        assert!(problems[0].hint.as_deref().unwrap_or_default().contains(hint), "{}", said(&problems));
    }
}

fn loaded(text: &str) -> Loaded {
    let overrides = Overrides::default();
    let source =
        Source::of_text(Rc::new(NoFiles), "datafile".into(), "datafile.dat".into(), text.as_bytes(), &overrides);
    let loaded = source.and_then(|source| source.resolve(&source.document));
    loaded.unwrap_or_else(|problems| panic!("{}", said(&problems)))
}

/// B = 1 Mbps x the round trip of 986 ms and more, about 125 kB; the hint names the attribute and its unit.
#[test]
fn hint_for_a_large_buffer_works_when_followed() {
    let small = changed(&[("buffer_size = 512000", "buffer_size = 20000"), ("wnd_size = 16", "wnd_size = 512")]);
    let warnings = loaded(&small).warnings;
    let [warning] = &warnings[..] else { panic!("{}", said(&warnings)) };
    assert_eq!(warning.key.as_deref(), Some("base_station.buffer_size"));
    let hint = warning.hint.as_deref().unwrap();
    let line = hint.strip_prefix("write ").and_then(|hint| hint.strip_suffix(" in base_station 212"));
    let line = line.unwrap_or_else(|| panic!("{hint}"));
    assert!(line.strip_prefix("buffer_size = ").is_some_and(|bytes| bytes.parse::<u64>().is_ok()), "{line}");
    let followed = small.replacen("buffer_size = 20000", line, 1);
    assert_eq!(loaded(&followed).warnings, []);
}

/// A mistake, and the changes that the hint of its message suggests. With these changes the file is valid.
#[test]
fn hints_work_when_followed() {
    let scripted = &[("trace = 1", "trace = 2"), ("state = 0.1\n", "state = 0\n")];
    type Changes = &'static [(&'static str, &'static str)];
    let cases: &[(Changes, &str, Changes)] = &[
        (
            &[("good_state = 5.0", "good_state = 0")],
            "set the mean of BAD to 0",
            &[("good_state = 0", "good_state = 1"), ("bad_state = 0.1", "bad_state = 0")],
        ),
        (&[("wireless_sink", "wired_sink")], "make 213 a wireless_sink_node", &[("wired_sink", "wireless_sink")]),
        (
            &[("base_station", "normal_router_node")],
            "make 212 a base_station",
            &[("normal_router_node", "base_station")],
        ),
        (
            scripted,
            "add a line such as bad_interval = 940 1040",
            &[("state = 0\n", "state = 0\nbad_interval = 940 1040\n")],
        ),
        (&[("latency = 492", "latency 492")], "write latency = 492", &[("latency 492", "latency = 492")]),
        (&[("= 8000000", "= 8e6")], "without an exponent", &[("= 8e6", "= 8000000")]),
        (&[("wnd_size = 16", "wnd_size = 0.5")], "KB of 1024 bytes", &[("wnd_size = 0.5", "wnd_size = 1")]),
        (
            &[("node_id1 = 211", "node_id1 = 212")],
            "a link joins a node with another",
            &[("node_id1 = 212", "node_id1 = 211")],
        ),
    ];
    for (mistake, hint, cure) in cases {
        let wrong = changed(mistake);
        let problems = parse("datafile.dat", wrong.as_bytes()).expect_err(hint);
        assert!(problems[0].hint.as_deref().unwrap_or_default().contains(hint), "{hint}\n{}", said(&problems));
        let followed = cure.iter().fold(wrong, |text, (from, to)| text.replacen(from, to, 1));
        loaded(&followed);
    }
    let without = NETWORK.split_once("}\n").unwrap().1;
    let problems = parse("datafile.dat", without.as_bytes()).expect_err("no simulator");
    let added = problems[0].hint.as_deref().and_then(|hint| hint.strip_prefix("add ")).expect("what to add");
    loaded(&format!("{added}\n{without}"));
}
