//! The delivery rate [draft-ietf-ccwg-bbr s4.1].
//!
//! A snapshot of the delivered bytes is taken when a segment is sent; when it is delivered, the difference divided by
//! the elapsed time is a sample. The time is the longer of the send and acknowledgment intervals, so that neither
//! bursts nor compressed acknowledgments inflate the rate.

use engine::{Span, Time};

use crate::cc::RateSample;
use crate::scoreboard::{SentSegment, Snapshot};

/// Counts delivered data.
#[derive(Debug, Default)]
pub(crate) struct RateEstimator {
    delivered: u64,
    delivered_at: Time,
    flight_began: Time,
    /// Until this many bytes have been delivered, samples measure the application's rate, not the network's.
    app_limited_until: u64,
    /// The newest segment delivered by the current acknowledgment.
    newest: Option<DeliveredSegment>,
}

/// A segment that was delivered.
#[derive(Clone, Copy, Debug)]
struct DeliveredSegment {
    /// The delivery rate's state at its transmission.
    snapshot: Snapshot,
    sent_at: Time,
    /// The byte after its last one.
    end: u64,
}

impl RateEstimator {
    /// Handles the transmission of a segment of `len` bytes, with `pipe` bytes in the network before it.
    #[inline]
    pub fn on_sent(&mut self, now: Time, pipe: u64, len: u32, lost: u64) -> Snapshot {
        if pipe == 0 {
            (self.flight_began, self.delivered_at) = (now, now);
        }
        Snapshot {
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            flight_began: self.flight_began,
            lost,
            flight: pipe + u64::from(len),
            app_limited: self.app_limited_until > self.delivered,
        }
    }

    /// Records that the window allows more than the application has written.
    #[inline]
    pub fn on_app_limited(&mut self, pipe: u64) {
        self.app_limited_until = (self.delivered + pipe).max(1);
    }

    /// Processes the delivery of `sent`.
    #[inline]
    pub fn on_delivered(&mut self, now: Time, sent: &SentSegment, snapshot: Snapshot) {
        self.delivered += u64::from(sent.len);
        self.delivered_at = now;
        let newer = self.newest.is_none_or(|newest| (sent.at, sent.end()) > (newest.sent_at, newest.end));
        if newer {
            self.newest = Some(DeliveredSegment { snapshot, sent_at: sent.at, end: sent.end() });
        }
    }

    /// The sample of the current acknowledgment, if valid: an interval shorter than the min RTT can only come from a
    /// spuriously retransmitted segment.
    #[inline]
    pub fn sample(&mut self, now: Time, min_rtt: Span, total_lost: u64) -> Option<RateSample> {
        let DeliveredSegment { snapshot: then, sent_at, .. } = self.newest.take()?;
        self.flight_began = sent_at;
        let sending = sent_at.since(then.flight_began);
        let acknowledging = now.since(then.delivered_at);
        let interval = sending.max(acknowledging);
        if interval == Span::ZERO || interval < min_rtt {
            return None;
        }
        Some(RateSample {
            delivered: self.delivered - then.delivered,
            interval,
            prior_delivered: then.delivered,
            total_delivered: self.delivered,
            app_limited: then.app_limited,
            flight_at_send: then.flight as f64,
            lost: total_lost - then.lost,
            total_lost,
        })
    }
}
