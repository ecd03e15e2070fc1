//! State of a node: packets in processing, and the agent of its scheme.

use std::collections::VecDeque;

use engine::{Order, Schedule, Slot, Span, Time};
use path::agent::{Agent, AgentCx, AgentEvent};
use path::channel::ChannelState;
use tcp::config::ReceiveWindow;
use wire::{Addr, Packet};

use crate::ids::LinkId;
use crate::timer::{Due, Timer};

/// An agent in a node, and its wake-ups.
pub(super) struct InstalledAgent {
    agent: Box<dyn Agent>,
    timer: Timer,
    forecast: Option<Forecast>,
    /// Counters of the agent after its last observed call.
    counts: Vec<u64>,
}

impl InstalledAgent {
    pub fn new(agent: Box<dyn Agent>, slot: Slot, forecast: Option<Forecast>) -> Self {
        InstalledAgent { agent, timer: Timer::new(slot), forecast, counts: Vec::new() }
    }

    pub fn agent(&self) -> &dyn Agent {
        &*self.agent
    }

    /// Announces a flow to the agent.
    pub fn announce_flow(&mut self, ends: [(Addr, u16); 2], window: ReceiveWindow) {
        self.agent.on_flow(ends, window);
    }

    /// Calls the agent, and updates its wake-up.
    #[inline]
    pub fn call(
        &mut self,
        mut cx: AgentCx<'_>,
        schedule: &mut Schedule,
        act: impl FnOnce(&mut dyn Agent, &mut AgentCx<'_>),
    ) {
        act(&mut *self.agent, &mut cx);
        self.keep_timer(schedule);
    }

    /// Updates the agent's wake-up.
    #[inline]
    pub fn keep_timer(&mut self, schedule: &mut Schedule) {
        self.timer.want(self.agent.deadline(), schedule);
    }

    /// Adds an event about a packet, if any, for each count of actions that has grown since the last call. Counters of
    /// state, which can also decrease, are omitted. Counters for which the agent itself has emitted an event are
    /// omitted too.
    pub fn report_growth(&mut self, about: Option<Packet>, events: &mut Vec<AgentEvent>) {
        let emitted = events.len();
        let counters = self.agent.counters();
        self.counts.resize(counters.len(), 0);
        for ((name, count), before) in counters.into_iter().zip(&mut self.counts) {
            let growth = count.saturating_sub(std::mem::replace(before, count));
            let of_state = name == "flows" || name.starts_with("state_bytes") || name.ends_with("_most");
            if growth > 0 && !of_state && events[..emitted].iter().all(|event| event.name != name) {
                events.push(AgentEvent { name, value: growth as f64, packet: about });
            }
        }
    }

    /// Handles a scheduled wake-up that has been reached.
    pub fn due(&mut self, now: Time, schedule: &mut Schedule) -> Due {
        self.timer.due(now, schedule)
    }

    pub fn forecast_mut(&mut self) -> Option<&mut Forecast> {
        self.forecast.as_mut()
    }
}

/// Notifications of an agent before the channel changes its state.
pub(super) struct Forecast {
    slot: Slot,
    /// Time from a notification to the change.
    lead: Span,
    /// The links whose channels are observed.
    links: Vec<LinkId>,
    /// The next change to be reported.
    next: Option<(Time, ChannelState)>,
}

impl Forecast {
    pub fn new(slot: Slot, lead: Span, links: Vec<LinkId>) -> Self {
        Forecast { slot, lead, links, next: None }
    }

    /// Takes the change to be reported now.
    pub fn take(&mut self) -> Option<(Time, ChannelState)> {
        self.next.take()
    }

    /// Arms the wake-up for the first of the next changes of the links' channels, which `next_change` finds.
    pub fn arm(
        &mut self,
        now: Time,
        schedule: &mut Schedule,
        next_change: impl FnMut(LinkId) -> Option<(Time, ChannelState)>,
    ) {
        self.next = self.links.iter().copied().filter_map(next_change).min_by_key(|(at, _)| *at);
        match self.next {
            Some((at, _)) => {
                let at = Time::from_nanos(at.as_nanos().saturating_sub(self.lead.as_nanos()));
                schedule.arm(self.slot, at.max(now));
            }
            None => schedule.disarm(self.slot),
        }
    }
}

/// A packet in processing.
struct HeldPacket {
    /// Time at which the packet leaves.
    until: Time,
    /// Order of the departure among simultaneous events.
    order: Order,
    packet: Packet,
}

/// Packets in processing. Each packet takes the same time, and packets are processed in parallel.
pub(super) struct Processing {
    delay: Span,
    slot: Slot,
    packets: VecDeque<HeldPacket>,
}

impl Processing {
    pub fn new(delay: Span, slot: Slot) -> Self {
        Processing { delay, slot, packets: VecDeque::new() }
    }

    pub fn push(&mut self, now: Time, packet: Packet, schedule: &mut Schedule) {
        let (until, order) = (now + self.delay, schedule.order());
        if self.packets.is_empty() {
            schedule.arm_as(self.slot, until, order);
        }
        self.packets.push_back(HeldPacket { until, order, packet });
    }

    pub fn len(&self) -> usize {
        self.packets.len()
    }

    pub fn pop(&mut self, schedule: &mut Schedule) -> Option<Packet> {
        let HeldPacket { packet, .. } = self.packets.pop_front()?;
        match self.packets.front() {
            Some(next) => schedule.arm_as(self.slot, next.until, next.order),
            None => schedule.disarm(self.slot),
        }
        Some(packet)
    }
}
