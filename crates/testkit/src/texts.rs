//! Texts of scenarios.

/// Describes a flow between two hosts over one wire. `flow` is TOML of the flow.
pub fn wire_text(rate: &str, delay: &str, flow: &str) -> String {
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

/// The ends of a flow of [`last_hop_text`].
pub const TO_MOBILE: &str = "from = \"server\"\nto = \"mobile\"";

/// Describes a server, a base station and a mobile, and a flow over both links. `wire` is the rate and the delay of the
/// wired link; `head`, `air` and `flow` are TOML of the scenario, the radio link and the flow.
pub fn last_hop_text(head: &str, wire: (&str, &str), air: &str, flow: &str) -> String {
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

/// Describes the thesis's network [goel1997 figure 5.1]; `head`, `channel` and `flow` are TOML.
pub fn thesis_text(head: &str, latency_ms: u32, channel: &str, flow: &str) -> String {
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

/// A cell of three mobiles declared by `count`, each with an upload.
pub const COUNTED_CELL: &str = r#"
duration = "1 s"
[nodes]
server = { kind = "host" }
ap = { kind = "base-station" }
m = { kind = "host", count = 3 }
[media.cell]
standard = "802.11b"
[links]
wire = { kind = "wired", between = ["server", "ap"], rate = "100 Mbps", delay = "10 ms" }
air = { kind = "wireless", between = ["ap", "m"], medium = "cell" }
[flows]
up = { from = "m", to = "server" }
"#;

/// Link layers with a window or parity, for the key `arq`. The last one has no feedback.
pub const LINK_LAYERS: [&str; 6] = [
    "{ kind = \"go-back-n\" }",
    "{ kind = \"go-back-n\", window = 3, max_transmissions = 4 }",
    "{ kind = \"selective-repeat\" }",
    "{ kind = \"selective-repeat\", window = 3, max_transmissions = 4 }",
    "{ kind = \"selective-repeat\", in_order = false }",
    "{ kind = \"fec\", data = 4, parity = 2 }",
];

/// The nodes and links of a path to a mobile with fades, in 16 lines.
pub const FADING_PATH: &str = r#"[nodes]
server = { kind = "host" }
station = { kind = "base-station" }
mobile = { kind = "host" }
[links.wire]
kind = "wired"
between = ["server", "station"]
rate = "8 Mbps"
delay = "100 ms"
[links.air]
kind = "wireless"
between = ["station", "mobile"]
rate = "1 Mbps"
delay = "1 ms"
arq = "stop-and-wait"
channel = { kind = "two-state", mean_good = "500 ms", mean_bad = "100 ms" }
"#;
