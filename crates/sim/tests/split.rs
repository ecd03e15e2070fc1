//! I-TCP in whole runs: for any channel and endpoint, every byte arrives once and in order, and data that the node
//! acknowledges before it has arrived is counted.

use sim::Results;
use tcp::presets::PRESETS;
use testkit::{build_network, run_network};

/// A server, a base station that splits, a mobile; `air` and `flow` are TOML.
fn path(scheme: &str, air: &str, flow: &str, seed: u64) -> String {
    format!(
        r#"
        seed = {seed}
        duration = "4000 s"
        [nodes]
        server = {{ kind = "host" }}
        station = {{ kind = "base-station", scheme = {scheme} }}
        mobile = {{ kind = "host" }}
        [links.wire]
        kind = "wired"
        between = ["server", "station"]
        rate = "8 Mbps"
        delay = "20 ms"
        queue = "20 packets"
        loss = 0.01
        [links.air]
        kind = "wireless"
        between = ["station", "mobile"]
        rate = "1 Mbps"
        delay = "2 ms"
        {air}
        [flows.flow]
        mss = "1000 B"
        {flow}
        "#
    )
}

const LOSSY: &str = "channel = { kind = \"uniform\", loss = 0.05 }";

fn counter(results: &Results, name: &str) -> u64 {
    let counters = &results.agents[1];
    counters.iter().find(|(known, _)| *known == name).map(|(_, count)| *count).expect("the station counts it")
}

/// Asserts that all bytes have arrived, and that the node stores none.
fn arrived(results: &Results, bytes: u64, about: &str) {
    let flow = &results.flows[0];
    assert_eq!(flow.failure, None, "{about}");
    assert!(flow.completed.is_some(), "{about}: not completed");
    assert_eq!(flow.bytes_delivered, bytes, "{about}");
    // More than once if some data was forwarded first: the connection is then released, and split later.
    assert!(counter(results, "flows_split") >= 1 && counter(results, "bytes_lost") == 0, "{about}");
}

/// Returns a scenario with FINs in both directions, whose run ends when the receiver has read all data.
fn closing(from: &str, to: &str, bytes: u64, tcp: &str) -> String {
    format!("from = \"{from}\"\nto = \"{to}\"\nbytes = \"{bytes} B\"\ntcp = {{ close = true, {tcp} }}")
}

#[test]
fn every_byte_arrives_under_all_variants() {
    let mut seed = 0;
    for ends in PRESETS {
        for side in PRESETS {
            for (from, to) in [("server", "mobile"), ("mobile", "server")] {
                let handshake = seed % 2 == 0;
                seed += 1;
                let scheme = format!(
                    "{{ kind = \"split\", wireless = {{ variant = \"{0}\" }}, wired = {{ variant = \"{0}\" }} }}",
                    side.name
                );
                let tcp = format!("variant = \"{}\", handshake = {handshake}", ends.name);
                let about = format!("{from}: {tcp}, node {}, seed {seed}", side.name);
                let network = build_network(&path(&scheme, LOSSY, &closing(from, to, 60_500, &tcp), seed));
                arrived(&run_network(&network), 60_500, &about);
            }
        }
    }
}

#[test]
fn every_byte_arrives_over_all_channels() {
    let bursts =
        "arq = \"stop-and-wait\"\nchannel = { kind = \"two-state\", mean_good = \"1 s\", mean_bad = \"200 ms\" }";
    let away = "channel = { kind = \"scripted\", bad = [[\"1 s\", \"9 s\"]] }";
    for air in [LOSSY, bursts, away] {
        for seed in 1..=60 {
            let buffer = [2_000, 10_000, 65_535][seed as usize % 3];
            let scheme = format!("{{ kind = \"split\", buffer = \"{buffer} B\" }}");
            let tcp = format!("handshake = {}", seed % 2 == 0);
            let (from, to) = if seed % 4 < 2 { ("server", "mobile") } else { ("mobile", "server") };
            let network = build_network(&path(&scheme, air, &closing(from, to, 150_000, &tcp), seed));
            let results = run_network(&network);
            arrived(&results, 150_000, &format!("{air}, seed {seed}"));
            let early = counter(&results, "bytes_acknowledged_early");
            assert!((1..=buffer).contains(&early), "{early} bytes in a buffer of {buffer}");
        }
    }
}

