//! Networks for the tests of lints, and the warnings about them.

use crate::{Document, check};

/// A wire, and a radio link behind a base station.
const NETWORK: &str = r#"
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
[links.air]
kind = "wireless"
between = ["x", "b"]
rate = "1 Mbps"
delay = "1 ms"
arq = "stop-and-wait"
channel = { kind = "uniform", loss = 0.001 }
[flows.down]
from = "a"
to = "b"
mss = "1000 B"
"#;

/// The channel of the radio link in [`NETWORK`].
const CHANNEL: &str = "channel = { kind = \"uniform\", loss = 0.001 }\n";

/// Returns the text of [`NETWORK`], with the first text of each pair replaced by the second where it occurs first. A
/// channel in it replaces the channel of the radio link.
pub fn modify_network(changes: &[(&str, &str)]) -> String {
    let text = changes.iter().fold(NETWORK.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    });
    if text.matches("channel = ").count() > 1 { text.replacen(CHANNEL, "", 1) } else { text }
}

/// The network with these settings of the wire.
pub fn network_with_wire(settings: &str) -> String {
    modify_network(&[("delay = \"100 ms\"", &format!("delay = \"100 ms\"\n{settings}"))])
}

/// The network with these settings of the flow's TCP.
pub fn network_with_tcp(settings: &str) -> String {
    modify_network(&[("mss = \"1000 B\"", &format!("mss = \"1000 B\"\ntcp = {{ {settings} }}"))])
}

/// Returns the network with further settings after the kind of a node, such as `", scheme = \"snoop\""`.
pub fn at_node(text: &str, node: &str, settings: &str) -> String {
    let kind = if node == "x" { "base-station" } else { "host" };
    let from = format!("{node} = {{ kind = \"{kind}\"");
    assert!(text.contains(&from), "{from}");
    text.replacen(&from, &format!("{from}{settings}"), 1)
}

/// The network with data in the other direction.
pub fn reverse_flow(text: &str) -> String {
    text.replace("from = \"a\"\nto = \"b\"", "from = \"b\"\nto = \"a\"")
}

/// An access point, a laptop 20 m away from it, and a wire, with these settings.
pub fn cell_network(media: &str, ap: &str, laptop: &str, air: &str) -> String {
    // Slow rates would make the default queue too long.
    let queue = if air.contains("queue") { "" } else { "queue = \"fq-codel\"," };
    format!(
        r#"
        duration = "10 s"
        [nodes]
        server = {{ kind = "host" }}
        ap = {{ kind = "base-station", {ap} }}
        laptop = {{ kind = "host", {laptop} }}
        [media]
        cell = {{ {media} }}
        [links]
        wire = {{ kind = "wired", between = ["server", "ap"], rate = "100 Mbps", delay = "5 ms" }}
        air = {{ kind = "wireless", between = ["ap", "laptop"], medium = "cell", {queue} {air} }}
        [flows]
        down = {{ from = "server", to = "laptop" }}
        "#
    )
}

/// The access point's position.
pub const HERE: &str = "position = [\"0 m\", \"0 m\"]";
/// A position in the access point's range.
pub const NEAR: &str = "position = [\"20 m\", \"0 m\"]";

fn check_text(text: &str) -> Vec<crate::problem::Problem> {
    let document = Document::parse("test.toml", text.as_bytes()).unwrap_or_else(|problem| panic!("{problem}"));
    let scenario = document.read().unwrap_or_else(|problems| panic!("{problems:?}"));
    check(&scenario).unwrap_or_else(|problems| panic!("{problems:?}")).warnings
}

/// The warnings about a scenario.
pub fn list_warnings(text: &str) -> Vec<String> {
    check_text(text).iter().map(ToString::to_string).collect()
}

/// The lints that warn.
pub fn lints_of(text: &str) -> Vec<&'static str> {
    check_text(text).iter().map(|warning| warning.lint.expect("every warning carries its lint")).collect()
}

/// Asserts a single warning that contains all of these texts.
pub fn assert_only_warning(text: &str, parts: &[&str]) {
    let warnings = list_warnings(text);
    assert_eq!(warnings.len(), 1, "{warnings:?}\n{text}");
    for part in parts {
        assert!(warnings[0].contains(part), "{part:?} is not in {}", warnings[0]);
    }
}

/// No lint finds anything.
pub fn assert_no_warnings(text: &str) {
    assert_eq!(list_warnings(text), [""; 0], "{text}");
}
