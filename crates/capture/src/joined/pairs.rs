//! The packets that left one end, paired with those that arrived at the other.

use super::{PacketKey, TrackedPacket};

/// Departures matched with arrivals.
pub struct PacketPairs {
    /// For each packet that left, the number of the one that arrived.
    pub arrivals: Vec<Option<u32>>,
    /// Minimum one-way delay by the two clocks, in nanoseconds.
    pub least: i128,
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

/// Pairs packets, both in order of time; `None` if no packet is certain to be in both.
pub fn pair_packets(left: &[TrackedPacket], arrived: &[TrackedPacket]) -> Option<PacketPairs> {
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
    // One identification for all, as RFC 6864 allows, does not identify a piece of a merged segment.
    let vary = left.iter().any(|seen| seen.key.id != left[0].key.id);
    let with_id = vary && agree > 0 && agree * 10 >= single * 9;
    if with_id {
        (leaving, arriving) = (PacketIndex::build(left, true), PacketIndex::build(arrived, true));
    }
    drop(arriving);
    Some(PacketPairs { arrivals: assign_arrivals(&leaving, left, arrived, least, with_id), least })
}

/// Assigns packets that left to arrivals, the last first.
fn assign_arrivals(
    leaving: &PacketIndex<'_>,
    left: &[TrackedPacket],
    arrived: &[TrackedPacket],
    least: i128,
    with_id: bool,
) -> Vec<Option<u32>> {
    let mut arrivals = vec![None; left.len()];
    // The number of remaining candidates of each group, indexed by the start of the group.
    let mut rest: Vec<u32> = vec![u32::MAX; left.len()];
    let mut next = u32::MAX;
    for (number, seen) in arrived.iter().enumerate().rev() {
        let group = leaving.find_group(&make_key(seen, with_id));
        if group.is_empty() {
            continue;
        }
        let all = &leaving.order[group.clone()];
        let remaining = (rest[group.start] as usize).min(all.len());
        // A packet that left too late for this arrival also left too late for earlier arrivals.
        let early =
            all[..remaining].partition_point(|place| measure_time_between(&left[*place as usize], seen) >= least);
        // Packets keep their order, if one of the candidates does.
        let in_order = all[..early].partition_point(|place| *place < next);
        let taken = if in_order > 0 { in_order } else { early };
        let Some(place) = taken.checked_sub(1) else {
            rest[group.start] = 0;
            continue;
        };
        rest[group.start] = place as u32;
        arrivals[all[place] as usize] = Some(number as u32);
        next = all[place];
    }
    arrivals
}
