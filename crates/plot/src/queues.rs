//! The times that packets spend at hops: waiting for the link and being sent there.

use std::collections::BTreeMap;

use engine::Time;
use observation::{HopPackets, HopPassage};
use path::HopIndex;

/// The intervals (begin, end) in seconds that packets spent at each hop, in order of departure.
pub(crate) type Stays = BTreeMap<HopIndex, Vec<(f64, f64)>>;

/// Returns the interval that a packet spent at a hop, from its arrival at the queue until its last bit was sent or the
/// packet was dropped. `None` if the queue refused the packet, or if it had left the hop before.
pub(crate) fn find_stay(passage: &HopPassage) -> Option<(f64, f64)> {
    let refused = passage.outcome.is_drop() && passage.joined == passage.ends;
    (!refused && !passage.arrives_again).then(|| (passage.joined.as_secs_f64(), passage.leaves.as_secs_f64()))
}

/// Adds the packets that are at hops at the end of the recording, `last`.
pub(crate) fn add_present(stays: &mut Stays, packets: &HopPackets, last: f64) {
    for (hop, packet) in packets.all() {
        let leaves = packet.leaves.map_or(last, Time::as_secs_f64).min(last);
        stays.entry(hop).or_default().push((packet.joined.as_secs_f64(), leaves));
    }
}

/// The number of packets at a hop over time.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct QueueLength {
    /// Times (seconds) of changes and the number of packets from then on.
    pub changes: Vec<(f64, u32)>,
}

impl QueueLength {
    /// Returns the number of packets over time during `stays`. A packet that leaves makes room before another joins.
    pub fn of(stays: &[(f64, f64)]) -> Self {
        let mut steps: Vec<(f64, i32)> = stays.iter().flat_map(|(begin, end)| [(*begin, 1), (*end, -1)]).collect();
        steps.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut changes: Vec<(f64, u32)> = Vec::new();
        let mut length = 0;
        for (at, step) in steps {
            length += step;
            let now = u32::try_from(length).unwrap_or(0);
            match changes.last_mut() {
                Some(last) if last.0 == at => last.1 = now,
                _ => changes.push((at, now)),
            }
        }
        QueueLength { changes }
    }
}

/// Returns the hop of `hops` at which packets spent the most time between `from` and `to` (seconds).
pub(crate) fn find_bottleneck(
    stays: &Stays,
    hops: impl Iterator<Item = HopIndex>,
    (from, to): (f64, f64),
) -> Option<HopIndex> {
    let spent = |hop: &HopIndex| -> f64 {
        let all = stays.get(hop).map_or(&[][..], Vec::as_slice);
        all.iter().map(|(begin, end)| (end.min(to) - begin.max(from)).max(0.0)).sum()
    };
    let busiest = |a: (HopIndex, f64), b: (HopIndex, f64)| if b.1 > a.1 { b } else { a };
    hops.map(|hop| (hop, spent(&hop))).reduce(busiest).map(|(hop, _)| hop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_stays_are_counted_and_a_departure_precedes_an_arrival() {
        let length = QueueLength::of(&[(0.0, 2.0), (1.0, 3.0), (3.0, 4.0), (3.5, 3.5)]);
        assert_eq!(length.changes, [(0.0, 1), (1.0, 2), (2.0, 1), (3.0, 1), (3.5, 1), (4.0, 0)]);
    }

    #[test]
    fn bottleneck_is_the_hop_with_the_most_time_in_the_view() {
        let hops = [0, 2, 5].map(HopIndex::new);
        let stays = Stays::from([(hops[0], vec![(0.0, 9.0)]), (hops[1], vec![(9.0, 10.0), (9.0, 11.0)])]);
        assert_eq!(find_bottleneck(&stays, hops.into_iter(), (0.0, 20.0)), Some(hops[0]));
        assert_eq!(find_bottleneck(&stays, hops.into_iter(), (8.5, 20.0)), Some(hops[1]));
        assert_eq!(find_bottleneck(&stays, [].into_iter(), (0.0, 1.0)), None);
    }
}
