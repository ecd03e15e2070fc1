//! Every TCP setting can be set, has an effect, and is stored as written.

use std::collections::BTreeSet;

use engine::{Bytes, Span};
use scenario::document::{read_back, render_scenario};
use tcp::config::{
    BackOff, CwndValidation, Delay, DelayedAck, EcnMode, Floor, Nagle, Retries, Sampling, TimerRestart, Tries,
    WindowScaling,
};
use tcp::presets::PRESETS;
use testkit::{build_network, read_scenario, wire_text};

/// A key, with values that differ from the values in the variant "reno".
const KEYS: &[(&str, &[&str])] = &[
    ("variant", &["\"tahoe\"", "\"linux-reno\""]),
    ("recovery", &["\"sack\"", "{ kind = \"newreno\", variant = \"slow-but-steady\" }"]),
    ("control", &["{ kind = \"reno\", ssthresh_from = \"window\" }"]),
    ("loss_differentiation", &["\"none\""]),
    ("handshake", &["true"]),
    ("close", &["true"]),
    ("initial_window", &["10"]),
    ("initial_ssthresh", &["\"8 KiB\""]),
    ("cwnd_validation", &["\"cwnd-limited\"", "\"receive-window\""]),
    ("recovery_exit_growth", &["true"]),
    ("restart_after_idle", &["false"]),
    ("zero_window", &["\"retransmit\""]),
    ("paws", &["\"linux\""]),
    ("invalid_ratelimit", &["\"0 s\"", "\"1 s\""]),
    ("initial_rto", &["\"3 s\""]),
    ("min_rto", &["\"200 ms\""]),
    ("max_rto", &["\"120 s\""]),
    ("rto_floor", &["\"variation\""]),
    ("rto_granularity", &["\"500 ms\""]),
    ("rto_arithmetic", &["\"scaled-ticks\", rto_granularity = \"500 ms\""]),
    ("rto_back_off", &["\"until-acknowledged\""]),
    ("rto_restart", &["\"recovery\"", "\"retransmissions\""]),
    ("rtt_sampling", &["\"each-acknowledgment\""]),
    (
        "receiver",
        &[
            "{ tcp_comp_sack_nr = 0 }",
            "{ tcp_comp_sack_delay = \"2 ms\", tcp_comp_sack_rtt_percent = 33, tcp_pingpong_thresh = 3 }",
            "{ gro = true, gro_flush_timeout = \"20 us\" }, delayed_ack = \"linux\"",
        ],
    ),
    ("retries", &["{ syn = 2 }", "{ data = 15 }", "{ syn = 0, data = 0 }", "{ syn_linear_timeouts = 4 }"]),
    ("delayed_ack", &["true", "\"linux\"", "{ every = 3 }", "{ delay = \"40 ms\", quick_acks = 16 }"]),
    ("nagle", &["\"on\"", "\"minshall\""]),
    ("limited_transmit", &["true"]),
    ("prr", &["true"]),
    ("tso", &["true"]),
    ("frto", &["true"]),
    ("eifel", &["true"]),
    ("dsack_undo", &["true"]),
    ("sack", &["false"]),
    ("dsack", &["false"]),
    ("timestamps", &["true"]),
    ("window_scaling", &["false", "0", "7"]),
    ("ecn_codepoint", &["\"ect0\"", "\"ect1\""]),
    ("ecn", &["\"accept\"", "\"request\""]),
    ("time_wait", &["\"240 s\""]),
    ("send_buffer", &["\"64 KiB\"", "\"autotuned\"", "{ max = \"1 MiB\" }"]),
    ("notsent_lowat", &["\"16 KiB\""]),
    ("max_pacing_rate", &["\"2 Mbps\""]),
    ("fin_timeout", &["\"30 s\""]),
];

