//! Delayed acknowledgments [RFC5681 s4.2, RFC9293 s3.8.6.3].

use engine::Time;

use crate::config::Delay;

/// Acknowledgments due or delayed.
#[derive(Debug)]
pub(super) struct Delayed {
    settings: Delay,
    /// Acknowledgments to send now, each in a separate segment.
    owed: u32,
    /// Number of segments whose acknowledgment is delayed.
    waiting: u32,
    /// Time at which the delayed acknowledgment is due.
    until: Time,
    arrived: u32,
    /// Whether the first segments are acknowledged one by one.
    quick: bool,
}

impl Delayed {
    pub fn new(settings: Delay) -> Self {
        Delayed { settings, owed: 0, waiting: 0, until: Time::NEVER, arrived: 0, quick: true }
    }

    /// Processes a received segment. `hurry` is true if its acknowledgment must not be delayed.
    #[inline]
    pub fn on_segment(&mut self, now: Time, hurry: bool) {
        self.arrived = self.arrived.saturating_add(1);
        if hurry || self.settings.every <= 1 || (self.quick && self.arrived <= self.settings.quick_acks) {
            return self.at_once();
        }
        self.waiting += 1;
        if self.waiting >= self.settings.every {
            self.at_once();
        } else if self.until == Time::NEVER {
            self.until = now + self.settings.delay;
        }
    }

    #[inline]
    pub fn at_once(&mut self) {
        self.owed += 1;
        self.waiting = 0;
        self.until = Time::NEVER;
    }

    /// Whether an acknowledgment is delayed.
    #[inline]
    pub fn waits(&self) -> bool {
        self.waiting > 0
    }

    pub fn set_quick(&mut self, on: bool) {
        self.quick = on;
        if on && self.waiting > 0 {
            // The delayed acknowledgment is due immediately.
            self.until = Time::ZERO;
        }
    }

    #[inline]
    pub fn take(&mut self, now: Time) -> bool {
        if now >= self.until {
            self.at_once();
        }
        let owes = self.owes();
        self.owed -= u32::from(owes);
        owes
    }

    /// Whether an acknowledgment is due.
    #[inline]
    pub fn owes(&self) -> bool {
        self.owed > 0
    }

    #[inline]
    pub fn clear(&mut self) {
        self.owed = 0;
        self.waiting = 0;
        self.until = Time::NEVER;
    }

    #[inline]
    pub fn deadline(&self) -> Time {
        self.until
    }
}
