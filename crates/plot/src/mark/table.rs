//! The table of marks, with the name, the shape and the meaning of each mark. A mark is one row here; pictures,
//! reports, figures and the page take it from this table, the page through the generated `web/src/vocabulary.ts`.
//!
//! Kinds differ in shape, so that colour is not needed to distinguish them, and the shapes nest: a retransmission lies
//! inside the mark of its cause. Chevrons point towards the receiver or the sender and are double for delayed packets;
//! a T marks packets that are not forwarded; circles mark events that stop or resume the sender.
//!
//! A row that ends with `@ PATTERN => seq` marks the occurrences that match, at the offset `seq`; the recorder, the
//! panels and figures need no other line.

use observation::{CapturedFact, Evidence};
use tcp::Event;
use wire::NoticeKind;

use super::ColorRole;
use super::MarkStep::{self, Circle, Close, Line, Move};
use super::occurrence::Occurrence::{self, Captured, Packet, Sender};
use super::occurrence::{PacketFate, PacketRole};

/// A row of the table.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MarkRow {
    /// The name: class in style sheets, kind in figures and lessons.
    pub kind: &'static str,
    /// The name in legends. Empty for actions of schemes, which have their own labels.
    pub label: &'static str,
    /// The colour's role.
    pub role: ColorRole,
    /// Width of the lines in pixels.
    pub width: f64,
    /// The shape around the mark's position, in pixels, rightwards and downwards.
    pub shape: &'static [MarkStep],
    /// The event, as a sentence without its full stop.
    pub what: &'static str,
    /// Why, as the rest of a sentence.
    pub why: &'static str,
    /// The rule: a section of an RFC or of a paper; empty if the model itself is the cause.
    pub rule: &'static str,
    /// Layer of the mark in the panel of sequence numbers, where higher ones hide lower ones; `None` for marks of other
    /// panels.
    pub layer: Option<MarkLayer>,
    /// True if its number lies on the border between two segments; false for the first byte of a segment.
    pub on_border: bool,
    /// True for a frequent mark, which is thinned and does not shrink the others.
    pub is_frequent: bool,
    /// True if it may change the window, so that the panel of windows has it, too.
    pub in_window: bool,
}

/// A layer of the panel of sequence numbers, from the lowest to the highest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MarkLayer {
    /// Below acknowledgments and segments, which a second connection would hide.
    BelowAcks,
    /// Between acknowledgments and segments.
    BelowSegments,
    /// Rare actions of schemes.
    Actions,
    /// Frames of the link layer.
    Frames,
    /// What the sender does.
    Sender,
    /// Notices that the sender only takes note of.
    Notices,
    /// Lost acknowledgments.
    LostAcks,
    /// Lost data.
    LostData,
}

impl MarkRow {
    /// The columns that a row leaves out.
    const DEFAULT: MarkRow = MarkRow {
        kind: "",
        label: "",
        role: ColorRole::Notice,
        width: 1.4,
        shape: &[],
        what: "",
        why: "",
        rule: "",
        layer: Some(MarkLayer::Sender),
        on_border: false,
        is_frequent: false,
        in_window: false,
    };
}

