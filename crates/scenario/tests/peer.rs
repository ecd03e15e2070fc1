//! The settings of the receiving end of a flow: `flows.f.peer`.

use engine::Bytes;
use scenario::document::{read_back, render_scenario};
use scenario::{Document, check};
use tcp::config::{DelayedAck, ReceiveWindow};
use tcp::presets::PRESETS;
use testkit::{build_network, read_scenario, wire_text};

fn with(settings: &str) -> String {
    wire_text("8 Mbps", "10 ms", &format!("bytes = \"20 kB\"\nreceive_window = \"32 kB\"\n{settings}"))
}

/// The settings of the sending end, and of the receiving end if they differ.
fn ends(settings: &str) -> (tcp::Config, Option<tcp::Config>) {
    let flow = build_network(&with(settings)).flows.remove(0);
    (flow.tcp, flow.peer.map(|peer| *peer))
}

/// The problems of a scenario, or of reading it.
fn problems(text: &str) -> Vec<String> {
    let document = Document::parse("test.toml", text.as_bytes()).unwrap();
    let found = match document.read() {
        Ok(scenario) => check(&scenario).err().unwrap_or_default(),
        Err(problems) => problems,
    };
    found.into_iter().map(|problem| problem.to_string()).collect()
}

#[test]
fn keys_without_a_variant_override_the_settings_of_the_sending_end() {
    let (sender, peer) = ends("tcp = { variant = \"linux\", min_rto = \"300 ms\" }\npeer.tcp.delayed_ack = false");
    let expected = tcp::Config { delayed_ack: DelayedAck::Off, ..sender.clone() };
    assert_eq!((sender.delayed_ack, peer), (DelayedAck::Linux, Some(expected)));
    // A table below a key of TCP is merged key by key.
    let (_, peer) = ends("tcp.retries.syn = 3\npeer.tcp.retries.syn_linear_timeouts = 2");
    let retries = peer.unwrap().retries;
    assert_eq!((retries.syn, retries.syn_linear_timeouts), (3, 2));
}

#[test]
fn variant_of_the_receiving_end_begins_from_its_own_settings() {
    let window = Bytes(32_000).into();
    for sender in PRESETS {
        for peer in PRESETS.iter().filter(|peer| peer.name != sender.name) {
            let text = format!(
                "tcp = {{ variant = \"{}\", min_rto = \"300 ms\" }}\npeer.tcp = \"{}\"",
                sender.name, peer.name
            );
            let expected = tcp::Config { window, ..peer.config() };
            assert_eq!(ends(&text).1, Some(expected), "{} {}", sender.name, peer.name);
        }
    }
    // The connection is opened and closed by both ends alike.
    let (_, peer) = ends("tcp = { handshake = true, close = true }\npeer.tcp = { variant = \"linux\", sack = false }");
    let peer = peer.unwrap();
    assert_eq!((peer.handshake, peer.close, peer.sack, peer.initial_window), (true, true, false, 10));
}

#[test]
fn segment_and_window_of_the_receiving_end_replace_those_of_the_flow() {
    let (sender, peer) = ends("mss = \"1400 B\"\npeer = { mss = \"536 B\", receive_window = \"8 kB\" }");
    assert_eq!((sender.segment, sender.window), (1400, Bytes(32_000).into()));
    assert_eq!(peer, Some(tcp::Config { segment: 536, window: Bytes(8000).into(), ..sender }));
    let (_, peer) = ends("peer.receive_window = \"autotuned\"");
    assert_eq!(peer.unwrap().window, ReceiveWindow::Autotuned(Default::default()));
}

/// Equal settings do not make a second end: the network, from which stores compute their keys, is the same.
#[test]
fn equal_settings_of_the_receiving_end_change_nothing() {
    for profile in ["exact", "goel1997"] {
        for preset in PRESETS {
            let own = format!("mss = \"1000 B\"\ntcp = {{ variant = \"{}\", frto = true, sack = true }}", preset.name);
            let text = |peer: &str| format!("profile = \"{profile}\"\n{}", with(&format!("{own}\n{peer}")));
            let peer = format!(
                "peer = {{ mss = \"1000 B\", receive_window = \"32 kB\", tcp = {{ variant = \"{}\", frto = true, sack = true }} }}",
                preset.name
            );
            let plain = format!("{:?}", build_network(&text("")));
            for same in
                [peer.as_str(), "peer.tcp.frto = true", "peer = {}", "peer.tcp = {}", "peer.tcp.handshake = false"]
            {
                assert_eq!(format!("{:?}", build_network(&text(same))), plain, "{same}");
            }
        }
    }
}

