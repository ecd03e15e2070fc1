//! BBR's model of the path [draft-ietf-ccwg-bbr s5.5]: round trips counted in packets, delivery rate, min RTT, ACK
//! aggregation.

use engine::{Span, Time};

use super::Config;
use crate::cc::filter::WindowedMax;
use crate::cc::{Feedback, RateSample};

/// [draft-ietf-ccwg-bbr s2.13.1]
const MIN_RTT_WINDOW: Span = Span::from_secs(10);
/// [draft-ietf-ccwg-bbr s5.5.9]
const EXTRA_ACKED_ROUNDS: u64 = 10;

pub(super) struct Model {
    interval: Span,
    /// Maximum over this probing cycle and the previous one [draft-ietf-ccwg-bbr s5.5.6].
    max_bw: WindowedMax,
    cycle: u64,
    /// Number of completed round trips.
    rounds: u64,
    /// Whether this acknowledgment completed a round trip.
    pub round_start: bool,
    next_round: u64,
    delivered: u64,
    /// Round trips since the last bandwidth probe.
    pub rounds_since_probe: u64,
    min_rtt: Option<(Span, Time)>,
    probe_rtt_min: Option<(Span, Time)>,
    pub probe_rtt_expired: bool,
    /// Samples of segments sent between these two points (as `prior_delivered`) were limited by this control.
    limited: Option<(u64, u64)>,
    extra_since: Time,
    extra_delivered: f64,
    extra: WindowedMax,
    /// In Startup: the number of the round trip, and the maximum in this round trip only.
    extra_startup: (u64, f64),
    full: bool,
}

impl Model {
    pub fn new(config: &Config) -> Self {
        Model {
            interval: config.probe_rtt_interval,
            max_bw: WindowedMax::new(1),
            cycle: 0,
            rounds: 0,
            round_start: false,
            next_round: 0,
            delivered: 0,
            rounds_since_probe: 0,
            min_rtt: None,
            probe_rtt_min: None,
            probe_rtt_expired: false,
            limited: None,
            extra_since: Time::ZERO,
            extra_delivered: 0.0,
            extra: WindowedMax::new(EXTRA_ACKED_ROUNDS),
            extra_startup: (0, 0.0),
            full: false,
        }
    }

    pub fn max_bw(&self) -> f64 {
        self.max_bw.get()
    }

    pub fn delivered_bytes(&self) -> u64 {
        self.delivered
    }

    pub fn min_rtt(&self) -> Option<Span> {
        self.min_rtt.map(|(rtt, _)| rtt)
    }

    /// Starts a round trip [draft-ietf-ccwg-bbr s5.5.1].
    pub fn start_round(&mut self) {
        self.next_round = self.delivered;
    }

    /// Ends the samples of one probing cycle [draft-ietf-ccwg-bbr s5.5.6].
    pub fn advance_cycle(&mut self) {
        self.cycle += 1;
    }

    /// Whether the sample was limited by the application, or by ProbeRTT.
    pub fn is_limited(&self, rate: &RateSample) -> bool {
        rate.app_limited || self.limited.is_some_and(|(from, to)| (from..=to).contains(&rate.prior_delivered))
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

    /// Begins an acknowledgment: updates delivered bytes and the end of the round trip.
    pub fn begin(&mut self, feedback: &Feedback, sample: Option<&RateSample>) {
        self.round_start = false;
        let Some(rate) = sample else {
            self.delivered += feedback.delivered;
            return;
        };
        self.delivered = rate.total_delivered;
        if rate.prior_delivered >= self.next_round {
            self.start_round();
            self.rounds += 1;
            self.rounds_since_probe += 1;
            self.round_start = true;
        }
    }

    /// Updates the maximum delivery rate [draft-ietf-ccwg-bbr s5.5.5].
    pub fn update_max_bw(&mut self, rate: &RateSample) {
        let sample = rate.bytes_per_second();
        if sample > 0.0 && (sample >= self.max_bw() || !self.is_limited(rate)) {
            self.max_bw.push(self.cycle, sample);
        }
    }

    /// Updates the measured aggregation of acknowledgments [draft-ietf-ccwg-bbr s5.5.9].
    pub fn update_aggregation(&mut self, feedback: &Feedback, bw: f64, full: bool, cwnd: f64) {
        let mut expected = bw * feedback.now.since(self.extra_since).as_secs_f64();
        if self.extra_delivered <= expected {
            self.restart_aggregation(feedback.now);
            expected = 0.0;
        }
        self.extra_delivered += feedback.delivered as f64;
        let extra = (self.extra_delivered - expected).min(cwnd);
        self.full = full;
        if full {
            self.extra.push(self.rounds, extra);
        } else {
            let (round, most) = self.extra_startup;
            self.extra_startup = if self.rounds > round + 1 { (self.rounds, extra) } else { (round, most.max(extra)) };
        }
    }

    pub fn restart_aggregation(&mut self, now: Time) {
        (self.extra_since, self.extra_delivered) = (now, 0.0);
    }

    pub fn extra_acked(&self) -> f64 {
        if self.full { self.extra.get() } else { self.extra_startup.1 }
    }

    /// Updates the min RTT [draft-ietf-ccwg-bbr s5.3.4.3].
    pub fn update_min_rtt(&mut self, now: Time, rtt: Option<Span>) {
        self.probe_rtt_expired = self.probe_rtt_min.is_some_and(|(_, at)| now > at + self.interval);
        if let Some(rtt) = rtt
            && (self.probe_rtt_expired || self.probe_rtt_min.is_none_or(|(min, _)| rtt < min))
        {
            self.probe_rtt_min = Some((rtt, now));
        }
        let Some(probed) = self.probe_rtt_min else { return };
        if self.min_rtt.is_none_or(|(least, at)| probed.0 < least || now > at + MIN_RTT_WINDOW) {
            self.min_rtt = Some(probed);
        }
    }

    /// Records that the min RTT has been measured: the next probe is an interval away.
    pub fn refresh_probe_rtt(&mut self, now: Time) {
        if let Some((_, at)) = &mut self.probe_rtt_min {
            *at = now;
        }
    }
}
