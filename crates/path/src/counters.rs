//! The counters of a link.

use engine::Span;

/// Counters of one direction of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HopCounters {
    /// Number of frames whose transmission began; on a link without a link layer, packets.
    pub frames_sent: u64,
    /// Number of frames corrupted by the channel.
    pub frames_corrupted: u64,
    /// Number of frames lost to collisions in a shared medium.
    pub frames_collided: u64,
    /// Number of packets lost: dropped by the queue, given up by the link layer, or corrupted without a link layer.
    pub packets_dropped: u64,
    /// Number of these packets that were dropped because the queue was full.
    pub queue_full: u64,
    /// Number of packets marked (ECN).
    pub marked: u64,
    /// Number of packets given up by the link layer.
    pub given_up: u64,
    /// Number of frames that arrived a second time.
    pub duplicates: u64,
    /// Number of frames that arrived and delivered no packet: out of sequence with go-back-N, or parity.
    pub discarded: u64,
    /// Number of packets restored from parity after the loss of their frames.
    pub recovered: u64,
    /// Number of packets that arrived.
    pub packets_delivered: u64,
    /// Time spent transmitting; for a frame in transmission, the elapsed part.
    pub busy: Span,
}
