//! Valid but probably unintended settings are warned of, and no others.

mod common;

use common::{scenario, wire};
use lab::load::{Overrides, load};
use scenario::check;

/// A wire and air; `SCHEME`, `QUEUE` and the nodes' settings are filled in.
const NETWORK: &str = r#"
SCHEME
duration = "100 s"
[nodes]
a = { kind = "host" }
x = { kind = "base-station" }
b = { kind = "host" }
[links.wire]
kind = "wired"
between = ["a", "x"]
rate = "8 Mbps"
delay = "100 ms"
QUEUE
[links.air]
kind = "wireless"
between = ["x", "b"]
rate = "1 Mbps"
delay = "1 ms"
arq = "stop-and-wait"
[flows.down]
from = "a"
to = "b"
segment = "1000 B"
"#;

fn warnings(text: &str) -> Vec<String> {
    let checked = check(&scenario(text)).unwrap_or_else(|problems| panic!("{problems:?}"));
    checked.warnings.iter().map(ToString::to_string).collect()
}

fn with(scheme: &str, queue: &str) -> String {
    NETWORK.replace("SCHEME", scheme).replace("QUEUE", queue)
}

#[test]
fn a_queue_below_a_packet_of_a_flow_that_passes_is_told_of() {
    for (queue, found) in [("0 packets", "at least 1 packet"), ("1039 B", "at least 1040 B, a packet of flows.down")] {
        let warnings = warnings(&with("", &format!("queue = \"{queue}\"")));
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains("links.wire.queue") && warnings[0].contains(found), "{warnings:?}");
    }
    for queue in ["", "queue = \"1 packet\"", "queue = \"1040 B\""] {
        assert_eq!(warnings(&with("", queue)), [""; 0], "{queue}");
    }
}

#[test]
fn a_threshold_that_is_never_passed_is_told_of() {
    for (queue, threshold) in [("20 packets", "19 packets"), ("20 packets", "40 packets"), ("20 kB", "20 kB")] {
        let warnings = warnings(&with("", &format!("queue = \"{queue}\"\necn_threshold = \"{threshold}\"")));
        let told = warnings.iter().find(|warning| warning.contains("links.wire.ecn_threshold"));
        assert!(
            told.is_some_and(|warning| warning.contains("nothing is marked")),
            "{queue}, {threshold}: {warnings:?}"
        );
    }
    for (queue, threshold) in
        [("20 packets", "18 packets"), ("20 kB", "18 kB"), ("20 kB", "20 packets"), ("unlimited", "9 packets")]
    {
        let warnings = warnings(&with("", &format!("queue = \"{queue}\"\necn_threshold = \"{threshold}\"")));
        assert!(
            !warnings.iter().any(|warning| warning.contains("ecn_threshold")),
            "{queue}, {threshold}: {warnings:?}"
        );
    }
}

#[test]
fn a_recovery_that_lives_on_sack_and_has_none_is_told_of() {
    for recovery in ["sack", "fack", "rack"] {
        let without = format!("{}tcp = {{ recovery = \"{recovery}\", sack = false }}\n", with("", ""));
        let warnings = warnings(&without);
        assert!(warnings.len() == 1 && warnings[0].contains("flows.down.tcp.sack"), "{warnings:?}");
        assert!(warnings[0].contains(&format!("{recovery} lives on SACK")), "{warnings:?}");
    }
    for tcp in ["recovery = \"newreno\", sack = false", "recovery = \"rack\"", "sack = false"] {
        assert_eq!(warnings(&format!("{}tcp = {{ {tcp} }}\n", with("", ""))), [""; 0], "{tcp}");
    }
}

