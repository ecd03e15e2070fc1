//! Helpers for tests of whole runs.

pub mod broken;

use engine::Time;
use scenario::{Checked, Document, Scenario, check};
use sim::{Event, Network, NullSink, Results, World};

/// The scenario that `text` describes; a problem fails the test.
pub fn scenario(text: &str) -> Scenario {
    let document = Document::parse("test.toml", text.as_bytes()).unwrap_or_else(|p| panic!("{p}"));
    document.read().unwrap_or_else(|p| panic!("{p:?}"))
}

/// The network of a valid scenario.
pub fn network(text: &str) -> Network {
    let Checked { network, .. } = check(&scenario(text)).unwrap_or_else(|problems| panic!("{problems:?}"));
    network
}

/// Runs without a sink.
pub fn run(network: &Network) -> Results {
    let mut world = World::new(network, false);
    world.run(&mut NullSink);
    world.results()
}

/// Runs and collects every event.
pub fn watch(network: &Network) -> (Results, Vec<(Time, Event)>) {
    let mut world = World::new(network, true);
    let mut events = Vec::new();
    world.run(&mut events);
    (world.results(), events)
}

/// Two hosts and one wire.
pub fn wire(rate: &str, delay: &str, flow: &str) -> String {
    format!(
        r#"
        duration = "10000 s"
        [nodes]
        a = {{ kind = "host" }}
        b = {{ kind = "host" }}
        [links.wire]
        kind = "wired"
        between = ["a", "b"]
        rate = "{rate}"
        delay = "{delay}"
        [flows.flow]
        from = "a"
        to = "b"
        {flow}
        "#
    )
}

/// The ends of a flow of [`last_hop`].
pub const TO_MOBILE: &str = "from = \"server\"\nto = \"mobile\"";

/// A server, a base station and a mobile, and a flow over both links: each text is TOML, of the scenario, the radio
/// link and the flow.
pub fn last_hop(head: &str, wire: (&str, &str), air: &str, flow: &str) -> String {
    let (rate, delay) = wire;
    format!(
        r#"
        {head}
        [nodes]
        server = {{ kind = "host" }}
        station = {{ kind = "base-station" }}
        mobile = {{ kind = "host" }}
        [links.wire]
        kind = "wired"
        between = ["server", "station"]
        rate = "{rate}"
        delay = "{delay}"
        [links.air]
        kind = "wireless"
        between = ["station", "mobile"]
        rate = "2 Mbps"
        delay = "1 ms"
        {air}
        [flows.flow]
        {flow}
        "#
    )
}

/// The thesis's network [goel1997 figure 5.1]: `channel` and `flow` are TOML.
pub fn thesis(head: &str, latency_ms: u32, channel: &str, flow: &str) -> String {
    format!(
        r#"
        {head}
        duration = "4300 s"
        [nodes]
        211 = {{ kind = "host" }}
        212 = {{ kind = "base-station" }}
        213 = {{ kind = "host" }}
        [links.101]
        kind = "wired"
        between = ["211", "212"]
        rate = "8 Mbps"
        delay = "{latency_ms} ms"
        [links.102]
        kind = "wireless"
        between = ["212", "213"]
        rate = "1 Mbps"
        delay = "1 ms"
        arq = "stop-and-wait"
        channel = {channel}
        [flows.211]
        from = "211"
        to = "213"
        mss = "1024 B"
        {flow}
        "#
    )
}

/// Whole milliseconds.
pub fn millis(at: Time) -> u64 {
    assert_eq!(at.as_nanos() % 1_000_000, 0, "{at:?} is not a whole millisecond");
    at.as_nanos() / 1_000_000
}
