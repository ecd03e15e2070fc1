//! Schedulers: the order in which a transmitter serves its neighbours, for [stations](crate::station) with a link layer
//! and for stations of a [medium](crate::medium).
//!
//! A transmitter has a numbered queue for each neighbour. It queries the next queue, makes one attempt, and reports the
//! outcome.

pub mod channel_state;
pub mod fifo;
pub mod round_robin;

use engine::Time;

engine::registry! {
    /// The schedulers.
    pub enum SchedulerConfig: "scheduler" => build() -> Box<dyn Scheduler> {
        RoundRobin => round_robin, "round-robin", "Each mobile's queue in turn, one attempt at a time", no settings;
        Fifo => fifo, "fifo", "One queue for all: first in, first out; each packet until delivered or given up", no settings;
        ChannelState => channel_state, "channel-state", "Each mobile's queue in turn, except for some time after a failed attempt (BBKT96)";
    }
}

impl Default for SchedulerConfig {
    fn default() -> Self {
        SchedulerConfig::RoundRobin(round_robin::Config::default())
    }
}

/// An order of service.
///
/// The scheduler counts packets without holding them: the queues report each packet that joins
/// ([`on_join`](Self::on_join)) and each attempt ([`on_attempt`](Self::on_attempt)). No operation may visit all queues, of which
/// there may be hundreds.
pub trait Scheduler: Send {
    /// Returns the queue to serve next; `None` if all are empty. While that queue has a packet, the result is the same
    /// until [`on_attempt`](Self::on_attempt).
    fn next(&self) -> Option<usize>;

    /// Reports that a packet has joined queue number `queue`.
    fn on_join(&mut self, queue: usize, packet: Joined, now: Time);

    /// Reports an attempt for the queue that [`next`](Self::next) returned.
    fn on_attempt(&mut self, attempt: Attempt, now: Time);

    /// Reports that the queue discipline dropped a waiting packet of queue number `queue`, which still has packets.
    /// Schedulers that count packets implement it.
    fn on_drop(&mut self, queue: usize) {
        let _ = queue;
    }
}

/// A packet joins a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Joined {
    /// True if the queue was empty.
    pub first: bool,
    /// True if the packet precedes all that are not expedited, except the one in service.
    pub expedited: bool,
    /// True if a packet is in service.
    pub serving: bool,
}

/// The outcome of an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// True if the packet was acknowledged.
    pub acknowledged: bool,
    /// True if the queue's packet is delivered or given up.
    pub done: bool,
    /// Number of further packets of the queue that are delivered or given up with it.
    pub besides: u32,
    /// True if the queue still has packets, including this one.
    pub more: bool,
}

/// A transmitter's scheduler with the cached number of the next queue, which is read more often than it changes.
pub(crate) struct SchedulerState {
    scheduler: Box<dyn Scheduler>,
    next: Option<usize>,
}

impl SchedulerState {
    pub fn new(config: &SchedulerConfig) -> Self {
        let scheduler = config.build();
        SchedulerState { next: scheduler.next(), scheduler }
    }

    /// Returns the queue to serve next.
    #[inline]
    pub fn next(&self) -> Option<usize> {
        self.next
    }

    pub fn on_join(&mut self, queue: usize, packet: Joined, now: Time) {
        self.scheduler.on_join(queue, packet, now);
        self.next = self.scheduler.next();
    }

    pub fn on_attempt(&mut self, attempt: Attempt, now: Time) {
        self.scheduler.on_attempt(attempt, now);
        self.next = self.scheduler.next();
    }

    pub fn on_drop(&mut self, queue: usize) {
        self.scheduler.on_drop(queue);
    }
}