/// A setting without effect is warned of; one with an effect is not.
#[test]
fn settings_without_effect_are_told_of() {
    let said = |tcp: &str| warnings(&format!("{}tcp = {{ {tcp} }}\n", with("", "")));
    for (tcp, key, part) in [
        (
            "variant = \"tahoe\", loss_differentiation = \"zigzag\"",
            "loss_differentiation: found \"zigzag\"",
            "tahoe has none",
        ),
        ("recovery = \"tahoe\", loss_differentiation = \"biaz\"", "loss_differentiation: found \"biaz\"", "no effect"),
        ("variant = \"bbr\", prr = true", "prr: found true", "bbr decides in recovery itself"),
        ("variant = \"bbr3\", prr = true", "prr: found true", "bbr3 decides in recovery itself"),
        ("variant = \"newreno\", dsack_undo = true", "dsack_undo: found true", "newreno does not"),
        ("variant = \"linux\", recovery = \"reno\", dsack_undo = true", "dsack_undo: found true", "reno does not"),
        ("variant = \"dctcp\"", "variant: flows.down asks for ECN", "nothing marks"),
        ("ecn = \"request\"", "ecn: flows.down asks for ECN", "nothing marks"),
    ] {
        let warnings = said(tcp);
        assert_eq!(warnings.len(), 1, "{tcp}: {warnings:?}");
        let key = format!("flows.down.tcp.{key}");
        assert!(warnings[0].starts_with(&key) && warnings[0].contains(part), "{tcp}: {warnings:?}");
    }
    for tcp in [
        "loss_differentiation = \"zigzag\"",
        "variant = \"bbr\", loss_differentiation = \"zigzag\"",
        "variant = \"sack\", prr = true, dsack_undo = true",
        // Other keys of the variant are not in the scenario.
        "variant = \"linux\", control = \"bbr\"",
        "variant = \"linux\", recovery = \"reno\"",
        "ecn = \"accept\"",
    ] {
        assert_eq!(said(tcp), [""; 0], "{tcp}");
    }
    let marking = with("", "queue = \"50 packets\"\necn_threshold = \"20 packets\"");
    assert_eq!(warnings(&(marking + "tcp = { variant = \"dctcp\" }\n")), [""; 0]);
}

/// A link beside the wire, named after it: the wire carries the flow both ways, and nothing passes the other.
#[test]
fn a_queue_that_no_flow_meets_is_nobodys_business() {
    let beside = "[links.beside]\nkind = \"wired\"\nrate = \"8 Mbps\"\ndelay = \"1 ms\"\nbetween = [\"a\", \"x\"]\n";
    assert_eq!(warnings(&(with("", "") + beside + "queue = \"0 packets\"\n")), [""; 0]);
}

#[test]
fn a_sender_that_lacks_its_half_of_a_scheme_is_told_of() {
    let at_station = |sender: &str| {
        let text = with("", "").replace("\"base-station\"", "\"base-station\", scheme = \"refined-icmp\"");
        warnings(&text.replace("a = { kind = \"host\"", &format!("a = {{ kind = \"host\"{sender}")))
    };
    for (sender, followed) in [("", "unmodified"), (", scheme = \"simple-icmp\"", "simple-icmp")] {
        let warnings = at_station(sender);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        for part in ["nodes.a.scheme", "x follows refined-icmp", followed, "write scheme = \"refined-icmp\""] {
            assert!(warnings[0].contains(part), "{part} is not in {}", warnings[0]);
        }
    }
    assert_eq!(at_station(", scheme = \"refined-icmp\""), [""; 0]);
    assert_eq!(warnings(&with("scheme = \"refined-icmp\"", "")), [""; 0]);
}

#[test]
fn a_sender_that_is_told_nothing_is_told_of() {
    let text = with("", "").replace("a = { kind = \"host\"", "a = { kind = \"host\", scheme = \"refined-icmp\"");
    let said = warnings(&text);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("nodes.a.scheme") && said[0].contains("about flows.down that never come"), "{said:?}");
    // Over wires alone no scheme has anything to say, and nothing is expected of it.
    let wires = text.replace("kind = \"wireless\"", "kind = \"wired\"").replace("arq = \"stop-and-wait\"\n", "");
    assert_eq!(warnings(&wires), [""; 0]);
}

/// The mobile's packets do not go through the base station's radio, and the mobile has an agent of its own.
#[test]
fn the_half_that_counts_is_that_of_the_node_which_sends_into_the_air() {
    let upload = with("", "").replace("from = \"a\"\nto = \"b\"", "from = \"b\"\nto = \"a\"");
    let upload = upload.replace("\"base-station\"", "\"base-station\", scheme = \"refined-icmp\"");
    let said = warnings(&upload);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("nodes.x.scheme") && said[0].contains("for the sender (b)"), "{said:?}");
    let there = upload.replace("scheme = \"refined-icmp\"", "buffer = \"1 MB\"");
    assert_eq!(
        warnings(&there.replace("b = { kind = \"host\"", "b = { kind = \"host\", scheme = \"refined-icmp\"")),
        [""; 0]
    );
}

