//! CUBIC against its formula, and in Linux's arithmetic against the windows that the public packetdrill scripts for
//! Linux's CUBIC show (github.com/google/packetdrill, `gtests/net/tcp/cubic`).

use std::collections::VecDeque;

use super::*;
use crate::cc::tests::{acked, feedback, flight};
use engine::Stream;

const SEGMENT: f64 = 1000.0;

fn cubic(config: Config, cwnd: f64, ssthresh: f64) -> Box<dyn CongestionControl> {
    let start =
        Start { segment: SEGMENT, cwnd: cwnd * SEGMENT, ssthresh: ssthresh * SEGMENT, stream: Stream::default() };
    config.build(start)
}

/// A loss at 100 segments, then for `seconds` acknowledgments of a segment each at `rate` per second. Returns the
/// window at each.
fn after_a_loss(config: Config, rate: u64, seconds: u64) -> Vec<(f64, f64)> {
    let mut cc = cubic(config, 100.0, 1.0);
    cc.on_congestion(Congestion::FastRetransmit, &flight(100.0 * SEGMENT));
    (0..=rate * seconds)
        .map(|number| {
            let millis = number * 1000 / rate;
            cc.on_ack(&acked(millis, 1000, number, 0));
            (millis as f64 / 1000.0, cc.cwnd() / SEGMENT)
        })
        .collect()
}

// covers [RFC9438 s4.2 equations 1, 2, s4.4, s4.5]: with frequent acknowledgments the window lies on the curve.
#[test]
fn window_follows_the_cubic_curve() {
    let config = Config { reno_friendly: false, ..Config::default() };
    // The first acknowledgment is slow start's, at cwnd = ssthresh = 70: the epoch begins with the second, at 71.
    let seen = after_a_loss(config, 1000, 10);
    let k = libm::cbrt((100.0 - 71.0) / 0.4);
    assert!((k - 4.1697).abs() < 1e-4);
    for (t, cwnd) in seen.into_iter().skip(1000).step_by(500) {
        let distance = t - 0.001 - k;
        let curve = 0.4 * distance * distance * distance + 100.0;
        // The increase is a relaxation with a time constant of cwnd acknowledgments, here 0.1 s.
        let slope = 1.2 * distance * distance;
        assert!(curve - cwnd < 0.25 * slope + 0.5 && cwnd < curve + 0.1, "at {t} s: {cwnd}, curve {curve}");
    }
}

// covers [RFC9438 s4.3 equation 4]: where the curve is lower, growth is alpha = 3 x 0.3 / 1.7 segments per window.
#[test]
fn cubic_grows_at_least_as_fast_as_reno() {
    // At one window per second the curve is at 100 - 0.4 x 1.17^3 = 99.4 after 3 s, and Reno at 72.6. C = 0.01 keeps
    // the curve far below Reno.
    let config = Config { c: 0.01, ..Config::default() };
    let mut cc = cubic(config, 100.0, 1.0);
    cc.on_congestion(Congestion::FastRetransmit, &flight(100.0 * SEGMENT));
    cc.on_ack(&acked(0, 1000, 0, 0));
    let mut expected = cc.cwnd() / SEGMENT;
    for number in 1..=700 {
        cc.on_ack(&acked(number, 1000, number, 0));
        expected += 3.0 * 0.3 / 1.7 / expected;
        assert!((cc.cwnd() / SEGMENT - expected).abs() < 0.01, "after {number}: {}", cc.cwnd());
    }
}

// covers [RFC9438 s4.2]: the window grows by at most half for each window acknowledged.
#[test]
fn window_grows_by_at_most_half_per_round_trip() {
    let mut curve = rfc::Rfc::new(&Config { reno_friendly: false, ..Config::default() });
    curve.grow(Time::ZERO, Span::ZERO, 10.0, 0.0);
    assert_eq!(curve.grow(Time::from_millis(60_000), Span::ZERO, 10.0, 10.0), 15.0);
}