macro_rules! marks {
    ($(
        $(#[doc = $doc:literal])* $mark:ident { $($key:ident: $value:expr),* $(,)? }
        $(@ $pattern:pat => $seq:ident)?
    )*) => {
        /// A kind of event that is drawn as a mark at a time and a sequence number, or in a station's row.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Mark {
            $($(#[doc = $doc])* $mark,)*
        }

        impl Mark {
            /// Every mark, in the order of the table.
            pub const ALL: &'static [Mark] = &[$(Mark::$mark),*];

            /// The row of the table.
            pub const fn row(self) -> &'static MarkRow {
                match self {
                    $(Mark::$mark => const { &MarkRow { $($key: $value,)* ..MarkRow::DEFAULT } },)*
                }
            }

            /// Returns the mark of an occurrence, and its offset in the stream; `None` for what has no mark.
            pub(crate) fn find(occurrence: &Occurrence<'_>) -> Option<(Mark, u64)> {
                match occurrence {
                    $($($pattern => Some((Mark::$mark, *$seq)),)?)*
                    _ => None,
                }
            }
        }
    };
}

marks! {
    /// A segment that was sent before.
    Resent {
        kind: "resent",
        label: "sent again",
        role: ColorRole::Again,
        width: 0.8,
        shape: &[Move(0.0, -3.8), Line(3.8, 0.0), Line(0.0, 3.8), Line(-3.8, 0.0), Close],
        what: "The sender sent this segment again",
        why: "the sender's timer expired, acknowledgments showed a loss, or the network asked for it",
        rule: "RFC 5681 section 3.2, RFC 6298 section 5.4",
    }
    /// A packet lost for good, at its position.
    Lost {
        kind: "lost",
        label: "packet lost",
        role: ColorRole::Lost,
        width: 2.0,
        shape: &[Move(-4.0, -4.0), Line(4.0, 4.0), Move(-4.0, 4.0), Line(4.0, -4.0)],
        what: "A data packet was lost for good",
        why: "a full queue or a queue discipline dropped it, the channel damaged it, or the link layer gave it up",
        layer: Some(MarkLayer::LostData),
    } @ Packet(PacketFate::Lost, PacketRole::Data(seq)) | Captured(CapturedFact::Lost { seq, .. }) => seq
    /// A frame with data that arrived damaged.
    Corrupted {
        kind: "corrupted",
        label: "frame corrupted",
        role: ColorRole::Lost,
        width: 0.8,
        shape: &[Move(-1.5, -1.5), Line(1.5, 1.5), Move(-1.5, 1.5), Line(1.5, -1.5)],
        what: "A frame with data arrived damaged",
        why: "the channel was bad; the link layer can send the frame again",
        layer: Some(MarkLayer::Frames),
        is_frequent: true,
    } @ Packet(PacketFate::Corrupted, PacketRole::Data(seq)) => seq
    /// An acknowledgment lost for good.
    AckLost {
        kind: "ack-lost",
        label: "ACK lost",
        role: ColorRole::Lost,
        shape: &[Move(-4.0, 0.0), Line(4.0, 0.0), Move(0.0, -4.0), Line(0.0, 4.0)],
        what: "An acknowledgment was lost for good",
        why: "a later acknowledgment covers the same data, if one follows: acknowledgments are cumulative",
        rule: "RFC 9293 section 3.4",
        layer: Some(MarkLayer::LostAcks),
        on_border: true,
    } @ Packet(PacketFate::Lost, PacketRole::Ack(seq)) => seq
    /// An expiry of the retransmission timer: a stop watch.
    Timeout {
        kind: "timeout",
        label: "timeout",
        role: ColorRole::Concluded,
        // 9.01, so that the knob's end is rounded as the circle, 6.2, and the knob, 2.8, are.
        shape: &[Move(0.0, -9.01), Line(0.0, -6.2), Move(0.0, 0.0), Circle(6.2)],
        what: "The retransmission timer expired",
        why: "the oldest segment was not acknowledged within the retransmission timeout: the sender sends it again, doubles \
              the timeout, and sets cwnd to one segment",
        rule: "RFC 6298 section 5.4 to 5.6, RFC 5681 section 3.1",
        in_window: true,
    } @ Sender(Event::Timeout { seq, .. }) | Captured(CapturedFact::TimerExpired { seq, cause: Evidence::Inferred { .. }, .. }) => seq
    /// The start of a recovery.
    FastRetransmit {
        kind: "fast-retransmit",
        label: "recovery",
        role: ColorRole::Concluded,
        shape: &[Move(0.0, -8.6), Line(7.6, 5.4), Line(-7.6, 5.4), Close],
        what: "The sender concluded that a segment was lost, and entered recovery",
        why: "acknowledgments of later data arrived: duplicates reached the threshold, or SACK or RACK marked the segment lost",
        rule: "RFC 5681 section 3.2, RFC 6675 section 5, RFC 8985 section 6.2",
        in_window: true,
    } @ Sender(Event::FastRetransmit { seq }) | Captured(CapturedFact::FastRetransmit { seq, cause: Evidence::Inferred { .. } }) => seq
    /// A star: the timer starts again.
    Defer {
        kind: "icmp-defer",
        label: "ICMP-DEFER",
        shape: &[Move(0.0, -4.8), Line(0.0, 4.8), Move(-4.2, -2.4), Line(4.2, 2.4), Move(4.2, -2.4), Line(-4.2, 2.4)],
        what: "ICMP-DEFER arrived at the sender",
        why: "the base station's first attempt to deliver this segment failed: the sender starts its timer again",
        rule: "Goel 1997 section 5.4",
        layer: Some(MarkLayer::Notices),
    } @ Sender(Event::NoticeReceived { kind: NoticeKind::Defer, seq }) => seq
    /// A square: the segment is retransmitted.
    Retransmit {
        kind: "icmp-retransmit",
        label: "ICMP-RETRANSMIT",
        shape: &[Move(-5.8, -5.8), Line(5.8, -5.8), Line(5.8, 5.8), Line(-5.8, 5.8), Close],
        what: "ICMP-RETRANSMIT arrived at the sender",
        why: "the base station has given up this segment: the sender sends it again, and does not reduce cwnd",
        rule: "Goel 1997 section 5.5",
        in_window: true,
    } @ Sender(Event::NoticeReceived { kind: NoticeKind::Retransmit, seq }) => seq
    /// A chevron to the right: data sent by a node between the ends, such as a local retransmission of Snoop.
    LocalCopy {
        kind: "local-copy",
        label: "sent by the base station",
        shape: &[Move(-2.4, -4.0), Line(2.4, 0.0), Line(-2.4, 4.0)],
        what: "A node between the ends sent data of the flow",
        why: "the node's scheme sends data on its own",
        layer: Some(MarkLayer::BelowSegments),
        is_frequent: true,
    } @ Packet(PacketFate::Inserted, PacketRole::Data(seq)) => seq
    /// A cross bar that ends an upright: an acknowledgment consumed by a node between the ends.
    AckTaken {
        kind: "ack-taken",
        label: "ACK consumed by the base station",
        shape: &[Move(0.0, -3.6), Line(0.0, 3.6), Move(-3.6, 3.6), Line(3.6, 3.6)],
        what: "A node between the ends consumed an acknowledgment",
        why: "the node's scheme keeps the acknowledgment from the sender",
        layer: Some(MarkLayer::BelowSegments),
        on_border: true,
        is_frequent: true,
    } @ Packet(PacketFate::Consumed, PacketRole::Ack(seq)) => seq
    /// A chevron to the receiver.
    Forwards {
        kind: "action-forwards",
        shape: &[Move(-2.2, -4.0), Line(2.2, 0.0), Line(-2.2, 4.0)],
        what: "The scheme of a node acted",
        why: "the scheme sends data on a connection of its own, or asks the receiver for an answer",
        layer: Some(MarkLayer::BelowAcks),
    }
    /// A double chevron to the receiver: data sent late.
    Resends {
        kind: "action-resends",
        shape: &[Move(-4.4, -4.0), Line(0.0, 0.0), Line(-4.4, 4.0), Move(0.0, -4.0), Line(4.4, 0.0), Line(0.0, 4.0), Move(4.4, 0.0)],
        what: "The scheme of a node acted",
        why: "the scheme repairs a loss on the radio link without the sender",
        layer: Some(MarkLayer::Actions),
    }
    /// A chevron to the sender.
    Acknowledges {
        kind: "action-acknowledges",
        shape: &[Move(2.2, -4.0), Line(-2.2, 0.0), Line(2.2, 4.0)],
        what: "The scheme of a node acted",
        why: "the scheme acknowledges data on behalf of the receiver",
        layer: Some(MarkLayer::BelowAcks),
    }
    /// Two bars: a pause.
    Holds {
        kind: "action-holds",
        shape: &[Move(-2.2, -4.0), Line(-2.2, 4.0), Move(2.2, -4.0), Line(2.2, 4.0)],
        what: "The scheme of a node acted",
        why: "the scheme delays an acknowledgment while the link layer repairs the loss",
        layer: Some(MarkLayer::BelowAcks),
    }
    /// A double chevron to the sender: an acknowledgment sent late.
    Releases {
        kind: "action-releases",
        shape: &[Move(4.4, -4.0), Line(0.0, 0.0), Line(4.4, 4.0), Move(0.0, -4.0), Line(-4.4, 0.0), Line(0.0, 4.0), Move(-4.4, 0.0)],
        what: "The scheme of a node acted",
        why: "the scheme forwards an acknowledgment that it has delayed",
        layer: Some(MarkLayer::BelowAcks),
    }
    /// An inverted T: the node drops an acknowledgment.
    DropsAck {
        kind: "action-drops-ack",
        shape: &[Move(-4.0, 4.0), Line(4.0, 4.0), Move(0.0, 4.0), Line(0.0, -4.0)],
        what: "The scheme of a node acted",
        why: "the acknowledgment is redundant, or the sender would react with it to a loss that this node repairs",
        layer: Some(MarkLayer::BelowAcks),
    }
    /// A T: data goes no further.
    DropsData {
        kind: "action-drops-data",
        shape: &[Move(-4.0, -4.0), Line(4.0, -4.0), Move(0.0, -4.0), Line(0.0, 4.0)],
        what: "The scheme of a node acted",
        why: "the receiver has this data already",
        layer: Some(MarkLayer::Actions),
    }
    /// A crossed circle stops the sender.
    Pauses {
        kind: "action-pauses",
        shape: &[Move(-4.0, 0.0), Line(4.0, 0.0), Move(0.0, 0.0), Circle(4.6), Move(0.0, -4.0), Move(0.0, 0.0)],
        what: "The scheme of a node acted",
        why: "the scheme asks the sender to wait because the radio link is down or busy with repairs",
        layer: Some(MarkLayer::Actions),
    }
    /// An open circle lets the sender go.
    Resumes {
        kind: "action-resumes",
        shape: &[Move(0.0, -4.0), Move(0.0, 0.0), Circle(4.0)],
        what: "The scheme of a node acted",
        why: "the scheme asks the sender to continue because the radio link works again",
        layer: Some(MarkLayer::Actions),
    }
    /// A flag to the sender.
    ReportsLoss {
        kind: "action-reports-loss",
        shape: &[Move(-4.0, 0.0), Line(4.0, -4.0), Line(4.0, 4.0), Close],
        what: "The scheme of a node acted",
        why: "the scheme reports to the sender that the radio link lost the packet, not congestion",
        layer: Some(MarkLayer::Actions),
    }
    /// ssthresh exceeds the axis: an arrow upwards.
    Above {
        kind: "ssthresh-above",
        label: "ssthresh above the scale",
        role: ColorRole::Ssthresh,
        width: 1.6,
        shape: &[Move(0.0, 5.5), Line(0.0, -5.5), Move(-4.0, -1.5), Line(0.0, -5.5), Line(4.0, -1.5)],
        what: "ssthresh exceeded the axis",
        why: "the sender has not seen a loss, or ssthresh is far above cwnd",
        rule: "RFC 5681 section 3.1",
        layer: None,
    }
    /// A frame lost to a collision.
    Collided {
        kind: "collided",
        label: "collided",
        role: ColorRole::Lost,
        width: 1.8,
        shape: &[Move(-4.0, -4.0), Line(4.0, 4.0), Move(-4.0, 4.0), Line(4.0, -4.0)],
        what: "A frame was lost to a collision",
        why: "another frame overlapped it at its receiver",
        layer: None,
    }
    /// A frame corrupted by the channel.
    Damaged {
        kind: "frame-corrupted",
        label: "corrupted by the channel",
        role: ColorRole::Lost,
        width: 1.8,
        shape: &[Move(-4.0, 0.0), Line(4.0, 0.0), Move(0.0, -4.0), Line(0.0, 4.0)],
        what: "A frame arrived damaged",
        why: "the channel was bad",
        layer: None,
    }
    /// A frame whose receiver is out of range.
    OutOfRange {
        kind: "out-of-range",
        label: "out of range",
        role: ColorRole::Lost,
        width: 1.8,
        shape: &[Move(0.0, -4.0), Move(0.0, 0.0), Circle(4.0)],
        what: "A frame did not reach its receiver",
        why: "the receiver was out of range",
        layer: None,
    }
}
