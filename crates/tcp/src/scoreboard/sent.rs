//! A sent segment: the time of its transmission, and the delivery state at that time.

use engine::Time;

/// A segment that has been sent.
#[derive(Clone, Copy, Debug)]
pub struct SentSegment {
    /// First byte.
    pub seq: u64,
    /// Length in sequence numbers: bytes, and one for a FIN.
    pub len: u32,
    /// Time of the segment's last transmission.
    pub at: Time,
    /// Number of the transmission in the order of transmissions, modulo 2^32.
    pub turn: u32,
    /// SACKed.
    pub sacked: bool,
    /// Marked lost. A lost segment that was retransmitted is lost and `resent`.
    pub lost: bool,
    /// Retransmitted since it was marked lost, and not marked lost again.
    pub resent: bool,
    /// Whether the segment was sent more than once.
    pub retransmitted: bool,
    /// Whether the segment ends with a FIN.
    pub fin: bool,
}

impl SentSegment {
    /// The last transmission of the segment, in an order that distinguishes simultaneous transmissions.
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

/// A point in the order of transmissions: the time, and the number among simultaneous transmissions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Moment {
    /// When.
    pub at: Time,
    /// Number of the transmission in the order of transmissions, modulo 2^32.
    turn: u32,
}

impl Moment {
    /// Whether this transmission is later than `other`.
    #[inline]
    pub fn is_after(self, other: Moment) -> bool {
        self.at > other.at || self.at == other.at && (self.turn.wrapping_sub(other.turn) as i32) > 0
    }
}

/// The state of the delivery rate estimate when a segment was sent [draft-ietf-ccwg-bbr s4.1.2.2].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Snapshot {
    /// Total bytes delivered until the transmission.
    pub delivered: u64,
    /// Time of the last delivery before the transmission.
    pub delivered_at: Time,
    /// Time at which the first segment of the flight was sent.
    pub flight_began: Time,
    /// Bytes lost by then.
    pub lost: u64,
    /// Bytes in the network, this segment included.
    pub flight: u64,
    /// Whether samples measure the application's rate, not the network's.
    pub app_limited: bool,
}