/// A flow with these TCP settings.
fn with(tcp: &str) -> String {
    wire_text("8 Mbps", "10 ms", &format!("bytes = \"20 kB\"\nreceive_window = \"32 kB\"\ntcp = {{ {tcp} }}"))
}

/// The configuration of the flow's ends.
fn config(tcp: &str) -> tcp::Config {
    build_network(&with(tcp)).flows[0].tcp.clone()
}

#[test]
fn every_key_has_an_effect_and_is_stored() {
    let plain = format!("{:?}", build_network(&with("")));
    for (key, values) in KEYS {
        for value in *values {
            // Eifel requires timestamps.
            let besides = if *key == "eifel" { ", timestamps = true" } else { "" };
            let text = with(&format!("{key} = {value}{besides}"));
            let read = read_scenario(&text);
            let without = if besides.is_empty() {
                plain.clone()
            } else {
                format!("{:?}", build_network(&with("timestamps = true")))
            };
            let differs = format!("{:?}", build_network(&text)) != without;
            // The registry has a single member, which is the default.
            let alone = *key == "loss_differentiation";
            assert_eq!(differs, !alone, "{key} = {value}");
            let written = render_scenario(&read);
            assert_eq!(read_back(&written), Some(read), "{key} = {value}\n{written}");
            assert!(written.contains(key), "{written}");
            assert_eq!(
                render_scenario(&read_back(&written).unwrap()),
                written,
                "canonical text is written as it was read"
            );
        }
    }
}

/// A result directory holds only the keys that were set.
#[test]
fn unset_keys_are_not_written() {
    let read = read_scenario(&wire_text("8 Mbps", "10 ms", "tcp.variant = \"rack\"\ntcp.min_rto = \"200 ms\""));
    let table: toml::Table = render_scenario(&read).parse().unwrap();
    let tcp = table["flows"]["flow"]["tcp"].as_table().unwrap();
    assert_eq!(tcp.keys().collect::<Vec<_>>(), ["variant", "min_rto"]);
}

