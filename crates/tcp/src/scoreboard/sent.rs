//! A sent segment: when it was sent, and the delivery state at that time.

use engine::Time;

/// A segment that has been sent.
#[derive(Clone, Copy, Debug)]
pub struct SentSegment {
    /// First byte.
    pub seq: u64,
    /// Length in sequence numbers: bytes, and one for a FIN.
    pub len: u32,
    /// Time of its last transmission.
    pub at: Time,
    /// Its number in the order of transmission, modulo 2^32.
    pub turn: u32,
    /// SACKed.
    pub sacked: bool,
    /// Marked lost. A lost segment that was retransmitted is lost and `resent`.
    pub lost: bool,
    /// Retransmitted since it was marked lost, and not lost again.
    pub resent: bool,
    /// Sent more than once, ever.
    pub retransmitted: bool,
    /// Whether its last sequence number is a FIN.
    pub fin: bool,
}

impl SentSegment {
    /// Its last transmission, in an order that distinguishes transmissions at the same time.
    #[inline]
    pub fn moment(&self) -> Moment {
        Moment { at: self.at, turn: self.turn }
    }

    /// First byte after it.
    #[inline]
    pub fn end(&self) -> u64 {
        self.seq + u64::from(self.len)
    }
}

/// A point in the order of transmissions: the time, and the number among those at the same time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Moment {
    /// When.
    pub at: Time,
    /// Its number in the order of transmission, modulo 2^32.
    turn: u32,
}

impl Moment {
    /// Whether it was sent after `other`.
    #[inline]
    pub fn is_after(self, other: Moment) -> bool {
        self.at > other.at || self.at == other.at && (self.turn.wrapping_sub(other.turn) as i32) > 0
    }
}

/// The state of the delivery rate estimate when a segment was sent [draft-ietf-ccwg-bbr s4.1.2.2].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Snapshot {
    /// Bytes delivered by then, and when the last of them were.
    pub delivered: u64,
    pub delivered_at: Time,
    /// When the first segment of its flight was sent.
    pub flight_began: Time,
    /// Bytes lost by then.
    pub lost: u64,
    /// Bytes in the network, this segment included.
    pub flight: u64,
    /// Whether samples measure the application's rate, not the network's.
    pub app_limited: bool,
}
