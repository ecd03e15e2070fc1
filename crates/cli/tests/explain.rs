//! The command `lasthop explain`.

use crate::common;

use std::path::Path;

use common::{fine, lasthop, scratch};
use serde_json::Value;

/// Flows of datagrams have delays in every run, flows over TCP only if delays are measured.
#[test]
fn result_directory_of_a_run_with_datagrams_can_be_explained() {
    let dir = scratch("explain-datagrams");
    let example = common::file("examples/traffic.toml");
    fine(&dir, &["run", &example, "--set", "duration=5 s", "--out", "kept"]);
    assert!(fine(&dir, &["explain", "kept"]).contains("flow "));
}

#[test]
fn result_directory_and_scenario_give_the_same_explanation() {
    let dir = scratch("explain-dir");
    let example = common::file("examples/two-losses.toml");
    fine(&dir, &["run", &example, "--out", "kept"]);
    let of_dir = fine(&dir, &["explain", "kept", "--top", "20"]);
    assert_eq!(of_dir, fine(&dir, &["explain", &example, "--top", "20"]));
    // The two waits of the sender under the Simple ICMP scheme, to the millisecond [goel1997 figure 5.3].
    for row in ["1.974  2.756      782", "3.458  4.107      649"] {
        assert!(of_dir.lines().any(|line| line.contains("idle-wait") && line.contains(row)), "{of_dir}");
    }
    // Both findings form one row of the summary, which shows the costlier one. Findings are not listed by default.
    let summary = fine(&dir, &["explain", &example]);
    let rows: Vec<&str> = summary.lines().filter(|line| line.contains("idle-wait")).collect();
    assert!(matches!(rows[..], [row] if row.contains("1.974 to 2.756 s")), "{summary}");
    let budget =
        summary.lines().skip_while(|line| !line.starts_with("cause")).skip(1).take_while(|line| !line.is_empty());
    let shares: Vec<f64> = budget.map(|line| line.split_whitespace().nth(2).unwrap().parse().unwrap()).collect();
    let (sum, causes) = shares.split_last().unwrap();
    assert!(*sum == 100.0 && (causes.iter().sum::<f64>() - 100.0).abs() < 0.05 * causes.len() as f64, "{summary}");
    // With another scheme the scenario is run again, and the stored result is not used.
    let refined = fine(&dir, &["explain", "kept", "--scheme", "refined-icmp"]);
    assert!(!refined.contains("idle-wait"), "{refined}");
}

#[test]
fn json_lists_findings_by_cost_with_totals() {
    let dir = scratch("explain-json");
    let example = common::file("examples/two-losses.toml");
    let flows: Value = serde_json::from_str(&fine(&dir, &["explain", &example, "--json", "--top", "3"])).unwrap();
    let flow = &flows[0];
    assert_eq!((flow["flow"].as_str(), flow["completed"].as_bool()), (Some("211"), Some(true)));
    let findings = flow["findings"].as_array().unwrap();
    let costs: Vec<f64> = findings.iter().map(|finding| finding["cost_ms"].as_f64().unwrap()).collect();
    assert_eq!(costs.len(), 3);
    assert!(costs.is_sorted_by(|a, b| a >= b), "{costs:?}");
    let count: u64 = flow["kinds"].as_array().unwrap().iter().map(|kind| kind["count"].as_u64().unwrap()).sum();
    assert!(count > 3, "{flow}");
    let (lost, took) = (flow["lost_ms"].as_f64().unwrap(), flow["took_ms"].as_f64().unwrap());
    assert!(costs[0] <= lost && lost <= took, "{flow}");
}

/// The flow starts sending at once, because there is no handshake. Therefore some blocking reason applies at every
/// moment.
#[test]
fn blocking_reasons_add_up_to_the_transfer_time() {
    let dir = scratch("explain-blocked");
    let example = common::file("examples/two-losses.toml");
    let flows: Value = serde_json::from_str(&fine(&dir, &["explain", &example, "--json"])).unwrap();
    let (blocked, took) = (flows[0]["blocked_ms"].as_object().unwrap(), flows[0]["took_ms"].as_f64().unwrap());
    let held = |reason: &str| blocked[reason].as_f64().unwrap();
    assert_eq!(blocked.len(), 6, "{blocked:?}");
    assert_eq!((held("nagle"), held("pacing")), (0.0, 0.0), "the thesis's sender has neither");
    let sum = held("data") + held("peer-window") + held("cwnd");
    assert!((sum - took).abs() < 1e-6, "{blocked:?}, {took} ms");
    let table = fine(&dir, &["explain", &example]);
    let share = format!("the sender was blocked by peer-window {:.1} %", 100.0 * held("peer-window") / took);
    assert!(table.contains(&share), "a window of four segments: {table}");
}

