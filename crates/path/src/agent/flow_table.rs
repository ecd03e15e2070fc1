//! Per-flow state of the schemes, for a bounded number of flows. When the table is full, a new flow evicts the least
//! recently used one, so that a flow that never closes does not keep its entry.

use engine::{IndexedHeap, Time};
use wire::{Addr, Body, Packet, Segment};

use super::table::LruTable;

/// Maximum number of flows with state in schemes without a setting for it.
pub(super) const MAX_FLOWS: usize = 4096;

/// One direction of a connection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct FlowKey {
    pub src: Addr,
    pub dst: Addr,
    pub src_port: u16,
    pub dst_port: u16,
}

impl FlowKey {
    /// Returns the direction of a packet and its segment; `None` for a packet without a TCP segment.
    pub fn of(packet: &Packet) -> Option<(FlowKey, &Segment)> {
        let Body::Tcp(segment) = &packet.body else { return None };
        let (src_port, dst_port) = (segment.src_port, segment.dst_port);
        Some((FlowKey { src: packet.src, dst: packet.dst, src_port, dst_port }, segment))
    }

    /// Returns the opposite direction.
    pub fn opposite(self) -> FlowKey {
        FlowKey { src: self.dst, dst: self.src, src_port: self.dst_port, dst_port: self.src_port }
    }
}

/// State by flow, ordered by the time of the last packet.
pub(super) struct FlowTable<T> {
    flows: LruTable<FlowKey, T>,
    /// Maximum number of flows so far.
    most: usize,
    forgotten: u64,
}

impl<T> FlowTable<T> {
    /// Creates a table for at most `most` flows.
    pub fn new(most: usize) -> Self {
        FlowTable { flows: LruTable::new(most), most: 0, forgotten: 0 }
    }

    /// Returns the number of flows in the table.
    pub fn len(&self) -> usize {
        self.flows.len()
    }

    /// Returns the state of a flow and marks it as used now.
    #[inline]
    pub fn get(&mut self, flow: &FlowKey) -> Option<&mut T> {
        let number = self.find(flow)?;
        self.state_at(number).map(|(_, state)| state)
    }

    /// Returns the state of a flow without marking it as used.
    #[inline]
    pub fn peek(&mut self, flow: &FlowKey) -> Option<&mut T> {
        let number = self.number(flow)?;
        self.state_at(number).map(|(_, state)| state)
    }

    /// Returns the table index of a flow and marks it as used now.
    #[inline]
    fn find(&mut self, flow: &FlowKey) -> Option<u32> {
        let number = self.number(flow)?;
        self.flows.touch(number);
        Some(number)
    }

    /// Returns the table index of a flow without marking it as used.
    #[inline]
    fn number(&self, flow: &FlowKey) -> Option<u32> {
        self.flows.find(flow)
    }

    #[inline]
    fn state_at(&mut self, number: u32) -> Option<(FlowKey, &mut T)> {
        self.flows.get(number)
    }

    /// Inserts a flow, or resets it if it is present; returns the flow that is evicted for it.
    pub fn insert(&mut self, flow: FlowKey, state: T) -> Option<(FlowKey, T)> {
        if let Some(known) = self.get(&flow) {
            *known = state;
            return None;
        }
        let oldest = if self.flows.is_full() { self.flows.oldest().map(|(number, _)| number) } else { None };
        let forgotten = oldest.and_then(|number| self.flows.remove(number));
        self.forgotten += u64::from(forgotten.is_some());
        self.flows.insert(flow, state);
        self.most = self.most.max(self.flows.len());
        forgotten
    }

    pub fn remove(&mut self, flow: &FlowKey) -> Option<T> {
        let number = self.flows.find(flow)?;
        self.flows.remove(number).map(|(_, state)| state)
    }

    /// Calls `show` for all flows, the least recently used one first.
    pub fn each(&mut self, show: impl FnMut(&FlowKey, &mut T)) {
        self.flows.each(show);
    }

    /// Returns the counters of the table: flows, evicted flows, current and maximum state in bytes at `each` bytes per
    /// flow. `each` is a constant of the scheme, not the size of a type, which depends on machine and compiler.
    pub fn counters(&self, each: u64) -> [(&'static str, u64); 4] {
        let bytes = |flows: usize| flows as u64 * each;
        [
            ("flows", self.flows.len() as u64),
            ("flows_forgotten", self.forgotten),
            ("state_bytes", bytes(self.flows.len())),
            ("state_bytes_most", bytes(self.most)),
        ]
    }
}

/// State of a flow, and the flow's wake-up time; `NEVER` for none.
struct Timed<T> {
    state: T,
    due: Time,
}

/// State by flow with one wake-up time per flow. Wake-ups at the same time occur in the order of the flows.
pub(super) struct TimedFlows<T> {
    flows: FlowTable<Timed<T>>,
    /// Wake-up times by table index.
    due: IndexedHeap<(Time, FlowKey)>,
}

impl<T> TimedFlows<T> {
    /// Creates a table for at most `most` flows.
    pub fn new(most: usize) -> Self {
        TimedFlows { flows: FlowTable::new(most), due: IndexedHeap::default() }
    }

    /// Returns the number of flows in the table.
    pub fn len(&self) -> usize {
        self.flows.len()
    }

