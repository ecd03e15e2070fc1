//! Events and counters at one end of a connection.

use engine::Span;
use wire::NoticeKind;

use crate::state::State;

/// The reason why a segment was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Data that was never sent before.
    New,
    /// Duplicate acknowledgments reached the threshold, or recovery marked it lost.
    FastRetransmit,
    /// The retransmission timer expired, now or earlier: go-back-N from the first unacknowledged byte.
    Timeout,
    /// A message from the network requested the retransmission.
    Notice,
    /// A tail loss probe.
    Probe,
    /// Retransmission because a closed receive window has opened again.
    Reopened,
}

/// The reason why a poll for a segment returned no segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blocked {
    /// No unsent data; data in flight may be unacknowledged.
    Data,
    /// The application has data to send that does not fit in the send buffer.
    SendBuffer,
    /// The next segment does not fit in the receive window.
    PeerWindow,
    /// The next segment is small and waits for more data (Nagle, TCP_CORK, MSG_MORE).
    Nagle,
    /// The pipe is at cwnd, including recovery's adjustments.
    Cwnd,
    /// The congestion control paces, and the next segment is not due yet.
    Pacing,
}

impl Blocked {
    /// Every reason.
    pub const ALL: [Blocked; 6] =
        [Blocked::Data, Blocked::SendBuffer, Blocked::PeerWindow, Blocked::Nagle, Blocked::Cwnd, Blocked::Pacing];

    /// The name in traces.
    pub fn name(self) -> &'static str {
        match self {
            Blocked::Data => "data",
            Blocked::SendBuffer => "send-buffer",
            Blocked::PeerWindow => "peer-window",
            Blocked::Nagle => "nagle",
            Blocked::Cwnd => "cwnd",
            Blocked::Pacing => "pacing",
        }
    }
}

/// An event at one end. Offsets count from the beginning of the stream and never wrap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Event {
    /// The connection entered another state. Initial states (ESTABLISHED, LISTEN) are not reported.
    State {
        /// The new state.
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
    /// The sender is blocked for another reason than the last reported one. Transmissions in between do not end a
    /// reason: a sender whose window allows one segment per acknowledgment reports it once.
    Blocked {
        /// Why.
        reason: Blocked,
    },
    /// An acknowledgment was received.
    AckReceived {
        /// Next byte that the other end expects.
        ack: u64,
        /// Whether the acknowledgment is a duplicate [RFC5681 s2].
        duplicate: bool,
    },
    /// cwnd or ssthresh changed.
    Window {
        /// Congestion window in bytes, including recovery's adjustments.
        cwnd: f64,
        /// Slow start threshold in bytes; infinite before the first loss.
        ssthresh: f64,
    },
    /// The number of unacknowledged bytes changed.
    Flight {
        /// Bytes sent and not acknowledged.
        bytes: u64,
    },
    /// Duplicate acknowledgments showed a loss.
    FastRetransmit {
        /// First byte of the segment marked lost.
        seq: u64,
    },
    /// A duplicate acknowledgment began recovery without a reduction, because the network had reported the segment as
    /// lost.
    NotifiedRecovery {
        /// First byte of the segment.
        seq: u64,
    },
    /// Recovery ended with an acknowledgment of new data.
    RecoveryEnd,
    /// The last reduction was spurious and was undone.
    Undone,
    /// cwnd was reduced because the network marked a packet.
    MarkAnswered,
    /// The retransmission timer expired.
    Timeout {
        /// First unacknowledged byte.
        seq: u64,
        /// Number of consecutive expiries, including this one.
        nth: u32,
        /// The timeout that follows.
        rto: Span,
    },
    /// A message about a segment was received.
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
    /// Data was received.
    SegmentReceived {
        /// First byte.
        seq: u64,
        /// Bytes.
        len: u32,
        /// Whether the segment contained the next expected byte.
        in_order: bool,
    },
    /// Received data was discarded, because its segment was not acceptable or too old by its timestamp.
    SegmentDiscarded {
        /// First byte.
        seq: u64,
        /// Bytes.
        len: u32,
    },
}