// covers [RFC9438 s4.3]: alpha is 1 once Reno's window has reached the window before the reduction.
#[test]
fn alpha_is_one_above_the_old_window() {
    let mut curve = rfc::Rfc::new(&Config { c: 0.01, ..Config::default() });
    curve.cut(10.0, false);
    curve.grow(Time::ZERO, Span::ZERO, 7.0, 0.0);
    // Reno's estimate grows by 9/17 segment per window: 3 segments take 3 x 17/9 windows of 7.
    let grown = curve.grow(Time::ZERO, Span::ZERO, 7.0, 7.0 * 3.0 * 17.0 / 9.0);
    assert!((grown - 10.0).abs() < 1e-9, "{grown}");
    // The estimate was at most the old window before this step, so the next step exceeds the old window.
    let before = curve.grow(Time::ZERO, Span::ZERO, 10.0, 10.0);
    let grown = curve.grow(Time::ZERO, Span::ZERO, before, before);
    assert!((grown - before - 1.0).abs() < 1e-9, "{grown}");
}

/// In the first second after a reduction the measured round trips are still those of the old window.
#[test]
fn linux_ignores_round_trips_for_a_second_after_a_reduction() {
    let mut curve = linux::Linux::new(&Config::default());
    let at = Time::from_millis;
    assert!(curve.measure(at(100), Span::from_millis(100)));
    curve.count(at(1000), 10, 1);
    assert!(!curve.measure(at(1999), Span::from_millis(1)));
    assert!(curve.measure(at(2000), Span::from_millis(1)));
}

// covers [RFC9438 s4.6, s4.7]
#[test]
fn reduces_to_seven_tenths_with_fast_convergence() {
    let Curve::Rfc(mut curve) = Curve::Rfc(rfc::Rfc::new(&Config::default())) else { unreachable!() };
    curve.cut(100.0, false);
    curve.cut(80.0, false);
    // W_max is now 80 x 1.7 / 2 = 68: from a window of 60 the curve needs K = cbrt(8 / 0.4) s to reach W_max.
    let grown = curve.grow(Time::ZERO, Span::ZERO, 60.0, 0.0);
    assert_eq!(grown, 60.0);
    let k = libm::cbrt(20.0);
    let at_k = Time::from_nanos((k * 1e9) as u64);
    let target = curve.grow(at_k, Span::ZERO, 60.0, 60.0);
    assert!((target - 68.0).abs() < 1e-6, "a whole window acknowledged at K: {target}");

    let mut cc = cubic(Config::default(), 100.0, 1.0);
    cc.on_congestion(Congestion::FastRetransmit, &flight(90_000.0));
    assert!((cc.cwnd() - 63_000.0).abs() < 1e-6 && cc.cwnd() == cc.ssthresh(), "{}", cc.cwnd());
}

// covers [RFC9438 s4.8]: after a timeout the curve begins with its plateau at the present window.
#[test]
fn timeout_clears_the_maximum() {
    let mut cc = cubic(Config { reno_friendly: false, ..Config::default() }, 100.0, 1.0);
    cc.on_congestion(Congestion::Timeout { nth: 1 }, &flight(100.0 * SEGMENT));
    assert_eq!((cc.cwnd(), cc.ssthresh()), (1000.0, 70_000.0));
    for number in 0..70 {
        cc.on_ack(&acked(0, 1000, number, 0));
    }
    assert_eq!(cc.cwnd(), 71_000.0, "slow start, as long as cwnd is no more than ssthresh");
    cc.on_ack(&acked(0, 1000, 70, 0));
    cc.on_ack(&acked(1000, 1000, 71, 0));
    // W(1 s) = 0.4 + 71.
    assert!((cc.cwnd() / SEGMENT - (71.0 + 0.4 / 71.0)).abs() < 1e-6, "{}", cc.cwnd());
}

// covers [RFC9438 s4.9, s5.8]
#[test]
fn spurious_reduction_and_idle_time_do_not_change_the_curve() {
    let run = |disturbed: bool| {
        let mut cc = cubic(Config { reno_friendly: false, ..Config::default() }, 100.0, 1.0);
        cc.on_congestion(Congestion::FastRetransmit, &flight(100.0 * SEGMENT));
        let mut pause = 0;
        for number in 0..4000 {
            if disturbed && number == 2000 {
                cc.on_congestion(Congestion::FastRetransmit, &flight(50.0 * SEGMENT));
                cc.on_undo();
                pause = 30_000;
                cc.on_idle(Time::from_millis(number + pause), Span::from_millis(pause), None);
            }
            cc.on_ack(&acked(number + pause, 1000, number, 0));
        }
        cc.cwnd()
    };
    assert_eq!(run(false), run(true));
}

