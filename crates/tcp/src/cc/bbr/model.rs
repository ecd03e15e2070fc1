//! BBR's model of the path: round trips counted in packets, delivery rate, min RTT, ACK aggregation.

use engine::{Span, Time};

use super::policer::{Policer, PolicerSample};
use crate::cc::Feedback;
use crate::cc::filter::WindowedMax;

/// Number of round trips over which the maximum rate is taken: a gain cycle and two more.
const BANDWIDTH_ROUNDS: u64 = 10;
/// Number of round trips after which the older of the two maxima of aggregation expires.
const AGGREGATION_ROUNDS: u32 = 5;
/// Maximum of the aggregation term, as time at the estimated rate.
const AGGREGATION_SECS: f64 = 0.1;
/// Number of acknowledged segments after which a new epoch of aggregation begins.
const AGGREGATION_SEGMENTS: f64 = 1_048_576.0;

pub(super) struct Model {
    segment: f64,
    max_bw: WindowedMax,
    /// Number of completed round trips.
    rounds: u64,
    /// Whether this acknowledgment completed a round trip.
    pub round_start: bool,
    /// The round ends with the delivery of a segment whose `prior_delivered` is at least this many bytes.
    next_round: u64,
    delivered: u64,
    lost: u64,
    /// Whether policers are detected.
    detects_policers: bool,
    pub policer: Policer,
    min_rtt: Option<Span>,
    min_rtt_at: Option<Time>,
    /// Samples of segments sent between these two points (as `prior_delivered`) were limited by this control.
    limited: Option<(u64, u64)>,
    epoch: Time,
    epoch_delivered: f64,
    extra: [f64; 2],
    extra_index: usize,
    extra_rounds: u32,
}

impl Model {
    pub fn new(segment: f64, detects_policers: bool) -> Self {
        Model {
            segment,
            max_bw: WindowedMax::new(BANDWIDTH_ROUNDS),
            rounds: 0,
            round_start: false,
            next_round: 0,
            delivered: 0,
            lost: 0,
            detects_policers,
            policer: Policer::default(),
            min_rtt: None,
            min_rtt_at: None,
            limited: None,
            epoch: Time::ZERO,
            epoch_delivered: 0.0,
            extra: [0.0; 2],
            extra_index: 0,
            extra_rounds: 0,
        }
    }

    pub fn max_bw(&self) -> f64 {
        self.max_bw.get()
    }

    /// The estimated rate, or the policer's if one is detected, in bytes per second.
    pub fn bw(&self) -> f64 {
        self.policer.rate().unwrap_or_else(|| self.max_bw())
    }

    pub fn min_rtt(&self) -> Option<Span> {
        self.min_rtt
    }

    pub fn delivered_bytes(&self) -> u64 {
        self.delivered
    }

    /// Begins a new round trip now.
    pub fn start_round(&mut self) {
        self.next_round = self.delivered;
    }

    /// Whether the rate sample was limited by the application, or by ProbeRTT.
    pub fn is_limited(&self, feedback: &Feedback) -> bool {
        feedback.rate.is_some_and(|rate| {
            let probe = self.limited.is_some_and(|(from, to)| (from..=to).contains(&rate.prior_delivered));
            rate.app_limited || probe
        })
    }

    /// Marks data sent from now on as limited by ProbeRTT, with `flight` bytes in flight.
    pub fn limit(&mut self, flight: f64) {
        let to = self.delivered + flight as u64;
        let from = match self.limited {
            Some((from, old)) if self.delivered <= old => from,
            _ => self.delivered,
        };
        self.limited = Some((from, to));
    }

    /// Processes an acknowledgment. `steady` is true while the control probes for bandwidth in the steady state.
    /// Returns true if the control abandons the policer's rate.
    pub fn update(&mut self, feedback: &Feedback, cwnd: f64, steady: bool) -> bool {
        self.lost += feedback.lost;
        self.round_start = false;
        let Some(rate) = feedback.rate.filter(|rate| rate.interval > Span::ZERO) else {
            self.delivered += feedback.delivered;
            return false;
        };
        self.delivered = rate.total_delivered;
        if rate.prior_delivered >= self.next_round {
            self.next_round = self.delivered;
            self.rounds += 1;
            self.round_start = true;
        }
        let limited = self.is_limited(feedback);
        let gave_up = self.detects_policers
            && self.policer.sample(&PolicerSample {
                now: feedback.now,
                round_start: self.round_start,
                loss: feedback.lost > 0,
                limited,
                totals: (self.delivered, self.lost),
                steady,
            });
        let sample = rate.bytes_per_second();
        if !limited || sample >= self.max_bw() {
            self.max_bw.push(self.rounds, sample);
        }
        self.update_aggregation(feedback, cwnd);
        gave_up
    }

    fn update_aggregation(&mut self, feedback: &Feedback, cwnd: f64) {
        if feedback.delivered == 0 {
            return;
        }
        if self.round_start {
            self.extra_rounds += 1;
            if self.extra_rounds >= AGGREGATION_ROUNDS {
                self.extra_rounds = 0;
                self.extra_index = 1 - self.extra_index;
                self.extra[self.extra_index] = 0.0;
            }
        }
        let mut expected = self.bw() * feedback.now.since(self.epoch).as_secs_f64();
        let delivered = feedback.delivered as f64;
        // Delivery is slower than expected, or the epoch has its maximum length: a new epoch begins.
        if self.epoch_delivered <= expected || self.epoch_delivered + delivered >= AGGREGATION_SEGMENTS * self.segment {
            self.restart_aggregation(feedback.now);
            expected = 0.0;
        }
        self.epoch_delivered += delivered;
        let extra = (self.epoch_delivered - expected).min(cwnd);
        let max = &mut self.extra[self.extra_index];
        *max = max.max(extra);
    }

    pub fn restart_aggregation(&mut self, now: Time) {
        (self.epoch, self.epoch_delivered) = (now, 0.0);
    }

    /// Bytes recently delivered in excess of the estimated rate.
    pub fn aggregation(&self) -> f64 {
        self.extra[0].max(self.extra[1]).min(AGGREGATION_SECS * self.bw())
    }

    /// Processes a round trip sample. Returns whether the minimum was older than `window`.
    pub fn update_min_rtt(&mut self, now: Time, rtt: Option<Span>, window: Span) -> bool {
        let expired = now > *self.min_rtt_at.get_or_insert(now) + window;
        if let Some(rtt) = rtt
            && (expired || self.min_rtt.is_none_or(|min| rtt <= min))
        {
            self.min_rtt = Some(rtt);
            self.min_rtt_at = Some(now);
        }
        expired
    }

    /// Restarts the validity of the min RTT.
    pub fn refresh_min_rtt(&mut self, now: Time) {
        self.min_rtt_at = Some(now);
    }
}
