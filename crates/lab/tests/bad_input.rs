//! What is wrong with a scenario is said with its line, its key, what was found, what was expected, and a hint.

mod common;

use lab::problem::Problem;
use lab::scenario::{Document, check};
use proptest::prelude::*;
use tcp::cc::{ControlConfig, Start};

/// A scenario that is right; each case breaks one line of it.
const GOOD: &str = r#"
title = "good"
scheme = "refined-icmp"
duration = "10 s"
[nodes]
a = { kind = "host" }
x = { kind = "base-station", buffer = "64 kB" }
b = { kind = "host" }
[links.wire]
kind = "wired"
between = ["a", "x"]
rate = "8 Mbps"
delay = "100 ms"
loss = 0.01
[links.air]
kind = "wireless"
between = ["x", "b"]
rate = "1 Mbps"
delay = "1 ms"
arq = { kind = "stop-and-wait", transmissions = 9 }
channel = { kind = "two-state", mean_good = "5 s", mean_bad = "100 ms" }
[flows.down]
from = "a"
to = "b"
bytes = "1 MB"
segment = "1000 B"
window = "16 KiB"
start = "1 s"
tcp = { variant = "reno", initial_window = 2 }
"#;

fn problems(text: &str) -> Vec<Problem> {
    let document = match Document::parse("net.toml", text.as_bytes()) {
        Ok(document) => document,
        Err(problem) => return vec![problem],
    };
    match document.read() {
        Err(problems) => problems,
        Ok(scenario) => {
            let problems = check(&scenario).err().unwrap_or_default();
            problems.into_iter().map(|problem| document.locate(problem)).collect()
        }
    }
}

#[test]
fn the_good_scenario_is_good() {
    assert_eq!(problems(GOOD), []);
}

