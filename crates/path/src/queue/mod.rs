//! Queue disciplines: the order in which waiting packets are sent, and the choice of packets that are dropped or
//! marked.
//!
//! A *queue discipline* is one file here and one line of the registry below. It is used in three ways:
//!
//! * [`Backlog`] is the queue of every transmitter that decides at the time of transmission: links with expedited
//!   packets, link layers, stations of a medium;
//! * a [`FifoLink`](crate::link::fifo::FifoLink) and a [`VariableLink`](crate::link::variable::VariableLink) compute
//!   departures when packets arrive, which only drop-tail allows; they apply [its rule](drop_tail::Config::admits)
//!   without a separate queue;
//! * the node's [`RouterBuffer`] is shared by all its links, in front of these queues.

pub mod backlog;
pub mod buffer;
pub mod classes;
pub mod codel;
pub mod drop_tail;
pub mod drr;
pub mod dualpi2;
pub mod fq_codel;
pub mod head_drop;
pub mod limit;
mod packet_fifo;
pub mod pie;
pub mod priority;
pub mod red;
mod traits;

use engine::{Order, Stream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::{Ecn, Packet};

pub use backlog::Backlog;
pub use buffer::RouterBuffer;
pub use limit::Limit;
pub use traits::QueueTraits;

engine::registry! {
    /// The queue disciplines.
    pub enum QueueConfig: "queue discipline" => build(stream: Stream) -> Box<dyn QueueDiscipline>, with traits: QueueTraits {
        DropTail => drop_tail, "drop-tail", "First in, first out; a packet that arrives at a full queue is dropped", with traits;
        HeadDrop => head_drop, "head-drop", "First in, first out; a packet that arrives at a full queue displaces the first one", with traits;
        Red => red, "red", "Drops or marks with a probability that grows with the average backlog (Floyd1993)";
        CoDel => codel, "codel", "Drops at the head while the minimum sojourn time exceeds a target (RFC 8289)", with traits;
        Pie => pie, "pie", "Drops with a probability that a controller derives from the queue delay (RFC 8033)", with traits;
        FqCoDel => fq_codel, "fq-codel", "A queue with CoDel for each flow, served in rounds, new flows first (RFC 8290)";
        DualPi2 => dualpi2, "dualpi2", "A low-latency queue for scalable flows, coupled to a classic one (RFC 9332)", with traits;
        Priority => priority, "priority", "Strict priority by class (DSCP)", with traits;
        Drr => drr, "drr", "Deficit round robin by class (Shreedhar1996)", with traits;
    }
}

/// The maximum backlog of a discipline without a `limit`: the length of the transmit queue of a network interface in
/// Linux (`DEFAULT_TX_QUEUE_LEN`, include/net/pkt_sched.h), which is the default limit of its queueing disciplines.
pub const DEFAULT_LIMIT: Limit = Limit::Packets(1000);

impl Default for QueueConfig {
    /// Returns drop-tail without a limit.
    fn default() -> Self {
        Limit::None.into()
    }
}

impl From<Limit> for QueueConfig {
    fn from(limit: Limit) -> Self {
        QueueConfig::DropTail(drop_tail::Config::from(limit))
    }
}

impl QueueConfig {
    /// Returns the settings of drop-tail; `None` for any other discipline.
    pub fn drop_tail(&self) -> Option<drop_tail::Config> {
        match self {
            QueueConfig::DropTail(config) => Some(*config),
            _ => None,
        }
    }

    /// Returns the maximum backlog.
    pub fn limit(&self) -> Limit {
        self.build(Stream::default()).limit()
    }

    /// Returns true if the discipline may mark packets instead of dropping them.
    pub fn marks(&self) -> bool {
        self.build(Stream::default()).marks()
    }
}

/// A queue in front of one direction of a link.
///
/// The owner of the queue, a [`Backlog`], calls [`enqueue`](Self::enqueue) for each packet that is to cross the link
/// and [`dequeue`](Self::dequeue) when the transmitter can send the next one, also if no packet waits: after the last
/// packet, `dequeue` is called once more and returns no packet, and the transmitter becomes idle. Time never decreases
/// between calls. Three invariants hold:
///
/// * every packet leaves once: it is refused by `enqueue`, dropped with [`QueueCx::drop`], or returned by `dequeue`;
/// * a packet that arrives [at once](Queued::at_once) is neither refused nor dropped before the next `dequeue`;
/// * `dequeue` returns a packet if any waits: it never drops the last packet, so a transmitter that expects a packet
///   gets one.
pub trait QueueDiscipline: Send {
    /// Processes the arrival of a packet. Other packets may be dropped to make room, or marked.
    ///
    /// # Errors
    ///
    /// The packet is refused, with the cause. The owner reports it.
    fn enqueue(&mut self, packet: Queued, cx: &mut QueueCx<'_>) -> Result<(), DropCause>;

    /// Removes and returns the packet to send now, possibly marked. Other packets may be dropped before it. `None` if
    /// no packet waits: the transmitter becomes idle.
    fn dequeue(&mut self, cx: &mut QueueCx<'_>) -> Option<Queued>;

    /// Returns the waiting packets, in the order in which they would be sent without further arrivals and drops.
    fn packets(&self) -> Box<dyn Iterator<Item = &Packet> + '_>;

    /// Returns the number of waiting packets.
    fn len(&self) -> usize;

    /// Returns true if no packet waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes of waiting packets.
    fn bytes(&self) -> u64;

    /// Returns the maximum backlog.
    fn limit(&self) -> Limit;

    /// Returns true if the discipline may mark packets instead of dropping them.
    fn marks(&self) -> bool;
}

/// A packet in a queue, with the data that its transmitter needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Queued {
    /// The packet.
    pub packet: Packet,
    /// Time of its arrival.
    pub arrived: Time,
    /// Order of the packet among simultaneous events; to be returned unchanged.
    pub order: Order,
    /// True if an agent requires the packet to be sent before all packets that are not expedited.
    pub expedited: bool,
    /// True if the transmitter is idle and nothing waits: the packet is sent immediately, and no limit applies to it.
    pub at_once: bool,
}

/// Cause of a drop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DropCause {
    /// The queue is full.
    Full,
    /// The discipline drops before the queue is full (active queue management).
    Early,
}

/// Context of one call of a discipline.
pub struct QueueCx<'a> {
    /// Current time.
    pub now: Time,
    /// Packets and bytes that wait for the same transmitter outside of this queue and count towards limits.
    pub others: (usize, u64),
    actions: &'a mut Vec<QueueAction>,
}

