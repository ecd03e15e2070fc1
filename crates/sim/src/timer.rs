//! A timer that is usually postponed before it expires.

use engine::{Order, Schedule, Slot, Time};

/// A requested wake-up. If it is postponed, the schedule remains unchanged: the scheduled wake-up is then early, and is
/// rescheduled.
pub(crate) struct Timer {
    slot: Slot,
    /// The requested time, and its position in the order of events since the request.
    wanted: (Time, Order),
    /// The scheduled time. It is earlier than the requested time if the wake-up was postponed.
    armed: (Time, Order),
}

/// The result of a scheduled wake-up.
pub(crate) enum Due {
    /// The timer was postponed, or stopped.
    Later,
    /// The timer has expired.
    Now,
}

impl Timer {
    /// A stopped timer.
    pub fn new(slot: Slot) -> Self {
        let never = (Time::NEVER, Order::default());
        Timer { slot, wanted: never, armed: never }
    }

    /// Slot of the timer's wake-up.
    pub fn slot(&self) -> Slot {
        self.slot
    }

    /// Sets the expiry; `NEVER` stops the timer.
    #[inline]
    pub fn want(&mut self, deadline: Time, schedule: &mut Schedule) {
        if deadline == self.wanted.0 {
            return;
        }
        self.wanted = (deadline, schedule.order());
        if deadline < self.armed.0 {
            self.arm(schedule);
        }
    }

    /// Handles a scheduled wake-up that has been reached.
    pub fn due(&mut self, now: Time, schedule: &mut Schedule) -> Due {
        if self.wanted.0 == Time::NEVER {
            schedule.disarm(self.slot);
            self.armed.0 = Time::NEVER;
            return Due::Later;
        }
        if self.wanted == self.armed && self.wanted.0 <= now {
            schedule.disarm(self.slot);
            self.armed.0 = Time::NEVER;
            // The next request must be scheduled.
            self.wanted.0 = Time::NEVER;
            return Due::Now;
        }
        self.arm(schedule);
        Due::Later
    }

    fn arm(&mut self, schedule: &mut Schedule) {
        self.armed = self.wanted;
        schedule.arm_as(self.slot, self.armed.0, self.armed.1);
    }
}
