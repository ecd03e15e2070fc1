//! The congestion window, inferred from the data in flight.

use engine::{Span, Time};
use observation::{CapturedFact, Evidence, Rule};

/// The estimated congestion window: at least the data in flight when new data is sent, and exactly that while cwnd is
/// the limit. In a recovery without SACK each duplicate acknowledgment inflates cwnd [RFC5681 s3.2]. With SACK cwnd is
/// not inflated, and the data in flight gives no estimate.
pub struct WindowEstimate {
    cwnd: f64,
    /// Maximum data in flight after new data was sent, since the last reduction.
    in_flight: f64,
    ssthresh: f64,
    mss: f64,
    sack: bool,
    repair: Option<LossRepair>,
    /// The window before the last reduction, which the windows after it do not exceed.
    before_loss: Option<f64>,
    /// Whether cwnd is the limit.
    is_limit: bool,
    /// Whether no new data was sent since the last reduction, after which the data in flight may exceed cwnd.
    is_reduced: bool,
    /// The flight one round trip ago, which shows whether the flight still doubles.
    earlier: (Time, f64),
}

/// The way in which lost data is repaired. During the repair the data in flight does not show cwnd.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LossRepair {
    Recovery,
    Timeout,
}

impl WindowEstimate {
    pub fn new(mss: u32, sack: bool) -> Self {
        WindowEstimate {
            cwnd: 0.0,
            in_flight: 0.0,
            ssthresh: f64::INFINITY,
            mss: f64::from(mss),
            sack,
            repair: None,
            before_loss: None,
            is_limit: false,
            is_reduced: false,
            earlier: (Time::ZERO, 0.0),
        }
    }

    /// The fact of the present windows, with their bounds. Data in flight exceeds cwnd by at most one segment, and is
    /// at most one segment less while cwnd is the limit. A reduction leaves at least one segment, and at most the
    /// window before the reduction. Without a reduction, and where the window stops to double, ssthresh may have any
    /// lower value: of the configuration, or since a delay grew.
    pub fn to_fact(&self) -> CapturedFact {
        let reduced = |value: f64, before: f64| Evidence::Inferred {
            value,
            low: self.mss.min(value),
            high: before.max(value) + self.mss,
            rule: Rule::LossReduction,
        };
        let cwnd = match self.before_loss {
            Some(before) if self.repair.is_some() || self.is_reduced => reduced(self.cwnd, before),
            _ => Evidence::Inferred {
                value: self.cwnd,
                low: (self.in_flight - self.mss).clamp(0.0, self.cwnd),
                high: if self.is_limit { self.cwnd + self.mss } else { f64::INFINITY },
                rule: Rule::DataInFlight,
            },
        };
        let ssthresh = match self.before_loss {
            Some(before) => reduced(self.ssthresh, before),
            None if self.ssthresh.is_finite() => Evidence::Inferred {
                value: self.ssthresh,
                low: self.mss,
                high: self.ssthresh + self.mss,
                rule: Rule::DataInFlight,
            },
            None => {
                Evidence::Inferred { value: f64::INFINITY, low: self.mss, high: f64::INFINITY, rule: Rule::NoReduction }
            }
        };
        CapturedFact::Window { cwnd, ssthresh }
    }

    /// Raises the estimate to the data in flight after new data was sent. Returns whether the estimate changed.
    pub fn raise_to_flight(&mut self, flight: u64) -> bool {
        if self.repair.is_some() {
            return false;
        }
        let grows = flight as f64 > self.in_flight;
        if grows {
            self.in_flight = flight as f64;
        }
        if flight as f64 > self.cwnd {
            self.cwnd = flight as f64;
            self.is_limit = false;
        }
        std::mem::take(&mut self.is_reduced) || grows
    }

    /// Sets the estimate to the data in flight while cwnd limits the sender. Returns whether the estimate changed.
    pub fn set_to_flight(&mut self, at: Time, flight: u64, round_trip: Span) -> bool {
        let before = (self.cwnd, self.ssthresh);
        self.cwnd = (flight as f64).max(self.mss);
        (self.in_flight, self.is_limit) = (flight as f64, true);
        // The flight doubles in a round trip of slow start. ssthresh is not known otherwise without a loss.
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

    /// Reduces cwnd to one segment after a timeout.
    pub fn reduce_for_timeout(&mut self, flight: u64) {
        self.reduce(flight, LossRepair::Timeout);
        self.cwnd = self.mss;
    }

    fn reduce(&mut self, flight: u64, repair: LossRepair) {
        self.note_reduction(flight);
        self.repair = Some(repair);
    }

    /// Halves the estimate for a mark, as Reno does [RFC3168 s6.1.2].
    pub fn reduce_for_mark(&mut self, flight: u64) {
        self.note_reduction(flight);
        self.cwnd = self.cwnd.min(self.ssthresh);
    }

    fn note_reduction(&mut self, flight: u64) {
        self.ssthresh = (flight as f64 / 2.0).max(2.0 * self.mss);
        self.before_loss = Some(self.cwnd.max(flight as f64));
        (self.is_limit, self.is_reduced, self.in_flight) = (false, true, 0.0);
    }

    /// Processes an acknowledgment that arrives while lost data is repaired. Returns whether it enlarges cwnd. In a
    /// recovery a duplicate inflates cwnd. After a timeout an acknowledgment of new data grows it [RFC5681 s3.1].
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

    /// Records that the lost data is repaired.
    pub fn end_repair(&mut self) {
        if self.repair.take() == Some(LossRepair::Recovery) {
            self.cwnd = self.ssthresh;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds_of_cwnd(window: &WindowEstimate) -> Option<(f64, f64)> {
        let CapturedFact::Window { cwnd, .. } = window.to_fact() else { return None };
        cwnd.bounds()
    }

    #[test]
    fn new_data_in_flight_exceeds_cwnd_by_a_segment_at_most() {
        let mut window = WindowEstimate::new(1000, false);
        assert!(window.raise_to_flight(8000));
        assert_eq!(bounds_of_cwnd(&window), Some((7000.0, f64::INFINITY)));
        window.set_to_flight(Time::from_millis(1), 9000, Span::from_millis(100));
        assert_eq!(bounds_of_cwnd(&window), Some((8000.0, 10_000.0)));
    }

    /// After the recovery the data in flight may exceed cwnd. Until data is sent, the only bound is the window before
    /// the recovery.
    #[test]
    fn data_in_flight_after_a_reduction_is_no_bound_until_new_data_is_sent() {
        for is_marked in [false, true] {
            let mut window = WindowEstimate::new(1000, false);
            window.raise_to_flight(8000);
            if is_marked {
                window.reduce_for_mark(8000);
            } else {
                window.reduce_for_recovery(8000);
                window.end_repair();
            }
            assert_eq!(bounds_of_cwnd(&window), Some((1000.0, 9000.0)), "marked: {is_marked}");
            assert!(window.raise_to_flight(4000));
            assert_eq!(bounds_of_cwnd(&window), Some((3000.0, f64::INFINITY)), "marked: {is_marked}");
        }
    }
}
