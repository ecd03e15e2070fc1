//! What a cell's settings may not be, and what is said then.

use engine::{Bytes, Span};
use path::mac::dcf::config::{Aggregation, Growth, Preamble};
use path::mac::dcf::{Config, Standard};

/// The keys that are wrong with `config`, with what was found and expected, and the hints.
fn said(config: &Config) -> Vec<String> {
    let fault = |fault: engine::registry::Fault| {
        let found = fault.found.map_or_else(String::new, |found| format!("{found}, not "));
        let hint = fault.hint.map_or_else(String::new, |hint| format!("; {hint}"));
        format!("{}: {found}{}{hint}", fault.key, fault.expected)
    };
    config.check().into_iter().map(fault).collect()
}

fn us(micros: u64) -> Span {
    Span::from_nanos(1000 * micros)
}

#[test]
fn each_impossible_setting_is_told_of_alone() {
    let b = Config::default;
    let wrong = [
        (Config { slot: Some(Span::ZERO), ..b() }, "slot: 0 ns, not more than nothing and at most 10 ms"),
        (Config { sifs: Some(Span::ZERO), ..b() }, "sifs: 0 ns, not more than nothing and at most 10 ms"),
        (Config { slot: Some(us(10_001)), ..b() }, "slot: 10001 us, not more than nothing and at most 10 ms"),
        (
            Config { delay: Some(us(10)), ..b() },
            "delay: 10 us, not less than a slot and a SIFS: who is farther away is not heard in time",
        ),
        (Config { cw_min: Some(30), ..b() }, "cw_min: 30, not one less than a power of two, 0 to 65535; write 31"),
        (
            Config { cw_max: Some(65_536), ..b() },
            "cw_max: 65536, not one less than a power of two, 0 to 65535; write 65535",
        ),
        (
            Config { cw_max: Some(u32::MAX), ..b() },
            "cw_max: 4294967295, not one less than a power of two, 0 to 65535; write 65535",
        ),
        (Config { cw_min: Some(2047), ..b() }, "cw_min: 2047, not at most cw_max, 1023"),
        (
            Config { rate: "12 Mbps".parse().ok(), ..b() },
            "rate: 12 Mbps, not a rate of the standard: 1 Mbps, 2 Mbps, 5.5 Mbps, 11 Mbps",
        ),
        (
            Config { basic_rates: vec!["6 Mbps".parse().unwrap()], ..b() },
            "basic_rates: 6 Mbps, not a rate of the standard: 1 Mbps, 2 Mbps, 5.5 Mbps, 11 Mbps",
        ),
        (
            Config { standard: Standard::A, preamble: Preamble::Short, ..b() },
            "preamble: \"short\", not \"long\": the standard has no other",
        ),
        (Config { short_retry_limit: Some(0), ..b() }, "short_retry_limit: 0, not 1 to 10000"),
        (Config { long_retry_limit: Some(10_001), ..b() }, "long_retry_limit: 10001, not 1 to 10000"),
        (Config { retry_growth: Some(Growth { step: 0, most: 25 }), ..b() }, "retry_growth.step: 0, not at least 1"),
        (
            Config { retry_growth: Some(Growth { step: 6, most: 6 }), ..b() },
            "retry_growth.most: 6, not 7 (the larger limit) to 10000",
        ),
        (
            Config { rts_threshold: Some(Bytes(2348)), ..b() },
            "rts_threshold: 2348 B, not at most 2347 B, the longest frame",
        ),
        (Config { fragmentation_threshold: Some(Bytes(1)), ..b() }, "fragmentation_threshold: 1 B, not 256 to 2347 B"),
        (
            Config { answer_timeout: Some(us(12)), ..b() },
            "answer_timeout: 12 us, not more than a SIFS and the way back, at most 10 ms",
        ),
        (Config { eifs: Some(us(49)), ..b() }, "eifs: 49 us, not at least a DIFS, at most 10 ms"),
        (Config { eifs: Some(us(10_001)), ..b() }, "eifs: 10001 us, not at least a DIFS, at most 10 ms"),
        (
            Config { aggregation: Some(Aggregation::default()), ..b() },
            "aggregation: a standard that has it: \"802.11n\"; write standard = \"802.11n\"",
        ),
    ];
    for (config, expected) in wrong {
        assert_eq!(said(&config), [expected]);
    }
}

#[test]
fn the_standards_themselves_are_right_and_so_are_the_ends_of_ranges() {
    for standard in [Standard::Fhss, Standard::Dsss, Standard::B, Standard::A, Standard::G, Standard::N] {
        assert_eq!(said(&Config { standard, ..Config::default() }), [""; 0]);
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
    assert_eq!(said(&ends), [""; 0]);
    // DIFS: 10 + 2 x 20.
    assert_eq!(said(&Config { eifs: Some(us(50)), ..Config::default() }), [""; 0]);
}
