//! An acknowledgment and the events that follow it, as arguments of a control's methods.

use engine::{Span, Time};
use tcp::cc::{Acked, Congestion, Feedback, RateSample};

/// An acknowledgment and the events that follow it, in the order of these fields.
#[derive(Clone, PartialEq, Debug)]
pub struct ControlStep {
    /// Time since the step before.
    pub wait: Span,
    /// Bytes newly acknowledged.
    pub acked: u64,
    /// Bytes newly reported by SACK.
    pub sacked: u64,
    /// Bytes newly marked lost.
    pub lost: u64,
    /// Bytes sent since the step before.
    pub sent: u64,
    /// The round trip that the acknowledgment measured.
    pub rtt: Option<Span>,
    /// Whether the acknowledgment has ECN-Echo.
    pub ecn_echo: bool,
    /// Whether the sender is recovering from a loss.
    pub recovering: bool,
    /// The delivery rate, if measured.
    pub rate: Option<Rate>,
    /// The last reduction was spurious.
    pub undo: bool,
    /// A congestion event. [`Congestion::Ecn`] is omitted for a control with precise ECN.
    pub congestion: Option<Congestion>,
    /// Recovery has ended.
    pub recovered: bool,
    /// Whether cwnd limited the sender: then new data acknowledged outside recovery may increase cwnd. Also whether
    /// slow start begins again after idleness.
    pub limited: bool,
    /// Duration without data in flight.
    pub idle: Option<Span>,
}

/// A measurement of the delivery rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rate {
    /// Bytes delivered in the interval.
    pub delivered: u64,
    /// The interval.
    pub interval: Span,
    /// Whether the application limited the sender.
    pub app_limited: bool,
}

impl ControlStep {
    /// Returns the argument of `on_ack` if the method is to be called.
    pub(super) fn ack_argument(&self, feedback: &Feedback) -> Option<Acked> {
        let Feedback { now, una, nxt, rtt, srtt, .. } = *feedback;
        let grows = self.limited && self.acked > 0 && !self.recovering;
        grows.then_some(Acked { now, bytes: self.acked, una, nxt, rtt, srtt })
    }
}

/// The progress of a sender over its steps.
#[derive(Default)]
pub struct SenderProgress {
    now: Time,
    una: u64,
    nxt: u64,
    delivered: u64,
    lost: u64,
    srtt: Span,
}

impl SenderProgress {
    /// Makes a step; returns the argument of `on_feedback`.
    pub fn after(&mut self, step: &ControlStep) -> Feedback {
        self.now += step.wait;
        self.nxt = self.nxt.max(self.una + step.acked) + step.sent;
        let flight_before = (self.nxt - self.una) as f64;
        self.una += step.acked;
        self.delivered += step.acked + step.sacked;
        self.lost += step.lost;
        self.srtt = step.rtt.unwrap_or(self.srtt);
        let rate = step.rate.map(|Rate { delivered, interval, app_limited }| RateSample {
            delivered,
            interval,
            prior_delivered: self.delivered.saturating_sub(delivered),
            total_delivered: self.delivered,
            app_limited,
            flight_at_send: flight_before,
            lost: step.lost,
            total_lost: self.lost,
        });
        Feedback {
            now: self.now,
            una: self.una,
            nxt: self.nxt,
            acked: step.acked,
            delivered: step.acked + step.sacked,
            lost: step.lost,
            flight_before,
            flight: (self.nxt - self.una) as f64,
            rtt: step.rtt,
            srtt: self.srtt,
            ecn_echo: step.ecn_echo,
            recovering: step.recovering,
            rate,
        }
    }

    /// Advances the time with no data in flight; returns the new time.
    pub fn idle(&mut self, idle: Span) -> Time {
        self.now += idle;
        self.now
    }

    /// Returns the time of the last step.
    pub fn now(&self) -> Time {
        self.now
    }
}
