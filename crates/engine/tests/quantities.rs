//! Quantities as text: every unit by its definition (SI prefixes, binary prefixes of IEC 80000-13), refused texts, and
//! equal text in `Display`, `Debug` and serde.

use std::fmt::Debug;
use std::str::FromStr;

use engine::units::UnitError;
use engine::{Bytes, Decibels, Length, Rate, Signed, Span, Speed};

fn hint<T: FromStr<Err = UnitError> + Debug>(text: &str) -> Option<String> {
    text.parse::<T>().expect_err(text).hint
}

#[test]
fn units_are_multiples_of_the_base_unit() {
    let span = |text: &str| text.parse::<Span>().map(Span::as_nanos);
    assert_eq!(span("1 ns"), Ok(1));
    assert_eq!([span("1 us"), span("1 µs")], [Ok(1_000), Ok(1_000)]);
    assert_eq!(span("1 ms"), Ok(1_000_000));
    assert_eq!(span("1 s"), Ok(1_000_000_000));
    assert_eq!([span("1 min"), span("1 h")], [span("60 s"), span("3600 s")]);
    let rate = |text: &str| text.parse::<Rate>().map(Rate::bits_per_sec);
    let rates = ["2 bps", "2 kbps", "2 Mbps", "2 Gbps"].map(rate);
    assert_eq!(rates, [Ok(2), Ok(2_000), Ok(2_000_000), Ok(2_000_000_000)]);
    let bytes = |text: &str| text.parse::<Bytes>().map(|bytes| bytes.0);
    assert_eq!(["3 B", "3 kB", "3 MB", "3 GB"].map(bytes), [Ok(3), Ok(3_000), Ok(3_000_000), Ok(3_000_000_000)]);
    assert_eq!(["1 KiB", "1 MiB", "1 GiB"].map(bytes), [Ok(1_024), Ok(1_048_576), Ok(1_073_741_824)]);
    let length = |text: &str| text.parse::<Length>().map(|length| length.0);
    assert_eq!(["4 mm", "4 cm", "4 m", "4 km"].map(length), [Ok(4), Ok(40), Ok(4_000), Ok(4_000_000)]);
    let speed = |text: &str| text.parse::<Speed>().map(|speed| speed.0);
    assert_eq!(["1 mm/h", "1 mm/s", "1 km/h", "1 m/s"].map(speed), [Ok(1), Ok(3_600), Ok(1_000_000), Ok(3_600_000)]);
    let ratio = |text: &str| text.parse::<Decibels>().map(|ratio| ratio.0);
    assert_eq!(["1 mdB", "1 dB", "0.001 dB"].map(ratio), [Ok(1), Ok(1_000), Ok(1)]);
}

/// The error lists all units, the smallest first. `us` is listed in only one spelling.
#[test]
fn error_names_units_and_adds_a_hint_line() {
    let error = "fast".parse::<Rate>().unwrap_err();
    assert_eq!(error.to_string(), "a rate such as \"8 Mbps\" (units: bps, kbps, Mbps, Gbps)");
    let error = "8 mbps".parse::<Rate>().unwrap_err();
    assert_eq!(error.to_string(), "a rate such as \"8 Mbps\" (units: bps, kbps, Mbps, Gbps)\ndid you mean \"8 Mbps\"?");
    let error = "soon".parse::<Span>().unwrap_err();
    assert_eq!(error.expected, "a time such as \"492 ms\" (units: ns, us, ms, s, min, h)");
}

#[test]
fn text_without_number_or_unit_is_refused() {
    for text in ["", " ", "ms", ".5 ms", "1.2.3 ms", ". ms", "1 ms 2", "1e3 ms", "+1 ms", "_ ms"] {
        assert!(text.parse::<Span>().is_err(), "{text:?}");
    }
    for text in ["12", " 12 ", "1.5"] {
        assert_eq!(hint::<Span>(text), Some(format!("add a unit after {}", text.trim())));
    }
    assert_eq!(hint::<Span>("5 parsec"), None, "no similar unit");
    assert_eq!(hint::<Span>("1 MS").as_deref(), Some("did you mean \"1 ms\"?"));
    assert_eq!(hint::<Decibels>("3 db").as_deref(), Some("write dB"));
    assert_eq!(hint::<Rate>("3 Kbps").as_deref(), Some("write kbps"));
    assert!(hint::<Rate>("3 MBps").unwrap().contains("multiply by 8"));
}

