//! The counters of a link.

use engine::Span;

/// What a link counts, in each direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Frames whose sending began; on a link without link layer, packets.
    pub frames_sent: u64,
    /// Frames that did not survive the channel.
    pub frames_corrupted: u64,
    /// Frames that others damaged; in a shared medium.
    pub frames_collided: u64,
    /// Packets lost for good: queue full, or the link layer gave up, or corrupted where there is no link layer.
    pub packets_dropped: u64,
    /// Of these, packets that found the queue full.
    pub queue_full: u64,
    /// Packets marked because too many waited when they came.
    pub marked: u64,
    /// Packets that the link layer gave up on.
    pub given_up: u64,
    /// Frames that arrived a second time.
    pub duplicates: u64,
    /// Frames that arrived and brought no packet: out of turn with go-back-N, or parity.
    pub discarded: u64,
    /// Packets that came out of parity, their own frames being lost.
    pub recovered: u64,
    /// Packets that arrived.
    pub packets_delivered: u64,
    /// Time spent sending frames; of a frame that is being sent, the part that is over.
    pub busy: Span,
}