/// Acknowledgments of a sender that something else limits arrive for 60 s.
// covers [RFC9438 s5.8]
#[test]
fn time_of_a_limited_sender_does_not_count() {
    let run = |limited: u64| {
        let mut cc = cubic(Config { reno_friendly: false, ..Config::default() }, 100.0, 1.0);
        cc.on_congestion(Congestion::FastRetransmit, &flight(100.0 * SEGMENT));
        let mut later = 0;
        for number in 0..4000 {
            if number == 2000 {
                let before = cc.cwnd();
                for step in 0..limited / 50 {
                    cc.on_limited(Time::from_millis(number + 50 * step));
                }
                assert_eq!(cc.cwnd(), before);
                later = limited;
                // The last one before the growth goes on a millisecond later.
                cc.on_limited(Time::from_millis(number - 1 + limited));
            }
            cc.on_ack(&acked(number + later, 1000, number, 0));
        }
        cc.cwnd()
    };
    assert_eq!(run(60_000), run(0));
}

#[test]
fn contradictory_settings_are_rejected() {
    let keys = |config: Config| config.check().into_iter().map(|fault| fault.key).collect::<Vec<_>>();
    assert_eq!(keys(Config::default()), [""; 0]);
    assert_eq!(keys(Config { c: 0.0, beta: 1.0, ..Config::default() }), ["c", "beta"]);
    assert_eq!(keys(Config { hystart_detect: Some(3), ..Config::default() }), ["hystart_detect"]);
    assert_eq!(keys(Config { hystart: Kind::Linux, hystart_detect: Some(4), ..Config::default() }), ["hystart_detect"]);
}

fn linux(rounds: hystart::linux::Rounds) -> Config {
    Config { arithmetic: Arithmetic::Linux, hystart: Kind::Linux, hystart_rounds: Some(rounds), ..Config::default() }
}

/// A sender that always has data and sends as soon as cwnd allows.
struct Clocked {
    cc: Box<dyn CongestionControl>,
    /// Times at which the segments in flight were sent.
    sent: VecDeque<u64>,
    una: u64,
    now: u64,
}

impl Clocked {
    fn new(config: Config, cwnd: f64) -> Self {
        let mut clocked = Clocked { cc: cubic(config, cwnd, f64::INFINITY), sent: VecDeque::new(), una: 0, now: 0 };
        clocked.fill();
        clocked
    }

    fn fill(&mut self) {
        while (self.sent.len() as f64) < self.window() {
            self.sent.push_back(self.now);
        }
    }

    fn window(&self) -> f64 {
        self.cc.cwnd() / SEGMENT
    }

    /// Acknowledges `segments` more after `wait` ms; returns the window in segments.
    fn ack(&mut self, wait: u64, segments: usize) -> f64 {
        self.now += wait;
        let last = self.sent.drain(..segments).next_back().expect("in flight");
        let in_flight = self.sent.len() as u64 * 1000;
        self.una += segments as u64 * 1000;
        let mut feedback = feedback(self.now, Some(Span::from_millis(self.now - last)));
        (feedback.una, feedback.nxt) = (self.una, self.una + in_flight);
        self.cc.on_feedback(&feedback);
        self.cc.on_ack(&acked(self.now, segments as u64 * 1000, self.una, in_flight));
        self.fill();
        self.window()
    }
}

/// Two segments are acknowledged every 100 ms. HyStart ends slow start at 48 segments. Before the first plateau cwnd
/// grows by one segment per 20 acknowledged, then by the curve, and from 58 segments on at the maximum of one per two.
#[test]
fn linux_cubic_follows_its_curve_with_two_segments_per_100_ms() {
    let mut run = Clocked::new(linux(hystart::linux::Rounds::AboveLowWindow), 10.0);
    let mut seen = Vec::new();
    for number in 1..=200 {
        let window = run.ack(100, 2);
        if number % 10 == 0 || number == 5 || number == 15 || number == 19 {
            seen.push((number, window));
        }
    }
    let first =
        [(5, 20.0), (10, 30.0), (15, 40.0), (19, 48.0), (20, 48.0), (30, 49.0), (40, 50.0), (50, 52.0), (60, 58.0)];
    let rest = (7..=20).map(|tens| (10 * tens, 58.0 + 10.0 * f64::from(tens - 6)));
    assert_eq!(seen, first.into_iter().chain(rest).collect::<Vec<_>>());
}

