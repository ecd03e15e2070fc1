//! Invalid settings of a cell, and their messages.

use engine::{Bytes, Decibels, Length, Rate, Span};
use path::mac::dcf::config::{Aggregation, Growth, Preamble};
use path::mac::dcf::{Config, Standard};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::StrDeserializer;

/// Returns the errors of `config`: keys, found and expected values, and hints.
fn faults_of(config: &Config) -> Vec<String> {
    let fault = |fault: engine::registry::Fault| {
        let found = fault.found.map_or_else(String::new, |found| format!("{found}, not "));
        let entry = fault.entry.map_or_else(String::new, |number| format!("[{number}]"));
        let hint = fault.hint.map_or_else(String::new, |hint| format!("; {hint}"));
        format!("{}{entry}: {found}{}{hint}", fault.key, fault.expected)
    };
    config.check().into_iter().map(fault).collect()
}

fn us(micros: u64) -> Span {
    Span::from_nanos(1000 * micros)
}

#[test]
fn each_invalid_setting_gives_one_error() {
    let b = Config::default;
    let rate = |text: &str| text.parse::<Rate>().unwrap();
    let n = || Config { standard: Standard::N, ..b() };
    let aggregates = |aggregation| Config { aggregation: Some(aggregation), ..n() };
    let reaching = || Config { range: Some(Length(100_000)), ..b() };
    let wrong = [
        (Config { slot: Some(Span::ZERO), ..b() }, "slot: 0 ns, not more than 0 and at most 10 ms; 802.11b has 20 us"),
        (Config { sifs: Some(Span::ZERO), ..n() }, "sifs: 0 ns, not more than 0 and at most 10 ms; 802.11n has 16 us"),
        (
            Config { slot: Some(us(10_001)), ..b() },
            "slot: 10001 us, not more than 0 and at most 10 ms; 802.11b has 20 us",
        ),
        (
            Config { delay: Some(us(10)), ..b() },
            "delay: 10 us, not less than slot and SIFS, so less than 10 us: carrier sense takes at most one slot; 1 us is enough \
             for 300 m",
        ),
        (Config { cw_min: Some(30), ..b() }, "cw_min: 30, not one less than a power of two, 0 to 65535; write 31"),
        (Config { cw_max: Some(30), ..b() }, "cw_max: 30, not one less than a power of two, 0 to 65535; write 31"),
        (
            Config { cw_max: Some(65_536), ..b() },
            "cw_max: 65536, not one less than a power of two, 0 to 65535; write 65535",
        ),
        (
            Config { cw_max: Some(u32::MAX), ..b() },
            "cw_max: 4294967295, not one less than a power of two, 0 to 65535; write 65535",
        ),
        (Config { cw_min: Some(2047), ..b() }, "cw_min: 2047, not at most cw_max, 1023; write cw_max = 2047 too"),
        // The error names the key that was set, not its default counterpart.
        (Config { cw_max: Some(15), ..b() }, "cw_max: 15, not at least cw_min, 31; write cw_min = 15 too"),
        (
            Config { rate: Some(rate("12 Mbps")), ..b() },
            "rate: 12 Mbps, not a rate of 802.11b: 1 Mbps, 2 Mbps, 5.5 Mbps, 11 Mbps; 12 Mbps is a rate of 802.11a, 802.11g",
        ),
        (
            Config { rate: Some(rate("3 Mbps")), ..b() },
            "rate: 3 Mbps, not a rate of 802.11b: 1 Mbps, 2 Mbps, 5.5 Mbps, 11 Mbps",
        ),
        (
            Config { basic_rates: Some(vec![rate("1 Mbps"), rate("6 Mbps")]), ..b() },
            "basic_rates[1]: 6 Mbps, not a response rate of 802.11b: 1 Mbps, 2 Mbps, 5.5 Mbps, 11 Mbps; 6 Mbps is a response \
             rate of 802.11a, 802.11g, 802.11n",
        ),
        (
            Config { basic_rates: Some(Vec::new()), ..b() },
            "basic_rates: [], not at least one response rate of 802.11b: 1 Mbps, 2 Mbps, 5.5 Mbps, 11 Mbps; leave the key out for the rates of the standard: \
             1 Mbps, 2 Mbps",
        ),
        (
            Config { standard: Standard::A, preamble: Preamble::Short, ..b() },
            "preamble: \"short\", not \"long\": 802.11a has no short preamble; leave it out, or write standard = \"802.11b\"",
        ),
        (Config { short_retry_limit: Some(0), ..b() }, "short_retry_limit: 0, not 1 to 10000; the standard has 7"),
        (
            Config { long_retry_limit: Some(10_001), ..b() },
            "long_retry_limit: 10001, not 1 to 10000; the standard has 4",
        ),
        (
            Config { retry_growth: Some(Growth { step: 0, max: 25 }), ..b() },
            "retry_growth.step: 0, not at least 1; leave out retry_growth for constant limits",
        ),
        (
            Config { retry_growth: Some(Growth { step: 6, max: 6 }), ..b() },
            "retry_growth.max: 6, not 7 (the larger of the retry limits) to 10000",
        ),
        (
            Config { rts_threshold: Some(Bytes(2348)), ..b() },
            "rts_threshold: 2348 B, not at most 2347 B, the longest frame; leave it out to send all frames without RTS",
        ),
        (
            Config { fragmentation_threshold: Some(Bytes(1)), ..b() },
            "fragmentation_threshold: 1 B, not 256 to 2347 B; leave it out to send all packets without fragmentation",
        ),
        (
            Config { answer_timeout: Some(us(12)), ..b() },
            "answer_timeout: 12 us, not more than 12 us (SIFS and two propagation delays), and at most 10 ms; leave it out for \
             the value of the standard, 222 us",
        ),
        (
            Config { eifs: Some(us(49)), ..b() },
            "eifs: 49 us, not at least a DIFS, 50 us, at most 10 ms; leave it out for the value of the standard",
        ),
        (
            Config { eifs: Some(us(10_001)), ..b() },
            "eifs: 10001 us, not at least a DIFS, 50 us, at most 10 ms; leave it out for the value of the standard",
        ),
        (
            Config { aggregation: Some(Aggregation::default()), ..b() },
            "aggregation: a cell of 802.11b, not a cell of 802.11n, the only standard with aggregation; write standard = \"802.11n\"",
        ),
        (
            Config { fragmentation_threshold: Some(Bytes(500)), ..aggregates(Aggregation::default()) },
            "fragmentation_threshold: 500 B, not no value: aggregation excludes fragmentation; leave out \
             fragmentation_threshold, or aggregation",
        ),
        (
            aggregates(Aggregation { frames: 65, ..Aggregation::default() }),
            "aggregation.frames: 65, not 1 to 64 packets, the window of a block acknowledgment",
        ),
        (
            aggregates(Aggregation { bytes: Bytes(0), ..Aggregation::default() }),
            "aggregation.bytes: 0 B, not 1 to 65535 B",
        ),
        (
            aggregates(Aggregation { duration: Span::ZERO, ..Aggregation::default() }),
            "aggregation.duration: 0 ns, not more than 0, at most 10 ms",
        ),
        (
            Config { range: Some(Length(0)), ..b() },
            "range: 0 mm, not more than 0, at most 100000 km; leave it out if all stations receive each other",
        ),
        (
            Config { carrier_sense_range: Some(Length(50_000)), ..reaching() },
            "carrier_sense_range: 50 m, not at least the range, 100 m, and at most 100000 km; \
             leave it out for 2.2 times the range, 220 m",
        ),
        (
            Config { capture: Some(Decibels(10_000)), ..b() },
            "capture: 10 dB, not no value without `range`, since all stations receive each other; add range = \"250 m\"",
        ),
        (Config { capture: Some(Decibels(100_001)), ..reaching() }, "capture: 100.001 dB, not at most 100 dB"),
        (Config { path_loss: Some(0.5), ..reaching() }, "path_loss: 0.5, not 1 to 10: 2 in free space, 4 over ground"),
        (
            Config { beacon_interval: Some(Span::ZERO), ..b() },
            "beacon_interval: 0 ns, not 1.024 ms to 67.10784 s; most networks use 102.4 ms",
        ),
    ];
    for (config, expected) in wrong {
        assert_eq!(faults_of(&config), [expected]);
    }
}

#[test]
fn standards_and_limits_of_ranges_are_valid() {
    for standard in Standard::ALL {
        // Messages use the names in scenarios.
        let name: StrDeserializer<'_, serde::de::value::Error> = standard.name().into_deserializer();
        assert_eq!(Standard::deserialize(name), Ok(standard));
        assert_eq!(faults_of(&Config { standard, ..Config::default() }), [""; 0]);
    }
    let ends = Config {
        cw_min: Some(0),
        cw_max: Some(65_535),
        short_retry_limit: Some(1),
        long_retry_limit: Some(10_000),
        rts_threshold: Some(Bytes(0)),
        fragmentation_threshold: Some(Bytes(256)),
        slot: Some(us(10_000)),
        ..Config::default()
    };
    assert_eq!(faults_of(&ends), [""; 0]);
    // DIFS is 10 + 2 x 20 us.
    assert_eq!(faults_of(&Config { eifs: Some(us(50)), ..Config::default() }), [""; 0]);
}
