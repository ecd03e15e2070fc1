//! The events of one flow, reduced to the data that a picture of the flow needs.

use std::collections::{BTreeMap, BTreeSet};

use path::agent::Effect;

/// A segment sent by the sender.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Sent {
    pub at: f64,
    pub seq: u64,
    pub len: u32,
    /// True for a retransmission.
    pub again: bool,
}

/// An event at a time (seconds) and a sequence number of the flow.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Spot {
    pub at: f64,
    pub seq: u64,
}

/// Position of a packet in its flow: the sequence number of its data, or the number that it acknowledges.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Role {
    Data(u64),
    Ack(u64),
}

/// An action of a scheme at a time (seconds).
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Act {
    pub at: f64,
    /// The packet that the action is about; `None` if it is about none of a known position.
    pub role: Option<Role>,
}

/// An acknowledgment received by the sender.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Ack {
    pub at: f64,
    pub ack: u64,
    pub duplicate: bool,
}

/// Values of cwnd and ssthresh in bytes, valid from the time `at` (seconds) until the next entry.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Window {
    pub at: f64,
    pub cwnd: f64,
    /// Slow start threshold in bytes; infinite before the first loss.
    pub ssthresh: f64,
}

/// A measured round trip and the smoothed round-trip time after it, in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Rtt {
    pub at: f64,
    pub rtt: f64,
    pub srtt: f64,
}

/// The events of one flow, in one list per kind. Each list is ordered by time.
#[derive(Default, Debug)]
pub(crate) struct History {
    pub sent: Vec<Sent>,
    pub acks: Vec<Ack>,
    pub windows: Vec<Window>,
    pub rtts: Vec<Rtt>,
    /// Values of the retransmission timeout (seconds), each with the time (seconds) from which it applies.
    pub rtos: Vec<(f64, f64)>,
    /// Reasons why the sender sent nothing, each with the time (seconds) from which it applies.
    pub blocked: Vec<(f64, tcp::Blocked)>,
    /// Data packets lost for good: dropped by a queue or a node, or given up by a link layer.
    pub lost: Vec<Spot>,
    /// Acknowledgments lost for good, at the sequence number they acknowledge.
    pub acks_lost: Vec<Spot>,
    /// Frames that carried data and were corrupted on the radio channel.
    pub corrupted: Vec<Spot>,
    pub timeouts: Vec<Spot>,
    pub fast_retransmits: Vec<Spot>,
    pub defers: Vec<Spot>,
    pub retransmits: Vec<Spot>,
    /// Data of the flow sent by a node between its ends.
    pub local_copies: Vec<Spot>,
    /// Acknowledgments consumed by a node between the ends, at the sequence number they acknowledge.
    pub acks_taken: Vec<Spot>,
    /// Actions of the schemes of nodes, by effect and label.
    pub actions: BTreeMap<(Effect, &'static str), Vec<Act>>,
    /// The hops (link, direction) that carried data of the flow.
    pub hops: BTreeSet<(u32, usize)>,
    /// Intervals (begin, end) in seconds in which the channel of a link that carries this flow was BAD; ordered and
    /// disjoint.
    pub bad: Vec<(f64, f64)>,
    /// Time of the flow's first segment, even if that segment lies outside the recorded part.
    pub first_sent: Option<f64>,
    pub began: f64,
    pub ended: f64,
}

/// Returns the union of the intervals of several links, ordered and disjoint.
pub(crate) fn union(links: impl Iterator<Item = Vec<(f64, f64)>>) -> Vec<(f64, f64)> {
    let mut all: Vec<(f64, f64)> = links.flatten().collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut joined: Vec<(f64, f64)> = Vec::new();
    for (begin, end) in all {
        match joined.last_mut() {
            Some(last) if begin <= last.1 => last.1 = last.1.max(end),
            _ => joined.push((begin, end)),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_and_touching_intervals_are_merged() {
        let joined = union([vec![(1.0, 2.0), (5.0, 6.0)], vec![(1.5, 3.0), (6.0, 7.0), (9.0, 9.5)]].into_iter());
        assert_eq!(joined, [(1.0, 3.0), (5.0, 7.0), (9.0, 9.5)]);
    }
}