#[test]
fn test_covers_every_key() {
    let schema = scenario::schema();
    let known: BTreeSet<&str> =
        schema["$defs"]["Tcp"]["anyOf"][1]["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(KEYS.iter().map(|(key, _)| *key).collect::<BTreeSet<_>>(), known);
}

#[test]
fn unset_keys_default_to_the_variant() {
    for preset in PRESETS {
        let expected = tcp::Config { window: Bytes(32_000).into(), ..preset.config() };
        assert_eq!(config(&format!("variant = \"{}\"", preset.name)), expected, "{}", preset.name);
    }
    // A preset has one key overridden. All other settings come from the preset.
    let own = config("variant = \"linux-reno\", min_rto = \"1 s\", prr = false");
    let mut expected = config("variant = \"linux-reno\"");
    (expected.min_rto, expected.prr) = (Span::from_secs(1), false);
    assert_eq!(own, expected);
}

#[test]
fn linux_reno_sets_more_than_rack() {
    let [linux, rack] = ["linux-reno", "rack"].map(|variant| config(&format!("variant = \"{variant}\"")));
    assert_eq!(linux.recovery, rack.recovery);
    assert_eq!((linux.initial_window, rack.initial_window), (10, 1));
    assert_eq!((linux.min_rto, rack.min_rto), (Span::from_millis(200), Span::from_secs(1)));
    assert_eq!((linux.delayed_ack, rack.delayed_ack), (DelayedAck::Linux, DelayedAck::Off));
    assert!(linux.prr && linux.frto && !rack.prr && !rack.frto);
    // The window is a setting of the flow, even if it is small.
    assert_eq!(linux.window, Bytes(32_000).into());
    let times = ["linux-reno", "rack"].map(|variant| {
        let results = testkit::run_network(&build_network(&with(&format!("variant = \"{variant}\""))));
        results.flows[0].completed.expect("it completes")
    });
    assert!(times[0] < times[1], "an initial window of ten is faster than one of one: {times:?}");
}

#[test]
fn each_key_sets_its_configuration_field() {
    let all = "recovery = \"rack\", initial_window = 3, cwnd_validation = \"cwnd-limited\", recovery_exit_growth = true, restart_after_idle = false, \
               rto_floor = \"variation\", rto_granularity = \"500 ms\", rto_back_off = \"until-acknowledged\", \
               rto_restart = \"recovery\", rtt_sampling = \"each-acknowledgment\", retries = { syn = 1, syn_linear_timeouts = 3, data = 2 }, \
               delayed_ack = { every = 3, delay = \"100 ms\", quick_acks = 4 }, nagle = \"minshall\", limited_transmit = true, \
               prr = true, frto = true, eifel = true, dsack_undo = true, timestamps = true, window_scaling = 7, \
               ecn = \"request\", time_wait = \"2 s\", fin_timeout = \"3 s\"";
    let config = config(all);
    assert_eq!(
        (config.initial_window, config.cwnd_validation, config.restart_after_idle),
        (3, CwndValidation::CwndLimited, false)
    );
    assert!(config.recovery_exit_growth);
    assert_eq!((config.rto_floor, config.rto_granularity), (Floor::Variation, Span::from_millis(500)));
    assert_eq!((config.rto_restart, config.rto_back_off), (TimerRestart::Recovery, BackOff::UntilAcknowledged));
    assert_eq!(config.rtt_sampling, Sampling::EachAcknowledgment);
    assert_eq!(config.retries, Retries { syn: 1, syn_linear_timeouts: 3, data: Tries::Max(2) });
    assert_eq!(config.delayed_ack, DelayedAck::On(Delay { every: 3, delay: Span::from_millis(100), quick_acks: 4 }));
    assert_eq!((config.nagle, config.limited_transmit, config.prr), (Nagle::Minshall, true, true));
    assert!(config.frto && config.eifel && config.dsack_undo);
    assert!(config.timestamps && config.ecn == EcnMode::Request);
    assert_eq!(config.window_scaling, WindowScaling::Shift(7));
    assert_eq!((config.time_wait, config.fin_timeout), (Span::from_secs(2), Span::from_secs(3)));
    let off = self::config(
        "variant = \"linux-reno\", delayed_ack = false, retries = { data = \"unlimited\" }, window_scaling = true",
    );
    assert_eq!((off.delayed_ack, off.retries.data), (DelayedAck::Off, Tries::Unlimited));
    assert_eq!(off.window_scaling, WindowScaling::Auto);
}

/// The profile goel1997 sets rules of 4.3BSD where the thesis's times show them, or where the text names them. Keys of
/// the scenario override these rules.
#[test]
fn profile_goel1997_sets_rules_of_4_3_bsd_which_keys_override() {
    let with = |profile: &str, tcp: &str| {
        build_network(&format!("profile = \"{profile}\"\n{}", with(tcp))).flows[0].tcp.clone()
    };
    let rules = |config: &tcp::Config| {
        (config.rto_restart, config.rto_back_off, config.recovery_exit_growth, config.cwnd_validation)
    };
    let exact = (TimerRestart::Acknowledgments, BackOff::UntilMeasured, false, CwndValidation::RateLimited);
    let bsd = (TimerRestart::Retransmissions, BackOff::UntilAcknowledged, true, CwndValidation::ReceiveWindow);
    assert_eq!(rules(&with("exact", "variant = \"reno\"")), exact);
    assert_eq!(rules(&with("goel1997", "variant = \"reno\"")), bsd);
    assert_eq!(with("goel1997", "variant = \"linux\"").cwnd_validation, CwndValidation::CwndLimited);
    let given = "rto_restart = \"acknowledgments\", rto_back_off = \"until-measured\", recovery_exit_growth = false, \
                 cwnd_validation = \"rate-limited\"";
    assert_eq!(rules(&with("goel1997", given)), exact);
}