/// An action of a discipline on a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueueAction {
    /// A queued packet was dropped.
    Dropped(Queued, DropCause),
    /// A packet was marked; the argument has the mark.
    Marked(Packet),
}

impl<'a> QueueCx<'a> {
    /// Creates a context whose actions are appended to `actions`.
    pub fn new(now: Time, others: (usize, u64), actions: &'a mut Vec<QueueAction>) -> Self {
        QueueCx { now, others, actions }
    }

    /// Returns true if `arriving` fits into a queue with this limit that holds these packets and bytes. A packet that
    /// is sent immediately always fits.
    #[inline]
    pub fn admits(&self, limit: Limit, (packets, bytes): (usize, u64), arriving: &Queued) -> bool {
        let (packets, bytes) = (packets + self.others.0, bytes + self.others.1);
        arriving.at_once || limit.admits(packets, bytes, arriving.packet.size())
    }

    /// Reports that a queued packet is dropped now.
    pub fn drop(&mut self, queued: Queued, cause: DropCause) {
        self.actions.push(QueueAction::Dropped(queued, cause));
    }

    /// Marks a packet if it is ECN-capable; returns whether it is marked [RFC3168 s5].
    pub fn mark(&mut self, packet: &mut Packet) -> bool {
        let capable = packet.ecn.is_capable();
        if capable {
            packet.ecn = Ecn::Ce;
            self.actions.push(QueueAction::Marked(*packet));
        }
        capable
    }
}

/// The order of an arrival and a departure at the same time. The coincidence is frequent: where acknowledgments clock a
/// sender, packets arrive at the spacing of the slowest link.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tie {
    /// The departure is handled first, so that the space of the departed packet is free.
    #[default]
    DepartureFirst,
    /// The arrival is handled first, so no place is free yet.
    ArrivalFirst,
}

impl Tie {
    /// Returns true if a departure at `at` precedes an arrival at `now`.
    #[inline]
    pub fn has_departed(self, at: Time, now: Time) -> bool {
        at < now || (at == now && self == Tie::DepartureFirst)
    }
}

#[cfg(test)]
mod tests {
    use wire::{Addr, Body, Segment};

    use super::*;

    /// A packet of `size` bytes.
    pub(super) fn packet(size: u32) -> Packet {
        packet_of(0, size)
    }

    /// A packet of `size` bytes of flow number `flow`.
    pub(super) fn packet_of(flow: u16, size: u32) -> Packet {
        let segment = Segment { src_port: flow, len: size - 40, ..Segment::default() };
        Packet::new(Addr::of_node(0), Addr::of_node(1), Body::Tcp(segment))
    }

    /// A queue discipline, and the fates of packets.
    pub(super) struct Driver {
        queue: Box<dyn QueueDiscipline>,
        actions: Vec<QueueAction>,
        refused: usize,
        marked: usize,
        dropped: Vec<u16>,
    }

    impl Driver {
        pub fn new(queue: Box<dyn QueueDiscipline>) -> Self {
            Driver { queue, actions: Vec::new(), refused: 0, marked: 0, dropped: Vec::new() }
        }

        /// Offers a packet while the transmitter is busy.
        pub fn arrive(&mut self, now: Time, packet: Packet) {
            let queued = Queued { packet, arrived: now, order: Order::default(), expedited: false, at_once: false };
            let result = self.queue.enqueue(queued, &mut QueueCx::new(now, (0, 0), &mut self.actions));
            self.refused += usize::from(result.is_err());
            self.settle();
        }

        /// Flow of the departing packet.
        pub fn depart(&mut self, now: Time) -> Option<u16> {
            let queued = self.queue.dequeue(&mut QueueCx::new(now, (0, 0), &mut self.actions));
            self.settle();
            queued.map(|queued| queued.packet.ports()[0])
        }

        fn settle(&mut self) {
            for action in self.actions.drain(..) {
                match action {
                    QueueAction::Dropped(queued, _) => self.dropped.push(queued.packet.ports()[0]),
                    QueueAction::Marked(_) => self.marked += 1,
                }
            }
        }

        /// The flows of the packets dropped since the last call.
        pub fn take_dropped(&mut self) -> Vec<u16> {
            std::mem::take(&mut self.dropped)
        }

        pub fn refused(&self) -> usize {
            self.refused
        }

        pub fn marked(&self) -> usize {
            self.marked
        }

        pub fn len(&self) -> usize {
            self.queue.len()
        }
    }
}
