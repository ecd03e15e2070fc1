//! Pacing: segments leave at the rate that the congestion control asks for [draft-ietf-ccwg-bbr s5.6.2].

use engine::{Span, Time};

/// When the next segment may leave.
#[derive(Debug, Default)]
pub(crate) struct Pacer {
    release: Time,
}

impl Pacer {
    /// When the next segment may leave.
    #[inline]
    pub fn release(&self) -> Time {
        self.release
    }

    /// A segment of `len` bytes leaves at a rate of `rate` bytes per second. Time that went by without one is not made up
    /// for.
    #[inline]
    pub fn on_sent(&mut self, now: Time, len: u32, rate: f64) {
        let nanos = f64::from(len) * 1e9 / rate.max(1.0);
        let pause = Span::from_nanos(nanos.min(1e12) as u64);
        self.release = self.release.max(now) + pause;
    }
}
