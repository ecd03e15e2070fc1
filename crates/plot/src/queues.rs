//! The time that packets spend at each hop: waiting for the link and being sent there.
//!
//! No event says that a packet joins the queue of a link. A packet joins it when a node creates or forwards the packet,
//! and the events of the link tell later which link it was. A packet stays until its last bit is sent: until its arrival
//! less the propagation delay, or until its arrival on a link whose delay varies.

use std::collections::{BTreeMap, VecDeque};

use path::{HopId, LinkEvent};
use sim::NodeEvent;
use wire::{Addr, Body, Packet};

use crate::describe::{Description, LinkDescription};

/// The intervals (begin, end) in seconds that packets spent at each hop (link, direction), in order of departure.
pub(crate) type Stays = BTreeMap<(u32, usize), Vec<(f64, f64)>>;

/// The parts of a packet that no node changes on its way: addresses, kind, ports, sequence number, length, and the
/// acknowledgment number of a segment without data.
pub type Identity = (Addr, Addr, u8, u32, u32, u32, u32);

/// Packets at their nodes, and their times at the hops.
pub(crate) struct Queues {
    links: Vec<LinkDescription>,
    /// By node and identity, the times (seconds) at which such packets joined a queue there, the oldest first.
    waiting: BTreeMap<(usize, Identity), VecDeque<f64>>,
    /// By node and destination, the hop that the last packet took, and the time at which that packet joined the queue.
    routes: BTreeMap<(usize, Addr), ((u32, usize), f64)>,
    stays: Stays,
}

impl Queues {
    /// Returns empty queues of the described network.
    pub fn new(description: &Description) -> Self {
        Queues {
            links: description.links.clone(),
            waiting: BTreeMap::new(),
            routes: BTreeMap::new(),
            stays: Stays::new(),
        }
    }

    /// Records that a packet joins or leaves the queues of a node.
    pub fn node(&mut self, at: f64, node: usize, event: &NodeEvent) {
        match event {
            NodeEvent::Sent { packet } | NodeEvent::Transit { packet } => {
                self.waiting.entry((node, identity(packet))).or_default().push_back(at);
            }
            NodeEvent::BufferFull { packet } | NodeEvent::NoRoute { packet } | NodeEvent::Taken { packet } => {
                // Only a packet at this moment: an older one with the same identity is still in the queue.
                if self.waiting.get(&(node, identity(packet))).is_some_and(|times| times.back() == Some(&at)) {
                    self.remove(node, packet, VecDeque::pop_back);
                }
            }
            NodeEvent::Received { .. } | NodeEvent::Associated { .. } | NodeEvent::Left { .. } => {}
        }
    }

    /// Returns the time that a packet spent at a hop, if the event ends it.
    pub fn link(&mut self, at: f64, hop: HopId, event: &LinkEvent) -> Option<(f64, f64)> {
        let link = self.links.get(hop.link as usize)?;
        let direction = hop.direction.index();
        let (node, delay) = (link.between[direction], link.delays[direction].map_or(0.0, |delay| delay.as_secs_f64()));
        let (packet, end) = match event {
            LinkEvent::Arrived { packet } | LinkEvent::Lost { packet } => (packet, at - delay),
            LinkEvent::GivenUp { packet, arrived: false, .. } => (packet, at),
            LinkEvent::QueueFull { packet, arrived } | LinkEvent::DroppedEarly { packet, arrived } => {
                let queued = arrived.as_secs_f64();
                let begin = self.remove(node, packet, |times| pop_joined_by(times, queued))?;
                // One that a full queue refuses was never in it.
                return (queued < at).then_some((begin, at));
            }
            _ => return None,
        };
        let begin = self.remove(node, packet, VecDeque::pop_front)?;
        self.routes.insert((node, packet.dst), ((hop.link, hop.direction.index()), begin));
        Some((begin, end.max(begin)))
    }

    /// Keeps the time that a packet spent at a hop.
    pub fn keep(&mut self, hop: HopId, stay: (f64, f64)) {
        self.stays.entry((hop.link, hop.direction.index())).or_default().push(stay);
    }

    fn remove(
        &mut self,
        node: usize,
        packet: &Packet,
        pick: impl FnOnce(&mut VecDeque<f64>) -> Option<f64>,
    ) -> Option<f64> {
        let key = (node, identity(packet));
        let times = self.waiting.get_mut(&key)?;
        let picked = pick(times);
        if times.is_empty() {
            self.waiting.remove(&key);
        }
        picked
    }

    /// Returns all stays. Packets still at a hop stay there until `last`; a packet that has been overtaken since is not
    /// there any more.
    pub fn finish(mut self, last: f64) -> Stays {
        for ((node, (_, dst, ..)), times) in &self.waiting {
            if let Some((hop, since)) = self.routes.get(&(*node, *dst)) {
                let there = times.iter().filter(|begin| *begin >= since);
                self.stays.entry(*hop).or_default().extend(there.map(|begin| (*begin, last)));
            }
        }
        self.stays
    }
}

/// Removes the last of the times at which equal packets came to a node, of those up to `queued`.
fn pop_joined_by(times: &mut VecDeque<f64>, queued: f64) -> Option<f64> {
    let last = times.iter().rposition(|time| *time <= queued)?;
    times.remove(last)
}

/// Returns the identity of a packet; a retransmission has that of the original.
pub fn identity(packet: &Packet) -> Identity {
    let (src, dst) = (packet.src, packet.dst);
    match &packet.body {
        Body::Tcp(segment) => {
            let ports = u32::from(segment.src_port) << 16 | u32::from(segment.dst_port);
            let ack = if segment.len == 0 { segment.ack.0 } else { 0 };
            (src, dst, 0, ports, segment.seq.0, segment.len, ack)
        }
        Body::Icmp(notice) => (src, dst, 1, 0, notice.seq.0, 0, 0),
        Body::Datagram(datagram) => {
            let ports = u32::from(datagram.src_port) << 16 | u32::from(datagram.dst_port);
            (src, dst, 2, ports, datagram.number, datagram.len, 0)
        }
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
pub(crate) fn bottleneck(
    stays: &Stays,
    hops: impl Iterator<Item = (u32, usize)>,
    (from, to): (f64, f64),
) -> Option<(u32, usize)> {
    let spent = |hop: &(u32, usize)| -> f64 {
        let all = stays.get(hop).map_or(&[][..], Vec::as_slice);
        all.iter().map(|(begin, end)| (end.min(to) - begin.max(from)).max(0.0)).sum()
    };
    let busiest = |a: ((u32, usize), f64), b: ((u32, usize), f64)| if b.1 > a.1 { b } else { a };
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
        let stays = Stays::from([((0, 0), vec![(0.0, 9.0)]), ((1, 0), vec![(9.0, 10.0), (9.0, 11.0)])]);
        let hops = [(0, 0), (1, 0), (2, 1)];
        assert_eq!(bottleneck(&stays, hops.into_iter(), (0.0, 20.0)), Some((0, 0)));
        assert_eq!(bottleneck(&stays, hops.into_iter(), (8.5, 20.0)), Some((1, 0)));
        assert_eq!(bottleneck(&stays, [].into_iter(), (0.0, 1.0)), None);
    }
}
