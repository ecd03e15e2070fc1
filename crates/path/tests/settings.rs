//! Limits of settings: a value at a limit is valid, a value beyond it is an error of its key. The limits are those in
//! the messages and the documentation; the limits of a cell are in dcf_settings.rs.

use engine::serde::de::DeserializeOwned;
use path::agent::AgentConfig;
use path::channel::ChannelConfig;
use path::link::jitter::DelayConfig;
use path::mac::arq::ArqConfig;
use path::mac::dcf::rate::RateControlConfig;
use serde_json::{Value, json};

/// Returns the settings of a member `kind` with some of them changed.
fn read<T: DeserializeOwned>(kind: &str, base: &Value, changed: &Value) -> T {
    let mut all = json!({ "kind": kind });
    for table in [base, changed] {
        for (key, value) in table.as_object().expect("a table") {
            all[key] = value.clone();
        }
    }
    serde_json::from_value(all.clone()).unwrap_or_else(|error| panic!("{all}: {error}"))
}

/// A key with valid and invalid values.
type Row = (&'static str, Value, Value);

macro_rules! keeps_to {
    ($config:ty, $kind:literal, $base:tt, $rows:expr) => {{
        let base = json!($base);
        let keys = |changed: &Value| {
            let faults = read::<$config>($kind, &base, changed).check();
            faults.into_iter().map(|fault| fault.key).collect::<Vec<_>>()
        };
        assert_eq!(keys(&json!({})), [""; 0], "{}", $kind);
        let rows: Vec<Row> = $rows;
        for (key, right, wrong) in rows {
            for value in right.as_array().expect("a list") {
                assert_eq!(keys(&json!({ key: value })), [""; 0], "{} {key} = {value}", $kind);
            }
            for value in wrong.as_array().expect("a list") {
                assert_eq!(keys(&json!({ key: value })), [key], "{} {key} = {value}", $kind);
            }
        }
    }};
}

fn count(key: &'static str, most: u64) -> Row {
    (key, json!([1, 2, most]), json!([0, most + 1]))
}

fn at_most(key: &'static str, most: &str, beyond: &str) -> Row {
    (key, json!(["0 s", most]), json!([beyond]))
}

#[test]
fn link_layer_settings_beyond_limits_are_refused() {
    let hour = |key| at_most(key, "1 h", "3600.000000001 s");
    keeps_to!(ArqConfig, "stop-and-wait", {}, vec![count("max_transmissions", 10_000), hour("margin")]);
    let window = || {
        let ack = ("ack_size", json!(["1 B", "1500 B"]), json!(["0 B", "1501 B"]));
        vec![count("window", 65_536), count("max_transmissions", 10_000), hour("margin"), ack]
    };
    keeps_to!(ArqConfig, "go-back-n", {}, window());
    keeps_to!(ArqConfig, "selective-repeat", {}, window());
    // A block has at most 255 frames.
    let rows = vec![
        ("data", json!([1, 253]), json!([0, 255])),
        ("parity", json!([1, 2, 245]), json!([0, 246, 255])),
        hour("flush"),
    ];
    keeps_to!(ArqConfig, "fec", { "data": 10, "parity": 2 }, rows);
    let header = ("header", json!(["0 B", "1500 B"]), json!(["1501 B"]));
    keeps_to!(ArqConfig, "ns2-lan", {}, vec![header, hour("propagation")]);
}

#[test]
fn agent_settings_beyond_limits_are_refused() {
    let within = |key| (key, json!(["1 ms", "1 h"]), json!(["0 s", "999 us", "3600.000000001 s"]));
    let hour = |key| at_most(key, "1 h", "3600.000000001 s");
    let gain = || ("gain", json!([0.0, 0.5, 0.999]), json!([-0.001, 1.0]));
    let minute = |key| (key, json!(["1 ms", "60 s"]), json!(["0 s", "999 us", "60.000000001 s"]));
    let rows = vec![
        count("cache", 100_000),
        count("flows", 1_000_000),
        count("duplicates", 1000),
        count("retransmissions", 1000),
        within("tick"),
        within("persist"),
        hour("srtt"),
        hour("rttvar"),
        gain(),
    ];
    keeps_to!(AgentConfig, "snoop", {}, rows);
    let cache = ("cache", json!([2, 100]), json!([0, 1, 101]));
    let rows = vec![cache, count("flows", 1_000_000), within("tick"), hour("srtt"), hour("rttvar"), gain()];
    keeps_to!(AgentConfig, "snoop-ns2", {}, rows);
    let rows = vec![within("delay"), count("max_held", 100_000), count("flows", 1_000_000)];
    keeps_to!(AgentConfig, "delayed-duplicates", {}, rows);
    keeps_to!(AgentConfig, "eln", {}, vec![count("max_ranges", 100_000), count("flows", 1_000_000)]);
    keeps_to!(AgentConfig, "freeze-tcp", {}, vec![at_most("warning", "60 s", "60.000000001 s")]);
    keeps_to!(AgentConfig, "m-tcp", {}, vec![minute("ack_timeout"), minute("probe"), minute("idle")]);
    let threshold = ("threshold", json!([3, 1000]), json!([0, 2, 1001]));
    keeps_to!(AgentConfig, "packet-control", {}, vec![threshold]);
    let shortly = ("max_delay", json!(["1 ns", "500 ms"]), json!(["0 s", "500.000001 ms"]));
    keeps_to!(AgentConfig, "ack-decimation", {}, vec![count("every", 1000), shortly]);
    // With share = 4 a quarter of `rtt` is at most 500 ms.
    let rows = vec![
        count("share", 1000),
        ("rtt", json!(["4 ns", "2 s"]), json!(["0 s", "2.000000004 s"])),
        ("bytes", json!(["1 GiB"]), json!(["1073741825 B"])),
    ];
    keeps_to!(AgentConfig, "tack", { "share": 4, "rtt": "100 ms" }, rows);
}

#[test]
fn channel_settings_beyond_limits_are_refused() {
    let probability = |key| (key, json!([0.0, 0.5, 1.0]), json!([-0.001, 1.001]));
    keeps_to!(ChannelConfig, "uniform", { "loss": 0.1 }, vec![probability("loss")]);
    let rows = vec![probability("loss_good"), probability("loss_bad"), ("mean_good", json!(["1 s"]), json!(["0 s"]))];
    keeps_to!(ChannelConfig, "two-state", { "mean_good": "1 s", "mean_bad": "0 s" }, rows);
    let chain = ["p", "r", "h", "k"].map(probability).to_vec();
    keeps_to!(ChannelConfig, "gilbert-elliott", { "p": 0.1, "r": 0.5 }, chain);
    let gap = |key| (key, json!([1.0, 1000.5]), json!([0.999, 0.0, -5.0]));
    keeps_to!(
        ChannelConfig,
        "two-state-gaps",
        { "mean_good": "1 s", "mean_bad": "1 s", "gap_good": 1000.0, "gap_bad": 2.0 },
        vec![gap("gap_good"), gap("gap_bad")]
    );
    // Ascending times.
    let bad = json!([[["1 s", "2 s"]], [["1 s", "2 s"], ["3 s", "4 s"]], []]);
    let wrong = json!([[["2 s", "2 s"]], [["2 s", "1 s"]], [["1 s", "3 s"], ["3 s", "4 s"]]]);
    keeps_to!(ChannelConfig, "scripted", { "bad": [] }, vec![("bad", bad, wrong)]);
}

#[test]
fn delay_and_rate_control_settings_beyond_limits_are_refused() {
    let hour = |key| at_most(key, "1 h", "3600.000000001 s");
    // A range from 3 ms to 2 ms is empty; one from 3 ms to 3 ms is a single delay.
    let high = ("high", json!(["3 ms", "1 h"]), json!(["2.999999 ms", "3600.000000001 s"]));
    keeps_to!(DelayConfig, "uniform", { "low": "3 ms", "high": "5 ms" }, vec![high]);
    keeps_to!(DelayConfig, "normal", { "mean": "3 ms", "deviation": "5 ms" }, vec![hour("mean"), hour("deviation")]);
    let shape = || ("shape", json!([0.001, 1.0, 1000.0]), json!([0.0, -1.0]));
    keeps_to!(DelayConfig, "gamma", { "shape": 2.0, "scale": "5 ms" }, vec![shape(), hour("scale")]);
    keeps_to!(DelayConfig, "pareto", { "shape": 2.0, "scale": "5 ms" }, vec![shape(), hour("scale")]);
    let some = |key| (key, json!([1, 2, 1000]), json!([0]));
    keeps_to!(RateControlConfig, "arf", {}, ["successes", "failures", "patience"].map(some).to_vec());
    let probability = |key| (key, json!([0.0, 1.0]), json!([-0.001, 1.001]));
    let interval = ("interval", json!(["1 ns", "1 s"]), json!(["0 s"]));
    let rows = vec![interval, probability("weight"), probability("sampling"), some("attempts")];
    keeps_to!(RateControlConfig, "minstrel", {}, rows);
    let least = ("min_share", json!([0.001, 1.0]), json!([0.0, 1.001]));
    keeps_to!(RateControlConfig, "stepping", {}, vec![count("steps", 100), count("failures", 1000), least]);
}
