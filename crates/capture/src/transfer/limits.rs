//! Why a sender sends nothing, as far as its segments show.
//!
//! After each segment and acknowledgment the sender may send no more. If the next segment does not fit in the receive
//! window, that is the reason. If nothing follows, it had no data. Otherwise its next segment tells: if an
//! acknowledgment causes it, cwnd was the limit; if none does, the application wrote more, or the sender paces: data is
//! under way, the previous segment was full, without PSH, and less than half of a round trip before.

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
    /// From now on the reason is this; `None` if the next segment tells. What held for less than `reaction` before was
    /// no reason: the sender was about to send.
    pub fn note(&mut self, at: Time, reason: Option<Blocked>, reaction: Span) {
        match reason {
            None if self.open.is_empty() => self.open.push(at),
            // Only the first moment counts: what follows has the same reason.
            None => {}
            Some(reason) => {
                // Nothing was sent in between.
                let before = if reason == Blocked::Data { Blocked::Data } else { Blocked::Cwnd };
                self.resolve(at, before, reaction);
                self.know(at, reason);
            }
        }
    }

    /// The reason of the times whose reason was not known.
    pub fn resolve(&mut self, now: Time, reason: Blocked, reaction: Span) {
        for at in std::mem::take(&mut self.open) {
            if at + reaction < now {
                self.know(at, reason);
            }
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

/// The congestion window, as far as it shows: at least the data in flight; exactly that while it is the limit. In a
/// recovery without SACK it is inflated by each duplicate acknowledgment [RFC5681 s3.2]; with SACK it is not, and the
/// data in flight says nothing.
pub struct Window {
    pub cwnd: f64,
    pub ssthresh: f64,
    mss: f64,
    sack: bool,
    repair: Option<Repair>,
    /// Flight one round trip ago, to see whether it still doubles.
    earlier: (Time, f64),
}

impl Window {
    pub fn new(mss: u32, sack: bool) -> Self {
        let mss = f64::from(mss);
        Window { cwnd: 0.0, ssthresh: f64::INFINITY, mss, sack, repair: None, earlier: (Time::ZERO, 0.0) }
    }

    /// This much is in flight, or fits in the receive window that is full. Returns whether the window is larger than it
    /// was known to be.
    pub fn holds(&mut self, flight: u64) -> bool {
        let grows = flight as f64 > self.cwnd && self.repair.is_none();
        if grows {
            self.cwnd = flight as f64;
        }
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
        self.repair = Some(if timeout { Repair::Timeout } else { Repair::Recovery });
        let inflation = if self.sack { 0.0 } else { 3.0 * self.mss };
        self.cwnd = if timeout { self.mss } else { self.ssthresh + inflation };
    }

    /// An acknowledgment arrived while lost data is repaired. Returns whether it enlarges the window: a duplicate
    /// inflates it in a recovery; after a timeout one of new data does [RFC5681 s3.1].
    pub fn acknowledged(&mut self, advances: bool) -> bool {
        let enlarges = match self.repair {
            Some(Repair::Recovery) => !advances && !self.sack,
            Some(Repair::Timeout) => advances && self.cwnd < self.ssthresh,
            None => false,
        };
        if enlarges {
            self.cwnd += self.mss;
        }
        enlarges
    }

    /// The lost data is repaired.
    pub fn repaired(&mut self) {
        if self.repair.take() == Some(Repair::Recovery) {
            self.cwnd = self.ssthresh;
        }
    }
}

/// How lost data is repaired. Meanwhile the data in flight does not show the window.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repair {
    Recovery,
    Timeout,
}
