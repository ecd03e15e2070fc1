//! The pairing of the packets that left one end with those that arrived at the other.

use std::cmp::Ordering;

use super::{PacketKey, TrackedPacket};

/// A packet that left, of which at least one copy may have arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PacketPair {
    /// Number of the packet that most likely arrived; `None` if this packet was lost and another copy arrived.
    pub arrival: Option<u32>,
    /// The first arrival that this packet can be.
    pub earliest: u32,
    /// The last arrival that this packet can be.
    pub latest: u32,
    /// Whether the packet may be lost: fewer copies arrived than left.
    pub may_be_lost: bool,
}

/// Departures matched with arrivals.
pub struct PacketPairs<'a> {
    leaving: PacketIndex<'a>,
    arriving: PacketIndex<'a>,
    /// For each packet that left: the number of the packet that most likely arrived.
    pub arrivals: Vec<Option<u32>>,
    /// Minimum one-way delay by the two clocks, in nanoseconds.
    pub least: i128,
}

impl PacketPairs<'_> {
    /// The pair of packet `number` of those that left. `None` if no copy that arrived can be this one, although the minimum
    /// one-way delay may be wrong by `slack` nanoseconds.
    pub fn find_pair(&self, number: usize, slack: i128) -> Option<PacketPair> {
        let wanted = make_key(&self.leaving.packets[number], self.leaving.with_id);
        let crosses = |left: u32, other: u32| {
            let [left, other] = [&self.leaving.packets[left as usize], &self.arriving.packets[other as usize]];
            measure_time_between(left, other) >= self.least - slack
        };
        let all = &self.arriving.order[self.arriving.find_group(&wanted)];
        let possible = &all[all.partition_point(|other| !crosses(number as u32, *other))..];
        let (earliest, latest) = (*possible.first()?, *possible.last()?);
        let copies = &self.leaving.order[self.leaving.find_group(&wanted)];
        let candidates = copies.partition_point(|copy| crosses(*copy, latest));
        let arrival = self.arrivals[number];
        Some(match (arrival, candidates.cmp(&all.len())) {
            (Some(known), Ordering::Equal) => {
                PacketPair { arrival, earliest: known, latest: known, may_be_lost: false }
            }
            (_, order) => PacketPair { arrival, earliest, latest, may_be_lost: order == Ordering::Greater },
        })
    }
}

/// Packets of one direction by their keys.
struct PacketIndex<'a> {
    packets: &'a [TrackedPacket],
    with_id: bool,
    /// Indices of packets, sorted by key and then by time.
    order: Vec<u32>,
}

impl<'a> PacketIndex<'a> {
    fn build(packets: &'a [TrackedPacket], with_id: bool) -> Self {
        let mut order: Vec<u32> = (0..packets.len() as u32).collect();
        order.sort_by_key(|number| (make_key(&packets[*number as usize], with_id), *number));
        PacketIndex { packets, with_id, order }
    }

    /// The range of the packets with this key in `order`.
    fn find_group(&self, wanted: &PacketKey) -> std::ops::Range<usize> {
        let of = |number: &u32| make_key(&self.packets[*number as usize], self.with_id);
        let from = self.order.partition_point(|number| of(number) < *wanted);
        let to = from + self.order[from..].partition_point(|number| of(number) == *wanted);
        from..to
    }
}

fn make_key(seen: &TrackedPacket, with_id: bool) -> PacketKey {
    PacketKey { id: seen.key.id.filter(|_| with_id), ..seen.key }
}

/// The one-way delay by the two clocks, in nanoseconds.
fn measure_time_between(left: &TrackedPacket, arrived: &TrackedPacket) -> i128 {
    i128::from(arrived.at.as_nanos()) - i128::from(left.at.as_nanos())
}

/// Pairs packets of two lists, both in order of time. Returns `None` if no packet is certain to be in both.
pub fn pair_packets<'a>(left: &'a [TrackedPacket], arrived: &'a [TrackedPacket]) -> Option<PacketPairs<'a>> {
    let (mut leaving, mut arriving) = (PacketIndex::build(left, false), PacketIndex::build(arrived, false));
    let mut least: Option<i128> = None;
    let (mut single, mut agree) = (0_usize, 0_usize);
    for seen in left {
        let wanted = make_key(seen, false);
        let (from, to) = (leaving.find_group(&wanted), arriving.find_group(&wanted));
        if from.len() != 1 || to.len() != 1 {
            continue;
        }
        let other = &arrived[arriving.order[to.start] as usize];
        let time = measure_time_between(seen, other);
        least = Some(least.map_or(time, |least| least.min(time)));
        single += usize::from(seen.key.id.is_some() && other.key.id.is_some());
        agree += usize::from(seen.key.id.is_some() && seen.key.id == other.key.id);
    }
    let least = least?;
    // A single identification for all packets, as RFC 6864 allows, does not identify a piece of a merged segment.
    let vary = left.iter().any(|seen| seen.key.id != left[0].key.id);
    let with_id = vary && agree > 0 && agree * 10 >= single * 9;
    if with_id {
        (leaving, arriving) = (PacketIndex::build(left, true), PacketIndex::build(arrived, true));
    }
    let arrivals = assign_arrivals(&leaving, &arriving, least);
    Some(PacketPairs { leaving, arriving, arrivals, least })
}

