//! BBR's phases, step by step. `crates/tcp/tests/equilibria.rs` tests BBR over a path.

use super::*;
use crate::cc::RateSample;
use crate::cc::tests::feedback;
use engine::Stream;

const SEGMENT: f64 = 1000.0;

/// Feeds round trips of 100 ms, each with one acknowledgment.
struct Rounds {
    cc: Bbr3,
    millis: u64,
    delivered: u64,
    total_lost: u64,
}

impl Rounds {
    fn new() -> Self {
        let start = Start {
            segment: SEGMENT,
            cwnd: 10.0 * SEGMENT,
            ssthresh: f64::INFINITY,
            stream: Stream::named(1, 0, "bbr3"),
        };
        Rounds { cc: Bbr3::new(&Config::default(), start), millis: 0, delivered: 0, total_lost: 0 }
    }

    /// Simulates a round trip of `millis` at `rate` bytes per second, with `in_flight` left and `lost` bytes of it
    /// lost.
    fn round(&mut self, rate: u64, millis: u64, in_flight: f64, lost: u64) {
        self.millis += millis;
        let bytes = rate * millis / 1000;
        let prior = self.delivered;
        self.delivered += bytes;
        self.total_lost += lost;
        let mut feedback = feedback(self.millis, Some(Span::from_millis(millis)));
        (feedback.acked, feedback.delivered, feedback.una) = (bytes, bytes, self.delivered);
        (feedback.lost, feedback.recovering) = (lost, lost > 0);
        feedback.nxt = self.delivered + in_flight as u64;
        (feedback.flight_before, feedback.flight) = (in_flight + bytes as f64, in_flight);
        feedback.rate = Some(RateSample {
            delivered: bytes,
            interval: Span::from_millis(millis),
            prior_delivered: prior,
            total_delivered: self.delivered,
            app_limited: false,
            flight_at_send: in_flight,
            lost,
            total_lost: self.total_lost,
        });
        self.cc.on_feedback(&feedback);
    }

    fn name(&self) -> &'static str {
        match &self.cc.state {
            Bbr3State::Startup => "startup",
            Bbr3State::Drain => "drain",
            Bbr3State::ProbeBw(probe) => match probe.phase {
                ProbePhase::Down => "down",
                ProbePhase::Cruise => "cruise",
                ProbePhase::Refill => "refill",
                ProbePhase::Up { .. } => "up",
            },
            Bbr3State::ProbeRtt(_) => "probe rtt",
        }
    }

    /// Runs to the steady state at 1,000,000 bytes per second: a bandwidth-delay product of 100 segments.
    fn steady() -> Self {
        let mut run = Rounds::new();
        for rate in [500_000, 1_000_000, 1_000_000, 1_000_000, 1_000_000] {
            run.round(rate, 100, 300_000.0, 0);
        }
        assert_eq!(run.name(), "drain");
        // DOWN finds the queue empty and continues with CRUISE at once.
        run.round(1_000_000, 100, 90_000.0, 0);
        assert_eq!(run.name(), "cruise");
        run
    }
}

/// CRUISE begins when the queue is empty, REFILL after 2 to 3 s, UP a round trip later, and DOWN after three round
/// trips without growth.
#[test]
fn phases_of_probe_bw_follow_in_order() {
    let mut run = Rounds::steady();
    let began = run.millis;
    while run.name() == "cruise" {
        run.round(1_000_000, 100, 95_000.0, 0);
        assert!(run.millis < began + 3200, "it probes");
    }
    assert_eq!(run.name(), "refill");
    assert!((2000..=3100).contains(&(run.millis - began)), "after {} ms", run.millis - began);
    run.round(1_000_000, 100, 100_000.0, 0);
    assert_eq!((run.name(), run.cc.gains()), ("up", (1.25, 2.25)));
    for _ in 0..2 {
        run.round(1_000_000, 100, 125_000.0, 0);
        assert_eq!(run.name(), "up");
    }
    run.round(1_000_000, 100, 125_000.0, 0);
    assert_eq!((run.name(), run.cc.gains()), ("down", (0.9, 2.0)));
}

