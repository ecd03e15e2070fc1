//! What can be seen happening at an end.

use engine::Span;
use wire::NoticeKind;

use crate::state::State;

/// Why a segment was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Data that was never sent before.
    New,
    /// Enough duplicate acknowledgments asked for it.
    FastRetransmit,
    /// The retransmission timer expired, or an expiry before it made everything from there on be sent again.
    Timeout,
    /// A message from the network asked for it.
    Notice,
    /// To find out whether the tail was lost.
    Probe,
    /// A window that had closed over it has opened again.
    Reopened,
}

/// Something that happened at one end. Offsets count from the beginning of the stream and never wrap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Event {
    /// The connection has come to another state. One that begins in ESTABLISHED, or listens, does not say so.
    State {
        /// Which.
        state: State,
    },
    /// Data was sent.
    SegmentSent {
        /// First byte.
        seq: u64,
        /// Bytes.
        len: u32,
        /// Why.
        reason: Reason,
    },
    /// An acknowledgment came in.
    AckReceived {
        /// Next byte the other end expects.
        ack: u64,
        /// Whether it is a duplicate [RFC5681 s2].
        duplicate: bool,
    },
    /// The window changed.
    Window {
        /// Bytes that may be in flight as far as congestion goes, with what recovery adds for the moment.
        cwnd: f64,
        /// Slow start threshold in bytes; infinite before the first loss.
        ssthresh: f64,
    },
    /// The amount of unacknowledged data changed.
    Flight {
        /// Bytes sent and not acknowledged.
        bytes: u64,
    },
    /// Duplicate acknowledgments showed a loss.
    FastRetransmit {
        /// First byte of the segment taken for lost.
        seq: u64,
    },
    /// A duplicate acknowledgment for a segment the network had reported lost began recovery without a cut.
    NotifiedRecovery {
        /// First byte of the segment.
        seq: u64,
    },
    /// Recovery ended with an acknowledgment of new data.
    RecoveryEnd,
    /// The last reduction was needless, and was taken back.
    Undone,
    /// The window was reduced because the network marked a packet.
    MarkAnswered,
    /// The retransmission timer expired.
    Timeout {
        /// First unacknowledged byte.
        seq: u64,
        /// How many times in a row.
        nth: u32,
        /// The timeout that follows.
        rto: Span,
    },
    /// A message about a segment came in.
    NoticeReceived {
        /// Which.
        kind: NoticeKind,
        /// First byte of the segment.
        seq: u64,
    },
    /// A round trip was measured.
    RttSample {
        /// How long it took.
        rtt: Span,
        /// Smoothed round-trip time.
        srtt: Span,
        /// Retransmission timeout.
        rto: Span,
    },
    /// Data came in.
    SegmentReceived {
        /// First byte.
        seq: u64,
        /// Bytes.
        len: u32,
        /// Whether it was the next byte expected.
        in_order: bool,
    },
    /// Data came in with a segment that was not acceptable, or too old by its timestamp, and was not looked at.
    SegmentDiscarded {
        /// First byte.
        seq: u64,
        /// Bytes.
        len: u32,
    },
}