    /// Returns the state of a flow and marks it as used now.
    #[inline]
    pub fn get(&mut self, flow: &FlowKey) -> Option<&mut T> {
        self.flows.get(flow).map(|known| &mut known.state)
    }

    /// Returns the state of a flow without marking it as used.
    #[inline]
    pub fn peek(&mut self, flow: &FlowKey) -> Option<&mut T> {
        self.flows.peek(flow).map(|known| &mut known.state)
    }

    /// Returns the table index of a flow and marks it as used now. The index is valid until the flow is removed or
    /// evicted, and saves further searches.
    #[inline]
    pub fn find(&mut self, flow: &FlowKey) -> Option<u32> {
        self.flows.find(flow)
    }

    /// Returns the state at a table index.
    #[inline]
    pub fn state_at(&mut self, number: u32) -> Option<&mut T> {
        self.flows.state_at(number).map(|(_, known)| &mut known.state)
    }

    /// Sets the wake-up time of the flow at a table index, as [`wake_at`](Self::wake_at) does.
    #[inline]
    pub fn wake_numbered_at(&mut self, number: u32, at: Time) {
        let Some((flow, known)) = self.flows.state_at(number).filter(|(_, known)| known.due != at) else { return };
        known.due = at;
        if at == Time::NEVER {
            self.due.remove(number);
        } else {
            self.due.set(number, (at, flow));
        }
    }

    /// Inserts a flow, or resets it if it is present, without a wake-up; returns the flow that is evicted for it.
    pub fn insert(&mut self, flow: FlowKey, state: T) -> Option<(FlowKey, T)> {
        let forgotten = self.flows.insert(flow, Timed { state, due: Time::NEVER });
        if let Some(number) = self.flows.number(&flow) {
            while self.due.owners() <= number as usize {
                self.due.add_owner();
            }
            // Cancel the wake-up of the flow that had this index earlier.
            self.due.remove(number);
        }
        forgotten.map(|(flow, known)| (flow, known.state))
    }

    pub fn remove(&mut self, flow: &FlowKey) -> Option<T> {
        let number = self.flows.number(flow)?;
        self.due.remove(number);
        self.flows.remove(flow).map(|known| known.state)
    }

    /// Sets the wake-up time of a flow; `NEVER` cancels the wake-up.
    #[inline]
    pub fn wake_at(&mut self, flow: &FlowKey, at: Time) {
        if let Some(number) = self.flows.number(flow) {
            self.wake_numbered_at(number, at);
        }
    }

    /// Returns the earliest wake-up time.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.due.first().map_or(Time::NEVER, |((at, _), _)| at)
    }

    /// Returns the first flow whose wake-up time is `now` or earlier, and cancels its wake-up.
    pub fn pop_due(&mut self, now: Time) -> Option<FlowKey> {
        let ((_, flow), _) = self.due.first().filter(|((at, _), _)| *at <= now)?;
        self.wake_at(&flow, Time::NEVER);
        Some(flow)
    }

    /// Returns the counters of the table.
    pub fn counters(&self, each: u64) -> [(&'static str, u64); 4] {
        self.flows.counters(each)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(number: u16) -> FlowKey {
        FlowKey { src: Addr::of_node(0), dst: Addr::of_node(1), src_port: number, dst_port: 1 }
    }

    #[test]
    fn full_table_evicts_least_recently_used_flow() {
        let mut table = FlowTable::new(3);
        assert!((0..3).all(|number| table.insert(flow(number), number).is_none()));
        assert_eq!(table.get(&flow(0)), Some(&mut 0));
        // Neither a look-up without use nor a reinserted flow evicts another flow.
        assert_eq!((table.peek(&flow(1)).copied(), table.insert(flow(2), 22)), (Some(1), None));
        assert_eq!(table.insert(flow(3), 3), Some((flow(1), 1)));
        assert_eq!(table.insert(flow(4), 4), Some((flow(0), 0)));
        assert_eq!(table.insert(flow(5), 5), Some((flow(2), 22)));
        let counters = [("flows", 3), ("flows_forgotten", 3), ("state_bytes", 30), ("state_bytes_most", 30)];
        assert_eq!(table.counters(10), counters);
    }

    #[test]
    fn flows_wake_once_in_chronological_order() {
        let mut flows = TimedFlows::new(3);
        for (number, ms) in [(0, 20), (1, 10), (2, 30)] {
            flows.insert(flow(number), ());
            flows.wake_at(&flow(number), Time::from_millis(ms));
        }
        flows.wake_at(&flow(2), Time::from_millis(5));
        flows.remove(&flow(1));
        assert_eq!(flows.deadline(), Time::from_millis(5));
        let woken: Vec<_> = std::iter::from_fn(|| flows.pop_due(Time::from_millis(20))).collect();
        assert_eq!(woken, [flow(2), flow(0)]);
        assert_eq!(flows.deadline(), Time::NEVER);
    }

    #[test]
    fn evicted_or_reset_flow_does_not_wake() {
        let mut flows = TimedFlows::new(1);
        flows.insert(flow(0), 0);
        flows.wake_at(&flow(0), Time::from_millis(1));
        assert_eq!(flows.insert(flow(1), 1), Some((flow(0), 0)));
        assert_eq!(flows.deadline(), Time::NEVER);
        flows.wake_at(&flow(1), Time::from_millis(1));
        assert_eq!(flows.insert(flow(1), 2), None);
        assert_eq!(flows.deadline(), Time::NEVER);
    }
}
