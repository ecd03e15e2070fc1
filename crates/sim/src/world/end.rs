//! A connection's place in the world: its node, its peer, and its timer.

use engine::{Order, Schedule, Slot, Time};
use tcp::Connection;
use wire::{Addr, Packet};

/// One end of one flow.
pub(super) struct End {
    pub connection: Connection,
    pub node: usize,
    pub addr: Addr,
    pub peer: Addr,
    pub flow: u32,
    /// Whether this is the end that sends data.
    pub sends: bool,
    /// With so many bytes acknowledged the flow is completed; `u64::MAX` if there is nothing to wait for, or no more.
    pub goal: u64,
    /// Whether its application closes when the other end has.
    pub closes_at_end: bool,
    /// Whether the flow can be over otherwise than by completion, so that the state of the connection matters.
    pub watched: bool,
    pub slot: Slot,
    /// What the connection last asked for, and its place in the order of events since then.
    wanted: (Time, Order),
    /// What is in the schedule; earlier than what is wanted if the timer has been pushed back since.
    armed: (Time, Order),
}

/// Whether a connection's time has come.
pub(super) enum Due {
    /// The timer has been pushed back, or stopped, since it was armed.
    Later,
    /// It has expired.
    Now,
}

impl End {
    pub fn new(connection: Connection, node: usize, addr: Addr, peer: Addr, flow: u32, slot: Slot) -> Self {
        let never = (Time::NEVER, Order::default());
        End {
            connection,
            node,
            addr,
            peer,
            flow,
            sends: false,
            goal: u64::MAX,
            closes_at_end: false,
            watched: false,
            slot,
            wanted: never,
            armed: never,
        }
    }

    /// Writes the next packet the connection wants sent over `packet`; whether there was one.
    #[inline]
    pub fn poll(&mut self, now: Time, packet: &mut Packet) -> bool {
        match self.connection.poll_into(now, packet.segment_to_write()) {
            Some(ecn) => {
                packet.src = self.addr;
                packet.dst = self.peer;
                packet.ecn = ecn;
                true
            }
            None => false,
        }
    }

    /// Notes when the connection wants to wake. A timer that is pushed back, as each acknowledgment does, leaves the
    /// schedule alone.
    #[inline]
    pub fn keep_timer(&mut self, schedule: &mut Schedule) {
        let deadline = self.connection.poll_timeout();
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
            // Whatever the connection wants next is news.
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
