//! Queues: which packet that waits for a link goes next, and which is dropped or marked.
//!
//! A *queue discipline* is one file here and one line of the registry below. It is used in three ways:
//!
//! * [`Backlog`] is the queue of every transmitter that decides at the moment it sends: links with expedited packets, link
//!   layers, stations of a medium;
//! * a [`FifoLink`](crate::link::fifo::FifoLink) and a [`VariableLink`](crate::link::variable::VariableLink) compute
//!   departures when packets arrive, which only [`drop_tail`] allows; they apply its rule without a queue of their own;
//! * the node's [`Buffer`] is shared by all its links, in front of these queues.

pub mod backlog;
pub mod buffer;
pub mod drop_tail;
pub mod limit;

use engine::{Order, Stream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::{Ecn, Packet};

pub use backlog::Backlog;
pub use buffer::Buffer;
pub use limit::Limit;

engine::registry! {
    /// The queue disciplines.
    pub enum QueueConfig: "queue" => build(stream: Stream) -> Box<dyn QueueDiscipline> {
        DropTail => drop_tail, "drop-tail", "First in, first out; a packet that finds the queue full is dropped";
    }
}

impl Default for QueueConfig {
    /// Drop-tail without a limit.
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
    /// The settings of drop-tail; `None` for any other discipline.
    pub fn drop_tail(&self) -> Option<drop_tail::Config> {
        match self {
            QueueConfig::DropTail(config) => Some(*config),
            _ => None,
        }
    }

    /// The most that may wait.
    pub fn limit(&self) -> Limit {
        self.build(Stream::default()).limit()
    }

    /// Whether it may mark packets instead of dropping them.
    pub fn marks(&self) -> bool {
        self.build(Stream::default()).marks()
    }
}

/// A queue in front of one direction of a link.
///
/// Its owner calls [`enqueue`](Self::enqueue) for each packet that is to cross the link and [`dequeue`](Self::dequeue) when
/// the transmitter can send the next one. Time never runs backward between calls. Three things always hold:
///
/// * every packet leaves once: it is refused by `enqueue`, dropped with [`QueueCx::drop`], or returned by `dequeue`;
/// * a packet that arrives [at once](Queued::at_once) is neither refused nor dropped before the next `dequeue`;
/// * `dequeue` returns a packet if any waits: the last one is not dropped there, so that a transmitter that was promised a
///   packet gets one.
pub trait QueueDiscipline {
    /// A packet arrives. Other packets may be dropped for it, or marked.
    ///
    /// # Errors
    ///
    /// The packet is refused, and why. The owner reports it.
    fn enqueue(&mut self, packet: Queued, cx: &mut QueueCx<'_>) -> Result<(), Cause>;

    /// The packet that is sent now. Others may be dropped before it, and it may be marked.
    fn dequeue(&mut self, cx: &mut QueueCx<'_>) -> Option<Queued>;

    /// The packet that [`dequeue`](Self::dequeue) returns if it is called next, at the same time. A discipline that drops at
    /// `dequeue` drops here what it would drop there.
    fn peek(&mut self, cx: &mut QueueCx<'_>) -> Option<&Packet>;

    /// The packets that wait, in the order in which they would leave if nothing else arrived and none was dropped.
    fn packets(&self) -> Box<dyn Iterator<Item = &Packet> + '_>;

    /// The number of packets that wait.
    fn len(&self) -> usize;

    /// Whether nothing waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that wait.
    fn bytes(&self) -> u64;

    /// The most that may wait.
    fn limit(&self) -> Limit;

    /// Whether it may mark packets instead of dropping them.
    fn marks(&self) -> bool;
}

/// A packet in a queue, with what its transmitter needs to know of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Queued {
    /// The packet.
    pub packet: Packet,
    /// When it arrived.
    pub arrived: Time,
    /// Its place among the events of its time; to be returned as it is.
    pub order: Order,
    /// Whether an agent wants it sent before all packets that are not expedited.
    pub expedited: bool,
    /// Whether the transmitter is free and nothing waits: the packet does not wait, and no limit applies to it.
    pub at_once: bool,
}

/// Why a packet was dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The queue is full.
    Full,
    /// The discipline drops before the queue is full (active queue management).
    Early,
}

/// The context of one call of a discipline.
pub struct QueueCx<'a> {
    /// Now.
    pub now: Time,
    /// Packets and bytes that wait for the same transmitter outside of this queue; they count for limits.
    pub others: (usize, u64),
    actions: &'a mut Vec<Action>,
}

/// Something that a discipline did to a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// It dropped a packet that had been enqueued.
    Dropped(Packet, Cause),
    /// It marked a packet, which is shown with its mark.
    Marked(Packet),
}

impl<'a> QueueCx<'a> {
    /// A context whose actions are appended to `actions`.
    pub fn new(now: Time, others: (usize, u64), actions: &'a mut Vec<Action>) -> Self {
        QueueCx { now, others, actions }
    }

    /// Reports a packet that had been enqueued and is dropped now.
    pub fn drop(&mut self, packet: Packet, cause: Cause) {
        self.actions.push(Action::Dropped(packet, cause));
    }

    /// Marks a packet, if its ends take part in ECN; whether they do [RFC3168 s5].
    pub fn mark(&mut self, packet: &mut Packet) -> bool {
        let capable = packet.ecn.is_capable();
        if capable {
            packet.ecn = Ecn::Ce;
            self.actions.push(Action::Marked(*packet));
        }
        capable
    }
}

/// Which event is handled first when a packet arrives at the very moment at which the one being sent has left. The
/// coincidence is frequent: where acknowledgments clock a sender, packets arrive at the spacing of the slowest link.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tie {
    /// The departure: the place is free.
    #[default]
    DepartureFirst,
    /// The arrival: the place is not free yet.
    ArrivalFirst,
}
