//! BBR's phases, step by step. `crates/tcp/tests/equilibria.rs` tests BBR over a path.

use super::*;
use crate::cc::RateSample;
use crate::cc::tests::{feedback, flight};
use engine::Stream;

const SEGMENT: f64 = 1000.0;

/// Feeds round trips of 100 ms, each with one acknowledgment.
struct Rounds {
    cc: Bbr,
    millis: u64,
    delivered: u64,
}

impl Rounds {
    fn new() -> Self {
        let start = Start {
            segment: SEGMENT,
            cwnd: 10.0 * SEGMENT,
            ssthresh: f64::INFINITY,
            stream: Stream::named(1, 0, "bbr"),
        };
        Rounds { cc: Bbr::new(&Config::default(), start), millis: 0, delivered: 0 }
    }

    /// Simulates a round trip at `rate` bytes per second, with `in_flight` left.
    fn round(&mut self, rate: u64, in_flight: f64) {
        self.ack(100, rate / 10, 100, in_flight);
    }

    fn ack(&mut self, wait: u64, bytes: u64, rtt: u64, in_flight: f64) {
        self.news(wait, bytes, 0, rtt, in_flight, self.delivered);
    }

    /// Acknowledges a segment that was sent when `prior` bytes had been delivered, with `lost` bytes marked lost.
    fn news(&mut self, wait: u64, bytes: u64, lost: u64, rtt: u64, in_flight: f64, prior: u64) {
        self.millis += wait;
        self.delivered += bytes;
        let mut feedback = feedback(self.millis, Some(Span::from_millis(rtt)));
        (feedback.acked, feedback.delivered, feedback.una, feedback.lost) = (bytes, bytes, self.delivered, lost);
        feedback.nxt = self.delivered + in_flight as u64;
        (feedback.flight_before, feedback.flight) = (in_flight + bytes as f64, in_flight);
        feedback.rate = Some(RateSample {
            delivered: bytes,
            interval: Span::from_millis(wait),
            prior_delivered: prior,
            total_delivered: self.delivered,
            app_limited: false,
            flight_at_send: in_flight,
            lost: 0,
            total_lost: 0,
        });
        self.cc.on_feedback(&feedback);
    }

    fn name(&self) -> &'static str {
        match self.cc.state {
            BbrState::Startup => "startup",
            BbrState::Drain => "drain",
            BbrState::ProbeBw(_) => "probe bw",
            BbrState::ProbeRtt(_) => "probe rtt",
        }
    }

    /// Runs to the steady state at 100,000 bytes per second: a bandwidth-delay product of 10 segments.
    fn steady() -> Self {
        let mut run = Rounds::new();
        for rate in [50_000, 100_000, 100_000, 100_000, 100_000] {
            run.round(rate, 40_000.0);
        }
        run.round(100_000, 5_000.0);
        assert_eq!(run.name(), "probe bw");
        run
    }
}

/// Startup ends after three round trips with less than 25 % growth, Drain when the bandwidth-delay product and the
/// quanta are in flight.
#[test]
fn startup_fills_the_pipe_and_drain_empties_the_queue() {
    let mut run = Rounds::new();
    let mut seen = Vec::new();
    for rate in [10_000, 20_000, 40_000, 80_000, 100_000, 100_000, 100_000, 100_000] {
        run.round(rate, 30_000.0);
        seen.push(run.name());
    }
    assert_eq!(seen[..7], ["startup"; 7]);
    assert_eq!(seen[7], "drain");
    assert_eq!(run.cc.gains(), (1.0 / 2.885, 2.885));
    assert!((run.cc.pacing - 0.99 * 100_000.0 / 2.885).abs() < 1e-6, "{}", run.cc.pacing);
    // 10 segments and 3 quanta of one, in pairs.
    run.round(100_000, 15_000.0);
    assert_eq!(run.name(), "drain");
    run.round(100_000, 14_000.0);
    assert_eq!(run.name(), "probe bw");
}

