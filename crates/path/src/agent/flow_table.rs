//! What schemes remember of flows: of a bounded number of them, found by hash, whatever their number. When one more
//! comes, the one that was longest without a packet is forgotten, so a flow that never closes takes no place for ever.

use std::collections::BTreeSet;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::mem::size_of;

use engine::Time;
use hashlink::LruCache;
use wire::{Addr, Body, Packet, Segment};

/// How many flows a scheme remembers.
pub(super) const MOST_FLOWS: usize = 4096;

/// One direction of a connection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Flow {
    pub src: Addr,
    pub dst: Addr,
    pub src_port: u16,
    pub dst_port: u16,
}

impl Flow {
    /// The direction in which a packet goes, and its segment, if it carries one.
    pub fn of(packet: &Packet) -> Option<(Flow, &Segment)> {
        let Body::Tcp(segment) = &packet.body else { return None };
        let (src_port, dst_port) = (segment.src_port, segment.dst_port);
        Some((Flow { src: packet.src, dst: packet.dst, src_port, dst_port }, segment))
    }

    /// The other direction.
    pub fn reversed(self) -> Flow {
        Flow { src: self.dst, dst: self.src, src_port: self.dst_port, dst_port: self.src_port }
    }
}

/// State by flow. Its hash is the same everywhere, and its order is that of the flows' last packets.
pub(super) struct FlowTable<T> {
    flows: LruCache<Flow, T, BuildHasherDefault<DefaultHasher>>,
    forgotten: u64,
}

impl<T> FlowTable<T> {
    pub fn new() -> Self {
        FlowTable { flows: LruCache::with_hasher(MOST_FLOWS, BuildHasherDefault::default()), forgotten: 0 }
    }

    /// What is known of a flow that has a packet now.
    pub fn get(&mut self, flow: &Flow) -> Option<&mut T> {
        self.flows.get_mut(flow)
    }

    /// The same, without a packet.
    pub fn peek(&mut self, flow: &Flow) -> Option<&mut T> {
        self.flows.peek_mut(flow)
    }

    /// Begins to remember a flow, or begins anew; gives the one that is forgotten for it.
    pub fn insert(&mut self, flow: Flow, state: T) -> Option<(Flow, T)> {
        let full = self.flows.len() >= MOST_FLOWS && !self.flows.contains_key(&flow);
        let forgotten = if full { self.flows.remove_lru() } else { None };
        self.forgotten += u64::from(forgotten.is_some());
        self.flows.insert(flow, state);
        forgotten
    }

    pub fn remove(&mut self, flow: &Flow) -> Option<T> {
        self.flows.remove(flow)
    }

    /// All flows, the one that was longest without a packet first.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&Flow, &mut T)> {
        self.flows.iter_mut()
    }

    /// Flows now, flows forgotten, bytes of what is known.
    pub fn counters(&self) -> [(&'static str, u64); 3] {
        let flows = self.flows.len() as u64;
        let bytes = flows * (size_of::<Flow>() + size_of::<T>()) as u64;
        [("flows", flows), ("flows_forgotten", self.forgotten), ("state_bytes", bytes)]
    }
}

/// When something is due, by flow; at most one time each.
#[derive(Default)]
pub(super) struct Deadlines(BTreeSet<(Time, Flow)>);

impl Deadlines {
    /// Moves a flow's time from `old` to `new`; NEVER stands for none.
    pub fn change(&mut self, flow: Flow, old: Time, new: Time) {
        if old == new {
            return;
        }
        if old != Time::NEVER {
            self.0.remove(&(old, flow));
        }
        if new != Time::NEVER {
            self.0.insert((new, flow));
        }
    }

    /// The earliest.
    pub fn first(&self) -> Time {
        self.0.first().map_or(Time::NEVER, |(at, _)| *at)
    }

    /// A flow whose time has come; it has none then.
    pub fn take(&mut self, now: Time) -> Option<Flow> {
        self.0.first().filter(|(at, _)| *at <= now)?;
        self.0.pop_first().map(|(_, flow)| flow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(number: u16) -> Flow {
        Flow { src: Addr::of_node(0), dst: Addr::of_node(1), src_port: number, dst_port: 1 }
    }

    #[test]
    fn the_flow_longest_without_a_packet_is_forgotten() {
        let mut table = FlowTable::new();
        for number in 0..MOST_FLOWS as u16 {
            assert_eq!(table.insert(flow(number), number), None);
        }
        assert_eq!(table.get(&flow(0)), Some(&mut 0));
        assert_eq!(table.insert(flow(9999), 9999), Some((flow(1), 1)));
        assert_eq!(table.peek(&flow(0)), Some(&mut 0));
        assert_eq!(table.counters()[..2], [("flows", MOST_FLOWS as u64), ("flows_forgotten", 1)]);
    }

    #[test]
    fn a_deadline_that_moves_leaves_nothing_behind() {
        let mut due = Deadlines::default();
        let [one, two] = [1, 2].map(Time::from_millis);
        due.change(flow(1), Time::NEVER, one);
        due.change(flow(1), one, two);
        assert_eq!((due.first(), due.take(one)), (two, None));
        assert_eq!(due.take(two), Some(flow(1)));
        assert_eq!(due.first(), Time::NEVER);
    }
}
