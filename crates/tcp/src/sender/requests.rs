//! What few applications ask for: records that segments keep apart, and an end to waiting for acknowledgments.

use std::collections::VecDeque;

use engine::{Span, Time};

use super::Sender;

/// What an application has asked for, beyond sending.
#[derive(Debug, Default)]
pub(super) struct Requests {
    /// Ends of records that have not been sent whole yet, in order.
    records: VecDeque<u64>,
    /// How long acknowledgments may fail to come.
    user_timeout: Option<Span>,
    /// When the first retransmission was sent that nothing has answered yet, and the first probe of a closed window.
    since: Option<Time>,
    probing_since: Option<Time>,
    /// The user timeout is over.
    over: bool,
}

impl Requests {
    /// The end of the record that `nxt` lies in, if it has one.
    fn record_end(&mut self, nxt: u64) -> Option<u64> {
        while self.records.front().is_some_and(|end| *end <= nxt) {
            self.records.pop_front();
        }
        self.records.front().copied()
    }

    /// Whether the user timeout is over for what began at `since`. Once over, it stays so.
    fn ends(&mut self, now: Time, since: Option<Time>) -> bool {
        self.over |= self.limit(since).is_some_and(|limit| now >= limit);
        self.over
    }

    /// When the connection is given up if what began at `since` goes on.
    fn limit(&self, since: Option<Time>) -> Option<Time> {
        Some(since? + self.user_timeout?)
    }
}

impl Sender {
    /// What was handed over last ends a record: no segment holds bytes from both sides of its end (MSG_EOR).
    pub fn end_record(&mut self) {
        let end = self.offered;
        self.requests.get_or_insert_default().records.push_back(end);
    }

    /// How long data may stay unacknowledged once it has been sent again, or a closed window once it has been probed; the
    /// number of repetitions no longer matters then. Linux counts from the first repetition (`retransmits_timed_out`,
    /// `tcp_probe_timer`), RFC 5482 from the first transmission [RFC9293 s3.9.1.2].
    pub fn set_user_timeout(&mut self, timeout: Option<Span>) {
        self.requests.get_or_insert_default().user_timeout = timeout;
    }

    /// The part of `len` bytes from `nxt` on that lies in one record, and whether it ends the record.
    #[inline]
    pub(super) fn within_record(&mut self, nxt: u64, len: u64) -> (u64, bool) {
        match self.requests.as_mut().and_then(|requests| requests.record_end(nxt)) {
            Some(end) if end - nxt <= len => (end - nxt, true),
            _ => (len, false),
        }
    }

    /// Something is sent again.
    #[inline]
    pub(super) fn note_repetition(&mut self, now: Time) {
        if let Some(requests) = &mut self.requests {
            requests.since.get_or_insert(now);
        }
    }

    /// Nothing is left to wait for of what was sent again.
    #[inline]
    pub(super) fn forget_repetition(&mut self) {
        if let Some(requests) = &mut self.requests {
            requests.since = None;
        }
    }

    /// The retransmission timer has expired: whether the user timeout is over. The first expiry in a row is never too late.
    pub(super) fn user_timed_out(&mut self, now: Time) -> bool {
        let again = self.consecutive_timeouts > 0;
        self.requests.as_mut().is_some_and(|requests| again && requests.ends(now, requests.since))
    }

    /// When the retransmission timer that is set now for `expiry` expires (`tcp_clamp_rto_to_user_timeout`).
    pub(super) fn by_user_timeout(&self, now: Time, expiry: Time) -> Time {
        let Some(requests) = &self.requests else { return expiry };
        requests.limit(requests.since.or(Some(now))).map_or(expiry, |limit| expiry.min(limit.max(now)))
    }

    /// A closed window is to be probed, for the `first` time or again, and once more at `due`: when instead
    /// (`tcp_clamp_probe0_to_user_timeout`); `None` once the user timeout is over.
    pub(super) fn probe_by_user_timeout(&mut self, now: Time, first: bool, due: Time) -> Option<Time> {
        let Some(requests) = &mut self.requests else { return Some(due) };
        if first {
            requests.probing_since = Some(now);
        }
        let limit = requests.limit(requests.probing_since).unwrap_or(Time::NEVER);
        (!requests.ends(now, requests.probing_since)).then(|| due.min(limit))
    }

    /// Whether the other end has been silent for longer than is allowed.
    pub fn given_up(&self) -> bool {
        match &self.requests {
            Some(requests) if requests.user_timeout.is_some() => requests.over,
            _ => self.settings.retries.is_some_and(|most| self.consecutive_timeouts > most),
        }
    }
}