/// A scheme at a node that it does not ask, for the other direction, without the air that it lives on, or without its
/// parts.
#[test]
fn a_scheme_that_does_nothing_is_told_of() {
    let states = "channel = { kind = \"two-state\", mean_good = \"5 s\", mean_bad = \"1 s\" }\n";
    let download = with("", "").replace("arq = \"stop-and-wait\"\n", states);
    let upload = download.replace("from = \"a\"\nto = \"b\"", "from = \"b\"\nto = \"a\"");
    let at = |text: &str, node: &str, scheme: &str| {
        let kind = if node == "x" { "base-station" } else { "host" };
        let from = format!("{node} = {{ kind = \"{kind}\"");
        assert!(text.contains(&from));
        warnings(&text.replace(&from, &format!("{from}, scheme = {scheme}")))
    };
    let still = |text: &str| text.replace(states, "channel = { kind = \"gilbert-elliott\", p = 0.01, r = 0.5 }\n");
    let off = "{ kind = \"packet-control\", ack_filter = false, data_filter = false }";
    for (said, key, part) in [
        (at(&download, "b", "\"snoop\""), "nodes.b.scheme", "for the base station (x)"),
        (at(&download, "x", "\"freeze-tcp\""), "nodes.x.scheme", "for the receiver (b)"),
        (at(&upload, "x", "\"snoop\""), "nodes.x.scheme", "for nobody"),
        (at(&upload, "x", "\"packet-control\""), "nodes.x.scheme", "for the sender (b)"),
        (at(&upload, "b", "\"tack\""), "nodes.b.scheme", "for the base station (x)"),
        (warnings(&format!("scheme = \"eln\"\n{download}")), "scheme", "where data comes from the mobile"),
        (warnings(&format!("scheme = \"snoop\"\n{upload}")), "scheme", "where data goes to the mobile"),
        (at(&still(&download), "b", "\"freeze-tcp\""), "nodes.b.scheme", "none of the links of b"),
        (at(&download, "x", off), "nodes.x.scheme", "without both"),
    ] {
        assert_eq!(said.len(), 1, "{key}, {part}: {said:?}");
        assert!(said[0].starts_with(&format!("{key}: found")) && said[0].contains(part), "{part}: {said:?}");
    }
    for (text, node, scheme) in [
        (&download, "x", "\"snoop\""),
        (&download, "b", "\"freeze-tcp\""),
        (&download, "b", "\"tack\""),
        (&upload, "x", "\"tack\""),
        (&upload, "b", "\"packet-control\""),
        (&upload, "x", "\"split\""),
    ] {
        assert_eq!(at(text, node, scheme), [""; 0], "{scheme} at {node}");
    }
    for text in [download, upload] {
        assert_eq!(warnings(&format!("scheme = \"split\"\n{text}")), [""; 0]);
    }
}

/// By hand: at 10^-3 a packet of 1040 bytes passes with e^-8.3, at 3 x 10^-3 with e^-25.
#[test]
fn air_that_lets_nothing_through_is_told_of() {
    let air =
        |channel: &str| warnings(&with("", "").replace("arq = \"stop-and-wait\"", &format!("channel = {channel}")));
    for (channel, key) in [
        ("{ kind = \"uniform\", loss = 1 }", "links.air.channel.loss: found 1"),
        ("{ kind = \"bit-errors\", rate = 1 }", "links.air.channel.rate: found 1"),
        ("{ kind = \"bit-errors\", rate = 3e-3 }", "links.air.channel.rate: found 0.003"),
    ] {
        let said = air(channel);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with(key) && said[0].contains("1040 byte"), "{said:?}");
    }
    for channel in ["{ kind = \"uniform\", loss = 0.99 }", "{ kind = \"bit-errors\", rate = 1e-3 }"] {
        assert_eq!(air(channel), [""; 0]);
    }
    let wire = warnings(&with("", "loss = 1"));
    assert!(wire.len() == 1 && wire[0].starts_with("links.wire.loss: found 1"), "{wire:?}");
}

#[test]
fn a_scheme_without_a_link_layer_is_told_of() {
    let warnings = warnings(&with("scheme = \"refined-icmp\"", "").replace("arq = \"stop-and-wait\"\n", ""));
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("nothing to go by"), "{warnings:?}");
}

