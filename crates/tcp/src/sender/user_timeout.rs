//! The user timeout (TCP_USER_TIMEOUT): how long acknowledgments may be absent.
//!
//! The user timeout counts from the first retransmission, as in Linux (`retransmits_timed_out`, `tcp_probe_timer`); RFC
//! 5482 counts from the first transmission [RFC9293 s3.9.1.2].

use engine::{Span, Time};

/// A user timeout, and the events from which it counts. Once expired, it remains expired.
#[derive(Debug, Default)]
pub(super) struct UserTimeout {
    timeout: Option<Span>,
    /// Time of the first unanswered retransmission.
    resent_since: Option<Time>,
    /// Time of the first unanswered probe of a closed window.
    probing_since: Option<Time>,
    over: bool,
}

impl UserTimeout {
    pub fn set(&mut self, timeout: Option<Span>) {
        self.timeout = timeout;
    }

    /// Whether the timeout has expired; `None` without a timeout.
    pub fn is_over(&self) -> Option<bool> {
        self.timeout.map(|_| self.over)
    }

    /// Records the retransmission of a segment.
    pub fn on_resent(&mut self, now: Time) {
        self.resent_since.get_or_insert(now);
    }

    /// Records that all retransmitted data has been acknowledged.
    pub fn on_all_answered(&mut self) {
        self.resent_since = None;
    }

    /// Returns whether the user timeout has expired at an expiry of the retransmission timer other than the first.
    pub fn ends_by_retransmission(&mut self, now: Time) -> bool {
        self.ends(now, self.resent_since)
    }

    /// Limits the `expiry` of the retransmission timer (`tcp_clamp_rto_to_user_timeout`).
    pub fn clamp_expiry(&self, now: Time, expiry: Time) -> Time {
        self.limit(self.resent_since.or(Some(now))).map_or(expiry, |limit| expiry.min(limit.max(now)))
    }

    /// Limits the time `due` of the next probe of a closed window, the `first` or a later one
    /// (`tcp_clamp_probe0_to_user_timeout`); `None` once the timeout has expired.
    pub fn clamp_probe(&mut self, now: Time, first: bool, due: Time) -> Option<Time> {
        if first {
            self.probing_since = Some(now);
        }
        let limit = self.limit(self.probing_since).unwrap_or(Time::NEVER);
        (!self.ends(now, self.probing_since)).then(|| due.min(limit))
    }

    fn ends(&mut self, now: Time, since: Option<Time>) -> bool {
        self.over |= self.limit(since).is_some_and(|limit| now >= limit);
        self.over
    }

    /// Returns the time at which the connection fails if there has been no response since `since`.
    fn limit(&self, since: Option<Time>) -> Option<Time> {
        Some(since? + self.timeout?)
    }
}