/// What to replace, by what, and what the message must hold besides the file and the line of the replacement.
const CASES: &[(&str, &str, &[&str])] = &[
    // Names and keys.
    ("delay = \"100 ms\"", "dealy = \"100 ms\"", &["links.wire.dealy", "no such key", "did you mean \"delay\"?"]),
    ("title = \"good\"", "tittle = \"good\"", &["tittle", "did you mean \"title\"?"]),
    ("bytes = \"1 MB\"", "bites = \"1 MB\"", &["flows.down.bites", "did you mean \"bytes\"?"]),
    ("kind = \"wired\"", "kind = \"wried\"", &["links.wire.kind", "\"wried\"", "did you mean \"wired\"?"]),
    (
        "kind = \"two-state\"",
        "kind = \"tow-state\"",
        &["links.air.channel", "tow-state", "did you mean \"two-state\"?"],
    ),
    ("mean_good = \"5 s\"", "mean_god = \"5 s\"", &["links.air.channel.mean_god", "did you mean \"mean_good\"?"]),
    ("variant = \"reno\"", "variant = \"rino\"", &["flows.down.tcp.variant", "\"rino\"", "did you mean \"reno\"?"]),
    ("scheme = \"refined-icmp\"", "scheme = \"refined\"", &["scheme", "refined", "refined-icmp"]),
    (
        "between = [\"a\", \"x\"]",
        "between = [\"a\", \"xx\"]",
        &["links.wire.between[1]", "\"xx\"", "did you mean \"x\"?"],
    ),
    ("to = \"b\"", "to = \"nowhere\"", &["flows.down.to", "\"nowhere\"", "a node"]),
    ("[links.air]", "[links.wire]", &["wire"]),
    ("[links.air]", "[links.\"the air\"]", &["links.the air", "a name of at most 64"]),
    ("[links.air]", "[links.\"a.ir\"]", &["a name of at most 64"]),
    // A word inside a member of a registry, and a setting of another member.
    (
        "initial_window = 2",
        "recovery = { kind = \"newreno\", variant = \"patient\" }",
        &["flows.down.tcp.recovery.variant: found \"patient\"", "did you mean \"impatient\"?"],
    ),
    (
        "initial_window = 2",
        "recovery = { kind = \"newreno\", variant = \"newreno\" }",
        &["flows.down.tcp.recovery.variant: found \"newreno\"", "one of: impatient, slow-but-steady"],
    ),
    (
        "initial_window = 2",
        "recovery = { kind = \"newrino\", variant = \"impatient\" }",
        &["flows.down.tcp.recovery.kind: found \"newrino\"", "did you mean \"newreno\"?"],
    ),
    (
        "initial_window = 2",
        "recovery = { kind = \"sack\", tail_probe = true }",
        &["flows.down.tcp.recovery.tail_probe: no such key", "hint: `tail_probe` belongs to kind = \"rack\""],
    ),
    // A key of a table within a member, which the deserializer names by the member.
    (
        "scheme = \"refined-icmp\"",
        "scheme = { kind = \"split\", wireless = { window = 3 } }",
        &["scheme.wireless.window: no such key", "hint: known: variant"],
    ),
    (
        "channel = { kind = \"two-state\", mean_good = \"5 s\", mean_bad = \"100 ms\" }",
        "channel = { kind = \"gilbert-elliott\", p = 0.01, 1-h = 0.7 }",
        &["links.air.channel.1-h: no such key", "hint: known: "],
    ),
    // Numbers of another kind get the range that whole numbers get.
    (
        "scheme = \"refined-icmp\"",
        "scheme = { kind = \"snoop\", cache = -1 }",
        &["scheme.cache: found -1, expected a whole number, 1 to 100000"],
    ),
    (
        "scheme = \"refined-icmp\"",
        "scheme = { kind = \"snoop\", cache = 1.5 }",
        &["scheme.cache: found 1.5, expected a whole number, 1 to 100000"],
    ),
    // Missing.
    ("rate = \"8 Mbps\"\n", "", &["links.wire.rate", "`rate` is missing"]),
    ("duration = \"10 s\"\n", "", &["duration", "`duration` is missing"]),
    ("mean_good = \"5 s\", ", "", &["links.air.channel", "`mean_good` is missing"]),
    // Units and values.
    (
        "rate = \"8 Mbps\"",
        "rate = \"8 mbps\"",
        &["links.wire.rate", "\"8 mbps\"", "a rate such as", "did you mean \"8 Mbps\"?"],
    ),
    ("rate = \"8 Mbps\"", "rate = 8000000", &["links.wire.rate", "8000000", "a rate such as \"8 Mbps\""]),
    ("rate = \"8 Mbps\"", "rate = \"0 bps\"", &["links.wire.rate", "never sends anything"]),
    ("delay = \"100 ms\"", "delay = \"-100 ms\"", &["links.wire.delay", "\"-100 ms\"", "it cannot be negative"]),
    ("delay = \"100 ms\"", "delay = \"100\"", &["links.wire.delay", "add a unit after 100"]),
    (
        "delay = \"100 ms\"",
        "delay = \"100 kB\"",
        &["links.wire.delay", "a time such as", "units: ns, us, ms, s, min, h"],
    ),
    ("delay = \"100 ms\"", "delay = \"9 h\"", &["links.wire.delay", "\"9 h\"", "at most an hour"]),
    ("loss = 0.01", "loss = 1.5", &["links.wire.loss", "1.5", "a probability"]),
    ("loss = 0.01", "loss = nan", &["links.wire.loss", "a probability"]),
    ("loss = 0.01", "loss = \"often\"", &["links.wire.loss", "\"often\""]),
    ("mean_good = \"5 s\"", "mean_good = \"0 s\"", &["links.air.channel.mean_good", "more than nothing"]),
    ("mean_bad = \"100 ms\"", "mean_bad = \"1 ns\"", &["links.air.channel.mean_bad", "at least 1 us"]),
    ("transmissions = 9", "transmissions = 0", &["links.air.arq.transmissions", "1 to 10000"]),
    ("transmissions = 9", "transmissions = -1", &["links.air.arq", "-1"]),
    (
        "kind = \"stop-and-wait\", transmissions = 9",
        "kind = \"go-back-n\", window = 0",
        &["links.air.arq.window", "found 0", "1 to 65536 frames"],
    ),
    (
        "kind = \"stop-and-wait\", transmissions = 9",
        "kind = \"selective-repeat\", window = 65537",
        &["links.air.arq.window", "1 to 65536 frames"],
    ),
    (
        "kind = \"stop-and-wait\", transmissions = 9",
        "kind = \"go-back-n\", transmissions = 0",
        &["links.air.arq.transmissions", "1 to 10000"],
    ),
    (
        "kind = \"stop-and-wait\", transmissions = 9",
        "kind = \"selective-repeat\", transmissions = 0",
        &["links.air.arq.transmissions", "1 to 10000"],
    ),
    (
        "kind = \"stop-and-wait\", transmissions = 9",
        "kind = \"selective-repeat\", margin = \"2 h\"",
        &["links.air.arq.margin", "at most an hour"],
    ),
    (
        "kind = \"stop-and-wait\", transmissions = 9",
        "kind = \"selective-repeat\", ack_size = \"0 B\"",
        &["links.air.arq.ack_size", "1 B to"],
    ),
    (
        "kind = \"stop-and-wait\", transmissions = 9",
        "kind = \"go-back-n\", in_order = false",
        &["links.air.arq.in_order"],
    ),
    (
        "kind = \"stop-and-wait\", transmissions = 9",
        "kind = \"fec\", data = 0",
        &["links.air.arq.data", "found 0", "1 to 254 frames"],
    ),
    (
        "kind = \"stop-and-wait\", transmissions = 9",
        "kind = \"fec\", parity = 0",
        &["links.air.arq.parity", "found 0", "1 to 254 frames"],
    ),
    (
        "kind = \"stop-and-wait\", transmissions = 9",
        "kind = \"fec\", data = 200, parity = 56",
        &["links.air.arq.parity", "found 56", "at most 55, with 200 data frames", "255 frames"],
    ),
    (
        "kind = \"stop-and-wait\", transmissions = 9",
        "kind = \"fec\", flush = \"2 h\"",
        &["links.air.arq.flush", "at most an hour"],
    ),
    ("segment = \"1000 B\"", "segment = \"0 B\"", &["flows.down.segment", "1 to 65495 bytes"]),
    ("segment = \"1000 B\"", "segment = \"100 kB\"", &["flows.down.segment", "100 kB"]),
    ("window = \"16 KiB\"", "window = \"16 KB\"", &["flows.down.window", "write kB or KiB"]),
    ("window = \"16 KiB\"", "window = \"500 B\"", &["flows.down.window", "at least one segment (1000 B)"]),
    ("bytes = \"1 MB\"", "bytes = \"0 B\"", &["flows.down.bytes", "at least one byte"]),
    ("start = \"1 s\"", "start = \"11 s\"", &["flows.down.start", "before the end"]),
    ("duration = \"10 s\"", "duration = \"0 s\"", &["duration", "more than nothing"]),
    ("initial_window = 2", "initial_window = 0", &["flows.down.tcp.initial_window", "1 to 1000"]),
    ("initial_window = 2", "initial_window = 2, min_rto = \"100 s\"", &["flows.down.tcp.min_rto", "at most max_rto"]),
    (
        "initial_window = 2",
        "initial_window = 1001",
        &["flows.down.tcp.initial_window", "found 1001, expected a whole number of segments, 1 to 1000"],
    ),
    ("initial_window = 2", "initial_rto = \"2 min\"", &["flows.down.tcp.initial_rto", "at most max_rto (64 s)"]),
    ("initial_window = 2", "max_rto = \"500 ms\"", &["flows.down.tcp.max_rto", "at least min_rto (1 s)"]),
    ("initial_window = 2", "min_rto = \"0 s\"", &["flows.down.tcp.min_rto", "more than nothing"]),
    ("initial_window = 2", "rto_granularity = \"65 s\"", &["flows.down.tcp.rto_granularity", "at most max_rto"]),
    ("initial_window = 2", "rto_floor = \"timout\"", &["flows.down.tcp.rto_floor", "did you mean \"timeout\"?"]),
    (
        "initial_window = 2",
        "rtt_sampling = \"each\"",
        &["flows.down.tcp.rtt_sampling", "one of: one-at-a-time, each-acknowledgment"],
    ),
    (
        "initial_window = 2",
        "delayed_ack = { every = 0 }",
        &["flows.down.tcp.delayed_ack.every", "found 0, expected 1 to 64 segments"],
    ),
    (
        "initial_window = 2",
        "delayed_ack = { delay = \"501 ms\" }",
        &["flows.down.tcp.delayed_ack.delay", "at most 500 ms [RFC5681 s4.2]"],
    ),
    ("initial_window = 2", "delayed_ack = { evry = 2 }", &["flows.down.tcp.delayed_ack", "did you mean \"every\"?"]),
    (
        "initial_window = 2",
        "delayed_ack = \"200 ms\"",
        &["flows.down.tcp.delayed_ack", "expected true, false, or a table such as { every = 2, delay = \"200 ms\" }"],
    ),
    ("initial_window = 2", "retries = { data = 256 }", &["flows.down.tcp.retries.data", "0 to 255", "\"unlimited\""]),
    ("initial_window = 2", "retries = { steady_syn = 256 }", &["flows.down.tcp.retries.steady_syn", "0 to 255 times"]),
    ("initial_window = 2", "retries = { syn = 256 }", &["flows.down.tcp.retries.syn", "0 to 255 times"]),
    (
        "initial_window = 2",
        "retries = { data = \"never\" }",
        &["flows.down.tcp.retries", "such as 15, or \"unlimited\""],
    ),
    ("initial_window = 2", "window_scaling = 15", &["flows.down.tcp.window_scaling", "a shift, 0 to 14"]),
    ("initial_window = 2", "time_wait = \"2 h\"", &["flows.down.tcp.time_wait", "at most an hour"]),
    ("initial_window = 2", "nagle = \"yes\"", &["flows.down.tcp.nagle", "one of: off, on, minshall"]),
    ("initial_window = 2", "ecn = true", &["flows.down.tcp.ecn", "found true"]),
    ("initial_window = 2", "prr = 1", &["flows.down.tcp.prr", "found 1, expected true or false"]),
    ("initial_window = 2", "loss_differentiation = \"nune\"", &["loss_differentiation", "\"none\""]),
    ("variant = \"reno\"", "variant = \"linux-rino\"", &["flows.down.tcp.variant", "did you mean \"linux-reno\"?"]),
    // Settings of TCP that do not go together.
    ("initial_window = 2", "recovery = \"tahoe\", prr = true", &["flows.down.tcp.prr", "tahoe falls to one segment"]),
    ("initial_window = 2", "eifel = true", &["flows.down.tcp.eifel", "write timestamps = true"]),
    ("initial_window = 2", "sack = false, dsack = true", &["flows.down.tcp.dsack", "write sack = true"]),
    (
        "initial_window = 2",
        "dsack = false, dsack_undo = true",
        &["flows.down.tcp.dsack_undo", "sack = true, dsack = true"],
    ),
    (
        "window = \"16 KiB\"\nstart = \"1 s\"\ntcp = { variant = \"reno\", initial_window = 2 }",
        "window = \"64 KiB\"\ntcp = { handshake = true, window_scaling = false }",
        &["flows.down.window", "at most 65535 B", "tcp.window_scaling = true"],
    ),
    (
        "window = \"16 KiB\"\nstart = \"1 s\"\ntcp = { variant = \"reno\", initial_window = 2 }",
        "window = \"256 KiB\"\ntcp = { handshake = true, window_scaling = 1 }",
        &["flows.down.window", "at most 131070 B"],
    ),
    (
        "bytes = \"1 MB\"\nsegment = \"1000 B\"\nwindow = \"16 KiB\"\nstart = \"1 s\"\ntcp = { variant = \"reno\", initial_window = 2 }",
        "tcp = { close = true }",
        &["flows.down.tcp.close", "a flow with an end (`bytes`)"],
    ),
    (
        "segment = \"1000 B\"\nwindow = \"16 KiB\"\nstart = \"1 s\"\ntcp = { variant = \"reno\", initial_window = 2 }",
        "segment = \"65484 B\"\ntcp = { timestamps = true }",
        &["flows.down.segment", "1 to 65483 bytes"],
    ),
    ("loss = 0.01", "ecn_threshold = 5", &["links.wire.ecn_threshold", "found 5, expected text in quotes"]),
    ("buffer = \"64 kB\"", "buffer = \"100 B\"", &["nodes.x.buffer", "a packet of flows.down never fits"]),
    // Types, in words that are not the program's.
    ("buffer = \"64 kB\"", "buffer = 64000", &["nodes.x.buffer", "found 64000", "a size such as"]),
    ("kind = \"wired\"", "kind = 5", &["links.wire.kind", "found 5, expected a name in quotes"]),
    ("loss = 0.01", "queue = 5", &["links.wire.queue", "found 5, expected text in quotes", "write \"5\""]),
    ("between = [\"a\", \"x\"]", "between = [\"a\"]", &["links.wire.between", "expected a list of 2"]),
    (
        "between = [\"a\", \"x\"]",
        "between = [\"a\", \"x\", \"b\"]",
        &["links.wire.between", "found [\"a\", \"x\", \"b\"], expected a list of 2"],
    ),
    ("between = [\"a\", \"x\"]", "between = [\"a\", 5]", &["links.wire.between[1]", "found 5, expected text"]),
    ("initial_window = 2", "initial_window = -3", &["flows.down.tcp.initial_window: found -3", "segments, 1 to 1000"]),
    ("initial_window = 2", "initial_window = 1e9", &["flows.down.tcp.initial_window", "segments, 1 to 1000"]),
    ("initial_window = 2", "initial_window = \"2\"", &["flows.down.tcp.initial_window", "segments, 1 to 1000"]),
    (
        "initial_window = 2",
        "initial_window = 1.5",
        &["flows.down.tcp.initial_window", "found 1.5, expected a whole number"],
    ),
    ("transmissions = 9", "transmissions = -1", &["links.air.arq.transmissions", "found -1, expected a whole number"]),
    (
        "kind = \"two-state\", mean_good = \"5 s\", mean_bad = \"100 ms\"",
        "kind = \"uniform\", loss = \"often\"",
        &["links.air.channel.loss", "found \"often\", expected a number"],
    ),
    (
        "kind = \"two-state\", mean_good = \"5 s\", mean_bad = \"100 ms\"",
        "kind = \"scripted\", drop = 7",
        &["links.air.channel.drop", "found 7, expected a list, in brackets"],
    ),
    (
        "kind = \"two-state\", mean_good = \"5 s\", mean_bad = \"100 ms\"",
        "kind = \"scripted\", drop = [1, -1]",
        &["links.air.channel.drop[1]", "found -1, expected a whole number"],
    ),
    (
        "kind = \"two-state\", mean_good = \"5 s\", mean_bad = \"100 ms\"",
        "kind = \"scripted\", bad = [\"1 s\", \"2 s\"]",
        &["links.air.channel.bad[0]", "found \"1 s\", expected a list of 2"],
    ),
    (
        "kind = \"two-state\", mean_good = \"5 s\", mean_bad = \"100 ms\"",
        "kind = \"scripted\", bad = [[\"1 s\", \"2 s\"], [\"3 s\", \"4 s\", \"5 s\"]]",
        &["links.air.channel.bad[1]", "found [\"3 s\", \"4 s\", \"5 s\"], expected a list of 2"],
    ),
    (
        "title = \"good\"",
        "seed = 9223372036854775808",
        &["found 9223372036854775808, expected a whole number, -9223372036854775808 to 9223372036854775807"],
    ),
    // What changes on a link.
    (
        "loss = 0.01",
        "jitter = { delay = { kind = \"uniform\", low = \"3 ms\", high = \"2 ms\" } }",
        &["links.wire.jitter.delay.high", "found 2 ms, expected at least `low`, 3 ms"],
    ),
    (
        "loss = 0.01",
        "jitter = { delay = { kind = \"gamma\", shape = nan, scale = \"2 ms\" } }",
        &["links.wire.jitter.delay.shape", "found NaN, expected a number more than 0"],
    ),
    (
        "loss = 0.01",
        "jitter = { delay = { kind = \"pareto\", shape = 2, scale = \"-2 ms\" } }",
        &["links.wire.jitter.delay.scale", "found \"-2 ms\"", "it cannot be negative"],
    ),
    (
        "loss = 0.01",
        "jitter = { delay = { kind = \"mixture\", parts = [{ probability = 0.5, delay = { kind = \"uniform\", high = \"1 ms\" } }] } }",
        &["links.wire.jitter.delay.parts", "found 1 parts, 0.5 together, expected probabilities that are 1 together"],
    ),
    ("loss = 0.01", "jitter = { reordering = true }", &["links.wire.jitter.delay", "`delay` is missing"]),
    (
        "loss = 0.01",
        "spikes = [{ at = \"1 s\", extra = \"1 s\", lasts = \"1 s\" }, { at = \"2 s\", extra = \"1 s\", lasts = \"1 s\" }]",
        &["links.wire.spikes[1].at", "found 2 s, expected a time after 2 s, the end of the one before"],
    ),
    (
        "loss = 0.01",
        "gaps = [{ from = \"2 s\", to = \"1 s\", packets = \"wait\" }]",
        &["links.wire.gaps[0].to", "found 1 s, expected a time after `from`, 2 s"],
    ),
    (
        "loss = 0.01",
        "gaps = [{ from = \"2 s\", to = \"3 s\", packets = \"queue\" }]",
        &["links.wire.gaps[0].packets", "\"queue\"", "one of: wait, lose"],
    ),
    (
        "arq = {",
        "gaps = [{ from = \"2 s\", to = \"3 s\", packets = \"lose\" }]\narq = {",
        &["links.air.gaps", "for links without a link layer", "leave out arq = \"stop-and-wait\""],
    ),
    // What does not go together.
    ("loss = 0.01", "loss = 0.01\nchannel = \"perfect\"", &["links.wire.loss", "not both"]),
    ("loss = 0.01", "arq = \"stop-and-wait\"", &["links.wire.arq", "wires have no link-level retransmission"]),
    (
        "delay = \"1 ms\"",
        "delay = \"1 ms\"\nqueue_tie = \"arrival-first\"",
        &["links.air.queue_tie", "arrival-first", "in the order of events"],
    ),
    ("between = [\"a\", \"x\"]", "between = [\"a\", \"a\"]", &["links.wire.between", "two different nodes"]),
    ("from = \"a\"", "from = \"x\"", &["flows.down.from", "a node of kind \"host\""]),
    ("a = { kind = \"host\" }", "a = { kind = \"host\", buffer = \"1 kB\" }", &["nodes.a.buffer", "only routers"]),
    ("kind = \"base-station\"", "kind = \"host\"", &["nodes.x.buffer"]),
    ("[nodes]\na = { kind = \"host\" }", "[nodes]\na = 5", &["nodes.a", "found 5", "a table"]),
    // Text that is no TOML.
    ("duration = \"10 s\"", "duration = \"10 s", &["net.toml:4:"]),
    ("[flows.down]", "[flows.down", &[]),
    ("duration = \"10 s\"", "duration = \"10 s\"\nduration = \"11 s\"", &["duplicate"]),
];