#[test]
fn written_scenario_has_the_keys_that_were_set() {
    let read = read_scenario(&with(
        "tcp.min_rto = \"300 ms\"\npeer = { receive_window = \"8 kB\", tcp = { delayed_ack = true } }",
    ));
    let written = render_scenario(&read);
    assert_eq!(read_back(&written), Some(read), "{written}");
    let table: toml::Table = written.parse().unwrap();
    let peer = table["flows"]["flow"]["peer"].as_table().unwrap();
    assert_eq!(peer["receive_window"].as_str(), Some("8 kB"));
    assert_eq!(peer["tcp"].as_table().unwrap().keys().collect::<Vec<_>>(), ["delayed_ack"]);
    let bare = read_scenario(&with("peer.tcp = \"linux\""));
    assert_eq!(read_back(&render_scenario(&bare)), Some(bare));
}

#[test]
fn arriving_flows_have_a_receiving_end_too() {
    let text = r#"
        duration = "10 s"
        nodes = { a = { kind = "host" }, b = { kind = "host" } }
        links.wire = { kind = "wired", between = ["a", "b"], rate = "8 Mbps", delay = "10 ms" }
        [arrivals.short]
        from = "a"
        to = "b"
        rate = "1 /s"
        sizes = "fixed"
        tcp = "linux"
        peer.tcp.delayed_ack = false
    "#;
    let network = build_network(text);
    assert_eq!(network.arrivals[0].peer.as_ref().unwrap().delayed_ack, DelayedAck::Off);
    assert_eq!(network.arrivals[0].tcp.delayed_ack, DelayedAck::Linux);
}

#[test]
fn wrong_settings_of_the_receiving_end_are_reported_at_their_key() {
    for (settings, parts) in [
        (
            "peer.tcp.variant = \"linx\"",
            &["flows.flow.peer.tcp.variant: found \"linx\"", "did you mean \"linux\"?"][..],
        ),
        (
            "peer.tcp.dealyed_ack = true",
            &["flows.flow.peer.tcp.dealyed_ack: no such key", "did you mean \"delayed_ack\"?"],
        ),
        ("peer.tcp.delack = true", &["flows.flow.peer.tcp.delack: no such key", "did you mean \"delayed_ack\"?"]),
        ("peer.rwnd = \"8 kB\"", &["flows.flow.peer.rwnd: no such key", "did you mean \"receive_window\"?"]),
        ("peer.tcp.delayed_ack.every = 0", &["flows.flow.peer.tcp.delayed_ack.every: found 0", "1 to 64 segments"]),
        (
            "tcp.handshake = true\npeer.tcp.handshake = false",
            &[
                "flows.flow.peer.tcp.handshake: found false, expected true, as at the sending end (flows.flow.tcp.handshake)",
            ],
        ),
        (
            "peer.tcp = { variant = \"linux\", close = true }",
            &["flows.flow.peer.tcp.close: found true, expected false, as at the sending end (flows.flow.tcp.close)"],
        ),
        ("peer.mss = \"0 B\"", &["flows.flow.peer.mss: found 0 B", "1 to 65495 bytes"]),
        (
            "peer.receive_window = \"100 B\"",
            &["flows.flow.peer.receive_window: found 100 B", "at least one segment (1460 B)"],
        ),
        (
            "tcp.handshake = true\npeer = { receive_window = \"1 MiB\", tcp.window_scaling = false }",
            &["flows.flow.peer.receive_window: found 1 MiB", "write flows.flow.peer.tcp.window_scaling = true"],
        ),
        (
            "tcp = \"bbr\"\npeer.tcp.recovery = \"reno\"",
            &["flows.flow.peer.tcp.recovery: found \"reno\"", "bbr needs the delivery time"],
        ),
    ] {
        let found = problems(&with(settings));
        assert_eq!(found.len(), 1, "{settings}: {found:?}");
        assert!(parts.iter().all(|part| found[0].contains(part)), "{settings}: {}", found[0]);
    }
    let udp = with("transport = \"udp\"\npeer.tcp.sack = false").replace("bytes = \"20 kB\"", "traffic = \"cbr\"");
    let found = problems(&udp);
    assert!(found.len() == 1 && found[0].contains("flows.flow.peer: found a table"), "{found:?}");
}

#[test]
fn unknown_key_of_the_flow_is_not_suggested_below_its_peer() {
    let found = problems(&with("cc = \"cubic\""));
    assert!(found[0].contains("did you mean \"tcp.control\"?"), "{found:?}");
}