#[test]
fn a_scheme_that_asks_for_neither_is_not_told_of_either() {
    let text = with("", "").replace("\"base-station\"", "\"base-station\", scheme = \"split\"");
    assert_eq!(warnings(&text), [""; 0]);
    assert_eq!(warnings(&text.replace("arq = \"stop-and-wait\"\n", "")), [""; 0]);
}

/// The network with a queue in front of the air, and further settings of the flow.
fn before_the_air(queue: &str, flow: &str) -> String {
    with("", "").replace("arq =", &format!("queue = \"{queue}\"\narq =")) + flow
}

/// By hand: 202 ms of propagation, 1.04 and 8.32 ms to send a segment, 0.04 and 0.32 ms its acknowledgment: 211.72 ms,
/// and 26,465 B at 1 Mbps. A quarter of it is 6,616 B: six packets of 1040 B are less, seven are more.
#[test]
fn a_queue_far_below_the_bandwidth_delay_product_is_told_of() {
    for queue in ["1 packets", "6 packets", "6616 B"] {
        let warnings = warnings(&before_the_air(queue, ""));
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].starts_with(&format!("links.air.queue: found \"{queue}\"")), "{warnings:?}");
        let size = "about 26465 B, the bandwidth-delay product of flows.down (1 Mbps x 211.7 ms): with less";
        assert!(warnings[0].contains(size), "{warnings:?}");
        let wanted = if queue.ends_with('B') { "26465 B" } else { "26 packets" };
        assert!(warnings[0].ends_with(&format!("hint: write links.air.queue = \"{wanted}\"")), "{warnings:?}");
    }
    for queue in ["7 packets", "6617 B", "26 packets", "50 packets", "unlimited"] {
        assert_eq!(warnings(&before_the_air(queue, "")), [""; 0], "{queue}");
    }
    // The advice is good: a scenario that follows it has no warning.
    assert_eq!(warnings(&before_the_air("26465 B", "")), [""; 0]);
}

/// 26,465 B in flight and 2080 B waiting hold every window up to 28,545 B.
#[test]
fn a_queue_that_no_window_overflows_is_large_enough() {
    for (window, count) in [("24 kB", 0), ("28.5 kB", 0), ("28.6 kB", 1)] {
        let warnings = warnings(&before_the_air("2 packets", &format!("window = \"{window}\"\n")));
        assert_eq!(warnings.len(), count, "{window}: {warnings:?}");
    }
}

/// Four times 26,465 B are 105,860 B: 101 packets are less, 102 are more. A window of 65,535 B leaves 39,070 B for the
/// queue.
#[test]
fn a_queue_far_above_the_bandwidth_delay_product_is_told_of_if_windows_fill_it() {
    let window = "window = \"1 MB\"\n";
    let said = warnings(&before_the_air("102 packets", window));
    assert_eq!(said.len(), 1, "{said:?}");
    for part in ["\"102 packets\" (106080 B)", "stands, here for 849 ms", "write links.air.queue = \"26 packets\""] {
        assert!(said[0].contains(part), "{part} is not in {said:?}");
    }
    assert_eq!(warnings(&before_the_air("101 packets", window)), [""; 0]);
    assert_eq!(warnings(&before_the_air("102 packets", "")), [""; 0]);
    // 132.3 kB of window leave 105.9 kB, 132 kB leave 105.5 kB.
    assert_eq!(warnings(&before_the_air("1 MB", "window = \"132 kB\"\n")), [""; 0]);
    assert_eq!(warnings(&before_the_air("1 MB", "window = \"132.4 kB\"\n")).len(), 1);
}

/// 1500 B packets: 12 ms to send one, 2 ms of propagation, 0.32 ms for the acknowledgment: 1790 B. Eight packets make
/// 96 ms, nine 108 ms.
#[test]
fn a_queue_of_less_than_100_ms_is_not_bufferbloat() {
    let count = |packets: u32| {
        let text = wire("1 Mbps", "1 ms", "window = \"1 MB\"");
        warnings(&text.replace("delay =", &format!("queue = \"{packets} packets\"\ndelay ="))).len()
    };
    assert_eq!([count(8), count(9)], [0, 1]);
}