/// Assigns packets that left to arrivals, the last first.
fn assign_arrivals(leaving: &PacketIndex<'_>, arriving: &PacketIndex<'_>, least: i128) -> Vec<Option<u32>> {
    let left = leaving.packets;
    let mut arrivals = vec![None; left.len()];
    // The numbers of remaining candidates and of remaining arrivals of each group, indexed by the start of the group:
    // `None` before its last arrival.
    let mut rest: Vec<Option<(usize, usize)>> = vec![None; left.len()];
    let mut next = u32::MAX;
    for (number, seen) in arriving.packets.iter().enumerate().rev() {
        let wanted = make_key(seen, leaving.with_id);
        let group = leaving.find_group(&wanted);
        if group.is_empty() {
            continue;
        }
        let all = &leaving.order[group.clone()];
        let (remaining, expected) =
            rest[group.start].unwrap_or_else(|| (all.len(), arriving.find_group(&wanted).len()));
        // A packet that left too late for this arrival also left too late for earlier arrivals.
        let early =
            all[..remaining].partition_point(|place| measure_time_between(&left[*place as usize], seen) >= least);
        // A candidate that keeps the order of packets is preferred if another candidate remains for each earlier
        // arrival.
        let in_order = all[..early].partition_point(|place| *place < next);
        let taken = if in_order >= expected { in_order } else { early };
        let place = taken.saturating_sub(1);
        rest[group.start] = Some((place, expected - 1));
        // Of copies that the path makes, the first one is paired.
        let is_copied = early == 0 && remaining == 0 && measure_time_between(&left[all[0] as usize], seen) >= least;
        if taken > 0 || is_copied {
            arrivals[all[place] as usize] = Some(number as u32);
            next = all[place];
        }
    }
    arrivals
}

#[cfg(test)]
mod tests {
    use engine::Time;

    use super::*;

    /// Packets with these first bytes, at these times in milliseconds.
    fn packets(seen: &[(u32, u64)]) -> Vec<TrackedPacket> {
        let packet = |&(seq, at): &(u32, u64)| {
            let key =
                PacketKey { from_sender: true, seq, len: 1000, ack: 0, flags: 0, stamps: None, sack: None, id: None };
            TrackedPacket { at: Time::from_millis(at), key }
        };
        seen.iter().map(packet).collect()
    }

    fn pair(left: &[(u32, u64)], arrived: &[(u32, u64)]) -> Vec<Option<PacketPair>> {
        let (left, arrived) = (packets(left), packets(arrived));
        let pairs = pair_packets(&left, &arrived).expect("a packet is in both");
        (0..left.len()).map(|number| pairs.find_pair(number, 0)).collect()
    }

    /// A packet whose arrival is known.
    fn known(arrival: u32) -> Option<PacketPair> {
        Some(PacketPair { arrival: Some(arrival), earliest: arrival, latest: arrival, may_be_lost: false })
    }

    /// The packet with byte 0 takes 10 ms.
    #[test]
    fn one_of_two_copies_may_be_the_lost_one() {
        let found = pair(&[(0, 0), (1000, 1), (1000, 2)], &[(0, 10), (1000, 30)]);
        let either = |arrival| Some(PacketPair { arrival, earliest: 1, latest: 1, may_be_lost: true });
        assert_eq!(found[1..], [either(None), either(Some(1))]);
        // The second copy left too late.
        let found = pair(&[(0, 0), (1000, 1), (1000, 40)], &[(0, 10), (1000, 30)]);
        assert_eq!(found[1..], [known(1), None]);
    }

    /// The second copy arrives after a packet that was sent behind it.
    #[test]
    fn each_arrival_has_a_copy_under_reordering() {
        let left = [(0, 0), (1000, 1), (1000, 50), (2000, 51)];
        let found = pair(&left, &[(0, 10), (1000, 12), (2000, 61), (1000, 70)]);
        assert_eq!(found[1..], [known(1), known(3), known(2)]);
    }

    #[test]
    fn first_of_two_copies_made_by_the_path_is_matched() {
        let found = pair(&[(0, 0), (1000, 1)], &[(0, 10), (1000, 12), (1000, 14)]);
        let first = PacketPair { arrival: Some(1), earliest: 1, latest: 2, may_be_lost: false };
        assert_eq!(found[1], Some(first));
    }
}
