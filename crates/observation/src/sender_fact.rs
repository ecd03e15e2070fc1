//! Actions of a flow's sender, as far as findings and budgets use them.

use engine::Span;
use tcp::{Event, Reason};

/// An action of a sender. [`SenderState`](crate::SenderState) has the values after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SenderFact {
    /// The sender sent data.
    Sent {
        /// Why.
        reason: Reason,
    },
    /// An acknowledgment arrived.
    Acked {
        /// Whether the acknowledgment is a duplicate.
        duplicate: bool,
    },
    /// The windows of the sender changed.
    WindowChanged,
    /// The sender's retransmission timer expired.
    TimerExpired {
        /// First unacknowledged byte.
        seq: u64,
        /// Consecutive expiries, this one included.
        nth: u32,
    },
    /// Duplicate acknowledgments showed a loss.
    FastRetransmit {
        /// First byte of the segment marked lost.
        seq: u64,
    },
    /// Recovery from a loss that the network had reported began.
    NotifiedRecovery {
        /// First byte of the segment.
        seq: u64,
    },
    /// An RTT was measured.
    RoundTrip {
        /// The measured RTT.
        rtt: Span,
    },
    /// Recovery ended.
    RecoveryEnd,
    /// The last reduction was undone.
    Undone,
    /// The sender reduced cwnd for an ECN mark.
    MarkAnswered,
    /// Something else.
    Other,
}

impl SenderFact {
    /// Returns the fact of a simulated sender's event; `None` for a reason why it sent nothing, which follows from
    /// other events.
    pub(crate) fn of_event(event: &Event) -> Option<Self> {
        Some(match *event {
            Event::Blocked { .. } => return None,
            Event::SegmentSent { reason, .. } => SenderFact::Sent { reason },
            Event::AckReceived { duplicate, .. } => SenderFact::Acked { duplicate },
            Event::Window { .. } => SenderFact::WindowChanged,
            Event::Timeout { seq, nth, .. } => SenderFact::TimerExpired { seq, nth },
            Event::FastRetransmit { seq } => SenderFact::FastRetransmit { seq },
            Event::NotifiedRecovery { seq } => SenderFact::NotifiedRecovery { seq },
            Event::RttSample { rtt, .. } => SenderFact::RoundTrip { rtt },
            Event::RecoveryEnd => SenderFact::RecoveryEnd,
            Event::Undone => SenderFact::Undone,
            Event::MarkAnswered => SenderFact::MarkAnswered,
            _ => SenderFact::Other,
        })
    }
}
