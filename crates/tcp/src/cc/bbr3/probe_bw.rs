//! ProbeBW [draft-ietf-ccwg-bbr s5.3.3]: DOWN drains the queue, CRUISE leaves headroom, REFILL fills the path for a
//! round trip, UP probes for bandwidth with a slowly growing bound.

use engine::{Span, Time};

use super::{Bbr3, Bbr3State};
use crate::cc::{Feedback, RateSample};

/// Maximum number of round trips between probes for bandwidth. The number itself is that in which Reno grows by a
/// bandwidth-delay product.
const RENO_ROUNDS: f64 = 63.0;
/// Maximum number of doublings of the slope in UP.
const DOUBLINGS: i32 = 30;

pub(super) enum ProbePhase {
    Down,
    Cruise,
    Refill,
    Up {
        /// Completed round trips in UP.
        rounds: i32,
        /// Acknowledged bytes per byte of growth of the bound.
        every: f64,
    },
}

pub(super) struct ProbeBw {
    pub phase: ProbePhase,
    /// Start of the last DOWN or UP phase, from which `wait` counts.
    since: Time,
    wait: Span,
}

impl Bbr3 {
    /// Enters the steady state with DOWN [draft-ietf-ccwg-bbr s5.3.3.5.3], and draws both waits.
    pub(super) fn start_down(&mut self, now: Time) {
        self.bounds.reset_signals();
        self.model.rounds_since_probe = u64::from(self.draws.unit() < 0.5);
        let wait = Span::from_secs(2) + Span::from_nanos((self.draws.unit() * 1e9) as u64);
        self.model.start_round();
        self.stopping = true;
        self.state = Bbr3State::ProbeBw(ProbeBw { phase: ProbePhase::Down, since: now, wait });
    }

    /// Enters DOWN after ProbeRTT, which continues with CRUISE at once.
    pub(super) fn start_cruise(&mut self) {
        if let Bbr3State::ProbeBw(probe) = &mut self.state {
            probe.phase = ProbePhase::Cruise;
        }
    }

    fn start_refill(&mut self) {
        self.bounds.reset_shortterm();
        self.stopping = false;
        self.model.start_round();
        if let Bbr3State::ProbeBw(probe) = &mut self.state {
            probe.phase = ProbePhase::Refill;
        }
    }

    fn start_up(&mut self, now: Time, rate: &RateSample) {
        self.bounds.probe_samples = true;
        self.stopping = false;
        self.model.start_round();
        self.full.reset(rate.bytes_per_second());
        let every = self.slope(0);
        if let Bbr3State::ProbeBw(probe) = &mut self.state {
            probe.since = now;
            probe.phase = ProbePhase::Up { rounds: 1, every };
        }
    }

    /// Acknowledged bytes per byte of growth: one segment in the first round trip, twice as much in each further one.
    fn slope(&self, rounds: i32) -> f64 {
        let growth = self.segment * libm::ldexp(1.0, rounds.min(DOUBLINGS));
        (self.cwnd / growth).max(1.0)
    }

    pub(super) fn update_probe_bw(&mut self, feedback: &Feedback, rate: &RateSample) {
        if !self.full.reached {
            return;
        }
        // Computed before the bound increases: whether the bound limits the rate.
        let bounded = self.cwnd_limited() && self.cwnd >= self.bounds.inflight_longterm;
        self.adapt_long_term(feedback, rate, bounded);
        if self.up() {
            if self.time_to_go_down(rate, bounded) {
                self.start_down(feedback.now);
            }
            return;
        }
        let Bbr3State::ProbeBw(probe) = &self.state else { return };
        match probe.phase {
            ProbePhase::Down | ProbePhase::Cruise if self.time_to_probe(probe, feedback.now) => self.start_refill(),
            ProbePhase::Down if self.time_to_cruise(feedback.flight) => self.start_cruise(),
            ProbePhase::Refill if self.model.round_start => self.start_up(feedback.now, rate),
            _ => {}
        }
    }

    fn time_to_probe(&self, probe: &ProbeBw, now: Time) -> bool {
        let rounds = (self.target_inflight() / self.segment).min(RENO_ROUNDS);
        now > probe.since + probe.wait || self.model.rounds_since_probe as f64 >= rounds
    }

    fn time_to_cruise(&self, flight: f64) -> bool {
        flight <= self.inflight_with_headroom() && flight <= self.inflight(self.model.max_bw(), 1.0)
    }

    /// Whether the rate no longer grows for a reason other than cwnd.
    fn time_to_go_down(&mut self, rate: &RateSample, bounded: bool) -> bool {
        if bounded {
            self.full.reset(rate.bytes_per_second());
            return false;
        }
        self.full.now
    }

    fn adapt_long_term(&mut self, feedback: &Feedback, rate: &RateSample, bounded: bool) {
        let limited = self.model.is_limited(rate);
        if self.stopping && self.model.round_start {
            // All samples of the probe have arrived.
            self.stopping = false;
            self.bounds.probe_samples = false;
            if matches!(self.state, Bbr3State::ProbeBw(_)) && !limited {
                self.model.advance_cycle();
            }
        }
        if self.too_high(rate) {
            if self.bounds.probe_samples {
                self.handle_too_high(rate.flight_at_send, limited, feedback.now);
            }
            return;
        }
        if self.bounds.inflight_longterm.is_infinite() {
            return;
        }
        self.bounds.inflight_longterm = self.bounds.inflight_longterm.max(rate.flight_at_send);
        let round_start = self.model.round_start;
        if let Bbr3State::ProbeBw(ProbeBw { phase: ProbePhase::Up { rounds, every }, .. }) = &mut self.state
            && bounded
        {
            self.bounds.inflight_longterm += feedback.delivered as f64 / *every;
            if round_start {
                let next = *rounds;
                *rounds = (next + 1).min(DOUBLINGS);
                let slope = self.slope(next);
                if let Bbr3State::ProbeBw(ProbeBw { phase: ProbePhase::Up { every, .. }, .. }) = &mut self.state {
                    *every = slope;
                }
            }
        }
    }
}
