//! Pacing: segments are sent at the rate set by the congestion control [draft-ietf-ccwg-bbr s5.6.2], and at most at
//! the maximum set by the application (SO_MAX_PACING_RATE).
//!
//! A maximum makes the sender pace with every control (Linux: `sk_pacing_status`). A control without a rate paces at
//! the rate of Linux's `tcp_update_pacing_rate`, see `segmentation`. The data of segments counts, without headers.
//!
//! Limit: Linux does not pace the first ten segments of a connection (`tcp_update_skb_after_send`).

use engine::{Span, Time};

/// The time from which the next segment may be sent. Segments are delayed only if the control paces, or a maximum rate
/// is set.
#[derive(Debug)]
pub(super) struct Pacer {
    departure_time: Time,
    paces: bool,
    /// Whether only pacing delays a segment.
    holds: bool,
    /// Maximum rate in bytes per second, infinite if not set.
    max_rate: f64,
}

impl Pacer {
    /// A pacer of a control that paces or does not, with a maximum rate in bytes per second.
    pub fn new(paces: bool, max_rate: Option<f64>) -> Self {
        let (paces, max_rate) = (paces || max_rate.is_some(), max_rate.unwrap_or(f64::INFINITY));
        Pacer { departure_time: Time::ZERO, paces, holds: false, max_rate }
    }

    /// Whether segments are paced.
    #[inline]
    pub fn paces(&self) -> bool {
        self.paces
    }

    /// Returns the rate at which segments are paced, in bytes per second. `control` is the rate of the control, and
    /// `linux` returns the rate for a control without one.
    #[inline]
    pub fn rate(&self, control: Option<f64>, linux: impl FnOnce() -> Option<f64>) -> Option<f64> {
        if self.max_rate == f64::INFINITY {
            return control;
        }
        Some(control.or_else(linux).map_or(self.max_rate, |rate| rate.min(self.max_rate)))
    }

    /// Whether the next segment may not leave yet.
    #[inline]
    pub fn is_early(&self, now: Time) -> bool {
        self.paces && self.departure_time > now
    }

    /// Records whether a segment is delayed by pacing.
    #[inline]
    pub fn hold(&mut self, holds: bool) {
        self.holds = holds;
    }

    /// Returns the time from which the delayed segment may be sent; NEVER without a delayed segment.
    #[inline]
    pub fn deadline(&self) -> Time {
        if self.holds { self.departure_time } else { Time::NEVER }
    }

    /// Records that the departure time has been reached: the sender must be polled again.
    pub fn on_time(&mut self) {
        self.holds = false;
    }

    /// Records that a segment of `len` bytes was sent at a rate of `rate` bytes per second. Unused time is not carried
    /// over.
    #[inline]
    pub fn on_sent(&mut self, now: Time, len: u32, rate: f64) {
        let nanos = f64::from(len) * 1e9 / rate.max(1.0);
        let pause = Span::from_nanos(nanos.min(1e12) as u64);
        self.departure_time = self.departure_time.max(now) + pause;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maximum_limits_the_rate_of_every_control() {
        let limited = Pacer::new(false, Some(1e5));
        assert!(limited.paces());
        assert_eq!(limited.rate(None, || None), Some(1e5), "no round trip is known");
        assert_eq!(limited.rate(None, || Some(2e5)), Some(1e5));
        assert_eq!(limited.rate(None, || Some(5e4)), Some(5e4));
        assert_eq!(limited.rate(Some(2e5), || Some(5e4)), Some(1e5));
        assert_eq!(limited.rate(Some(8e4), || Some(5e4)), Some(8e4));
        assert_eq!(Pacer::new(true, None).rate(None, || Some(5e4)), None);
        assert!(!Pacer::new(false, None).paces());
    }

    /// At 100,000 bytes/s a segment of 1,000 bytes takes 10 ms. A late segment is not followed by a burst.
    #[test]
    fn segments_are_spaced_by_the_pacing_rate() {
        let mut pacer = Pacer::new(true, None);
        assert!(!pacer.is_early(Time::ZERO));
        pacer.on_sent(Time::ZERO, 1000, 1e5);
        assert!(pacer.is_early(Time::from_millis(9)) && !pacer.is_early(Time::from_millis(10)));
        assert_eq!(pacer.deadline(), Time::NEVER, "nothing waits");
        pacer.hold(true);
        assert_eq!(pacer.deadline(), Time::from_millis(10));
        pacer.on_sent(Time::from_millis(50), 1000, 1e5);
        assert_eq!(pacer.deadline(), Time::from_millis(60));
    }
}
