//! What a capture shows of a connection: the input of an observation, in place of the events of a run.
//!
//! A capture shows the packets of a connection at one place. Whether a segment arrived follows only from later
//! acknowledgments. Therefore a [`CapturedSink`] receives the facts with a delay, in order of time. Values that a
//! capture may lack are given as [`Evidence`].

use engine::{Rate, Span, Time};
use path::{HopId, LinkDirection, LinkId};
use sim::NodeId;
use tcp::{Blocked, Reason};

use crate::evidence::Evidence;
use crate::sender_fact::SenderFact;

/// The ends of the path.
pub(crate) const SENDER: NodeId = NodeId::new(0);
pub(crate) const RECEIVER: NodeId = NodeId::new(1);

/// The hop from the sender to the receiver.
pub(crate) const FORWARD: HopId = LinkId::new(0).hop(LinkDirection::Forward);

/// A connection, as far as its capture shows it.
#[derive(Clone, PartialEq, Debug)]
pub struct CapturedConnection {
    /// Name of the connection.
    pub name: String,
    /// The sender and the receiver of its data.
    pub ends: [String; 2],
    /// Time of the connection's first segment.
    pub start: Time,
    /// Bytes of data in a full segment.
    pub segment: u32,
    /// Bytes of the packet of a full segment, with the IP and TCP headers.
    pub packet: u32,
    /// Bytes of data, from the first one captured to the last.
    pub bytes: u64,
    /// The rate of the slowest link.
    pub rate: Evidence<Rate>,
    /// The propagation delay from one end to the other.
    pub delay: Evidence<Span>,
    /// The receive window of the first acknowledgment.
    pub receive_window: Evidence<u64>,
    /// Whether the capture is known to be from the sender, so that the sender's times are exact.
    pub is_at_sender: bool,
}

/// The fate of a packet. A lost packet is ordered after all that arrived.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CapturedFate {
    /// The packet arrived at the other end at this time.
    Arrived(Time),
    /// The packet was lost.
    Lost,
}

impl CapturedFate {
    /// Returns the arrival time of the transmission, if it arrived.
    pub fn arrival(self) -> Option<Time> {
        match self {
            CapturedFate::Arrived(at) => Some(at),
            CapturedFate::Lost => None,
        }
    }

    /// Returns the fate with the arrival time converted.
    #[must_use]
    pub fn map_arrival(self, convert: impl FnOnce(Time) -> Time) -> Self {
        self.arrival().map_or(CapturedFate::Lost, |at| CapturedFate::Arrived(convert(at)))
    }
}

/// The times at which the slowest link transmitted a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkService {
    /// Time from which the link was free for the segment.
    pub starts: Time,
    /// Time at which the segment had left the link.
    pub leaves: Time,
}

/// A transmission of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CapturedTransmission {
    /// First byte of the segment, counted from the first byte of the connection.
    pub seq: u64,
    /// Bytes of data.
    pub len: u32,
    /// Reason of the transmission.
    pub reason: Evidence<Reason>,
    /// Fate of the transmission.
    pub fate: Evidence<CapturedFate>,
    /// Time of the segment on the slowest link; `None` if the segment did not arrive.
    pub service: Option<LinkService>,
}

impl CapturedTransmission {
    /// Whether the first byte of the transmission was sent before.
    pub fn is_retransmission(&self) -> bool {
        self.reason != Evidence::Known(Reason::New)
    }

    /// Returns the arrival time of the transmission, if it arrived.
    pub fn arrival(&self) -> Option<Time> {
        self.fate.value()?.arrival()
    }
}

