//! What an end knows of itself, in the terms of Linux's `struct tcp_info`.

use engine::Span;

use crate::state::State;

/// What the sending half is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Nothing unusual.
    Open,
    /// Something came out of order; it may be a loss.
    Disorder,
    /// The window is being reduced because of a mark (CWR).
    Reduced,
    /// Fast recovery.
    Recovery,
    /// The retransmission timer has expired.
    Loss,
}

/// A look at an end. Windows and counts are in segments, as Linux has them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Info {
    /// Where the connection stands.
    pub state: State,
    /// What the sending half is doing.
    pub phase: Phase,
    /// Whole segments that may be in the network.
    pub cwnd: u32,
    /// Slow start threshold; none before the first loss.
    pub ssthresh: Option<u32>,
    /// Retransmission timeout.
    pub rto: Span,
    /// Smoothed round-trip time.
    pub rtt: Span,
    /// Its variation.
    pub rttvar: Span,
    /// The least round-trip time; none before the first measurement.
    pub min_rtt: Option<Span>,
    /// How often the timeout is doubled.
    pub backoff: u32,
    /// Timeouts in a row.
    pub retransmits: u32,
    /// Segments outstanding.
    pub unacked: u32,
    /// Segments SACKed, or duplicates counted without SACK.
    pub sacked: u32,
    /// Segments taken for lost.
    pub lost: u32,
    /// Segments sent again that are outstanding.
    pub retrans: u32,
    /// Segments sent again in all.
    pub total_retrans: u64,
    /// How far segments have been seen to be out of order, in segments.
    pub reordering: u32,
    /// How often.
    pub reord_seen: u32,
    /// Bytes of data in a full segment.
    pub snd_mss: u32,
    /// Bytes acknowledged.
    pub bytes_acked: u64,
    /// Bytes received in order.
    pub bytes_received: u64,
    /// Bytes handed over and not sent.
    pub notsent_bytes: u64,
    /// Bytes the other end takes.
    pub snd_wnd: u64,
    /// Data segments sent.
    pub data_segs_out: u64,
}
