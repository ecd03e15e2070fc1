//! The state of an end in the terms of Linux's `struct tcp_info`.

use engine::Span;

use crate::state::State;

/// The state of the sending half (`tcpi_ca_state`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SenderPhase {
    /// Normal operation.
    Open,
    /// Duplicate acknowledgments or SACKs, possibly a loss.
    Disorder,
    /// cwnd is being reduced after an ECN mark (CWR).
    Reduced,
    /// Fast recovery.
    Recovery,
    /// The retransmission timer has expired.
    Loss,
}

/// The state of one end of a connection at one time. Windows and counts are in segments, as in Linux.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Info {
    /// State of the connection.
    pub state: State,
    /// State of the sending half.
    pub phase: SenderPhase,
    /// Congestion window, in whole segments.
    pub cwnd: u32,
    /// Slow start threshold; `None` before the first loss.
    pub ssthresh: Option<u32>,
    /// Retransmission timeout.
    pub rto: Span,
    /// Smoothed round-trip time.
    pub rtt: Span,
    /// Variation of the round-trip time (RTTVAR).
    pub rttvar: Span,
    /// The minimum round-trip time; `None` before the first measurement.
    pub min_rtt: Option<Span>,
    /// Consecutive doublings of the timeout.
    pub backoff: u32,
    /// Consecutive timeouts.
    pub retransmits: u32,
    /// Segments outstanding.
    pub unacked: u32,
    /// Segments SACKed, or duplicates counted without SACK.
    pub sacked: u32,
    /// Segments marked lost.
    pub lost: u32,
    /// Retransmitted segments that are outstanding.
    pub retrans: u32,
    /// Retransmitted segments in all.
    pub total_retrans: u64,
    /// Maximum distance by which segments were reordered, in segments.
    pub reordering: u32,
    /// Number of segments seen out of order.
    pub reord_seen: u32,
    /// Bytes of data in a full segment.
    pub snd_mss: u32,
    /// Bytes acknowledged.
    pub bytes_acked: u64,
    /// Bytes received in order.
    pub bytes_received: u64,
    /// Bytes written by the application and not sent.
    pub notsent_bytes: u64,
    /// The receive window of the other end, in bytes.
    pub snd_wnd: u64,
    /// Data segments sent.
    pub data_segs_out: u64,
}