/// Only stop and wait lets another link's frame go between.
#[test]
fn a_shared_radio_is_for_stop_and_wait() {
    for (arq, wrong) in [("stop-and-wait", 0), ("none", 0), ("go-back-n", 1), ("selective-repeat", 1), ("fec", 1)] {
        let text = GOOD
            .replace("kind = \"base-station\"", "kind = \"base-station\", radio = \"shared\"")
            .replace("{ kind = \"stop-and-wait\", transmissions = 9 }", &format!("\"{arq}\""));
        let found = problems(&text);
        assert_eq!(found.len(), wrong, "{arq}: {found:?}");
        for problem in found {
            let shown = problem.to_string();
            for part in ["links.air.arq", arq, "x has radio = \"shared\"", "nodes.x.radio"] {
                assert!(shown.contains(part), "{part:?} is not in\n{shown}");
            }
        }
    }
}

#[test]
fn every_mistake_is_named_with_its_line_and_a_way_out() {
    for (from, to, expected) in CASES {
        assert!(GOOD.contains(from), "{from} is not in the scenario");
        let text = GOOD.replacen(from, to, 1);
        let found = problems(&text);
        assert!(!found.is_empty(), "nothing wrong with {to}");
        let shown = found[0].to_string();
        for part in *expected {
            assert!(shown.contains(part), "{to}: {part:?} is not in\n{shown}");
        }
        assert!(shown.starts_with("net.toml:"), "{to}: no file in\n{shown}");
        let (line, _) = found[0].place.unwrap_or_else(|| panic!("{to}: no line in\n{shown}"));
        let lines: Vec<&str> = text.lines().collect();
        assert!((1..=lines.len() + 1).contains(&line), "{to}: line {line}");
        // The line is the one that was broken, or for what is missing the table it is missing from.
        if !to.is_empty() && expected.first().is_some_and(|key| key.contains('.') && !key.contains("buffer")) {
            let last = to.lines().last().unwrap_or_default();
            let broken = to.lines().any(|part| lines[line - 1].contains(part));
            assert!(broken, "{to}: line {line} is {:?}, not {last:?}\n{shown}", lines[line - 1]);
        }
    }
}

