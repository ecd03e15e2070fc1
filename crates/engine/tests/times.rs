//! Arithmetic of instants and durations.

use engine::{Span, Time};

const SECOND: u64 = 1_000_000_000;

#[test]
fn conversions_between_seconds_milliseconds_and_nanoseconds_are_exact() {
    assert_eq!(Time::from_millis(1_500).as_nanos(), 1_500_000_000);
    assert_eq!(Time::from_nanos(1_500_000_000), Time::from_millis(1_500));
    assert_eq!(Span::from_millis(250).as_nanos(), 250_000_000);
    assert_eq!(Span::from_secs(3), Span::from_millis(3_000));
    assert_eq!(Span::from_secs(7).as_nanos(), 7 * SECOND);
    // A quarter of a second is exact in binary floating point.
    assert_eq!(Time::from_nanos(2_250_000_000).as_secs_f64(), 2.25);
    assert_eq!(Span::from_nanos(2_250_000_000).as_secs_f64(), 2.25);
}

#[test]
fn sums_and_differences_saturate() {
    let (second, minute) = (Span::from_secs(1), Span::from_secs(60));
    assert_eq!((second + minute).as_nanos(), 61 * SECOND);
    assert_eq!((minute - second).as_nanos(), 59 * SECOND);
    assert_eq!(second - minute, Span::ZERO);
    assert_eq!(second.times(60), minute);
    assert_eq!(minute.times(u64::MAX).as_nanos(), u64::MAX);

    let mut time = Time::from_millis(500) + second;
    assert_eq!(time.as_nanos(), 1_500_000_000);
    time += minute;
    assert_eq!(time.as_nanos(), 61_500_000_000);
    assert_eq!(time.since(Time::from_millis(500)), second + minute);
    assert_eq!(Time::from_millis(500).since(time), Span::ZERO);
    assert_eq!(Time::NEVER + second, Time::NEVER);
}

#[test]
fn whole_millis_rounds_down() {
    for (nanos, whole) in [(0, 0), (999_999, 0), (1_000_000, 1), (12_999_999, 12), (2_500_000_001, 2_500)] {
        assert_eq!(Span::from_nanos(nanos).whole_millis(), Span::from_millis(whole), "{nanos} ns");
    }
}

#[test]
fn instant_is_displayed_in_seconds_without_trailing_zeros() {
    for (nanos, text) in [
        (0, "0"),
        (42 * SECOND, "42"),
        (97_211_000_000, "97.211"),
        (1, "0.000000001"),
        (3 * SECOND + 50_000_000, "3.05"),
        (10 * SECOND + 123_456_789, "10.123456789"),
    ] {
        assert_eq!(Time::from_nanos(nanos).to_string(), text);
        assert_eq!(format!("{:?}", Time::from_nanos(nanos)), format!("{text} s"));
    }
    assert_eq!(format!("{:?}", Span::from_millis(1_500)), "1.5 s");
}
