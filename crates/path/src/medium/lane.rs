//! A station's queue for one neighbour, and the link layer's state toward it.

use engine::{Order, Time};
use wire::Packet;

use super::rate::RateControl;
use crate::backlog::Backlog;
use crate::event::HopId;
use crate::link::Counters;

/// A packet in the hands of the MAC, until it is delivered or given up.
pub(super) struct Head {
    pub packet: Packet,
    pub number: u64,
    /// Attempts of data.
    pub attempts: u32,
    /// Failures of short frames and of long ones since the last success of their kind with this packet
    /// [802.11-2007 s9.2.5.3].
    pub failures: [u32; 2],
    /// All failures.
    pub failed: u32,
    /// Bytes of it that have been acknowledged in fragments.
    pub done: u32,
    /// How often the fragment that comes next has been sent.
    pub sent: u32,
    /// Whether the far end has all of it, though perhaps nobody knows here.
    pub arrived: bool,
}

/// One neighbour.
pub(super) struct Lane {
    pub hop: HopId,
    /// The neighbour's number in the medium.
    pub to: u32,
    pub backlog: Backlog,
    pub head: Option<Head>,
    pub rate: Box<dyn RateControl>,
    /// Packets given up since one was last acknowledged.
    pub drops_in_a_row: u32,
    pub counters: Counters,
    /// Whether the neighbour listens: a mobile listens to the base station that it is associated with.
    pub open: bool,
    /// When its last frame has left.
    pub sent_until: Time,
    next_number: u64,
    /// At the far end: the next packet number and byte of it that is not a repetition.
    expected: (u64, u32),
}

impl Lane {
    pub fn new(hop: HopId, to: u32, backlog: Backlog, rate: Box<dyn RateControl>) -> Self {
        Lane {
            hop,
            to,
            backlog,
            head: None,
            rate,
            drops_in_a_row: 0,
            counters: Counters::default(),
            open: true,
            sent_until: Time::ZERO,
            next_number: 0,
            expected: (0, 0),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.head.is_none() && self.backlog.is_empty()
    }

    pub fn push(&mut self, packet: Packet, order: Order, urgent: bool) {
        self.backlog.push(packet, order, urgent);
    }

    /// Takes the first packet that waits into the hands of the MAC, unless it has one.
    pub fn take_head(&mut self) {
        if self.head.is_none() {
            self.head = self.backlog.pop().map(|(packet, _)| {
                self.next_number += 1;
                let number = self.next_number - 1;
                Head { packet, number, attempts: 0, failures: [0; 2], failed: 0, done: 0, sent: 0, arrived: false }
            });
        }
    }

    /// At the far end: whether a frame that ends with byte `end` of packet `number` brings anything new.
    pub fn receive(&mut self, number: u64, end: u32) -> bool {
        let new = (number, end) >= self.expected;
        if new {
            self.expected = (number, end + 1);
        }
        new
    }
}