/// Each of the eight phases lasts just over a round trip. One phase is fast, and the slow phase follows it.
#[test]
fn gains_cycle_through_eight_phases() {
    let mut run = Rounds::steady();
    let mut gains = Vec::new();
    for _ in 0..24 {
        // 25 ms above the min RTT; over 1.25 bandwidth-delay products in flight before the acknowledgment.
        run.ack(125, 12_500, 100, 12_500.0);
        gains.push(run.cc.gains().0);
    }
    let fast = gains.iter().position(|gain| *gain == 1.25).expect("it probes");
    let cycle = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
    assert_eq!(gains[fast..fast + 8], cycle);
    assert_eq!(gains[fast + 8..fast + 16], cycle);
}

/// cwnd is two bandwidth-delay products, the aggregation term, and three quanta of a segment, in pairs.
#[test]
fn cwnd_is_two_bandwidth_delay_products() {
    let mut run = Rounds::steady();
    for _ in 0..60 {
        run.round(100_000, 10_000.0);
    }
    // One acknowledgment of a whole round trip's data counts as an aggregate of 10 segments.
    assert_eq!(run.cc.model.aggregation(), 10_000.0);
    let pair = if run.cc.gains().0 > 1.0 { 2000.0 } else { 0.0 };
    assert_eq!(run.cc.cwnd(), 20_000.0 + 10_000.0 + 4000.0 + pair);
}

/// After ten seconds without an equally short round trip, four segments are in flight for 200 ms and a round trip. Then
/// cwnd is restored.
#[test]
fn min_rtt_is_measured_again_after_ten_seconds() {
    let mut run = Rounds::steady();
    let mut entered = None;
    for _ in 0..110 {
        run.ack(100, 10_000, 120, 10_000.0);
        if run.name() == "probe rtt" {
            entered = Some(run.millis);
            break;
        }
    }
    // The last sample of 100 ms came at 600 ms.
    assert_eq!(entered, Some(10_700));
    assert_eq!(run.cc.cwnd(), 4000.0);
    assert_eq!(run.cc.model.min_rtt(), Some(Span::from_millis(120)), "the old one is forgotten");
    run.ack(100, 10_000, 100, 4000.0);
    run.ack(100, 4000, 100, 4000.0);
    run.ack(100, 4000, 100, 4000.0);
    assert_eq!(run.name(), "probe rtt", "200 ms since little was in flight, no more");
    let rate = run.cc.model.max_bw();
    run.ack(100, 4000, 100, 4000.0);
    assert_eq!(run.name(), "probe bw");
    assert!(run.cc.cwnd() > 20_000.0, "{}", run.cc.cwnd());
    assert_eq!(rate, 100_000.0, "the slow samples do not count");
    assert_eq!(run.cc.model.min_rtt(), Some(Span::from_millis(100)));
}

/// ProbeRTT ends no earlier than a round trip after the flight became small.
#[test]
fn probe_rtt_lasts_at_least_a_round_trip() {
    let mut run = Rounds::steady();
    let sent_before = run.delivered;
    run.ack(11_000, 10_000, 120, 4000.0);
    for _ in 0..3 {
        run.news(1000, 1000, 0, 120, 4000.0, sent_before);
        assert_eq!(run.name(), "probe rtt");
    }
    run.ack(10, 1000, 120, 4000.0);
    assert_eq!(run.name(), "probe bw");
}

/// cwnd falls by the lost bytes, once.
#[test]
fn cwnd_falls_by_lost_bytes() {
    let mut run = Rounds::new();
    run.round(100_000, 10_000.0);
    let before = run.cc.cwnd();
    run.news(10, 1000, 5000, 100, 5000.0, 0);
    assert_eq!(run.cc.cwnd(), before - 5000.0 + 1000.0);
}

