//! The congestion window, inferred from the data in flight.

use engine::{Span, Time};
use observation::{CapturedFact, Evidence, Rule};

/// The estimated congestion window: at least the data in flight; exactly that while it is the limit. In a recovery
/// without SACK it is inflated by each duplicate acknowledgment [RFC5681 s3.2]; with SACK it is not, and the data in
/// flight says nothing.
pub struct WindowEstimate {
    cwnd: f64,
    ssthresh: f64,
    mss: f64,
    sack: bool,
    repair: Option<LossRepair>,
    /// The data in flight at the last reduction, which the windows after it do not exceed.
    before_loss: Option<f64>,
    /// Whether cwnd is the limit.
    is_limit: bool,
    /// Flight one round trip ago, to see whether it still doubles.
    earlier: (Time, f64),
}

/// How lost data is repaired. Meanwhile the data in flight does not show the window.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LossRepair {
    Recovery,
    Timeout,
}

impl WindowEstimate {
    pub fn new(mss: u32, sack: bool) -> Self {
        WindowEstimate {
            cwnd: 0.0,
            ssthresh: f64::INFINITY,
            mss: f64::from(mss),
            sack,
            repair: None,
            before_loss: None,
            is_limit: false,
            earlier: (Time::ZERO, 0.0),
        }
    }

    /// The fact of the present windows, with their bounds: data in flight is at most cwnd, and less by a segment at
    /// most while cwnd is the limit; a reduction leaves a segment at least, and at most the data in flight.
    pub fn to_fact(&self) -> CapturedFact {
        let reduced = |value: f64, before: f64| Evidence::Inferred {
            value,
            low: self.mss.min(value),
            high: before.max(value),
            rule: Rule::LossReduction,
        };
        let in_flight = |value: f64| Evidence::Inferred {
            value,
            low: value,
            high: if self.is_limit { value + self.mss } else { f64::INFINITY },
            rule: Rule::DataInFlight,
        };
        let cwnd = match self.before_loss.filter(|_| self.repair.is_some()) {
            Some(before) => reduced(self.cwnd, before),
            None => in_flight(self.cwnd),
        };
        let ssthresh = match self.before_loss {
            Some(before) => reduced(self.ssthresh, before),
            None if self.ssthresh.is_finite() => in_flight(self.ssthresh),
            None => Evidence::Inferred {
                value: f64::INFINITY,
                low: self.cwnd,
                high: f64::INFINITY,
                rule: Rule::NoReduction,
            },
        };
        CapturedFact::Window { cwnd, ssthresh }
    }

    /// Raises the estimate to the data in flight, or to a full receive window. Returns whether the estimate grew.
    pub fn raise_to_flight(&mut self, flight: u64) -> bool {
        let grows = flight as f64 > self.cwnd && self.repair.is_none();
        if grows {
            self.cwnd = flight as f64;
            self.is_limit = false;
        }
        grows
    }

    /// Sets the estimate to the data in flight while cwnd limits the sender. Returns whether the estimate changed.
    pub fn set_to_flight(&mut self, at: Time, flight: u64, round_trip: Span) -> bool {
        let before = (self.cwnd, self.ssthresh);
        self.cwnd = (flight as f64).max(self.mss);
        self.is_limit = true;
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

    /// Reduces the estimate at the start of a fast recovery.
    pub fn reduce_for_recovery(&mut self, flight: u64) {
        self.reduce(flight, LossRepair::Recovery);
        let inflation = if self.sack { 0.0 } else { 3.0 * self.mss };
        self.cwnd = self.ssthresh + inflation;
    }

    /// A timeout reduces it to one segment.
    pub fn reduce_for_timeout(&mut self, flight: u64) {
        self.reduce(flight, LossRepair::Timeout);
        self.cwnd = self.mss;
    }

    fn reduce(&mut self, flight: u64, repair: LossRepair) {
        self.ssthresh = (flight as f64 / 2.0).max(2.0 * self.mss);
        (self.repair, self.before_loss, self.is_limit) = (Some(repair), Some(flight as f64), false);
    }

    /// An acknowledgment arrived while lost data is repaired. Returns whether it enlarges the window: a duplicate
    /// inflates it in a recovery; after a timeout one of new data does [RFC5681 s3.1].
    pub fn on_ack(&mut self, advances: bool) -> bool {
        let enlarges = match self.repair {
            Some(LossRepair::Recovery) => !advances && !self.sack,
            Some(LossRepair::Timeout) => advances && self.cwnd < self.ssthresh,
            None => false,
        };
        if enlarges {
            self.cwnd += self.mss;
        }
        enlarges
    }

    /// The lost data is repaired.
    pub fn end_repair(&mut self) {
        if self.repair.take() == Some(LossRepair::Recovery) {
            self.cwnd = self.ssthresh;
        }
    }
}