#[test]
fn an_unreachable_destination_is_found_before_the_run() {
    let text = GOOD.replace("between = [\"x\", \"b\"]", "between = [\"x\", \"a\"]");
    let shown = problems(&text)[0].to_string();
    assert!(shown.contains("flows.down.to") && shown.contains("can be reached from \"a\""), "{shown}");
}

/// A round trip of no time would never let the clock move on.
#[test]
fn a_way_that_takes_no_time_is_refused() {
    let still = |profile: &str, rate: &str| {
        let text = common::wire(rate, "0 s", "segment = \"1000 B\"");
        problems(&format!("profile = \"{profile}\"\n{text}"))
    };
    assert!(still("goel1997", "20 Mbps")[0].to_string().contains("takes no time"));
    assert_eq!(still("exact", "20 Mbps"), []);
    assert_eq!(still("goel1997", "2 Mbps"), []);
}

/// A buffer too small for a flow that never comes there is nobody's business.
#[test]
fn only_buffers_on_the_way_count() {
    let elsewhere = GOOD.replace("[nodes]", "[nodes]\nlone = { kind = \"router\", buffer = \"100 B\" }");
    assert_eq!(problems(&elsewhere), []);
}

#[test]
fn several_mistakes_are_said_at_once() {
    let text =
        GOOD.replace("loss = 0.01", "loss = 7").replace("to = \"b\"", "to = \"q\"").replace("\"1 MB\"", "\"0 B\"");
    let keys: Vec<String> = problems(&text).into_iter().filter_map(|problem| problem.key).collect();
    assert_eq!(keys, ["links.wire.loss", "flows.down.to", "flows.down.bytes"]);
}