/// Four flows that share the air: sqrt(4) = 2, so an eighth of 26,465 B, 3308 B, is the least, and 13,233 B are wanted.
#[test]
fn flows_that_share_a_link_need_less_room() {
    let more: String =
        (0..3).map(|i| format!("[flows.more{i}]\nfrom = \"a\"\nto = \"b\"\nsegment = \"1000 B\"\n")).collect();
    let said = warnings(&before_the_air("3 packets", &more));
    assert_eq!(said.len(), 1, "{said:?}");
    for part in ["(1 Mbps x 211.7 ms / sqrt(4 flows))", "about 13233 B", "= \"13 packets\""] {
        assert!(said[0].contains(part), "{part} is not in {said:?}");
    }
    assert_eq!(warnings(&before_the_air("4 packets", &more)), [""; 0]);
}

#[test]
fn the_buffer_of_a_node_counts_if_it_is_the_smaller_one() {
    let buffer = |size: &str, text: &str| {
        warnings(&text.replace("\"base-station\"", &format!("\"base-station\", buffer = \"{size}\"")))
    };
    let said = buffer("6 kB", &before_the_air("50 packets", ""));
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("nodes.x.buffer: found \"6 kB\""), "{said:?}");
    assert!(said[0].contains("write nodes.x.buffer = \"26465 B\""), "{said:?}");
    assert!(buffer("7 kB", &before_the_air("6 packets", ""))[0].contains("links.air.queue"));
    // The mobile sends into the air itself; at the station the wire is faster, so nothing waits there.
    let upload = with("", "").replace("from = \"a\"\nto = \"b\"", "from = \"b\"\nto = \"a\"");
    assert_eq!(buffer("6 kB", &upload), [""; 0]);
}

/// 26,465 B are reached by 1, 2, 4, ... 32 segments, five round trips of 211.72 ms: 1058.6 ms, of which ten are 10.586
/// s.
#[test]
fn a_run_that_is_too_short_for_its_slow_start_is_told_of() {
    let lasts =
        |duration: &str, flow: &str| warnings(&(with("", "").replace("\"100 s\"", &format!("\"{duration}\"")) + flow));
    let said = lasts("10.5 s", "");
    assert_eq!(said.len(), 1, "{said:?}");
    for part in
        ["duration: found 10.5 s, expected at least 10.6 s", "1058.6 ms (5 round trips of 211.7 ms)", "lasthop steady"]
    {
        assert!(said[0].contains(part), "{part} is not in {said:?}");
    }
    // Longer; with an end; from ten segments on, two doublings; up to 4 kB; to a threshold of 4 kB.
    assert_eq!(lasts("10.6 s", ""), [""; 0]);
    assert_eq!(lasts("10.5 s", "bytes = \"1 MB\"\n"), [""; 0]);
    assert_eq!(lasts("5 s", "tcp.initial_window = 10\n"), [""; 0]);
    assert_eq!(lasts("4 s", "tcp.initial_window = 10\n").len(), 1);
    assert_eq!(lasts("5 s", "window = \"4 kB\"\n"), [""; 0]);
    assert_eq!(lasts("5 s", "tcp.initial_ssthresh = \"4 kB\"\n"), [""; 0]);
    // Data before the flow's start does not count.
    assert_eq!(lasts("10.6 s", "start = \"1 s\"\n").len(), 1);
}

/// Four flows: a quarter each, 6616 B, takes three doublings; one warning for all.
#[test]
fn flows_that_share_a_link_are_at_their_share_sooner() {
    let more: String =
        (0..3).map(|i| format!("[flows.more{i}]\nfrom = \"a\"\nto = \"b\"\nsegment = \"1000 B\"\n")).collect();
    let lasts = |duration: &str| warnings(&(with("", "").replace("\"100 s\"", &format!("\"{duration}\"")) + &more));
    assert_eq!(lasts("6.4 s"), [""; 0]);
    assert_eq!(lasts("6.3 s").len(), 1);
}

#[test]
fn nothing_is_said_of_the_examples() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    assert!(files.len() >= 8, "{files:?}");
    for path in files {
        let loaded = load(&path, &Overrides::default()).unwrap();
        assert!(loaded.warnings.is_empty(), "{}: {:?}", path.display(), loaded.warnings);
    }
    // The sawtooth's own experiment, a queue of five packets of 31.5 kB: "the link runs dry after each loss".
    let overrides = Overrides { set: vec!["links.slow.queue=5 packets".into()], ..Overrides::default() };
    let sawtooth = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sawtooth.toml");
    let warnings = load(&sawtooth, &overrides).unwrap().warnings;
    assert!(warnings.len() == 1 && warnings[0].expected.contains("runs dry"), "{warnings:?}");
}
