//! The state of a node in a run.

use std::collections::VecDeque;

use engine::{Bytes, Order, Schedule, Slot, Span, Time};
use path::agent::Agent;
use path::channel::State;
use path::queue::Buffer;
use wire::Packet;

use crate::timer::{Due, Timer};

/// A node.
pub(crate) struct Node {
    pub buffer: Buffer,
    /// Packets dropped because the buffer was full.
    pub buffer_full: u64,
    pub processing: Option<Processing>,
    pub agent: Option<InstalledAgent>,
}

impl Node {
    /// Whether it passes packets on as they are and at once, with a buffer of this size.
    pub fn passes_on(&self, buffer: Option<Bytes>) -> bool {
        self.processing.is_none() && self.agent.is_none() && buffer.is_none()
    }

    /// The counters of its scheme.
    pub fn agent_counters(&self) -> Vec<(&'static str, u64)> {
        self.agent.as_ref().map_or_else(Vec::new, |installed| installed.agent.counters())
    }

    /// Whether its scheme receives reports of packets that a link layer has delivered.
    pub fn looks_at_deliveries(&self) -> bool {
        self.agent.as_ref().is_some_and(|installed| installed.agent.looks_at_deliveries())
    }

    /// Whether its scheme lets packets overtake those in the queue.
    pub fn sends_expedited(&self) -> bool {
        self.agent.as_ref().is_some_and(|installed| installed.agent.sends_expedited())
    }
}

/// An agent in a node, and its next wake-up.
pub(crate) struct InstalledAgent {
    pub agent: Box<dyn Agent>,
    timer: Timer,
    pub forecast: Option<Forecast>,
    /// The agent's counters after its last observed call.
    counts: Vec<u64>,
}

impl InstalledAgent {
    pub fn new(agent: Box<dyn Agent>, slot: Slot, forecast: Option<Forecast>) -> Self {
        InstalledAgent { agent, timer: Timer::new(slot), forecast, counts: Vec::new() }
    }

    /// Updates the agent's wake-up.
    #[inline]
    pub fn keep_timer(&mut self, schedule: &mut Schedule) {
        self.timer.want(self.agent.deadline(), schedule);
    }

    /// Calls `grown` with each count of actions that has grown since the last call, and its growth. Counts of state, which
    /// can also shrink, are left out.
    pub fn grown_counts(&mut self, mut grown: impl FnMut(&'static str, u64)) {
        let counters = self.agent.counters();
        self.counts.resize(counters.len(), 0);
        for ((name, count), before) in counters.into_iter().zip(&mut self.counts) {
            let growth = count.saturating_sub(std::mem::replace(before, count));
            let of_state = name == "flows" || name.starts_with("state_bytes") || name.ends_with("_most");
            if growth > 0 && !of_state {
                grown(name, growth);
            }
        }
    }

    /// The scheduled wake-up has been reached.
    pub fn due(&mut self, now: Time, schedule: &mut Schedule) -> Due {
        self.timer.due(now, schedule)
    }
}

/// Notifications of an agent before the channel changes its state.
pub(crate) struct Forecast {
    pub slot: Slot,
    /// How long before the change.
    pub lead: Span,
    /// The links whose channels are observed.
    pub links: Vec<u32>,
    /// The next change to be reported.
    pub next: Option<(Time, State)>,
}

/// Packets in processing: each takes the same time, in parallel.
pub(crate) struct Processing {
    delay: Span,
    slot: Slot,
    packets: VecDeque<(Time, Order, Packet)>,
}

impl Processing {
    pub fn new(delay: Span, slot: Slot) -> Self {
        Processing { delay, slot, packets: VecDeque::new() }
    }

    pub fn push(&mut self, now: Time, packet: Packet, schedule: &mut Schedule) {
        let (at, order) = (now + self.delay, schedule.order());
        if self.packets.is_empty() {
            schedule.arm_as(self.slot, at, order);
        }
        self.packets.push_back((at, order, packet));
    }

    pub fn len(&self) -> usize {
        self.packets.len()
    }

    pub fn pop(&mut self, schedule: &mut Schedule) -> Option<Packet> {
        let (_, _, packet) = self.packets.pop_front()?;
        match self.packets.front() {
            Some((at, order, _)) => schedule.arm_as(self.slot, *at, *order),
            None => schedule.disarm(self.slot),
        }
        Some(packet)
    }
}