/// Keys that nobody knows are all told of, and what is wrong behind them as far as it does not follow from them: with `betwen`
/// there is no `between`.
#[test]
fn unknown_keys_are_said_at_once() {
    let text = GOOD.replace("title =", "secnario = 3\ntitle =");
    let text = text.replacen("between =", "betwen =", 1).replacen("delay =", "dealy =", 1);
    let text = text.replace("variant = \"reno\"", "recovry = \"rack\"");
    let keys = |text: &str| problems(text).into_iter().filter_map(|problem| problem.key).collect::<Vec<_>>();
    let unknown = ["secnario", "links.wire.betwen", "links.wire.dealy", "flows.down.tcp.recovry"];
    assert_eq!(keys(&text), unknown);
    // And what is wrong besides, where the reader stops.
    let besides = keys(&text.replace("transmissions = 9", "transmissions = -1"));
    assert_eq!(besides, ["secnario", "links.wire.betwen", "links.wire.dealy", "links.air.arq.transmissions"]);
    // The same setting under both names, and one whose value is not looked at under a name that is not in the text.
    assert_eq!(keys(&GOOD.replace("loss = 0.01", "loss = 0.01\nlos = 0.02")), ["links.wire.los"]);
    assert_eq!(keys(&GOOD.replace("delay = \"100 ms\"", "dealy = 5")), ["links.wire.dealy"]);
    // A word that nobody knows does not hide what is behind it; the kind of a node stands before the links.
    let word = GOOD.replace("\"base-station\"", "\"base-staton\"").replacen("between =", "betwen =", 1);
    assert_eq!(keys(&word), ["nodes.x.kind", "links.wire.betwen"]);
    // No end of them.
    let many: String = (0..100).map(|number| format!("key{number} = 1\n")).collect();
    assert_eq!(keys(&(many + GOOD)).len(), 20);
}

