//! Common spellings of values, names and tables: each is the same scenario as the full form, and is stored like it.

use scenario::document::render_scenario;
use scenario::{Document, Scenario, check};

/// A scenario in which each of the texts below occurs once.
const FULL: &str = r#"
duration = "30 s"
[nodes]
a = { kind = "host" }
x = { kind = "base-station" }
b = { kind = "host" }
c = { kind = "host" }
[media.cell]
standard = "802.11n"
[links.wire]
kind = "wired"
between = ["a", "x"]
rate = "10 Mbps"
delay = "20 ms"
loss = 0.01
queue = "50 packets"
[links.air]
kind = "wireless"
between = ["x", "b"]
delay = "0 s"
delivery_trace = { forward = { contents = "1\n2\n" }, backward = { contents = "1\n2\n" } }
jitter = { delay = { kind = "constant", value = "3 ms" } }
[links.radio]
kind = "wireless"
between = ["x", "c"]
medium = "cell"
channel = { kind = "two-state", mean_good = "5 s", mean_bad = "100 ms", loss_good = 0.007 }
[flows.down]
from = "a"
to = "b"
start = "0 s"
tcp = { variant = "cubic" }
[flows.pages]
from = "a"
to = "c"
[flows.pages.traffic]
kind = "requests"
sizes = { kind = "fixed", bytes = "12 kB" }
think = { kind = "constant", value = "2 s" }
[arrivals.short]
from = "a"
to = "c"
rate = "2 /s"
sizes = { kind = "fixed", bytes = "30 kB" }
[sweep]
replications = { precision = 0.02 }
"#;

/// A part of [`FULL`], and other spellings of it.
const SPELLINGS: &[(&str, &[&str])] = &[
    ("a = { kind = \"host\" }", &["a = \"host\""]),
    ("x = { kind = \"base-station\" }", &["x = \"base-station\""]),
    ("[media.cell]\nstandard = \"802.11n\"\n", &["[media]\ncell = \"802.11n\"\n"]),
    ("\"10 Mbps\"", &["\"10 Mbit/s\"", "\"10Mbit\"", "\"10 Mb/s\"", "\"10000 kbit/s\""]),
    ("\"20 ms\"", &["\"20msec\"", "\"0.02 sec\"", "\"20 milliseconds\""]),
    ("loss = 0.01", &["loss = \"1 %\"", "loss = \"1%\"", "loss = \"1.0 %\""]),
    ("\"50 packets\"", &["\"50 pkts\"", "{ kind = \"drop-tail\", limit = \"50 packets\" }"]),
    ("delay = \"0 s\"", &["delay = 0", "delay = 0.0", "delay = \"0\""]),
    ("start = \"0 s\"", &["start = 0", "start = \"0\""]),
    (
        "jitter = { delay = { kind = \"constant\", value = \"3 ms\" } }",
        &["jitter = \"3 ms\"", "jitter = { delay = \"3 ms\" }", "jitter.delay = \"3msec\""],
    ),
    ("loss_good = 0.007", &["loss_good = \"0.7 %\""]),
    ("tcp = { variant = \"cubic\" }", &["tcp = \"cubic\""]),
    ("sizes = { kind = \"fixed\", bytes = \"12 kB\" }", &["sizes = \"12 kB\"", "sizes = \"12000 bytes\""]),
    ("think = { kind = \"constant\", value = \"2 s\" }", &["think = \"2 s\""]),
    ("\"2 /s\"", &["\"120 /min\"", "\"2.0 /sec\"", "\"2 per second\""]),
    ("sizes = { kind = \"fixed\", bytes = \"30 kB\" }", &["sizes = \"30 kB\""]),
    ("precision = 0.02", &["precision = \"2 %\""]),
];

