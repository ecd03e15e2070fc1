//! Schedulers: the order in which a transmitter serves its neighbours, for [stations](crate::station) with a link layer and
//! for those of a [medium](crate::medium).
//!
//! A transmitter has a queue for each neighbour, here by number. It asks whose turn it is, makes one attempt, and reports
//! how the attempt went.

pub mod channel_state;
pub mod fifo;
pub mod round_robin;

use engine::Time;

engine::registry! {
    /// The orders of service.
    pub enum SchedulerConfig: "scheduler" => build() -> Box<dyn Scheduler> {
        RoundRobin => round_robin, "round-robin", "Each mobile's queue in turn, one attempt each", no settings;
        Fifo => fifo, "fifo", "One queue for all: first come, first served, until delivered or given up", no settings;
        ChannelState => channel_state, "channel-state", "Each mobile's queue in turn, but not for a while behind an attempt that failed (BBKT96)";
    }
}

impl Default for SchedulerConfig {
    fn default() -> Self {
        SchedulerConfig::RoundRobin(round_robin::Config::default())
    }
}

/// An order of service.
///
/// Packets are counted, not held: the queues report each packet that joins ([`joined`](Self::joined)) and each attempt
/// ([`served`](Self::served)). No step may look at all queues, of which there may be hundreds.
pub trait Scheduler {
    /// The queue that is served next; `None` if all are empty. As long as it has a packet it stays the same until
    /// [`served`](Self::served).
    fn next(&self) -> Option<usize>;

    /// A packet has joined the queue number `queue`.
    fn joined(&mut self, queue: usize, packet: Joined, now: Time);

    /// An attempt has been made for the queue that [`next`](Self::next) named.
    fn served(&mut self, attempt: Attempt, now: Time);

    /// The queue discipline dropped a packet that waited in queue number `queue`, which has others left. To be implemented
    /// by a scheduler that counts packets.
    fn dropped(&mut self, queue: usize) {
        let _ = queue;
    }
}

/// A packet that joins a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Joined {
    /// Whether the queue was empty.
    pub first: bool,
    /// Whether it goes before all packets that are not expedited, except for the one in service.
    pub expedited: bool,
    /// Whether a packet is in service.
    pub serving: bool,
}

/// The outcome of an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// Whether it was acknowledged.
    pub acknowledged: bool,
    /// Whether its packet is delivered or given up.
    pub done: bool,
    /// The number of other packets of the queue that are delivered or given up with it.
    pub besides: u32,
    /// Whether the queue has packets left, this one included.
    pub more: bool,
}

/// A transmitter's scheduler, with its answer kept: it is asked more often than the answer changes.
pub(crate) struct SchedulerState {
    scheduler: Box<dyn Scheduler>,
    next: Option<usize>,
}

impl SchedulerState {
    pub fn new(config: &SchedulerConfig) -> Self {
        let scheduler = config.build();
        SchedulerState { next: scheduler.next(), scheduler }
    }

    /// The queue that is served next.
    #[inline]
    pub fn next(&self) -> Option<usize> {
        self.next
    }

    pub fn joined(&mut self, queue: usize, packet: Joined, now: Time) {
        self.scheduler.joined(queue, packet, now);
        self.next = self.scheduler.next();
    }

    pub fn served(&mut self, attempt: Attempt, now: Time) {
        self.scheduler.served(attempt, now);
        self.next = self.scheduler.next();
    }

    pub fn dropped(&mut self, queue: usize) {
        self.scheduler.dropped(queue);
    }
}
