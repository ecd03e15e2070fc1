//! Errors in the settings of flows and of their TCP are reported with line, key, found value, expected value and a
//! hint.

use crate::common::{Case, GOOD, assert_each_is_reported, find_problems};
use scenario::check;
use tcp::cc::{ControlConfig, Start};

/// The text to replace, its replacement, and the parts of the message except the file and the line of the replacement.
const CASES: &[Case<'_>] = &[
    ("variant = \"reno\"", "variant = \"rino\"", &["flows.down.tcp.variant", "\"rino\"", "did you mean \"reno\"?"]),
    (
        "initial_window = 2",
        "recovery = { kind = \"newreno\", variant = \"patient\" }",
        &["flows.down.tcp.recovery.variant: found \"patient\"", "did you mean \"impatient\"?"],
    ),
    (
        "initial_window = 2",
        "recovery = { kind = \"newreno\", variant = \"newreno\" }",
        &["flows.down.tcp.recovery.variant: found \"newreno\"", "one of: impatient, slow-but-steady"],
    ),
    (
        "initial_window = 2",
        "recovery = { kind = \"newrino\", variant = \"impatient\" }",
        &["flows.down.tcp.recovery.kind: found \"newrino\"", "did you mean \"newreno\"?"],
    ),
    (
        "initial_window = 2",
        "recovery = { kind = \"sack\", tail_probe = true }",
        &["flows.down.tcp.recovery.tail_probe: no such key", "hint: `tail_probe` belongs to kind = \"rack\""],
    ),
    ("mss = \"1000 B\"", "mss = \"0 B\"", &["flows.down.mss", "1 to 65495 bytes"]),
    ("mss = \"1000 B\"", "mss = \"100 kB\"", &["flows.down.mss", "100 kB"]),
    ("receive_window = \"16 KiB\"", "receive_window = \"16 KB\"", &["flows.down.receive_window", "write kB or KiB"]),
    (
        "receive_window = \"16 KiB\"",
        "receive_window = \"500 B\"",
        &["flows.down.receive_window", "at least one segment (1000 B)", "hint: a full segment would never fit"],
    ),
    (
        "receive_window = \"16 KiB\"",
        "receive_window = 0",
        &["flows.down.receive_window: found 0 B", "hint: a window of 0 never opens"],
    ),
    (
        "receive_window = \"16 KiB\"",
        "receive_window = \"auto\"",
        &["flows.down.receive_window", "a size, such as \"64 KiB\", \"autotuned\", or a table"],
    ),
    (
        "receive_window = \"16 KiB\"",
        "receive_window = { initial = \"1 MiB\", max = \"64 KiB\" }",
        &["flows.down.receive_window", "an initial size of at least 2000 B, and a max between it and 1 GiB"],
    ),
    (
        "receive_window = \"16 KiB\"",
        "receive_window = { maxi = \"64 KiB\" }",
        &["flows.down.receive_window", "did you mean \"max\"?"],
    ),
    (
        "initial_window = 2",
        "receiver = { tcp_comp_sack_rtt_percent = 0 }",
        &["flows.down.tcp.receiver.tcp_comp_sack_rtt_percent", "1 to 100 percent"],
    ),
    (
        "initial_window = 2",
        "receiver = { tcp_comp_sack_delay = \"1 s\" }",
        &["flows.down.tcp.receiver.tcp_comp_sack_delay", "at most 100 ms"],
    ),
    (
        "initial_window = 2",
        "delayed_ack = \"linux\", receiver = { gro = true, gro_flush_timeout = \"1 s\" }",
        &["flows.down.tcp.receiver.gro_flush_timeout", "at most 100 ms"],
    ),
    (
        "initial_window = 2",
        "delayed_ack = \"linux\", receiver = { gro_flush_timeout = \"20 us\" }",
        &["flows.down.tcp.receiver.gro_flush_timeout", "gro = true", "hint: write gro = true"],
    ),
    (
        "initial_window = 2",
        "receiver = { gro = true }",
        &["flows.down.tcp.receiver.gro", "expected delayed_ack = \"linux\"", "hint: write delayed_ack = \"linux\""],
    ),
    ("initial_window = 2", "initial_window = 0", &["flows.down.tcp.initial_window", "1 to 1000"]),
    ("initial_window = 2", "initial_window = 2, min_rto = \"100 s\"", &["flows.down.tcp.min_rto", "at most max_rto"]),
    (
        "initial_window = 2",
        "initial_window = 1001",
        &["flows.down.tcp.initial_window", "found 1001, expected a whole number of segments, 1 to 1000"],
    ),
    ("initial_window = 2", "initial_rto = \"2 min\"", &["flows.down.tcp.initial_rto", "at most max_rto (64 s)"]),
    ("initial_window = 2", "max_rto = \"500 ms\"", &["flows.down.tcp.max_rto", "at least min_rto (1 s)"]),
    ("initial_window = 2", "min_rto = \"0 s\"", &["flows.down.tcp.min_rto", "more than 0"]),
    ("initial_window = 2", "rto_granularity = \"65 s\"", &["flows.down.tcp.rto_granularity", "at most max_rto"]),
    (
        "initial_window = 2",
        "rto_arithmetic = \"scaled-ticks\"",
        &["flows.down.tcp.rto_arithmetic", "a tick as well, such as `rto_granularity = \"500 ms\"`"],
    ),
    (
        "initial_window = 2",
        "rto_floor = \"variation\", rto_granularity = \"500 ms\", rto_arithmetic = \"scaled-ticks\"",
        &["flows.down.tcp.rto_arithmetic", "`rto_floor = \"timeout\"` as well"],
    ),
    (
        "initial_window = 2",
        "control = { kind = \"reno\", growth = \"counted\", at_ssthresh = \"slow-start\" }",
        &["flows.down.tcp.control.at_ssthresh", "\"congestion-avoidance\", the rule of `counted`"],
    ),
    ("initial_window = 2", "rto_floor = \"timout\"", &["flows.down.tcp.rto_floor", "did you mean \"timeout\"?"]),
    (
        "initial_window = 2",
        "rtt_sampling = \"each\"",
        &["flows.down.tcp.rtt_sampling", "one of: one-at-a-time, each-acknowledgment"],
    ),
    (
        "initial_window = 2",
        "delayed_ack = { every = 0 }",
        &["flows.down.tcp.delayed_ack.every", "found 0, expected 1 to 64 segments"],
    ),
    (
        "initial_window = 2",
        "delayed_ack = { delay = \"501 ms\" }",
        &["flows.down.tcp.delayed_ack.delay", "at most 500 ms [RFC5681 s4.2]"],
    ),
    ("initial_window = 2", "delayed_ack = { evry = 2 }", &["flows.down.tcp.delayed_ack", "did you mean \"every\"?"]),
    (
        "initial_window = 2",
        "delayed_ack = \"200 ms\"",
        &[
            "flows.down.tcp.delayed_ack",
            "expected true, false, \"linux\", or a table such as { every = 2, delay = \"200 ms\" }",
        ],
    ),
    ("initial_window = 2", "retries = { data = 256 }", &["flows.down.tcp.retries.data", "0 to 255", "\"unlimited\""]),
    (
        "initial_window = 2",
        "retries = { syn_linear_timeouts = 256 }",
        &["retries.syn_linear_timeouts", "0 to 255 times"],
    ),
    ("initial_window = 2", "retries = { syn = 256 }", &["flows.down.tcp.retries.syn", "0 to 255 times"]),
    (
        "initial_window = 2",
        "retries = { data = \"never\" }",
        &["flows.down.tcp.retries", "such as 15, or \"unlimited\""],
    ),
    ("initial_window = 2", "window_scaling = 15", &["flows.down.tcp.window_scaling", "a shift, 0 to 14"]),
    ("initial_window = 2", "time_wait = \"2 h\"", &["flows.down.tcp.time_wait", "at most an hour"]),
    ("initial_window = 2", "fin_timeout = \"2 h\"", &["flows.down.tcp.fin_timeout", "at most an hour"]),
    ("initial_window = 2", "nagle = \"yes\"", &["flows.down.tcp.nagle", "one of: off, on, minshall"]),
    ("initial_window = 2", "ecn = true", &["flows.down.tcp.ecn", "found true"]),
    ("initial_window = 2", "prr = 1", &["flows.down.tcp.prr", "found 1, expected true or false"]),
    ("initial_window = 2", "loss_differentiation = \"nune\"", &["loss_differentiation", "\"none\""]),
    ("variant = \"reno\"", "variant = \"linux-rino\"", &["flows.down.tcp.variant", "did you mean \"linux-reno\"?"]),
    (
        "initial_window = 2",
        "recovery = \"tahoe\", prr = true",
        &["flows.down.tcp.prr", "tahoe, which reduces cwnd to one segment"],
    ),
    ("initial_window = 2", "eifel = true", &["flows.down.tcp.eifel", "write timestamps = true"]),
    ("initial_window = 2", "sack = false, dsack = true", &["flows.down.tcp.dsack", "write sack = true"]),
    (
        "initial_window = 2",
        "dsack = false, dsack_undo = true",
        &["flows.down.tcp.dsack_undo", "sack = true, dsack = true"],
    ),
    (
        "receive_window = \"16 KiB\"\nstart = \"1 s\"\ntcp = { variant = \"reno\", initial_window = 2 }",
        "receive_window = \"64 KiB\"\ntcp = { handshake = true, window_scaling = false }",
        &["flows.down.receive_window", "at most 65535 B", "tcp.window_scaling = true"],
    ),
    (
        "receive_window = \"16 KiB\"\nstart = \"1 s\"\ntcp = { variant = \"reno\", initial_window = 2 }",
        "receive_window = \"256 KiB\"\ntcp = { handshake = true, window_scaling = 1 }",
        &["flows.down.receive_window", "at most 131070 B"],
    ),
    (
        "bytes = \"1 MB\"\nmss = \"1000 B\"\nreceive_window = \"16 KiB\"\nstart = \"1 s\"\ntcp = { variant = \"reno\", initial_window = 2 }",
        "tcp = { close = true }",
        &["flows.down.tcp.close", "a flow with `bytes`"],
    ),
    (
        "mss = \"1000 B\"\nreceive_window = \"16 KiB\"\nstart = \"1 s\"\ntcp = { variant = \"reno\", initial_window = 2 }",
        "mss = \"65484 B\"\ntcp = { timestamps = true }",
        &["flows.down.mss", "1 to 65483 bytes"],
    ),
    ("initial_window = 2", "initial_window = -3", &["flows.down.tcp.initial_window: found -3", "segments, 1 to 1000"]),
    ("initial_window = 2", "initial_window = 1e9", &["flows.down.tcp.initial_window", "segments, 1 to 1000"]),
    ("initial_window = 2", "initial_window = \"2\"", &["flows.down.tcp.initial_window", "segments, 1 to 1000"]),
    (
        "initial_window = 2",
        "initial_window = 1.5",
        &["flows.down.tcp.initial_window", "found 1.5, expected a whole number"],
    ),
];

