//! Short runs that include all cases which observers of a run must distinguish.

use scenario::Overrides;
use sim::Network;

use crate::examples::{example_paths, load_example};
use crate::texts::last_hop_text;

/// A scenario by name.
pub struct ObservedCase {
    /// The name.
    pub name: String,
    /// The scenario with its network.
    pub loaded: scenario::Loaded,
}

impl ObservedCase {
    /// Returns the network.
    pub fn network(&self) -> &Network {
        &self.loaded.network
    }
}

const HEAD: &str = "duration = \"5 s\"";

const ONE_FLOW: &str = r#"
from = "server"
to = "mobile"
bytes = "300 kB"
start = "137 ms"
receive_window = "90 kB"
"#;

const THREE_FLOWS: &str = r#"
from = "server"
to = "mobile"
receive_window = "90 kB"
[flows.other]
from = "server"
to = "mobile"
start = "211 ms"
receive_window = "90 kB"
tcp = { variant = "cubic", ecn = "request" }
[flows.up]
from = "mobile"
to = "server"
bytes = "60 kB"
start = "777 ms"
"#;

const DATAGRAMS: &str = r#"
from = "server"
to = "mobile"
bytes = "200 kB"
[flows.call]
from = "server"
to = "mobile"
transport = "udp"
traffic = { kind = "cbr", rate = "400 kbps", packet = "500 B" }
"#;

/// Queues by name, with two flows.
const QUEUES: [(&str, &str); 7] = [
    ("drop-tail", r#"{ kind = "drop-tail", limit = "20 packets" }"#),
    ("head-drop", r#"{ kind = "head-drop", limit = "20 packets" }"#),
    ("codel", r#"{ kind = "codel" }"#),
    ("fq-codel", r#"{ kind = "fq-codel", limit = "30 packets" }"#),
    ("pie", r#"{ kind = "pie" }"#),
    ("red", r#"{ kind = "red" }"#),
    ("dualpi2", r#"{ kind = "dualpi2" }"#),
];

/// Link layers and channels by name, with one flow.
const AIRS: [(&str, &str); 8] = [
    ("uniform", r#"channel = { kind = "uniform", loss = 0.03 }"#),
    (
        "stop-and-wait",
        "arq = \"stop-and-wait\"\nchannel = { kind = \"two-state\", mean_good = \"300 ms\", mean_bad = \"60 ms\" }",
    ),
    (
        "copies",
        "arq = { kind = \"stop-and-wait\", numbering = \"per-transmission\" }\nchannel = { kind = \"uniform\", loss = 0.2 }",
    ),
    (
        "go-back-n",
        "arq = { kind = \"go-back-n\", max_transmissions = 3 }\nchannel = { kind = \"uniform\", loss = 0.1 }",
    ),
    (
        "selective-repeat",
        "arq = { kind = \"selective-repeat\", in_order = false }\nchannel = { kind = \"uniform\", loss = 0.1 }",
    ),
    ("fec", "arq = { kind = \"fec\", data = 4, parity = 2 }\nchannel = { kind = \"uniform\", loss = 0.1 }"),
    ("reordered", "[links.air.jitter]\nreordering = true\ndelay = { kind = \"uniform\", high = \"40 ms\" }"),
    (
        "outage",
        "outages = [{ from = \"600 ms\", to = \"1100 ms\", packets = \"wait\" }, \
         { from = \"1900 ms\", to = \"2 s\", packets = \"lose\" }]",
    ),
];

/// Senders by name, on a lossy channel.
const SENDERS: [(&str, &str); 4] = [
    ("close", "tcp = { variant = \"newreno\", handshake = true, close = true }"),
    ("linux", "tcp = { variant = \"linux\" }"),
    ("bbr", "tcp = { variant = \"bbr\" }"),
    ("tahoe", "tcp = { variant = \"tahoe\" }"),
];

/// Schemes of the base station, on a lossy channel.
const SCHEMES: [&str; 4] = ["snoop", "split", "simple-icmp", "refined-icmp"];

/// Loads the constructed cases.
///
/// # Panics
/// A scenario has a problem.
pub fn constructed_cases() -> Vec<ObservedCase> {
    let case = |name: String, head: &str, (queue, air): (&str, &str), flows: &str| {
        let text = last_hop_text(head, ("20 Mbps", "9 ms"), &format!("queue = {queue}\n{air}"), flows);
        ObservedCase { loaded: load_text(&name, &text), name }
    };
    let (short, lossy) = ("\"15 packets\"", "channel = { kind = \"uniform\", loss = 0.02 }");
    let mut cases = Vec::new();
    for (name, queue) in QUEUES {
        cases.push(case(format!("queue-{name}"), HEAD, (queue, ""), THREE_FLOWS));
    }
    for (name, air) in AIRS {
        cases.push(case(format!("air-{name}"), HEAD, (short, air), ONE_FLOW));
        cases.push(case(format!("datagrams-{name}"), HEAD, (short, air), DATAGRAMS));
    }
    for (name, sender) in SENDERS {
        cases.push(case(format!("sender-{name}"), HEAD, (short, lossy), &format!("{ONE_FLOW}{sender}\n")));
    }
    for scheme in SCHEMES {
        let head = format!("{HEAD}\n[scheme]\nkind = \"{scheme}\"");
        cases.push(case(format!("scheme-{scheme}"), &head, (short, lossy), ONE_FLOW));
    }
    cases
}

fn load_text(name: &str, text: &str) -> scenario::Loaded {
    scenario::from_toml(name, text).unwrap_or_else(|problems| panic!("{name}: {problems:?}"))
}

/// Loads every example as written, and with Snoop, cut to ten seconds or one minute.
///
/// # Panics
/// An example has a problem.
pub fn shortened_examples() -> Vec<ObservedCase> {
    let mut cases = Vec::new();
    for path in example_paths() {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for scheme in [None, Some("snoop".to_owned())] {
            let label = scheme.as_ref().map_or_else(|| name.clone(), |scheme| format!("{name}-{scheme}"));
            let overrides = Overrides { set: Vec::new(), scheme, seed: None };
            let mut loaded = load_example(&path, &overrides);
            // Walkers change their base stations after half a minute.
            let seconds = if matches!(name.as_str(), "handover" | "walk" | "walk-away") { 60 } else { 10 };
            loaded.network.duration = loaded.network.duration.min(engine::Span::from_secs(seconds));
            cases.push(ObservedCase { name: format!("example-{label}"), loaded });
        }
    }
    cases
}