/// While probing, 3 % are lost: the bound becomes the bytes in flight at the loss, at least 0.7 of the target.
#[test]
fn losses_in_up_set_inflight_longterm() {
    let mut run = Rounds::steady();
    while run.name() != "up" {
        run.round(1_000_000, 100, 95_000.0, 0);
    }
    run.round(1_000_000, 100, 120_000.0, 3600);
    assert_eq!(run.name(), "down");
    // 119 segments are in flight before the first one at which the losses, 2.6 segments, exceed 2 % of the flight.
    assert_eq!(run.cc.bounds.inflight_longterm, 119_000.0);
    run.round(1_000_000, 100, 95_000.0, 0);
    assert_eq!(run.name(), "cruise");
    assert_eq!(run.cc.cwnd(), 0.85 * 119_000.0);
}

/// In UP the bound grows while cwnd limits the sender: by a segment in the first round trip, twice as much in each
/// further one.
#[test]
fn bound_grows_slowly_at_first_in_up() {
    let mut run = Rounds::steady();
    run.cc.bounds.inflight_longterm = 130_000.0;
    while run.name() != "up" {
        run.round(1_000_000, 100, 20_000.0, 0);
    }
    let mut seen = vec![run.cc.bounds.inflight_longterm];
    for _ in 0..4 {
        // Sends a full cwnd and acknowledges it.
        run.round(run.cc.cwnd() as u64 * 10, 100, 20_000.0, 0);
        seen.push(run.cc.bounds.inflight_longterm);
    }
    assert_eq!(run.name(), "up", "bounded by the window, not by the rate");
    let steps: Vec<f64> = seen.windows(2).map(|pair| pair[1] - pair[0]).collect();
    for (step, expected) in steps.iter().zip([1000.0, 2000.0, 4000.0, 8000.0]) {
        // The slope is that of the window at the round trip's end.
        assert!((step / expected - 1.0).abs() < 0.05, "{seen:?}");
    }
}

/// A rate expires after two probing cycles in which it was not reached.
#[test]
fn rate_expires_after_two_cycles() {
    let mut run = Rounds::steady();
    let mut cycles = 0;
    while cycles < 3 {
        let before = run.name();
        run.round(500_000, 100, 20_000.0, 0);
        cycles += u32::from(before == "up" && run.name() != "up");
        assert!(run.millis < 60_000, "it probes");
    }
    assert_eq!(run.cc.model.max_bw(), 500_000.0);
}

/// Losses in CRUISE lower the short-term bounds to the delivery rate, to 0.7 per round trip at least; REFILL removes
/// them.
#[test]
fn losses_in_cruise_lower_short_term_bounds_until_refill() {
    let mut run = Rounds::steady();
    // The response to a loss follows at the end of its round trip, with the maximum rate since the previous end: in the
    // first round trip this is the rate before the losses.
    run.round(500_000, 100, 95_000.0, 5000);
    run.round(500_000, 100, 50_000.0, 0);
    assert_eq!(run.cc.bounds.bw_shortterm, 1_000_000.0);
    run.round(500_000, 100, 50_000.0, 5000);
    run.round(500_000, 100, 50_000.0, 0);
    assert_eq!(run.cc.bounds.bw_shortterm, 700_000.0);
    assert!((run.cc.pacing - 0.99 * 700_000.0).abs() < 1e-6);
    while run.name() == "cruise" {
        run.round(500_000, 100, 50_000.0, 0);
    }
    assert_eq!(run.name(), "refill");
    assert!(run.cc.bounds.bw_shortterm.is_infinite());
}

