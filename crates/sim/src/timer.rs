//! A timer that is mostly pushed back before it expires.

use engine::{Order, Schedule, Slot, Time};

/// A wish to wake. A later one leaves the schedule alone: the slot comes up too early then, and is armed anew.
pub(crate) struct Timer {
    slot: Slot,
    /// What was asked for last, and its place in the order of events since then.
    wanted: (Time, Order),
    /// What is in the schedule; earlier than what is wanted if that has been pushed back since.
    armed: (Time, Order),
}

/// Whether a timer's time has come.
pub(crate) enum Due {
    /// It has been pushed back, or stopped, since it was armed.
    Later,
    /// It has expired.
    Now,
}

impl Timer {
    /// A timer that does not run.
    pub fn new(slot: Slot) -> Self {
        let never = (Time::NEVER, Order::default());
        Timer { slot, wanted: never, armed: never }
    }

    /// Notes when it is to expire; NEVER if not.
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

    /// The slot has come up.
    pub fn due(&mut self, now: Time, schedule: &mut Schedule) -> Due {
        if self.wanted.0 == Time::NEVER {
            schedule.disarm(self.slot);
            self.armed.0 = Time::NEVER;
            return Due::Later;
        }
        if self.wanted == self.armed && self.wanted.0 <= now {
            schedule.disarm(self.slot);
            self.armed.0 = Time::NEVER;
            // Whatever is wanted next is news.
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
