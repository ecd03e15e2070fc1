//! Errors of a scenario are reported with line, key, found value, expected value and a hint.

use crate::common::{Case, GOOD, assert_each_is_reported, find_problems};
use proptest::prelude::*;
use scenario::{Document, check};

#[test]
fn unchanged_scenario_is_valid() {
    assert_eq!(find_problems(GOOD), []);
}

/// For each case: the text to replace, its replacement, and the parts of the message except the file and the line.
const CASES: &[Case<'_>] = &[
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
    // Numbers of another kind have the range of whole numbers.
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
    // Missing keys.
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
    ("mean_good = \"5 s\"", "mean_good = \"0 s\"", &["links.air.channel.mean_good", "more than 0"]),
    ("mean_bad = \"100 ms\"", "mean_bad = \"1 ns\"", &["links.air.channel.mean_bad", "at least 1 us"]),
    ("max_transmissions = 9", "max_transmissions = 0", &["links.air.arq.max_transmissions", "1 to 10000"]),
    ("max_transmissions = 9", "max_transmissions = -1", &["links.air.arq", "-1"]),
    (
        "kind = \"stop-and-wait\", max_transmissions = 9",
        "kind = \"go-back-n\", window = 0",
        &["links.air.arq.window", "found 0", "1 to 65536 frames"],
    ),
    (
        "kind = \"stop-and-wait\", max_transmissions = 9",
        "kind = \"selective-repeat\", window = 65537",
        &["links.air.arq.window", "1 to 65536 frames"],
    ),
    (
        "kind = \"stop-and-wait\", max_transmissions = 9",
        "kind = \"go-back-n\", max_transmissions = 0",
        &["links.air.arq.max_transmissions", "1 to 10000"],
    ),
    (
        "kind = \"stop-and-wait\", max_transmissions = 9",
        "kind = \"selective-repeat\", max_transmissions = 0",
        &["links.air.arq.max_transmissions", "1 to 10000"],
    ),
    (
        "kind = \"stop-and-wait\", max_transmissions = 9",
        "kind = \"selective-repeat\", margin = \"2 h\"",
        &["links.air.arq.margin", "at most an hour"],
    ),
    (
        "kind = \"stop-and-wait\", max_transmissions = 9",
        "kind = \"selective-repeat\", ack_size = \"0 B\"",
        &["links.air.arq.ack_size", "1 B to"],
    ),
    (
        "kind = \"stop-and-wait\", max_transmissions = 9",
        "kind = \"go-back-n\", in_order = false",
        &["links.air.arq.in_order"],
    ),
    (
        "kind = \"stop-and-wait\", max_transmissions = 9",
        "kind = \"fec\", data = 0",
        &["links.air.arq.data", "found 0", "1 to 254 frames"],
    ),
    (
        "kind = \"stop-and-wait\", max_transmissions = 9",
        "kind = \"fec\", parity = 0",
        &["links.air.arq.parity", "found 0", "1 to 254 frames"],
    ),
    (
        "kind = \"stop-and-wait\", max_transmissions = 9",
        "kind = \"fec\", data = 200, parity = 56",
        &["links.air.arq.parity", "found 56", "at most 55, with 200 data frames", "255 frames"],
    ),
    (
        "kind = \"stop-and-wait\", max_transmissions = 9",
        "kind = \"fec\", flush = \"2 h\"",
        &["links.air.arq.flush", "at most an hour"],
    ),
    ("bytes = \"1 MB\"", "bytes = \"0 B\"", &["flows.down.bytes", "at least one byte"]),
    ("start = \"1 s\"", "start = \"11 s\"", &["flows.down.start", "before the end"]),
    ("duration = \"10 s\"", "duration = \"0 s\"", &["duration", "more than 0"]),
    ("loss = 0.01", "ecn_threshold = 5", &["links.wire.ecn_threshold", "found 5, expected a queue limit such as"]),
    ("buffer = \"64 kB\"", "buffer = \"100 B\"", &["nodes.x.buffer", "a packet of flows.down never fits"]),
    // Types, described in other words than serde's.
    ("buffer = \"64 kB\"", "buffer = 64000", &["nodes.x.buffer", "found 64000", "a size such as"]),
    ("kind = \"wired\"", "kind = 5", &["links.wire.kind", "found 5, expected a name in quotes"]),
    ("loss = 0.01", "queue = 5", &["links.wire.queue", "found 5, expected a string such as \"50 packets\""]),
    (
        "loss = 0.01",
        "ecn_threshold = \"5 packets\"\nqueue = { kind = \"drop-tail\", ecn_threshold = \"6 packets\" }",
        &["links.wire.ecn_threshold", "found \"5 packets\"", "not both"],
    ),
    ("between = [\"a\", \"x\"]", "between = [\"a\"]", &["links.wire.between", "expected a list of 2"]),
    (
        "between = [\"a\", \"x\"]",
        "between = [\"a\", \"x\", \"b\"]",
        &["links.wire.between", "found [\"a\", \"x\", \"b\"], expected a list of 2"],
    ),
    ("between = [\"a\", \"x\"]", "between = [\"a\", 5]", &["links.wire.between[1]", "found 5, expected text"]),
    (
        "max_transmissions = 9",
        "max_transmissions = -1",
        &["links.air.arq.max_transmissions", "found -1, expected a whole number"],
    ),
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
    ("title = \"good\"", "seed = 1e400", &["found 1e400, expected a number of at most 1.7976931348623157e308"]),
    // Variable links.
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
        &["links.wire.jitter.delay.parts", "found 1 parts, 0.5 together, expected probabilities whose sum is 1"],
    ),
    ("loss = 0.01", "jitter = { reordering = true }", &["links.wire.jitter.delay", "`delay` is missing"]),
    (
        "loss = 0.01",
        "delay_spikes = [{ at = \"1 s\", extra_delay = \"1 s\", duration = \"1 s\" }, { at = \"2 s\", extra_delay = \"1 s\", duration = \"1 s\" }]",
        &["links.wire.delay_spikes[1].at", "found 2 s, expected a time after 2 s, the end of the previous interval"],
    ),
    (
        "loss = 0.01",
        "outages = [{ from = \"2 s\", to = \"1 s\", packets = \"wait\" }]",
        &["links.wire.outages[0].to", "found 1 s, expected a time after `from`, 2 s"],
    ),
    (
        "loss = 0.01",
        "outages = [{ from = \"2 s\", to = \"3 s\", packets = \"queue\" }]",
        &["links.wire.outages[0].packets", "\"queue\"", "one of: wait, lose"],
    ),
    (
        "arq = {",
        "outages = [{ from = \"2 s\", to = \"3 s\", packets = \"lose\" }]\narq = {",
        &["links.air.outages", "for links without a link layer", "remove arq = \"stop-and-wait\""],
    ),
    // Conflicting settings.
    ("loss = 0.01", "loss = 0.01\nchannel = \"perfect\"", &["links.wire.loss", "not both"]),
    ("loss = 0.01", "arq = \"stop-and-wait\"", &["links.wire.arq", "wired links have no link layer"]),
    (
        "delay = \"1 ms\"",
        "delay = \"1 ms\"\nqueue_tie = \"arrival-first\"",
        &["links.air.queue_tie", "arrival-first", "the order of events decides"],
    ),
    ("between = [\"a\", \"x\"]", "between = [\"a\", \"a\"]", &["links.wire.between", "two different nodes"]),
    (
        "from = \"a\"",
        "from = \"a\"\necn_codepoint = \"ect1\"",
        &[
            "flows.down.ecn_codepoint",
            "\"ect1\"",
            "negotiates ECN",
            "tcp = { ecn = \"request\", ecn_codepoint = \"ect1\" }",
        ],
    ),
    // The reading of received data.
    ("from = \"a\"", "from = \"a\"\nreader = \"7 bps\"", &["flows.down.reader", "7 bps", "a byte per second"]),
    (
        "from = \"a\"",
        "from = \"a\"\nreader = { burst = \"0 B\", every = \"1 s\" }",
        &["flows.down.reader.burst", "0 B", "at least one byte"],
    ),
    (
        "from = \"a\"",
        "from = \"a\"\nreader = { burst = \"1 kB\", every = \"0 s\" }",
        &["flows.down.reader.every", "0 s", "more than 0"],
    ),
    ("from = \"a\"", "from = \"a\"\nreader = { burst = \"1 kB\" }", &["flows.down.reader", "exactly one form"]),
    (
        "from = \"a\"",
        "from = \"a\"\nreader = { rate = \"1 Mbps\", every = \"1 s\" }",
        &["flows.down.reader", "exactly one form"],
    ),
    (
        "from = \"a\"",
        "from = \"a\"\nreader = { pauses = { every = \"1 s\", for = \"1 s\" } }",
        &["flows.down.reader.pauses.for", "1 s", "less than `every`"],
    ),
    ("from = \"a\"", "from = \"x\"", &["flows.down.from", "a node of kind \"host\""]),
    (
        "a = { kind = \"host\" }",
        "a = { kind = \"host\", buffer = \"1 kB\" }",
        &["nodes.a.buffer", "only valid for routers"],
    ),
    ("kind = \"base-station\"", "kind = \"host\"", &["nodes.x.buffer"]),
    ("[nodes]\na = { kind = \"host\" }", "[nodes]\na = 5", &["nodes.a", "found 5", "a table"]),
    // Settings by direction.
    ("rate = \"8 Mbps\"", "rate = { forward = \"8 Mbps\" }", &["links.wire.rate.backward", "`rate` is missing"]),
    (
        "rate = \"8 Mbps\"",
        "rate = { forward = \"8 Mbps\", up = \"1 Mbps\" }",
        &["links.wire.rate", "no such key", "forward"],
    ),
    ("rate = \"8 Mbps\"", "rate = { forward = \"8 Mbps\", backward = 5 }", &["links.wire.rate.backward", "found 5"]),
    ("loss = 0.01", "loss = { forward = 0.1, backward = 1.5 }", &["links.wire.loss.backward", "found 1.5"]),
    (
        "delay = \"100 ms\"",
        "delay = \"100 ms\"\nqueue = { forward = \"9 packets\", backward = { kind = \"codel\", target = \"0 s\" } }",
        &["links.wire.queue.backward.target"],
    ),
    // Text that is not TOML.
    ("duration = \"10 s\"", "duration = \"10 s", &["net.toml:4:"]),
    ("[flows.down]", "[flows.down", &[]),
    ("duration = \"10 s\"", "duration = \"10 s\"\nduration = \"11 s\"", &["duplicate"]),
];

