//! What schemes remember of connections: a bounded table, where the one that nobody used for longest makes room, and
//! when each of them wants to wake.

use std::collections::{BTreeMap, BTreeSet};

use engine::Time;
use wire::{Addr, Packet, Segment};

/// One direction of a connection, named by a segment's addresses and ports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct FlowKey {
    src: Addr,
    dst: Addr,
    src_port: u16,
    dst_port: u16,
}

impl FlowKey {
    /// The direction the segment goes.
    pub fn of(packet: &Packet, segment: &Segment) -> Self {
        FlowKey { src: packet.src, dst: packet.dst, src_port: segment.src_port, dst_port: segment.dst_port }
    }

    /// The direction whose data the segment acknowledges.
    pub fn answered_by(packet: &Packet, segment: &Segment) -> Self {
        FlowKey { src: packet.dst, dst: packet.src, src_port: segment.dst_port, dst_port: segment.src_port }
    }
}

/// The table.
pub(super) struct Flows<T> {
    most: usize,
    entries: BTreeMap<FlowKey, Entry<T>>,
    /// Oldest use first.
    uses: BTreeMap<u64, FlowKey>,
    next_use: u64,
    due: BTreeSet<(Time, FlowKey)>,
}

struct Entry<T> {
    value: T,
    used: u64,
    due: Time,
}

impl<T> Flows<T> {
    /// Room for `most` of them.
    pub fn new(most: usize) -> Self {
        Flows { most, entries: BTreeMap::new(), uses: BTreeMap::new(), next_use: 0, due: BTreeSet::new() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// One of them, which is thereby used.
    pub fn get(&mut self, key: &FlowKey) -> Option<&mut T> {
        let entry = self.entries.get_mut(key)?;
        self.uses.remove(&entry.used);
        self.uses.insert(self.next_use, *key);
        entry.used = self.next_use;
        self.next_use += 1;
        Some(&mut entry.value)
    }

    /// Adds or replaces one; what was there before, or had to make room.
    pub fn insert(&mut self, key: FlowKey, value: T) -> Option<T> {
        let mut gone = self.remove(&key);
        if self.entries.len() >= self.most
            && let Some(oldest) = self.uses.values().next().copied()
        {
            gone = self.remove(&oldest);
        }
        self.uses.insert(self.next_use, key);
        self.entries.insert(key, Entry { value, used: self.next_use, due: Time::NEVER });
        self.next_use += 1;
        gone
    }

    /// Forgets one.
    pub fn remove(&mut self, key: &FlowKey) -> Option<T> {
        let entry = self.entries.remove(key)?;
        self.uses.remove(&entry.used);
        self.due.remove(&(entry.due, *key));
        Some(entry.value)
    }

    /// Notes when one wants to wake; NEVER if not.
    pub fn wake_at(&mut self, key: &FlowKey, at: Time) {
        let Some(entry) = self.entries.get_mut(key) else { return };
        if entry.due == at {
            return;
        }
        self.due.remove(&(entry.due, *key));
        entry.due = at;
        if at != Time::NEVER {
            self.due.insert((at, *key));
        }
    }

    /// When the first of them wants to wake.
    pub fn deadline(&self) -> Time {
        self.due.first().map_or(Time::NEVER, |(at, _)| *at)
    }

    /// One that wanted to wake by `now`; it does not any longer.
    pub fn pop_due(&mut self, now: Time) -> Option<FlowKey> {
        let (at, key) = *self.due.first()?;
        if at > now {
            return None;
        }
        self.wake_at(&key, Time::NEVER);
        Some(key)
    }
}

/// Offsets in a stream from sequence numbers that wrap around, near the furthest one seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    seq: wire::SeqNum,
    offset: u64,
}

/// No end has a larger window [RFC7323 s2.3]: what lies further away belongs to no connection.
const FURTHEST: u32 = 1 << 30;

impl Reach {
    /// A stream of which this number is seen first. Numbers before it have offsets too.
    pub fn new(seq: wire::SeqNum) -> Self {
        Reach { seq, offset: 1 << 32 }
    }

    /// The offset that a number means, if any.
    pub fn offset(&self, seq: wire::SeqNum) -> Option<u64> {
        let distance = seq.since(self.seq);
        (distance.unsigned_abs() <= FURTHEST).then(|| self.offset.saturating_add_signed(i64::from(distance)))
    }

    /// The furthest offset seen.
    pub fn end(&self) -> u64 {
        self.offset
    }

    /// Data to here has been seen.
    pub fn extend(&mut self, end: u64) {
        if end > self.offset {
            self.seq = self.seq.at(end - self.offset);
            self.offset = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::SeqNum;

    fn key(port: u16) -> FlowKey {
        FlowKey { src: Addr::of_node(0), dst: Addr::of_node(1), src_port: port, dst_port: 1 }
    }

    #[test]
    fn the_one_unused_for_longest_makes_room() {
        let mut flows = Flows::new(3);
        assert!((0..3).all(|port| flows.insert(key(port), port).is_none()));
        flows.get(&key(0));
        assert_eq!(flows.insert(key(3), 3), Some(1));
        assert_eq!(flows.insert(key(4), 4), Some(2));
        assert_eq!(flows.insert(key(5), 5), Some(0));
        assert_eq!((flows.len(), flows.get(&key(1)).is_none()), (3, true));
    }

    #[test]
    fn each_wakes_once_in_order() {
        let mut flows = Flows::new(3);
        for (port, ms) in [(0, 20), (1, 10), (2, 30)] {
            flows.insert(key(port), ());
            flows.wake_at(&key(port), Time::from_millis(ms));
        }
        flows.wake_at(&key(2), Time::from_millis(5));
        flows.remove(&key(1));
        assert_eq!(flows.deadline(), Time::from_millis(5));
        let woken: Vec<_> = std::iter::from_fn(|| flows.pop_due(Time::from_millis(20))).collect();
        assert_eq!(woken, [key(2), key(0)]);
        assert_eq!(flows.deadline(), Time::NEVER);
    }

    #[test]
    fn numbers_wrap_and_have_bounds() {
        let mut reach = Reach::new(SeqNum(u32::MAX - 9));
        let start = reach.offset(SeqNum(u32::MAX - 9)).unwrap();
        assert_eq!(reach.offset(SeqNum(10)), Some(start + 20));
        reach.extend(start + 20);
        assert_eq!((reach.end(), reach.offset(SeqNum(10))), (start + 20, Some(start + 20)));
        assert_eq!(reach.offset(SeqNum(u32::MAX - 9)), Some(start));
        assert_eq!(reach.offset(SeqNum(10 + FURTHEST + 1)), None);
    }
}