/// Flows come and go at a table for five connections, some with a handshake and some in ESTABLISHED: flows without an
/// entry are forwarded end to end, and may be split later.
#[test]
fn every_byte_arrives_if_the_table_is_full() {
    let mut seen = [0; 3];
    for seed in 1..=20 {
        let scheme = "{ kind = \"split\", flows = 5, buffer = \"8 kB\" }";
        let flow = |number: u64| {
            let (from, to) = if number.is_multiple_of(3) { ("mobile", "server") } else { ("server", "mobile") };
            let handshake = (number + seed).is_multiple_of(2);
            format!(
                "[flows.f{number}]\nfrom = \"{from}\"\nto = \"{to}\"\nbytes = \"{} B\"\nmss = \"1000 B\"\n\
                 start = \"{} ms\"\ntcp = {{ close = true, handshake = {handshake}, time_wait = \"1 s\" }}\n",
                3_000 + 7_777 * (number % 8),
                137 * number,
            )
        };
        let flows: String = (0..30).map(flow).collect();
        let text = path(scheme, LOSSY, "", seed).replace("[flows.flow]\n        mss = \"1000 B\"", "");
        let network = build_network(&(text + &flows));
        let results = run_network(&network);
        for (spec, flow) in network.flows.iter().zip(&results.flows) {
            assert_eq!((flow.failure, flow.completed.is_some()), (None, true), "{}, seed {seed}", spec.name);
            assert_eq!(Some(flow.bytes_delivered), spec.traffic.total(), "{}, seed {seed}", spec.name);
        }
        assert_eq!(counter(&results, "bytes_lost"), 0, "seed {seed}");
        for (sum, name) in seen.iter_mut().zip(["packets_passed", "flows_forgotten", "flows_let_go"]) {
            *sum += counter(&results, name);
        }
    }
    assert!(seen.iter().all(|count| *count > 0), "what is to be tested did not happen: {seen:?}");
}

/// The cost of the scheme: the mobile is disconnected permanently after everything was acknowledged to the sender.
#[test]
fn acknowledged_data_can_be_lost() {
    let away = "channel = { kind = \"scripted\", bad = [[\"1 s\", \"5000 s\"]] }";
    let flow = closing("server", "mobile", 120_000, "handshake = true");
    let split = run_network(&build_network(&path("{ kind = \"split\", wireless = { retries = 5 } }", away, &flow, 3)));
    let [end_to_end, split_flow] =
        [&run_network(&build_network(&path("\"unmodified\"", away, &flow, 3))).flows[0], &split.flows[0]];
    assert_eq!(end_to_end.completed, None, "end to end the sender knows that not everything arrived");
    assert!(split_flow.completed.is_some(), "the node has acknowledged everything");
    let missing = 120_000 - split_flow.bytes_delivered;
    assert!(missing > 0);
    // The bytes that the node acknowledged beyond the mobile's acknowledgments; the mobile may have received more than
    // it acknowledged.
    let lost = counter(&split, "bytes_lost");
    assert!(lost >= missing && lost <= missing + 2000, "{missing} bytes are missing, {lost} are counted");
    assert_eq!((counter(&split, "flows_given_up"), counter(&split, "flows")), (1, 0));
}

/// A download over a geostationary satellite whose packets are never lost: 40 Mbps, a round trip of 600 ms, queues
/// that hold the largest receive window.
fn satellite(scheme: &str, flow: &str) -> String {
    format!(
        r#"
        duration = "60 s"
        [nodes]
        server = "host"
        gateway = {{ kind = "base-station", scheme = {scheme} }}
        terminal = "host"
        [links.wire]
        kind = "wired"
        between = ["server", "gateway"]
        rate = "1 Gbps"
        delay = "20 ms"
        queue = "16000 packets"
        [links.satellite]
        kind = "wireless"
        between = ["gateway", "terminal"]
        rate = "40 Mbps"
        delay = "280 ms"
        queue = "16000 packets"
        [flows.download]
        from = "server"
        to = "terminal"
        {flow}
        "#
    )
}

fn delivered(scheme: &str, flow: &str) -> u64 {
    run_network(&build_network(&satellite(scheme, flow))).flows[0].bytes_delivered
}

/// The legs inherit the receive window of the flow: the node needs no setting on a path with a large bandwidth-delay
/// product.
#[test]
fn split_does_not_slow_a_download_without_losses_over_a_satellite() {
    for (variant, handshake) in [("reno", false), ("reno", true), ("cubic", true), ("linux", true)] {
        let flow =
            format!("receive_window = \"autotuned\"\ntcp = {{ variant = \"{variant}\", handshake = {handshake} }}");
        let legs = format!("{{ kind = \"split\", wired = \"{variant}\", wireless = \"{variant}\" }}");
        let [whole, split] = ["\"unmodified\"", legs.as_str()].map(|scheme| delivered(scheme, &flow));
        assert!(split >= whole, "{variant} {handshake}: {split} of {whole} bytes");
    }
}

/// A constant receive window of the flow is the buffer of the node. By hand: the round trip of a full segment over both
/// links is 600 ms of propagation, 12 + 300 us for 1500 B and 0.32 + 8 us for 40 B, and 65,535 B are 44 full segments,
/// so 44 x 1460 B leave in each round trip.
#[test]
fn legs_inherit_a_constant_window_of_the_flow() {
    let flow = "receive_window = \"65535 B\"\ntcp = \"reno\"";
    let [inherits, own] =
        ["\"split\"", "{ kind = \"split\", buffer = \"65535 B\" }"].map(|scheme| delivered(scheme, flow));
    assert_eq!(inherits, own);
    let in_60_s = 60.0 / 0.600_32 * 44.0 * 1460.0;
    assert!((0.9 * in_60_s..=in_60_s).contains(&(inherits as f64)), "{inherits} of {in_60_s}");
    let larger = delivered("{ kind = \"split\", buffer = \"autotuned\" }", "receive_window = \"4 MB\"\ntcp = \"reno\"");
    assert!(larger > 20 * inherits, "{larger}");
}
