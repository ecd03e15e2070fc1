//! The marks of a flow: what happened, why, and the rule behind it.

use path::agent::Effect;
use plot::{Act, History, Role, Spot};
use serde::Serialize;

use crate::columns::{Column, Columns};

/// All marks of one kind in a flow.
#[derive(Clone, Debug, Serialize)]
pub struct Marks {
    /// The kind: what style sheets, legends and lessons name.
    pub kind: &'static str,
    /// The name in legends.
    pub label: String,
    /// What happened.
    pub what: String,
    /// Why.
    pub why: String,
    /// The rule: a section of an RFC or of a paper; empty if the model itself is the cause.
    pub rule: &'static str,
    /// Rows of time (seconds) and offset in the stream (bytes; NaN if the event has none).
    pub points: Column,
}

/// What a kind of mark means.
struct Meaning {
    kind: &'static str,
    label: &'static str,
    what: &'static str,
    why: &'static str,
    rule: &'static str,
    points: fn(&History) -> &Vec<Spot>,
}

const MEANINGS: [Meaning; 9] = [
    Meaning {
        kind: "lost",
        label: "packet lost",
        what: "A data packet was lost for good",
        why: "a full queue or a queue discipline dropped it, the channel damaged it, or the link layer gave it up",
        rule: "",
        points: |history| &history.lost,
    },
    Meaning {
        kind: "corrupted",
        label: "frame corrupted",
        what: "A frame with data arrived damaged",
        why: "the channel was bad; the link layer can send the frame again",
        rule: "",
        points: |history| &history.corrupted,
    },
    Meaning {
        kind: "ack-lost",
        label: "ACK lost",
        what: "An acknowledgment was lost for good",
        why: "a later acknowledgment covers the same data, if one follows: acknowledgments are cumulative",
        rule: "RFC 9293 section 3.4",
        points: |history| &history.acks_lost,
    },
    Meaning {
        kind: "timeout",
        label: "timeout",
        what: "The retransmission timer expired",
        why: "the oldest segment was not acknowledged within the retransmission timeout: the sender sends it again, doubles \
              the timeout, and begins with a window of one segment",
        rule: "RFC 6298 section 5.4 to 5.6, RFC 5681 section 3.1",
        points: |history| &history.timeouts,
    },
    Meaning {
        kind: "fast-retransmit",
        label: "recovery",
        what: "The sender concluded that a segment was lost, and entered recovery",
        why: "acknowledgments of later data arrived: duplicates reached the threshold, or SACK or RACK marked the segment lost",
        rule: "RFC 5681 section 3.2, RFC 6675 section 5, RFC 8985 section 6.2",
        points: |history| &history.fast_retransmits,
    },
    Meaning {
        kind: "icmp-defer",
        label: "ICMP-DEFER",
        what: "ICMP-DEFER arrived at the sender",
        why: "the base station's first attempt to deliver this segment failed: the sender starts its timer again",
        rule: "Goel 1997 section 5.4",
        points: |history| &history.defers,
    },
    Meaning {
        kind: "icmp-retransmit",
        label: "ICMP-RETRANSMIT",
        what: "ICMP-RETRANSMIT arrived at the sender",
        why: "the base station has given up this segment: the sender sends it again, and keeps its window",
        rule: "Goel 1997 section 5.5",
        points: |history| &history.retransmits,
    },
    Meaning {
        kind: "local-copy",
        label: "sent by the base station",
        what: "A node between the ends sent data of the flow",
        why: "its scheme sends data on its own",
        rule: "",
        points: |history| &history.local_copies,
    },
    Meaning {
        kind: "ack-taken",
        label: "ACK consumed by the base station",
        what: "A node between the ends consumed an acknowledgment",
        why: "its scheme keeps the acknowledgment from the sender",
        rule: "",
        points: |history| &history.acks_taken,
    },
];

/// All kinds of marks.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    let meanings = MEANINGS.iter().map(|meaning| meaning.kind);
    std::iter::once("resent").chain(meanings).chain(Effect::ALL.into_iter().map(kind_of))
}

/// The marks of a flow, those of each kind that occurred.
pub(crate) fn of(history: &History, columns: &mut Columns) -> Vec<Marks> {
    let resent = history.sent.iter().filter(|sent| sent.again).map(|sent| [sent.at, sent.seq as f64]);
    let mut marks = vec![Marks {
        kind: "resent",
        label: "sent again".to_owned(),
        what: "The sender sent this segment again".to_owned(),
        why: "its timer expired, acknowledgments showed a loss, or the network asked for it".to_owned(),
        rule: "RFC 5681 section 3.2, RFC 6298 section 5.4",
        points: columns.add(resent),
    }];
    for Meaning { kind, label, what, why, rule, points } in MEANINGS {
        let spots = points(history);
        if !spots.is_empty() {
            let points = columns.add(spots.iter().map(|spot| [spot.at, spot.seq as f64]));
            marks.push(Marks {
                kind,
                label: label.to_owned(),
                what: what.to_owned(),
                why: why.to_owned(),
                rule,
                points,
            });
        }
    }
    for ((effect, label), acts) in &history.actions {
        marks.push(Marks {
            kind: kind_of(*effect),
            label: (*label).to_owned(),
            what: format!("The scheme of a node acted: {label}"),
            why: reason_of(*effect).to_owned(),
            rule: "",
            points: columns.add(acts.iter().map(place)),
        });
    }
    marks
}

fn place(act: &Act) -> [f64; 2] {
    let seq = act.role.map_or(f64::NAN, |role| match role {
        Role::Data(seq) | Role::Ack(seq) => seq as f64,
    });
    [act.at, seq]
}

fn kind_of(effect: Effect) -> &'static str {
    match effect {
        Effect::Forwards => "action-forwards",
        Effect::Resends => "action-resends",
        Effect::Acknowledges => "action-acknowledges",
        Effect::Holds => "action-holds",
        Effect::Releases => "action-releases",
        Effect::DropsAck => "action-drops-ack",
        Effect::DropsData => "action-drops-data",
        Effect::Pauses => "action-pauses",
        Effect::Resumes => "action-resumes",
        Effect::ReportsLoss => "action-reports-loss",
    }
}

fn reason_of(effect: Effect) -> &'static str {
    match effect {
        Effect::Forwards => "it sends data on a connection of its own, or asks the receiver for an answer",
        Effect::Resends => "it repairs a loss on the radio link without the sender",
        Effect::Acknowledges => "it acknowledges data on behalf of the receiver",
        Effect::Holds => "it holds an acknowledgment back while the link layer repairs the loss",
        Effect::Releases => "it lets an acknowledgment go that it has held",
        Effect::DropsAck => {
            "the acknowledgment would make the sender react to a loss that is repaired here, or is redundant"
        }
        Effect::DropsData => "the receiver has this data already",
        Effect::Pauses => "it asks the sender to wait, for the radio link is down or busy with repairs",
        Effect::Resumes => "it asks the sender to continue: the radio link is back",
        Effect::ReportsLoss => {
            "it tells the sender that the radio link lost the packet, so that this is not taken for congestion"
        }
    }
}