/// Something that a capture shows. Offsets count from the first byte of data and do not wrap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum CapturedFact {
    /// The first segment of the connection.
    Began,
    /// The sender opens the connection.
    HandshakeBegan,
    /// The sender may send data.
    HandshakeEnded,
    /// The sender sent a segment. Its fate is known now, if it will ever be known.
    Sent(CapturedTransmission),
    /// A segment arrived at the receiver.
    Arrived {
        /// First byte of the segment.
        seq: u64,
        /// Bytes of data.
        len: u32,
    },
    /// A segment would have arrived by now, and was lost on the path.
    Lost {
        /// First byte of the segment.
        seq: u64,
        /// Bytes of data.
        len: u32,
        /// When it was sent.
        sent: Time,
    },
    /// The receiver sent an acknowledgment.
    AckSent {
        /// The next byte expected.
        ack: u64,
    },
    /// The acknowledgment arrived at the sender.
    AckArrived {
        /// The next byte expected.
        ack: u64,
        /// The receive window that the acknowledgment states.
        window: Evidence<u64>,
    },
    /// A SYN of the receiver arrived at the sender.
    ReceiverOpened {
        /// The receive window stated by the SYN, which is never scaled [RFC7323 s2.2].
        window: u64,
    },
    /// The receiver reported bytes that had arrived twice (RFC 2883).
    DuplicateReported {
        /// The first byte.
        from: u64,
        /// The byte after the last one.
        to: u64,
    },
    /// An acknowledgment acknowledged new data, or was a duplicate.
    Acked {
        /// The next byte expected.
        ack: u64,
        /// Whether the acknowledgment is a duplicate.
        duplicate: bool,
    },
    /// An acknowledgment measured a round trip of a segment that was sent once.
    RoundTrip {
        /// The round trip.
        rtt: Span,
        /// The SRTT (RFC 6298).
        smoothed: Span,
        /// The sender's timeout.
        timeout: Evidence<Span>,
        /// Bytes of data of the segment.
        len: u32,
    },
    /// The sender's windows changed.
    Window {
        /// The congestion window in bytes.
        cwnd: Evidence<f64>,
        /// The slow start threshold in bytes.
        ssthresh: Evidence<f64>,
    },
    /// The reason why the sender sends nothing.
    Blocked(Evidence<Blocked>),
    /// The sender's retransmission timer expired.
    TimerExpired {
        /// First unacknowledged byte.
        seq: u64,
        /// Consecutive expiries, this one included.
        nth: u32,
        /// Reason of the retransmission that shows the expiry.
        cause: Evidence<Reason>,
        /// The timeout that follows.
        next: Evidence<Span>,
    },
    /// Acknowledgments showed a loss.
    FastRetransmit {
        /// First byte of the segment that was retransmitted.
        seq: u64,
        /// Reason of the retransmission that shows the recovery.
        cause: Evidence<Reason>,
    },
    /// Everything that was sent before the loss is acknowledged.
    RecoveryEnd,
    /// All data that was captured is acknowledged.
    AllAcknowledged {
        /// Whether the transfer ends with this acknowledgment.
        ends: Evidence<bool>,
    },
}

/// Receives the facts of one connection, in order of time.
pub trait CapturedSink {
    /// Handles a fact.
    fn on_captured(&mut self, at: Time, fact: &CapturedFact);
}

/// Discards every fact.
impl CapturedSink for sim::NullSink {
    fn on_captured(&mut self, _: Time, _: &CapturedFact) {}
}

/// Passes facts to the sink, if there is one.
impl<S: CapturedSink> CapturedSink for Option<S> {
    fn on_captured(&mut self, at: Time, fact: &CapturedFact) {
        if let Some(sink) = self {
            sink.on_captured(at, fact);
        }
    }
}

/// Passes each fact to both sinks.
impl<A: CapturedSink, B: CapturedSink> CapturedSink for (A, B) {
    fn on_captured(&mut self, at: Time, fact: &CapturedFact) {
        self.0.on_captured(at, fact);
        self.1.on_captured(at, fact);
    }
}

impl CapturedFact {
    /// Returns the sender's action if this fact is one.
    pub(crate) fn sender_fact(&self) -> Option<SenderFact> {
        Some(match *self {
            CapturedFact::Sent(sent) => SenderFact::Sent { reason: sent.reason.value()? },
            CapturedFact::Acked { duplicate, .. } => SenderFact::Acked { duplicate },
            CapturedFact::Window { .. } => SenderFact::WindowChanged,
            CapturedFact::TimerExpired { seq, nth, .. } => SenderFact::TimerExpired { seq, nth },
            CapturedFact::FastRetransmit { seq, .. } => SenderFact::FastRetransmit { seq },
            CapturedFact::RecoveryEnd => SenderFact::RecoveryEnd,
            CapturedFact::RoundTrip { rtt, .. } => SenderFact::RoundTrip { rtt },
            CapturedFact::HandshakeBegan | CapturedFact::HandshakeEnded => SenderFact::Other,
            CapturedFact::Began
            | CapturedFact::Arrived { .. }
            | CapturedFact::Lost { .. }
            | CapturedFact::AckSent { .. }
            | CapturedFact::AckArrived { .. }
            | CapturedFact::ReceiverOpened { .. }
            | CapturedFact::DuplicateReported { .. }
            | CapturedFact::Blocked(_)
            | CapturedFact::AllAcknowledged { .. } => return None,
        })
    }
}