/// A quantity has at most 20 digits before the decimal point and 12 after it.
#[test]
fn digits_are_limited_before_and_after_the_decimal_point() {
    assert_eq!("00000000000000000007 ns".parse(), Ok(Span::from_nanos(7)));
    assert_eq!(
        hint::<Span>("000000000000000000007 ns").as_deref(),
        Some("too many digits: at most 20 before and 12 after the decimal point")
    );
    assert_eq!(
        "0.000000000001 h".parse::<Span>().map_err(|error| error.hint.unwrap()),
        Err("finer than one ns".into())
    );
    assert_eq!(
        hint::<Span>("0.0000000000001 h").as_deref(),
        Some("too many digits: at most 20 before and 12 after the decimal point")
    );
    // Trailing zeros are not counted.
    assert_eq!("0.50000000000000000 h".parse(), Ok(Span::from_secs(1_800)));
    // A millionth of a millionth of an hour is 3.6 ns, five of them 18 ns.
    assert_eq!("1000000.000000000005 h".parse(), Ok(Span::from_nanos(3_600_000_000_000_000_000 + 18)));
}

/// The maximum time is 2^64 - 1 ns.
#[test]
fn quantity_beyond_64_bits_is_refused() {
    assert_eq!("18446744073709551615 ns".parse(), Ok(Span::from_nanos(u64::MAX)));
    assert_eq!(hint::<Span>("18446744073709551616 ns").as_deref(), Some("too large"));
    assert_eq!(hint::<Span>("18446744073.709551616 s").as_deref(), Some("too large"));
    assert_eq!(hint::<Bytes>("99999999999999999999 GiB").as_deref(), Some("too large"));
}

/// By hand: the quantity is written in the shortest exact form with at most three decimals. Of two equally short forms
/// the one with the larger unit is used.
#[test]
fn quantity_is_written_exactly_in_the_shortest_form() {
    for (nanos, text) in [
        (0, "0 ns"),
        (1, "1 ns"),
        (999, "999 ns"),
        (1_000, "1 us"),
        (1_234_567, "1234567 ns"),
        (12_345_000, "12345 us"),
        (1_234_500, "1234.5 us"),
        (1_234_567_891, "1234567891 ns"),
        (90_000_000_000, "90 s"),
        (5_400_000_000_000, "1.5 h"),
        (60_000_000_000, "60 s"),
        (600_000_000_000, "600 s"),
        (58_020_000_000_000, "967 min"),
        (61_000_000_000, "61 s"),
        (1_500_000_000, "1.5 s"),
        (20_050_000, "20.05 ms"),
    ] {
        assert_eq!(Span::from_nanos(nanos).to_string(), text);
    }
    for (bytes, text) in [(0, "0 B"), (1_023, "1023 B"), (1_024, "1 KiB"), (1_500, "1.5 kB"), (1 << 30, "1 GiB")] {
        assert_eq!(Bytes(bytes).to_string(), text);
    }
    assert_eq!(Decibels(1).to_string(), "1 mdB");
    assert_eq!(Decibels(10_500).to_string(), "10.5 dB");
}

/// Checks that a quantity has this text in `Display`, `Debug` and JSON, and that errors name the expected quantity.
fn check_text_forms<T>(text: &str)
where
    T: FromStr<Err = UnitError> + ToString + Debug + PartialEq + serde::Serialize + serde::de::DeserializeOwned,
{
    let value: T = text.parse().expect(text);
    assert_eq!(value.to_string(), text);
    assert_eq!(format!("{value:?}"), text);
    assert_eq!(serde_json::to_value(&value).unwrap(), text);
    assert_eq!(serde_json::from_value::<T>(text.into()).unwrap(), value);
    let wrong = serde_json::from_value::<T>(5.into()).unwrap_err().to_string();
    let expected = "x".parse::<T>().expect_err("x").expected;
    assert!(wrong.contains(&expected), "{wrong}");
    let wrong = serde_json::from_value::<T>("-".into()).unwrap_err().to_string();
    assert!(wrong.starts_with(&expected), "{wrong}");
}