/// Four idle seconds in the middle do not advance the curve: the values of cwnd equal those without idle time.
#[test]
fn linux_idle_time_does_not_advance_the_curve() {
    let course = |told: bool| {
        let mut run = Clocked::new(linux(hystart::linux::Rounds::AboveLowWindow), 10.0);
        for _ in 0..25 {
            run.ack(100, 2);
        }
        run.now += 4000;
        run.sent.iter_mut().for_each(|sent| *sent += 4000);
        if told {
            run.cc.on_idle(Time::from_millis(run.now), Span::from_secs(4), None);
        }
        let windows: Vec<f64> = (26..=60).map(|_| run.ack(100, 2)).collect();
        [30, 40, 50, 60].map(|number| windows[number - 26])
    };
    assert_eq!(course(true), [49.0, 50.0, 52.0, 58.0]);
    assert!(course(false)[1] > 50.0, "the pause counts: {:?}", course(false));
}

/// After a timeout slow start reaches the threshold of 7. Then Reno's estimate, which grows every 13 acknowledgments,
/// adds one segment at the 16th, because the count is computed once per 31 ms.
#[test]
fn linux_cubic_after_a_timeout_adds_its_first_segment_at_the_16th_acknowledgment() {
    let mut cc = cubic(linux(hystart::linux::Rounds::Always), 10.0, f64::INFINITY);
    cc.on_congestion(Congestion::Timeout { nth: 1 }, &flight(1000.0));
    cc.on_congestion(Congestion::Timeout { nth: 2 }, &flight(1000.0));
    assert_eq!((cc.cwnd(), cc.ssthresh()), (1000.0, 7000.0));
    let mut now = 1000;
    let mut una = 1000;
    let mut windows = Vec::new();
    let waits = [0, 100, 2, 98, 2, 2, 2, 98, 2, 2, 2, 2, 2, 2, 98, 3, 2, 2, 2, 2, 2, 98];
    for wait in waits {
        (now, una) = (now + wait, una + 1000);
        cc.on_feedback(&feedback(now, Some(Span::from_millis(100))));
        cc.on_ack(&acked(now, 1000, una, 7000));
        windows.push(cc.cwnd() / SEGMENT);
    }
    assert_eq!(windows[..6], [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    assert_eq!(windows[6..21], [7.0; 15]);
    assert_eq!(windows[21], 8.0);
}

/// The round trip of 200 ms is followed by nine of 240 ms and more. The ninth ends slow start at 36 segments.
#[test]
fn linux_hystart_ends_slow_start_when_the_round_trip_rises() {
    for rounds in [hystart::linux::Rounds::Always, hystart::linux::Rounds::AboveLowWindow] {
        let mut run = Clocked::new(linux(rounds), 10.0);
        assert_eq!(run.ack(200, 10), 20.0);
        let windows: Vec<f64> = (0..10).map(|number| run.ack(if number == 0 { 240 } else { 1 }, 2)).collect();
        assert_eq!(windows, [22.0, 24.0, 26.0, 28.0, 30.0, 32.0, 34.0, 36.0, 36.0, 36.0], "{rounds:?}");
        assert_eq!(run.cc.ssthresh(), 36_000.0);
    }
}

/// The last of ten samples is far below the minimum. A fall is not a rise of the round trip.
#[test]
fn linux_hystart_continues_slow_start_when_the_round_trip_falls() {
    let mut run = Clocked::new(linux(hystart::linux::Rounds::Always), 10.0);
    run.ack(200, 10);
    // 18 segments leave at 200 ms, two at 380 ms.
    run.sent.truncate(18);
    run.sent.extend([380, 380]);
    let windows: Vec<f64> = (0..10).map(|number| run.ack(if number == 0 { 200 } else { 1 }, 2)).collect();
    assert_eq!(windows, [22.0, 24.0, 26.0, 28.0, 30.0, 32.0, 34.0, 36.0, 38.0, 40.0]);
    assert_eq!(run.cc.ssthresh(), f64::INFINITY);
}
