//! Response to losses [draft-ietf-ccwg-bbr s5.5.10]: losses during probing mean that too much was in flight; at other
//! times the delivery rate after a loss becomes the bound.

use engine::Time;

use super::{Bbr3, Bbr3State, ProbeBw, ProbePhase};
use crate::cc::RateSample;

pub(super) struct Bounds {
    /// Bound on the rate from recent round trips with losses, in bytes per second; infinite without losses.
    pub bw_shortterm: f64,
    /// Bound on the flight from recent round trips with losses, in bytes; infinite without losses.
    pub inflight_shortterm: f64,
    /// Bytes in flight known to be safe; infinite until losses show a limit.
    pub inflight_longterm: f64,
    /// Maximum in this round trip.
    bw_latest: f64,
    pub inflight_latest: f64,
    loss_in_round: bool,
    pub loss_round_start: bool,
    loss_round_delivered: u64,
    /// Whether the acknowledged data was sent while probing and has not yet been evaluated.
    pub probe_samples: bool,
    /// The three bounds at the beginning of the last loss episode.
    before: [f64; 3],
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            bw_shortterm: f64::INFINITY,
            inflight_shortterm: f64::INFINITY,
            inflight_longterm: f64::INFINITY,
            bw_latest: 0.0,
            inflight_latest: 0.0,
            loss_in_round: false,
            loss_round_start: false,
            loss_round_delivered: 0,
            probe_samples: false,
            before: [f64::INFINITY; 3],
        }
    }
}

impl Bounds {
    pub fn reset_shortterm(&mut self) {
        (self.bw_shortterm, self.inflight_shortterm) = (f64::INFINITY, f64::INFINITY);
    }

    /// Saves the bounds at the beginning of a loss episode.
    pub fn save(&mut self) {
        self.before = [self.bw_shortterm, self.inflight_shortterm, self.inflight_longterm];
    }

    /// Undoes spurious reductions: each bound is at least its saved value, as in Linux.
    pub fn undo(&mut self) {
        let [bw_shortterm, inflight_shortterm, inflight_longterm] = self.before;
        self.bw_shortterm = self.bw_shortterm.max(bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(inflight_longterm);
    }

    pub fn reset_signals(&mut self) {
        (self.loss_in_round, self.bw_latest, self.inflight_latest) = (false, 0.0, 0.0);
    }

    /// Ends the processing of an acknowledgment: the maxima of a new round trip begin with its sample.
    pub fn advance(&mut self, rate: &RateSample) {
        if self.loss_round_start {
            (self.bw_latest, self.inflight_latest) = (rate.bytes_per_second(), rate.delivered as f64);
        }
    }
}

impl Bbr3 {
    /// Processes losses shown by the acknowledgment.
    pub(super) fn note_loss(&mut self, sample: Option<&RateSample>, now: Time) {
        if !self.bounds.loss_in_round {
            self.bounds.loss_round_delivered = sample.map_or(self.model.delivered_bytes(), |rate| rate.total_delivered);
        }
        self.bounds.loss_in_round = true;
        if let Some(rate) = sample
            && self.bounds.probe_samples
            && self.too_high(rate)
        {
            let at = self.inflight_at_loss(rate);
            self.handle_too_high(at, self.model.is_limited(rate), now);
        }
    }

    /// Whether the losses since the segment was sent mean that too much was in flight then.
    pub(super) fn too_high(&self, rate: &RateSample) -> bool {
        rate.lost as f64 > rate.flight_at_send * self.config.loss_threshold
    }

    /// Bytes in flight at which the losses exceeded the threshold, within the last segment.
    fn inflight_at_loss(&self, rate: &RateSample) -> f64 {
        let threshold = self.config.loss_threshold;
        let before = (rate.flight_at_send - self.segment).max(0.0);
        let lost = (rate.lost as f64 - self.segment).max(0.0);
        before + ((threshold * before - lost) / (1.0 - threshold)).max(0.0)
    }

    pub(super) fn handle_too_high(&mut self, inflight: f64, limited: bool, now: Time) {
        // Once per probe.
        self.bounds.probe_samples = false;
        if !limited {
            self.bounds.inflight_longterm = inflight.max(self.target_inflight() * self.config.beta);
        }
        if let Bbr3State::ProbeBw(ProbeBw { phase: ProbePhase::Up { .. }, .. }) = self.state {
            self.start_down(now);
        }
    }

    pub(super) fn update_latest(&mut self, rate: &RateSample) {
        let bounds = &mut self.bounds;
        bounds.loss_round_start = false;
        bounds.bw_latest = bounds.bw_latest.max(rate.bytes_per_second());
        bounds.inflight_latest = bounds.inflight_latest.max(rate.delivered as f64);
        if rate.prior_delivered >= bounds.loss_round_delivered {
            bounds.loss_round_delivered = rate.total_delivered;
            bounds.loss_round_start = true;
        }
    }

    /// Lowers the bounds after losses. Called once per round trip, except while probing.
    pub(super) fn adapt_lower_bounds(&mut self) {
        if !self.bounds.loss_round_start {
            return;
        }
        let probing = match &self.state {
            Bbr3State::Startup => true,
            Bbr3State::ProbeBw(probe) => matches!(probe.phase, ProbePhase::Refill | ProbePhase::Up { .. }),
            Bbr3State::Drain | Bbr3State::ProbeRtt(_) => false,
        };
        let (max_bw, cwnd, beta) = (self.model.max_bw(), self.cwnd, self.config.beta);
        let bounds = &mut self.bounds;
        if bounds.loss_in_round && !probing {
            let bw = if bounds.bw_shortterm.is_finite() { bounds.bw_shortterm } else { max_bw };
            let inflight = if bounds.inflight_shortterm.is_finite() { bounds.inflight_shortterm } else { cwnd };
            bounds.bw_shortterm = bounds.bw_latest.max(beta * bw);
            bounds.inflight_shortterm = bounds.inflight_latest.max(beta * inflight);
        }
        bounds.loss_in_round = false;
    }
}
