//! Why a sender sends nothing, as far as its segments show.
//!
//! After each segment and acknowledgment the sender may send no more. If the next segment does not fit in the receive
//! window, that is the reason. If everything is acknowledged, or nothing follows, it had no data. Otherwise its next
//! segment tells: if an acknowledgment causes it, cwnd was the limit; if none does, the application wrote more, or the
//! sender paces: the previous segment was full, without PSH, and less than half of a round trip before.

use engine::{Span, Time};
use tcp::Blocked;

/// The reasons that are known, and times whose reason is not.
#[derive(Default)]
pub struct Limits {
    open: Vec<Time>,
    last: Option<Blocked>,
    /// Known reasons, in order of time.
    known: Vec<(Time, Blocked)>,
}

impl Limits {
    /// From now on the reason is this; `None` if the next segment tells.
    pub fn note(&mut self, at: Time, reason: Option<Blocked>) {
        match reason {
            None if self.open.is_empty() => self.open.push(at),
            // Only the first moment counts: what follows has the same reason.
            None => {}
            Some(reason) => {
                // Nothing was sent in between.
                let before = if reason == Blocked::Data { Blocked::Data } else { Blocked::Cwnd };
                self.resolve(before);
                self.know(at, reason);
            }
        }
    }

    /// The reason of the times whose reason was not known.
    pub fn resolve(&mut self, reason: Blocked) {
        for at in std::mem::take(&mut self.open) {
            self.know(at, reason);
        }
    }

    fn know(&mut self, at: Time, reason: Blocked) {
        if self.last != Some(reason) {
            self.last = Some(reason);
            self.known.push((at, reason));
        }
    }

    /// The first time whose reason is not known.
    pub fn unknown_since(&self) -> Option<Time> {
        self.open.first().copied()
    }

    /// The reasons that have become known.
    pub fn take(&mut self) -> Vec<(Time, Blocked)> {
        std::mem::take(&mut self.known)
    }
}

/// The congestion window, as far as it shows: at least the data in flight; exactly that while it is the limit.
pub struct Window {
    pub cwnd: f64,
    pub ssthresh: f64,
    mss: f64,
    /// Flight one round trip ago, to see whether it still doubles.
    earlier: (Time, f64),
}

impl Window {
    pub fn new(mss: u32) -> Self {
        Window { cwnd: 0.0, ssthresh: f64::INFINITY, mss: f64::from(mss), earlier: (Time::ZERO, 0.0) }
    }

    /// This much is in flight. Returns whether the window is larger than it was known to be.
    pub fn holds(&mut self, flight: u64) -> bool {
        let grows = flight as f64 > self.cwnd;
        self.cwnd = self.cwnd.max(flight as f64);
        grows
    }

    /// It limits the sender with this much in flight. Returns whether it has changed.
    pub fn limits(&mut self, at: Time, flight: u64, round_trip: Span) -> bool {
        let before = (self.cwnd, self.ssthresh);
        self.cwnd = (flight as f64).max(self.mss);
        // In slow start it doubles in a round trip; without a loss the threshold is not known otherwise.
        let (since, flight_then) = self.earlier;
        if at.since(since.min(at)) > round_trip.times(2) {
            if self.ssthresh.is_infinite() && flight_then > 4.0 * self.mss && self.cwnd < 1.25 * flight_then {
                self.ssthresh = self.cwnd;
            }
            self.earlier = (at, self.cwnd);
        }
        before != (self.cwnd, self.ssthresh)
    }

    /// A loss reduces it; to one segment after a timeout.
    pub fn reduced(&mut self, flight: u64, timeout: bool) {
        self.ssthresh = (flight as f64 / 2.0).max(2.0 * self.mss);
        self.cwnd = if timeout { self.mss } else { self.ssthresh };
    }
}