fn read(text: &str) -> Scenario {
    let document = Document::parse("net.toml", text.as_bytes()).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
    let all = |problems: Vec<scenario::problem::Problem>| {
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    document.read().unwrap_or_else(|problems| panic!("{}", all(problems)))
}

#[test]
fn each_spelling_is_stored_as_the_full_form() {
    let full = read(FULL);
    let stored = render_scenario(&full);
    assert_eq!(read(&stored), full);
    for (part, spellings) in SPELLINGS {
        assert_eq!(FULL.matches(part).count(), 1, "{part}");
        for spelling in *spellings {
            let scenario = read(&FULL.replace(part, spelling));
            assert_eq!(scenario, full, "{spelling}");
            // Digests of results are made from this text.
            assert_eq!(render_scenario(&scenario), stored, "{spelling}");
        }
    }
}

#[test]
fn file_alone_stands_for_a_recording_in_both_directions() {
    let table = "delivery_trace = { forward = { contents = \"1\\n2\\n\" }, backward = { contents = \"1\\n2\\n\" } }";
    let with = |value: &str| read(&FULL.replace(table, &format!("delivery_trace = {value}")));
    let full = with("{ forward = { file = \"a.trace\" }, backward = { file = \"a.trace\" } }");
    assert_eq!(with("\"a.trace\""), full);
    assert_eq!(with("{ forward = \"a.trace\", backward = \"a.trace\" }"), full);
    let rows = |value: &str| read(&FULL.replace(table, &format!("rate = \"1 Mbps\"\nlink_trace = {value}")));
    assert_eq!(rows("\"walk.csv\""), rows("{ file = \"walk.csv\" }"));
}

#[test]
fn variant_name_stands_for_the_table_of_a_split_connections_leg() {
    let scheme = |leg: &str| {
        let scheme = format!("x = {{ kind = \"base-station\", scheme = {{ kind = \"split\", wireless = {leg} }} }}");
        read(&FULL.replace("x = { kind = \"base-station\" }", &scheme))
    };
    assert_eq!(scheme("\"cubic\""), scheme("{ variant = \"cubic\" }"));
}

/// A setting below a bare name completes its table.
#[test]
fn setting_below_a_bare_name_keeps_the_name() {
    let text = FULL
        .replace("tcp = { variant = \"cubic\" }", "tcp = \"cubic\"")
        .replace("a = { kind = \"host\" }", "a = \"host\"");
    let mut document = Document::parse("net.toml", text.as_bytes()).unwrap();
    document.set("flows.down.tcp.handshake=true").unwrap();
    document.set("nodes.a.scheme=freeze-tcp").unwrap();
    let full = FULL.replace("{ variant = \"cubic\" }", "{ variant = \"cubic\", handshake = true }");
    let full = full.replace("a = { kind = \"host\" }", "a = { kind = \"host\", scheme = \"freeze-tcp\" }");
    assert_eq!(document.read().unwrap(), read(&full));
    document.set("flows.down.tcp=reno").unwrap();
    assert_eq!(document.read().unwrap().flows["down"].tcp.variant(), "reno");
}

#[test]
fn names_of_other_programs_are_suggested() {
    let hints = |from: &str, to: &str| {
        let text = FULL.replace(from, to);
        let document = Document::parse("net.toml", text.as_bytes()).unwrap();
        let problems = match document.read() {
            Err(problems) => problems,
            Ok(scenario) => check(&scenario).err().unwrap_or_default(),
        };
        problems.into_iter().filter_map(|problem| problem.hint).collect::<Vec<_>>()
    };
    let meant = |name: &str| format!("did you mean \"{name}\"?");
    assert_eq!(hints("tcp = { variant = \"cubic\" }", "tcp = \"bbr2\""), [meant("bbr3")]);
    assert_eq!(hints("tcp = { variant = \"cubic\" }", "cc = \"cubic\""), [meant("tcp.control")]);
    assert_eq!(hints("kind = \"requests\"", "kind = \"web\""), [meant("requests")]);
    assert_eq!(hints("a = { kind = \"host\" }", "a = \"server\""), [meant("host")]);
    let directions = "write forward, from \"a\" to \"x\", or backward, from \"x\" to \"a\"";
    assert_eq!(hints("rate = \"10 Mbps\"", "rate = { down = \"10 Mbps\", up = \"1 Mbps\" }"), [directions]);
}
