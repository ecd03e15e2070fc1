//! Two flows of each variant that share a bottleneck and start at different times: neither may starve permanently.

use std::collections::BTreeSet;

use tcp::cc::ControlConfig;
use tcp::presets::PRESETS;
use testkit::{build_network, run_network};

/// Two flows over a wire of `rate` and 20 ms, the first from 0.1 s on, the second from `start`; returns the data of
/// each that arrives in the last `late` seconds of a minute, in bit/s.
fn shares(rate: &str, queue: u32, start: f64, late: u32, tcp: &str) -> [f64; 2] {
    let delivered = |seconds: u32| {
        let text = format!(
            r#"
            duration = "{seconds} s"
            [nodes]
            a = {{ kind = "host" }}
            b = {{ kind = "host" }}
            [links.l]
            kind = "wired"
            between = ["a", "b"]
            rate = "{rate}"
            delay = "20 ms"
            queue = "{queue} packets"
            ecn_threshold = "20 packets"
            [flows.f0]
            from = "a"
            to = "b"
            receive_window = "8 MB"
            start = "0.1 s"
            tcp = {{ {tcp} }}
            [flows.f1]
            from = "a"
            to = "b"
            receive_window = "8 MB"
            start = "{start} s"
            tcp = {{ {tcp} }}
            "#
        );
        let results = run_network(&build_network(&text));
        [0, 1].map(|flow: usize| results.flows[flow].bytes_delivered as f64 * 8.0)
    };
    let (before, after) = (delivered(60 - late), delivered(60));
    [0, 1].map(|flow| (after[flow] - before[flow]) / f64::from(late))
}

/// ns-2 2.35 over the same path ends at 1.5 : 1 (105 and 71 segments on a path of 168 and a queue of 7). Each flow
/// keeps 1 to 3 segments in the queue if it has measured the path without a queue (BP95), so the ratio is at most 3 :
/// 1.
#[test]
fn later_vegas_flow_is_not_starved() {
    let [first, second] = shares("50 Mbps", 342, 1.37, 10, "variant = \"vegas\"");
    let ratio = first.max(second) / first.min(second);
    assert!(ratio <= 3.0, "{first:.0} and {second:.0} bit/s");
    assert!(first + second > 0.9 * 50e6, "{first:.0} and {second:.0} bit/s");
}

/// The largest permitted ratio of the shares.
fn bound(control: &str) -> f64 {
    match control {
        // Each reduction of both flows halves the difference (Chiu and Jain 1989). If only one flow reduces cwnd, it
        // keeps half of its cwnd.
        "reno" => 2.0,
        // Both keep alpha to beta segments in the queue, 1 to 3. A flow that starts while there is a queue
        // overestimates the propagation delay, and gets more than its share (Mo, La, Anantharam and Walrand 1999).
        "vegas" => 3.0,
        // There is no closed form. Flows of CUBIC converge to equal shares [RFC9438 s5.6], but the RFC does not state
        // how fast.
        _ => 3.0,
    }
}

#[test]
fn no_congestion_control_starves_a_later_flow() {
    let mut controls = BTreeSet::new();
    for preset in PRESETS {
        let (name, config) = (preset.name, preset.config());
        let control = config.control.name();
        controls.insert(control.to_owned());
        for (queue, start) in [(34, 1.37), (34, 20.0), (68, 1.37), (68, 20.0)] {
            let [first, second] = shares("10 Mbps", queue, start, 30, &format!("variant = \"{name}\""));
            let ratio = first.max(second) / first.min(second);
            let what = format!("{name}, {queue} packets, from {start} s: {first:.0} and {second:.0} bit/s");
            assert!(ratio <= bound(control), "{what}");
            assert!(first + second > 0.8 * 10e6, "{what}");
        }
    }
    // A policy is as fair as its network.
    let known = ControlConfig::MEMBERS.iter().map(|(name, _)| (*name).to_owned()).filter(|name| name != "policy");
    assert_eq!(controls, known.collect(), "each control is in a variant");
}