/// A host has 55,536 ports from 10,000 on, and each flow takes one at either end.
#[test]
fn more_flows_than_a_host_has_ports_are_refused() {
    let mut scenario = common::scenario(GOOD);
    let flow = scenario.flows["down"].clone();
    scenario.flows.extend((1..=55_536).map(|number| (format!("more{number}"), flow.clone())));
    let problems = check(&scenario).unwrap_err();
    let keys: Vec<_> = problems.iter().filter_map(|problem| problem.key.as_deref()).collect();
    assert_eq!(keys, ["flows.more55536"; 2]);
    assert!(problems[0].expected.contains("at most 55536 flows at one host"), "{problems:?}");
}

/// Two ends with the same settings, of which neither asks, do without ECN; and who goes by delivery needs SACK to hear of it.
#[test]
fn a_control_gets_what_it_cannot_do_without() {
    for (name, _) in ControlConfig::MEMBERS {
        let control: ControlConfig = lab::scenario::document::by_name(name).unwrap();
        let made = control.build(Start::trial());
        let said = |tcp: &str| {
            let text = GOOD.replace("variant = \"reno\", initial_window = 2", tcp);
            problems(&text).iter().map(ToString::to_string).collect::<String>()
        };
        for recovery in ["tahoe", "reno", "newreno"] {
            let shown = said(&format!("control = \"{name}\", recovery = \"{recovery}\", ecn = \"request\""));
            let refused = shown.contains("flows.down.tcp.recovery") && shown.contains("write recovery = \"rack\"");
            assert_eq!(refused, made.regulates_recovery(), "{shown}");
        }
        let shown = said(&format!("control = \"{name}\", recovery = \"rack\", sack = false, ecn = \"request\""));
        assert_eq!(shown.contains("flows.down.tcp.sack"), made.regulates_recovery(), "{shown}");
        for ecn in ["off", "accept"] {
            let shown = said(&format!("control = \"{name}\", recovery = \"rack\", ecn = \"{ecn}\""));
            let refused = shown.contains("flows.down.tcp.ecn") && shown.contains("write ecn = \"request\"");
            assert_eq!(refused, made.precise_ecn(), "{shown}");
        }
        assert_eq!(said(&format!("control = \"{name}\", recovery = \"rack\", ecn = \"request\"")), "");
    }
}