#[test]
fn every_mistake_is_reported_with_its_line_and_a_hint() {
    assert_each_is_reported(GOOD, CASES);
}

/// Other link layers cannot interleave their frames with those of another link.
#[test]
fn shared_radio_requires_stop_and_wait() {
    for (arq, wrong) in [("stop-and-wait", 0), ("none", 0), ("go-back-n", 1), ("selective-repeat", 1), ("fec", 1)] {
        let text = GOOD
            .replace("kind = \"base-station\"", "kind = \"base-station\", radio = \"shared\"")
            .replace("{ kind = \"stop-and-wait\", max_transmissions = 9 }", &format!("\"{arq}\""));
        let found = find_problems(&text);
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
fn unreachable_destination_is_reported_before_the_run() {
    let text = GOOD.replace("between = [\"x\", \"b\"]", "between = [\"x\", \"a\"]");
    let shown = find_problems(&text)[0].to_string();
    assert!(shown.contains("flows.down.to") && shown.contains("can be reached from \"a\""), "{shown}");
}

/// With a round trip time of zero, simulated time would not advance.
#[test]
fn path_with_zero_delay_is_refused() {
    let still = |profile: &str, rate: &str| {
        let text = testkit::wire_text(rate, "0 s", "mss = \"1000 B\"");
        find_problems(&format!("profile = \"{profile}\"\n{text}"))
    };
    assert!(still("goel1997", "20 Mbps")[0].to_string().contains("would not advance"));
    assert_eq!(still("exact", "20 Mbps"), []);
    assert_eq!(still("goel1997", "2 Mbps"), []);
}

/// A buffer that is too small for a flow whose path does not cross it causes no warning.
#[test]
fn only_buffers_on_the_path_are_checked() {
    let elsewhere = GOOD.replace("[nodes]", "[nodes]\nlone = { kind = \"router\", buffer = \"100 B\" }");
    assert_eq!(find_problems(&elsewhere), []);
}

#[test]
fn several_mistakes_are_reported_together() {
    let text =
        GOOD.replace("loss = 0.01", "loss = 7").replace("to = \"b\"", "to = \"q\"").replace("\"1 MB\"", "\"0 B\"");
    let keys: Vec<String> = find_problems(&text).into_iter().filter_map(|problem| problem.key).collect();
    assert_eq!(keys, ["links.wire.loss", "flows.down.to", "flows.down.bytes"]);
}

/// All unknown keys are reported. Later errors are reported too, unless an unknown key causes them: with `betwen`,
/// `between` is missing.
#[test]
fn unknown_keys_are_reported_together() {
    let text = GOOD.replace("title =", "secnario = 3\ntitle =");
    let text = text.replacen("between =", "betwen =", 1).replacen("delay =", "dealy =", 1);
    let text = text.replace("variant = \"reno\"", "recovry = \"rack\"");
    let keys = |text: &str| find_problems(text).into_iter().filter_map(|problem| problem.key).collect::<Vec<_>>();
    let unknown = ["secnario", "links.wire.betwen", "links.wire.dealy", "flows.down.tcp.recovry"];
    assert_eq!(keys(&text), unknown);
    // Wrong values of other keys are reported as well.
    let besides = keys(&text.replace("max_transmissions = 9", "max_transmissions = -1"));
    let all = [
        "secnario",
        "links.wire.betwen",
        "links.wire.dealy",
        "links.air.arq.max_transmissions",
        "flows.down.tcp.recovry",
    ];
    assert_eq!(besides, all);
    // One setting is given under both of its names, another one under an unknown name. The value of the latter is not
    // checked.
    assert_eq!(keys(&GOOD.replace("loss = 0.01", "loss = 0.01\nlos = 0.02")), ["links.wire.los"]);
    assert_eq!(keys(&GOOD.replace("delay = \"100 ms\"", "dealy = 5")), ["links.wire.dealy"]);
    // An unknown word does not hide later errors. The kind of a node is read before the links.
    let word = GOOD.replace("\"base-station\"", "\"base-staton\"").replacen("between =", "betwen =", 1);
    assert_eq!(keys(&word), ["nodes.x.kind", "links.wire.betwen"]);
    // A value that is not a quantity, or that has a wrong unit, has no hint either.
    let units =
        GOOD.replace("\"64 kB\"", "64000").replace("\"8 Mbps\"", "\"8 mbps\"").replace("\"5 s\"", "\"10 parsecs\"");
    let units = units.replace("mss =", "segmnt =");
    let every = ["nodes.x.buffer", "links.wire.rate", "links.air.channel.mean_good", "flows.down.segmnt"];
    assert_eq!(keys(&units), every);
    // The number of reported errors is limited.
    let many: String = (0..100).map(|number| format!("key{number} = 1\n")).collect();
    assert_eq!(keys(&(many + GOOD)).len(), 20);
}

/// The settings of a link layer are checked even if the link cannot have one.
#[test]
fn link_layer_of_a_wired_link_is_checked() {
    let text = GOOD.replace("loss = 0.01", "arq = { kind = \"stop-and-wait\", max_transmissions = 0 }");
    let keys: Vec<String> = find_problems(&text).into_iter().filter_map(|problem| problem.key).collect();
    assert_eq!(keys, ["links.wire.arq.max_transmissions", "links.wire.arq"]);
}

#[test]
fn binary_and_empty_files_are_reported_clearly() {
    let binary = Document::parse("net.toml", &[0x7f, b'E', b'L', b'F', 0xff, 0xfe]).err().unwrap().to_string();
    assert!(binary.contains("binary") && binary.contains("0xff"), "{binary}");
    let lacks = |text: &str| find_problems(text)[0].to_string();
    assert!(lacks("").contains("`duration`, `nodes` and `links` are missing\n  hint: every scenario"));
    assert!(lacks("[links]\n[nodes]").contains("`duration` is missing"));
}

/// "0 s" means no BAD state and is suggested for BAD only, not for the sojourn time in GOOD.
#[test]
fn hint_for_a_short_sojourn_time_works_when_followed() {
    let said = |from: &str, to: &str| find_problems(&GOOD.replace(from, to))[0].to_string();
    let good = said("mean_good = \"5 s\"", "mean_good = \"1 ns\"");
    assert!(good.contains("expected at least 1 us\n"), "{good}");
    let bad = said("mean_bad = \"100 ms\"", "mean_bad = \"1 ns\"");
    assert!(bad.contains("expected at least 1 us, or no BAD state at all (\"0 s\")\n"), "{bad}");
}

#[test]
fn errors_in_set_options_name_the_option() {
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
        ("links.air.arq.max_transmissions=5000000000", "expected a whole number, 1 to 10000"),
        ("links.air.channel.kind=unifrm", "did you mean \"uniform\"?"),
        ("links.air.channel.kind=uniform", "set the whole table: --set 'links.air.channel={kind="),
        (
            "scheme={kind=\"delayed-duplicates\", max_held=99999999999999999999}",
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

    /// For any change of a scenario's bytes, the reader returns a network or printable problems.
    #[test]
    fn reader_does_not_panic_on_any_text(edits in prop::collection::vec((any::<prop::sample::Index>(), 0..5u8, any::<u8>(), 0..40usize), 1..6)) {
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
fn reader_needs_a_receive_buffer() {
    for (traffic, transport) in [("cbr", "udp"), ("ping", "icmp-echo")] {
        let flow = format!("traffic = \"{traffic}\"\ntransport = \"{transport}\"\nreader = \"1 Mbps\"");
        let read = testkit::read_scenario(&testkit::wire_text("8 Mbps", "1 ms", &flow));
        let problems = scenario::check(&read).expect_err("no receive buffer");
        let [problem] = &problems[..] else { panic!("{problems:?}") };
        assert_eq!(problem.key.as_deref(), Some("flows.flow.reader"));
        assert_eq!(problem.expected, format!("no value: a flow over {transport} has no receive buffer"));
    }
}
