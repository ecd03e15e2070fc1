//! I-TCP through whole runs: whatever the air and the ends are, every byte arrives once and in order, and what the node
//! acknowledges before it has arrived is counted.

mod common;

use common::{network, run};
use sim::Results;
use tcp::presets::PRESETS;

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
        segment = "1000 B"
        {flow}
        "#
    )
}

const LOSSY: &str = "channel = { kind = \"uniform\", loss = 0.05 }";

fn counter(results: &Results, name: &str) -> u64 {
    let counters = &results.agents[1];
    counters.iter().find(|(known, _)| *known == name).map(|(_, count)| *count).expect("the station counts it")
}

/// Everything arrived, and the node kept nothing back.
fn arrived(results: &Results, bytes: u64, about: &str) {
    let flow = &results.flows[0];
    assert_eq!(flow.failure, None, "{about}");
    assert!(flow.completed.is_some(), "{about}: not completed");
    assert_eq!(flow.bytes_delivered, bytes, "{about}");
    assert_eq!((counter(results, "flows_split"), counter(results, "bytes_lost")), (1, 0), "{about}");
}

/// With FINs both ways the run ends when the receiver has read everything.
fn closing(from: &str, to: &str, bytes: u64, tcp: &str) -> String {
    format!("from = \"{from}\"\nto = \"{to}\"\nbytes = \"{bytes} B\"\ntcp = {{ close = true, {tcp} }}")
}

#[test]
fn every_byte_arrives_whatever_the_variants() {
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
                let network = network(&path(&scheme, LOSSY, &closing(from, to, 60_500, &tcp), seed));
                arrived(&run(&network), 60_500, &about);
            }
        }
    }
}

#[test]
fn every_byte_arrives_whatever_the_air() {
    let bursts =
        "arq = \"stop-and-wait\"\nchannel = { kind = \"two-state\", mean_good = \"1 s\", mean_bad = \"200 ms\" }";
    let away = "channel = { kind = \"scripted\", bad = [[\"1 s\", \"9 s\"]] }";
    for air in [LOSSY, bursts, away] {
        for seed in 1..=60 {
            let buffer = [2_000, 10_000, 65_535][seed as usize % 3];
            let scheme = format!("{{ kind = \"split\", buffer = \"{buffer} B\" }}");
            let tcp = format!("handshake = {}", seed % 2 == 0);
            let (from, to) = if seed % 4 < 2 { ("server", "mobile") } else { ("mobile", "server") };
            let network = network(&path(&scheme, air, &closing(from, to, 150_000, &tcp), seed));
            let results = run(&network);
            arrived(&results, 150_000, &format!("{air}, seed {seed}"));
            let early = counter(&results, "bytes_acknowledged_early");
            assert!((1..=buffer).contains(&early), "{early} bytes in a buffer of {buffer}");
        }
    }
}