/// Its settings are looked at before anything else is made of a link layer.
#[test]
fn a_link_layer_out_of_place_is_checked_too() {
    let text = GOOD.replace("loss = 0.01", "arq = { kind = \"stop-and-wait\", transmissions = 0 }");
    let keys: Vec<String> = problems(&text).into_iter().filter_map(|problem| problem.key).collect();
    assert_eq!(keys, ["links.wire.arq.transmissions", "links.wire.arq"]);
}

#[test]
fn binary_and_empty_files_are_refused_in_words() {
    let binary = Document::parse("net.toml", &[0x7f, b'E', b'L', b'F', 0xff, 0xfe]).err().unwrap().to_string();
    assert!(binary.contains("binary") && binary.contains("0xff"), "{binary}");
    let lacks = |text: &str| problems(text)[0].to_string();
    assert!(lacks("").contains("`duration`, `nodes`, `links` and `flows` are missing\n  hint: every scenario"));
    assert!(lacks("[links]\n[nodes]").contains("`duration` and `flows` are missing"));
}

/// "0 s" means no BAD state; it is no way out for a stay in GOOD.
#[test]
fn a_stay_that_is_too_short_has_a_way_out_that_works() {
    let said = |from: &str, to: &str| problems(&GOOD.replace(from, to))[0].to_string();
    let good = said("mean_good = \"5 s\"", "mean_good = \"1 ns\"");
    assert!(good.contains("expected at least 1 us\n"), "{good}");
    let bad = said("mean_bad = \"100 ms\"", "mean_bad = \"1 ns\"");
    assert!(bad.contains("expected at least 1 us, or no BAD state at all (\"0 s\")\n"), "{bad}");
}

/// What follows from a mistake is not another mistake.
#[test]
fn a_window_is_not_measured_by_a_segment_that_is_wrong() {
    let keys = |segment: &str, window: &str| -> Vec<String> {
        let text = GOOD.replace("segment = \"1000 B\"", segment).replace("window = \"16 KiB\"", window);
        problems(&text).into_iter().filter_map(|problem| problem.key).collect()
    };
    assert_eq!(keys("segment = \"100 MB\"", ""), ["flows.down.segment"]);
    assert_eq!(keys("segment = \"100 MB\"", "window = \"2 GiB\""), ["flows.down.segment", "flows.down.window"]);
}

