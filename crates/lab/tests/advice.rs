//! What is not wrong and yet may not be meant is said in warnings, and nothing else is.

mod common;

use common::scenario;
use lab::scenario::check;

/// A wire and air; `SCHEME`, `QUEUE` and the nodes' settings are filled in.
const NETWORK: &str = r#"
SCHEME
duration = "10 s"
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

/// What the mobile sends does not go through the base station's radio, and the mobile has an agent of its own.
#[test]
fn the_half_that_counts_is_that_of_the_node_which_sends_into_the_air() {
    let upload = with("", "").replace("from = \"a\"\nto = \"b\"", "from = \"b\"\nto = \"a\"");
    let upload = upload.replace("\"base-station\"", "\"base-station\", scheme = \"refined-icmp\"");
    assert_eq!(warnings(&upload), [""; 0]);
}

#[test]
fn a_scheme_without_a_link_layer_is_told_of() {
    let warnings = warnings(&with("scheme = \"refined-icmp\"", "").replace("arq = \"stop-and-wait\"\n", ""));
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("nothing to go by"), "{warnings:?}");
}