/// In the first round trip of a recovery packets are conserved. Afterwards cwnd is restored.
#[test]
fn recovery_conserves_packets_for_one_round_trip() {
    let mut run = Rounds::steady();
    for _ in 0..10 {
        run.round(100_000, 10_000.0);
    }
    let before = run.cc.cwnd();
    let at = Time::from_millis(run.millis);
    run.cc.on_congestion(Congestion::FastRetransmit, &Flight { now: at, ..flight(20_000.0) });
    assert_eq!(run.cc.cwnd(), 20_000.0, "10 segments in flight and 10 that arrived");
    let sent_before = run.delivered - 10_000;
    run.news(10, 2000, 0, 100, 18_000.0, sent_before);
    assert_eq!(run.cc.cwnd(), 20_000.0, "2 that arrived make room for 2");
    run.cc.on_recovered(at);
    assert_eq!(run.cc.cwnd(), before);
}

/// A recovery does not conserve packets again if the acknowledgment that ends the previous recovery begins it (Linux:
/// `prev_ca_state`).
#[test]
fn consecutive_recovery_does_not_conserve_packets_again() {
    let mut run = Rounds::steady();
    for _ in 0..10 {
        run.round(100_000, 10_000.0);
    }
    let at = Time::from_millis(run.millis);
    run.cc.on_congestion(Congestion::FastRetransmit, &Flight { now: at, ..flight(20_000.0) });
    for _ in 0..3 {
        run.round(100_000, 10_000.0);
    }
    let before = run.cc.cwnd();
    let at = Time::from_millis(run.millis);
    run.cc.on_congestion(Congestion::FastRetransmit, &Flight { now: at, ..flight(10_000.0) });
    assert_eq!(run.cc.cwnd(), before);
}

/// A timeout reduces cwnd to one segment. When all data sent before the timeout is acknowledged, cwnd is restored.
#[test]
fn cwnd_is_restored_once_all_data_before_a_timeout_is_acknowledged() {
    let mut run = Rounds::steady();
    for _ in 0..10 {
        run.round(100_000, 10_000.0);
    }
    let before = run.cc.cwnd();
    run.cc.on_congestion(Congestion::Timeout { nth: 1 }, &flight(20_000.0));
    assert_eq!(run.cc.cwnd(), 1000.0);
    run.ack(100, 1000, 100, 9000.0);
    assert_eq!(run.cc.cwnd(), 4000.0);
    run.ack(100, 9000, 100, 1000.0);
    assert!(run.cc.cwnd() >= before - 2000.0, "{} of {before}", run.cc.cwnd());
}

#[test]
fn settings_out_of_range_are_rejected() {
    let keys = |config: Config| config.check().into_iter().map(|fault| fault.key).collect::<Vec<_>>();
    assert_eq!(keys(Config::default()), [""; 0]);
    assert_eq!(
        keys(Config { cwnd_gain: 0.5, probe_rtt: Span::from_secs(10), ..Config::default() }),
        ["cwnd_gain", "min_rtt_window"]
    );
}

/// After idle time the expired min RTT is not measured again until data is delivered, because after idle time no queue
/// can hide the round trip. An acknowledgment that delivers nothing does not end this state.
#[test]
fn restart_from_idle_postpones_probe_rtt_until_data_is_delivered() {
    for (bytes, name) in [(0, "probe bw"), (1000, "probe rtt")] {
        let mut run = Rounds::steady();
        run.cc.on_idle(Time::from_millis(run.millis), Span::from_secs(1), None);
        for bytes in [bytes, 1000] {
            // The acknowledgment arrives more than ten seconds after the min RTT, and measures no round trip.
            run.millis += 11_000;
            run.delivered += bytes;
            let mut feedback = feedback(run.millis, None);
            (feedback.acked, feedback.delivered, feedback.una) = (bytes, bytes, run.delivered);
            (feedback.nxt, feedback.flight_before, feedback.flight) = (run.delivered + 20_000, 20_000.0, 20_000.0);
            run.cc.on_feedback(&feedback);
        }
        assert_eq!(run.name(), name, "{bytes} bytes");
    }
}