#[test]
fn what_is_set_from_outside_is_named_as_such() {
    let set = |assignment: &str| {
        let mut document = Document::parse("net.toml", GOOD.as_bytes()).unwrap();
        match document.set(assignment) {
            Err(problem) => problem.to_string(),
            Ok(()) => match document.read() {
                Err(problems) => problems[0].to_string(),
                Ok(scenario) => match check(&scenario) {
                    Err(problems) => document.locate(problems[0].clone()).to_string(),
                    Ok(_) => "ok".to_owned(),
                },
            },
        }
    };
    assert_eq!(set("links.air.rate=2 Mbps"), "ok");
    assert_eq!(set("links.air.rate = \"2 Mbps\""), "ok");
    assert_eq!(set("flows.down.tcp.initial_window=4"), "ok");
    for (assignment, expected) in [
        ("links.air.rate", "KEY=VALUE"),
        ("links.ari.rate=2 Mbps", "did you mean \"air\"?"),
        ("links.air.rat=2 Mbps", "did you mean \"rate\"?"),
        ("links.air.rate=2 mbps", "did you mean \"2 Mbps\"?"),
        ("links.air.rate.x=2", "is a single value"),
        ("links.wire.loss=2", "a probability"),
        ("=2", "a key before"),
        ("seed=9223372036854775808", "expected a whole number, 0 to 9223372036854775807"),
        ("seed=-1", "expected a whole number, 0 to 9223372036854775807"),
        ("links.air.arq.transmissions=5000000000", "expected a whole number, 1 to 10000"),
        ("links.air.channel.kind=unifrm", "did you mean \"uniform\"?"),
        ("links.air.channel.kind=uniform", "set the whole of it: --set 'links.air.channel={kind="),
        (
            "scheme={kind=\"delayed-duplicates\", held=99999999999999999999}",
            "scheme: found 99999999999999999999, expected a whole number, -9223372036854775808 to 9223372036854775807",
        ),
        ("scheme={kind=\"snoop\"", "scheme: "),
        ("scheme=foo", "found \"foo\", expected one of: unmodified, simple-icmp, refined-icmp"),
    ] {
        let shown = set(assignment);
        assert!(shown.contains(expected), "{assignment}: {shown}");
        assert!(shown.starts_with(&format!("--set {assignment}")), "{shown}");
        assert_eq!(shown.matches("simple-icmp").count(), usize::from(assignment == "scheme=foo"), "{shown}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// Whatever is done to a scenario's bytes, reading it ends in a network or in problems that can be read.
    #[test]
    fn no_text_makes_the_reader_panic(edits in prop::collection::vec((any::<prop::sample::Index>(), 0..5u8, any::<u8>(), 0..40usize), 1..6)) {
        let mut bytes = GOOD.as_bytes().to_vec();
        for (place, kind, byte, span) in edits {
            if bytes.is_empty() { break; }
            let at = place.index(bytes.len());
            let end = (at + span).min(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => { bytes.drain(at..end); }
                2 => bytes.insert(at, byte),
                3 => bytes.truncate(at),
                _ => { let copy = bytes[at..end].to_vec(); bytes.splice(at..at, copy); }
            }
        }
        let problems = match Document::parse("fuzz.toml", &bytes) {
            Err(problem) => vec![problem],
            Ok(document) => match document.read() {
                Err(problems) => problems,
                Ok(scenario) => check(&scenario).err().unwrap_or_default().into_iter().map(|p| document.locate(p)).collect(),
            },
        };
        for problem in problems {
            prop_assert!(problem.file.is_some());
            prop_assert!(!problem.expected.is_empty(), "{problem:?}");
            let shown = problem.to_string();
            prop_assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
        }
    }
}

#[test]
fn a_misspelt_medium_is_one_mistake() {
    let nodes = "server = { kind = \"host\" }\nap = { kind = \"base-station\" }\na = { kind = \"host\" }";
    let wire = "kind = \"wired\"\nbetween = [\"server\", \"ap\"]\nrate = \"10 Mbps\"\ndelay = \"1 ms\"";
    let air = "kind = \"wireless\"\nbetween = [\"ap\", \"a\"]\nmedium = \"sell\"";
    let said = problems(&format!(
        "duration = \"1 s\"\n[nodes]\n{nodes}\n[media.cell]\nstandard = \"802.11b\"\n\
         [links.wire]\n{wire}\n[links.air]\n{air}\n[flows.down]\nfrom = \"server\"\nto = \"a\"\n"
    ));
    assert_eq!(said.len(), 1, "{said:?}");
    let said = said[0].to_string();
    assert!(said.contains("links.air.medium") && said.contains("did you mean \"cell\""), "{said}");
}
