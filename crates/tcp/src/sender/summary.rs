//! The totals of the segments that an acknowledgment delivers.

use engine::Time;
use wire::{SackBlocks, SeqNum};

use super::arrival::AckArrival;
use crate::scoreboard::{Scoreboard, SentSegment};

/// The totals of the segments that an acknowledgment delivers.
#[derive(Default)]
pub(super) struct AckSummary {
    /// Bytes delivered.
    pub delivered: u64,
    /// Delivered bytes that were SACKed.
    pub sacked: u64,
    /// Transmission time of the oldest acknowledged segment among segments sent only once.
    pub acked_at: Option<Time>,
    /// Transmission time of the oldest SACKed segment among segments sent only once.
    pub sacked_at: Option<Time>,
    /// Transmission time of the newest of these segments.
    pub newest_at: Option<Time>,
    /// Whether an acknowledged segment was sent more than once.
    pub retransmitted: bool,
    /// Whether a segment sent once only was sent before the current episode of retransmissions.
    pub originals: bool,
    /// The range of a duplicate arrival.
    pub duplicate: Option<(u64, u64)>,
}

impl AckSummary {
    /// Adds a segment that was delivered, by SACK or by acknowledgment; data before `episode` was sent before the
    /// present episode of retransmissions.
    #[inline]
    pub fn take(&mut self, sent: &SentSegment, by_sack: bool, episode: u64) {
        self.delivered += u64::from(sent.len);
        if by_sack {
            self.sacked += u64::from(sent.len);
        }
        if sent.retransmitted {
            self.retransmitted |= !by_sack;
            return;
        }
        self.originals |= sent.seq < episode;
        let first = if by_sack { &mut self.sacked_at } else { &mut self.acked_at };
        first.get_or_insert(sent.at);
        self.newest_at = Some(sent.at);
    }
}

/// The blocks as offsets; empty blocks and blocks before the beginning of the stream are removed.
pub(super) fn resolve_sack_blocks(
    arrival: &AckArrival<'_>,
    board: &Scoreboard,
) -> [Option<(u64, u64)>; SackBlocks::MAX] {
    let offset = |number: SeqNum| number.offset_from(arrival.origin, board.una());
    let mut blocks = [None; SackBlocks::MAX];
    for (place, (from, to)) in blocks.iter_mut().zip(arrival.sack.as_slice()) {
        *place = offset(*from).zip(offset(*to)).filter(|(from, to)| from < to);
    }
    blocks
}

/// Whether the first block reports a duplicate: it lies below the acknowledgment, or inside the second block [RFC2883
/// s4].
pub(super) fn is_duplicate(first: (u64, u64), ack: u64, second: Option<(u64, u64)>) -> bool {
    first.1 <= ack || second.is_some_and(|second| second.0 <= first.0 && first.1 <= second.1)
}
