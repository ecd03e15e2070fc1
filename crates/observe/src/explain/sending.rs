//! One sending of one packet: what a resent segment has several of.

use engine::{Span, Time};
use tcp::Reason;
use wire::Packet;

/// A packet on its way.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Sending {
    /// Tells it from other sendings of the same bytes.
    pub id: u64,
    pub packet: Packet,
    pub load: Load,
    /// When it entered the network.
    pub since: Time,
    /// Attempts of link layers that failed.
    pub failed: u32,
    /// The hop that it held longest: from when to when.
    pub longest: (Time, Time),
}

/// What it carries, in offsets of the stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Load {
    /// A segment.
    Data { seq: u64, len: u32, reason: Reason },
    /// An acknowledgment.
    Ack { ack: u64 },
    /// A message about a segment.
    Notice,
}

impl Sending {
    /// The first byte of data, if there is data.
    pub fn seq(&self) -> Option<u64> {
        match self.load {
            Load::Data { seq, .. } => Some(seq),
            _ => None,
        }
    }

    /// How long it held the hop it held longest.
    pub fn held(&self) -> Span {
        self.longest.1.since(self.longest.0)
    }

    /// It held a hop.
    pub fn crossed(&mut self, from: Time, to: Time) {
        if to.since(from) > self.held() {
            self.longest = (from, to);
        }
    }
}