/// After a spurious loss bounds and cwnd return to their earlier values.
#[test]
fn spurious_reduction_is_undone() {
    let mut run = Rounds::steady();
    let before = run.cc.cwnd();
    run.cc.on_congestion(Congestion::FastRetransmit, &crate::cc::tests::flight(95_000.0));
    for lost in [5000, 0, 5000, 0] {
        run.round(500_000, 100, 50_000.0, lost);
    }
    assert!(run.cc.bounds.bw_shortterm.is_finite() && run.cc.cwnd() < before, "{} {before}", run.cc.cwnd());
    run.cc.on_undo();
    assert!(run.cc.bounds.bw_shortterm.is_infinite());
    assert_eq!(run.cc.cwnd(), before);
}

/// After five seconds without a shorter round trip, half a bandwidth-delay product is in flight for 200 ms and a round
/// trip. Then CRUISE follows.
#[test]
fn min_rtt_is_measured_again_after_five_seconds() {
    let mut run = Rounds::steady();
    let mut entered = None;
    for _ in 0..60 {
        run.round(1_000_000, 100, 95_000.0, 0);
        if run.name() == "probe rtt" {
            entered = Some(run.millis);
            break;
        }
    }
    // The first sample of 100 ms was at 100 ms, and no sample was shorter.
    assert_eq!(entered, Some(5200));
    assert_eq!(run.cc.cwnd(), 50_000.0);
    for _ in 0..3 {
        run.round(500_000, 100, 45_000.0, 0);
        assert_eq!(run.name(), "probe rtt");
    }
    run.round(500_000, 100, 45_000.0, 0);
    assert_eq!(run.name(), "cruise");
    assert!(run.cc.cwnd() > 150_000.0, "{}", run.cc.cwnd());
    assert_eq!(run.cc.model.max_bw(), 1_000_000.0, "the slow samples do not count");
}

/// If the path becomes longer, the new round trip becomes the minimum after ten seconds without a shorter one.
#[test]
fn longer_min_rtt_is_adopted_after_ten_seconds() {
    let mut run = Rounds::steady();
    let began = run.millis;
    while run.cc.model.min_rtt() == Some(Span::from_millis(100)) {
        run.round(1_000_000, 120, 20_000.0, 0);
        assert!(run.millis < began + 20_000, "it is believed");
    }
    assert_eq!(run.cc.model.min_rtt(), Some(Span::from_millis(120)));
    // The first sample of 100 ms was at 100 ms.
    assert!((10_100..10_300).contains(&run.millis), "{}", run.millis);
}

/// Six acknowledgments with losses of 2 % or more in a round trip of recovery end Startup.
#[test]
fn losses_end_startup() {
    let mut run = Rounds::new();
    run.round(100_000, 100, 20_000.0, 0);
    for number in 0..8_u64 {
        // Eight acknowledgments within one round trip, each with a loss.
        let mut feedback = feedback(100 + number, Some(Span::from_millis(100)));
        (feedback.acked, feedback.delivered, feedback.lost, feedback.recovering) = (1000, 1000, 1000, true);
        run.delivered += 1000;
        feedback.rate = Some(RateSample {
            delivered: 10_000 * (number + 1),
            interval: Span::from_millis(100),
            prior_delivered: if number == 7 { 11_000 } else { 0 },
            total_delivered: run.delivered,
            app_limited: false,
            flight_at_send: 20_000.0,
            lost: 1000 * (number + 1),
            total_lost: 1000 * (number + 1),
        });
        run.cc.on_feedback(&feedback);
    }
    assert!(run.cc.full.reached);
    assert!(run.cc.bounds.inflight_longterm.is_finite());
}

#[test]
fn settings_out_of_range_are_rejected() {
    let keys = |config: Config| config.check().into_iter().map(|fault| fault.key).collect::<Vec<_>>();
    assert_eq!(keys(Config::default()), [""; 0]);
    let wrong = Config { loss_threshold: 0.0, beta: 1.0, probe_rtt: Span::from_secs(9), ..Config::default() };
    assert_eq!(keys(wrong), ["loss_threshold", "beta", "probe_rtt_interval"]);
}
