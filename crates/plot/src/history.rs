//! The events of one flow, reduced to the data that a picture of the flow needs.

use std::collections::{BTreeMap, BTreeSet};

use path::HopIndex;
use path::agent::Effect;

use crate::mark::{Mark, PacketRole};

/// A segment sent by the sender.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PlottedSegment {
    /// Time in seconds.
    pub at: f64,
    /// Offset of its first byte in the stream.
    pub seq: u64,
    /// Bytes of data.
    pub len: u32,
    /// True for a retransmission.
    pub again: bool,
}

/// An event at a time (seconds) and a sequence number of the flow.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spot {
    /// Time in seconds.
    pub at: f64,
    /// Offset in the stream.
    pub seq: u64,
}

/// An action of a scheme at a time (seconds).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SchemeAct {
    /// Time in seconds.
    pub at: f64,
    /// The packet that the action concerns; `None` if it concerns no packet with a known position.
    pub role: Option<PacketRole>,
}

/// An acknowledgment received by the sender.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ack {
    /// Time in seconds.
    pub at: f64,
    /// Offset of the next byte expected.
    pub ack: u64,
    /// True for a duplicate acknowledgment [RFC5681 s2].
    pub duplicate: bool,
}

/// Values of cwnd and ssthresh in bytes, valid from the time `at` (seconds) until the next entry.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Window {
    /// Time in seconds.
    pub at: f64,
    /// Congestion window in bytes.
    pub cwnd: f64,
    /// Slow start threshold in bytes; infinite before the first loss.
    pub ssthresh: f64,
}

/// A measured round trip and the smoothed round-trip time after it, in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rtt {
    /// Time in seconds.
    pub at: f64,
    /// The sample.
    pub rtt: f64,
    /// SRTT after the sample.
    pub srtt: f64,
}

/// The events of one flow, in one list per kind. Each list is ordered by time.
#[derive(Default, Debug)]
pub struct FlowHistory {
    /// Segments sent by the sender.
    pub sent: Vec<PlottedSegment>,
    /// Acknowledgments received by the sender.
    pub acks: Vec<Ack>,
    /// Changes of cwnd and ssthresh.
    pub windows: Vec<Window>,
    /// RTT samples.
    pub rtts: Vec<Rtt>,
    /// Values of the retransmission timeout (seconds), each with the time (seconds) from which it applies.
    pub rtos: Vec<(f64, f64)>,
    /// Reasons why the sender sent nothing, each with the time (seconds) from which it applies.
    pub blocked: Vec<(f64, tcp::Blocked)>,
    /// Marked events; of marks of acknowledgments, at the number that they acknowledge.
    pub spots: BTreeMap<Mark, Vec<Spot>>,
    /// Actions of the schemes of nodes, by effect and label.
    pub actions: BTreeMap<(Effect, &'static str), Vec<SchemeAct>>,
    /// The hops that carried data of the flow.
    pub hops: BTreeSet<HopIndex>,
    /// Intervals (begin, end) in seconds in which the channel of a link that carries this flow was BAD; ordered and
    /// disjoint.
    pub bad: Vec<(f64, f64)>,
    /// Time of the flow's first segment, even if that segment lies outside the recorded part.
    pub first_sent: Option<f64>,
    /// Start of the flow in seconds.
    pub began: f64,
    /// Completion of the flow, or the last event of the run, in seconds.
    pub ended: f64,
}

impl FlowHistory {
    /// The marked events of one kind.
    pub fn find_spots(&self, mark: Mark) -> &[Spot] {
        self.spots.get(&mark).map_or(&[], Vec::as_slice)
    }
}

/// Returns the union of the intervals of several links, ordered and disjoint.
pub(crate) fn merge_intervals(links: impl Iterator<Item = Vec<(f64, f64)>>) -> Vec<(f64, f64)> {
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
        let joined =
            merge_intervals([vec![(1.0, 2.0), (5.0, 6.0)], vec![(1.5, 3.0), (6.0, 7.0), (9.0, 9.5)]].into_iter());
        assert_eq!(joined, [(1.0, 3.0), (5.0, 7.0), (9.0, 9.5)]);
    }
}