#[test]
fn quantities_have_equal_text_in_all_forms() {
    check_text_forms::<Span>("492 ms");
    check_text_forms::<Rate>("5.5 Mbps");
    check_text_forms::<Bytes>("512 kB");
    check_text_forms::<Length>("2.5 km");
    check_text_forms::<Speed>("50 km/h");
    check_text_forms::<Decibels>("10 dB");
    check_text_forms::<Signed<Length>>("250 m");
    check_text_forms::<Signed<Length>>("-1.5 km");
}

#[test]
fn sign_applies_to_the_value() {
    let value = |text: &str| text.parse::<Signed<Length>>().map(|length| length.value(|length| length.0));
    assert_eq!(value(" - 2 m "), Ok(-2_000));
    assert_eq!(value("0 m"), Ok(0));
    assert_eq!(value("7 mm"), Ok(7));
    assert!(value("-").is_err());
}

/// The schema lists all units, a sign for signed quantities, and zero without a unit.
#[test]
fn schema_lists_the_units_and_zero() {
    let schema = schemars_of::<Length>();
    assert_eq!(schema["anyOf"], serde_json::json!([{ "type": "string" }, { "const": 0 }]));
    assert_eq!(schema["description"], "a length such as \"250 m\"");
    let units = "(?:km|m|cm|mm|metre|metres|meter|meters)";
    let number = r"[0-9][0-9_]*(\.[0-9]+)?\s*";
    assert_eq!(schema["pattern"], format!(r"^(?:\s*{number}{units}\s*|\s*0+(\.0*)?\s*)$"));
    assert_eq!(schema["units"], serde_json::json!(["km", "m", "cm", "mm"]));
    assert_eq!(schema["title"], "Length");
    let schema = schemars_of::<Signed<Length>>();
    assert_eq!(schema["pattern"], format!(r"^(?:\s*-?\s*{number}{units}\s*|\s*0+(\.0*)?\s*)$"));
    assert_eq!(schema["title"], "SignedLength");
    // A rate cannot be zero.
    assert_eq!(schemars_of::<Rate>()["type"], "string");
    for (name, title) in [
        ("Span", schemars_of::<Span>()),
        ("Rate", schemars_of::<Rate>()),
        ("Bytes", schemars_of::<Bytes>()),
        ("Speed", schemars_of::<Speed>()),
        ("Decibels", schemars_of::<Decibels>()),
    ] {
        assert_eq!(title["title"], name);
    }
}

fn schemars_of<T: engine::schemars::JsonSchema>() -> serde_json::Value {
    engine::schemars::schema_for!(T).to_value()
}

/// The cases are 8 x 10^9 / 3 and others, rounded down, also with a product and with a result beyond 64 bits.
#[test]
fn transmission_time_is_rounded_down_to_nanoseconds() {
    let time = |bits: u64, size: u32| Rate::from_bits_per_sec(bits).unwrap().transmission_time(size).as_nanos();
    assert_eq!(time(3, 1), 2_666_666_666);
    assert_eq!(time(1_000_000_000, 1_500), 12_000);
    assert_eq!(time(7_000_000, 40), 45_714);
    assert_eq!(time(1_000_000, 0), 0);
    // 2^32 - 1 bytes at 11 Mbps: 34,359,738,360 bits x 10^9 exceed 2^64.
    assert_eq!(time(11_000_000, u32::MAX), 3_123_612_578_181);
    assert_eq!(time(1, u32::MAX), u64::MAX);
    assert_eq!(Rate::from_bits_per_sec(0), None);
    assert_eq!(Rate::from_bits_per_sec(9).map(Rate::bits_per_sec), Some(9));
}