#[test]
fn every_mistake_is_reported_with_its_line_and_a_hint() {
    assert_each_is_reported(GOOD, CASES);
}

/// A host has 55,536 ports from 10,000 on, and each flow uses one at either end.
#[test]
fn more_flows_than_a_host_has_ports_are_refused() {
    let mut scenario = testkit::read_scenario(GOOD);
    let flow = scenario.flows["down"].clone();
    scenario.flows.extend((1..=55_536).map(|number| (format!("more{number}"), flow.clone())));
    let problems = check(&scenario).unwrap_err();
    let keys: Vec<_> = problems.iter().filter_map(|problem| problem.key.as_deref()).collect();
    assert_eq!(keys, ["flows.more55536"; 2]);
    assert!(problems[0].expected.contains("at most 55536 flows at one host"), "{problems:?}");
}

/// Two ends with the same settings, neither of which requests ECN, do not use ECN. A congestion control based on the
/// delivery rate needs SACK to measure the rate.
#[test]
fn congestion_control_enables_the_options_that_it_requires() {
    for (name, _) in ControlConfig::MEMBERS {
        let control: ControlConfig = scenario::document::by_name(name).unwrap();
        let made = control.build(Start::trial());
        let said = |tcp: &str| {
            let text = GOOD.replace("variant = \"reno\", initial_window = 2", tcp);
            find_problems(&text).iter().map(ToString::to_string).collect::<String>()
        };
        for recovery in ["tahoe", "reno", "newreno"] {
            let shown = said(&format!("control = \"{name}\", recovery = \"{recovery}\", ecn = \"request\""));
            let refused = shown.contains("flows.down.tcp.recovery") && shown.contains("write recovery = \"rack\"");
            assert_eq!(refused, made.regulates_recovery(), "{shown}");
        }
        let shown = said(&format!("control = \"{name}\", recovery = \"rack\", sack = false, ecn = \"request\""));
        assert_eq!(shown.contains("flows.down.tcp.sack"), made.regulates_recovery(), "{shown}");
        for ecn in ["off", "accept"] {
            let shown = said(&format!("control = \"{name}\", recovery = \"rack\", ecn = \"{ecn}\""));
            let refused = shown.contains("flows.down.tcp.ecn") && shown.contains("write ecn = \"request\"");
            assert_eq!(refused, made.precise_ecn(), "{shown}");
        }
        assert_eq!(said(&format!("control = \"{name}\", recovery = \"rack\", ecn = \"request\"")), "");
    }
}

/// An invalid segment size does not cause a second error about the window.
#[test]
fn window_is_not_checked_against_an_invalid_segment_size() {
    let keys = |segment: &str, window: &str| -> Vec<String> {
        let text = GOOD.replace("mss = \"1000 B\"", segment).replace("receive_window = \"16 KiB\"", window);
        find_problems(&text).into_iter().filter_map(|problem| problem.key).collect()
    };
    assert_eq!(keys("mss = \"100 MB\"", ""), ["flows.down.mss"]);
    assert_eq!(keys("mss = \"100 MB\"", "receive_window = \"2 GiB\""), ["flows.down.mss", "flows.down.receive_window"]);
}