#[test]
fn unknown_flow_is_refused_with_a_suggestion() {
    let dir = scratch("explain-flow");
    let ended = lasthop(&dir, &["explain", &common::file("examples/two-mobiles.toml"), "--flow", "near1"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.out.is_empty() && ended.err.contains("--flow") && ended.err.contains("near"), "{}", ended.err);
    let far = fine(&dir, &["explain", &common::file("examples/two-mobiles.toml"), "--flow", "far"]);
    assert!(far.contains("flow far") && !far.contains("flow near"), "{far}");
}

#[test]
fn examples_can_be_explained() {
    explain_examples(&scratch("explain-examples"), 4);
}

#[test]
#[ignore = "takes 8 s: cargo xtask test --full"]
fn every_example_can_be_explained() {
    explain_examples(&scratch("explain-all-examples"), 1);
}

/// Explains one of `every` examples.
fn explain_examples(dir: &Path, every: usize) {
    let entries = std::fs::read_dir(common::root().join("examples")).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = entries.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    paths.sort();
    assert!(paths.len() >= 8, "{paths:?}");
    for path in paths.into_iter().step_by(every) {
        let file = path.display().to_string();
        let flows: Value = serde_json::from_str(&fine(dir, &["explain", &file, "--json"])).unwrap();
        for flow in flows.as_array().unwrap() {
            let ms = |key: &str| flow[key].as_f64().unwrap();
            assert!(ms("lost_avoidably_ms") <= ms("lost_ms") && ms("lost_ms") <= ms("took_ms"), "{file}: {flow}");
        }
    }
}

#[test]
fn findings_are_marked_on_a_picture() {
    let dir = scratch("explain-picture");
    let example = common::file("examples/two-losses.toml");
    fine(&dir, &["run", &example, "--out", "kept"]);
    fine(&dir, &["explain", "kept"]);
    let svg = std::fs::read_to_string(dir.join("kept/plots/211-explained.svg")).unwrap();
    assert!(svg.contains("2: idle-wait: 782 ms") && svg.contains("class=\"bracket\""), "{svg}");
    // The bar has every cause of the budget, and labels where they fit.
    assert_eq!(svg.matches("class=\"budget\"").count(), 7, "{svg}");
    assert!(svg.contains("air-loss 39.8 %") && svg.contains("own-queue: 0.1 %"), "{svg}");
    assert!(dir.join("kept/plots/211-explained.png").exists());
    // Pictures for a scenario file are drawn only with --out, and only for the requested flow.
    let two = common::file("examples/two-mobiles.toml");
    fine(&dir, &["explain", &two, "--flow", "far", "--out", "marked"]);
    let drawn: Vec<_> =
        std::fs::read_dir(dir.join("marked")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(drawn.len(), 2, "{drawn:?}");
}

/// After a handshake the initial sequence number is random; findings must not depend on it, whether segments or
/// acknowledgments are lost. The SYN and SYN-ACK are one additional frame in each direction.
#[test]
fn findings_do_not_depend_on_the_handshake() {
    let dir = scratch("explain-handshake");
    let text = "duration = \"100 s\"\nnodes.a = { kind = \"host\" }\nnodes.b = { kind = \"host\" }\n\
                links.wire = { kind = \"wired\", between = [\"a\", \"b\"], rate = \"1 Mbps\", delay = \"50 ms\" }\n\
                [flows.flow]\nfrom = \"a\"\nto = \"b\"\nbytes = \"1 MB\"\nreceive_window = \"20 kB\"\ntcp = { sack = false }\n";
    std::fs::write(dir.join("net.toml"), text).unwrap();
    let kinds = |which: &str, first: u64, handshake: bool, seed: &str| -> Vec<(String, u64, i64)> {
        let lost: Vec<u64> = (first + u64::from(handshake)..).take(16).collect();
        let channel = format!("links.wire.channel={{ kind = \"scripted\", {which} = {lost:?} }}");
        let handshake = format!("flows.flow.tcp.handshake={handshake}");
        let out =
            fine(&dir, &["explain", "net.toml", "--json", "--set", &channel, "--set", &handshake, "--seed", seed]);
        let flows: Value = serde_json::from_str(&out).unwrap();
        let kinds = flows[0]["kinds"].as_array().unwrap().iter();
        let micros = |kind: &Value| (kind["cost_ms"].as_f64().unwrap() * 1e3).round() as i64;
        kinds.map(|kind| (kind["kind"].to_string(), kind["count"].as_u64().unwrap(), micros(kind))).collect()
    };
    for which in ["drop", "drop_backward"] {
        let without = kinds(which, 60, false, "1");
        assert!(without.len() >= 2, "{without:?}");
        // Half of all initial sequence numbers are at least 2^31.
        for seed in ["1", "2", "3", "4", "5", "6"] {
            assert_eq!(kinds(which, 60, true, seed), without, "{which}, seed {seed}");
        }
    }
}
