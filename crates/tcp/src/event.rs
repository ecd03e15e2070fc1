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

/// Why a sender that was asked for a segment gave none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blocked {
    /// The application has handed over nothing more; what was sent may still be unacknowledged.
    Data,
    /// The receiver's window has no space for the next segment, or is closed.
    PeerWindow,
    /// The next segment is small and waits for more data (Nagle, TCP_CORK, MSG_MORE).
    Nagle,
    /// As much is in the network as the congestion window allows, with what recovery makes of it for now.
    Cwnd,
    /// The congestion control paces, and the next segment may not leave yet.
    Pacing,
}

impl Blocked {
    /// Every reason.
    pub const ALL: [Blocked; 5] = [Blocked::Data, Blocked::PeerWindow, Blocked::Nagle, Blocked::Cwnd, Blocked::Pacing];

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Blocked::Data => "data",
            Blocked::PeerWindow => "peer-window",
            Blocked::Nagle => "nagle",
            Blocked::Cwnd => "cwnd",
            Blocked::Pacing => "pacing",
        }
    }
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
    /// Nothing could be sent, and the last time that nothing could it was for another reason. What is sent in between does not
    /// end it: a sender whose window lets one segment out for each acknowledgment is blocked by it once.
    Blocked {
        /// Why.
        reason: Blocked,
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
    /// The last reduction was spurious, and was taken back.
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
