//! Pacing: segments are sent at the rate set by the congestion control [draft-ietf-ccwg-bbr s5.6.2].

use engine::{Span, Time};

/// The time from which the next segment may be sent. Segments are delayed only if the control paces.
#[derive(Debug)]
pub(super) struct Pacer {
    departure_time: Time,
    paces: bool,
    /// Whether only pacing delays a segment.
    holds: bool,
}

impl Pacer {
    pub fn new(paces: bool) -> Self {
        Pacer { departure_time: Time::ZERO, paces, holds: false }
    }

    /// Whether the control paces.
    #[inline]
    pub fn paces(&self) -> bool {
        self.paces
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

    /// At 100,000 bytes/s a segment of 1,000 bytes takes 10 ms. A late segment is not followed by a burst.
    #[test]
    fn segments_are_spaced_by_the_pacing_rate() {
        let mut pacer = Pacer::new(true);
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
