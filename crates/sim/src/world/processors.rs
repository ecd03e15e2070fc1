//! Handling of packets in nodes between two hops: processing delays, and the agents of schemes.

use engine::{IdVec, Span, Time};
use path::agent::{Agent, AgentCx, AgentEvent, Departure};
use path::channel::ChannelState;
use path::mac::arq::Arq;
use tcp::config::ReceiveWindow;
use wire::{Addr, Packet};

use super::agenda::{Agenda, Wakeup};
use super::node::{Forecast, InstalledAgent, Processing};
use super::topology::Topology;
use crate::ids::{HopIndex, LinkId, NodeId};
use crate::network::Network;
use crate::timer::Due;

/// The packets in nodes. A packet stays in the processing of its node, or in the delay after the agent at the end of
/// its last hop, until that delay has passed. Packets sent by an agent are in the outbox until the call of the agent
/// has been processed.
pub(super) struct Processors {
    processing: IdVec<NodeId, Option<Processing>>,
    agents: IdVec<NodeId, Option<InstalledAgent>>,
    /// The nodes that split connections.
    splitters: Vec<NodeId>,
    /// Delay after the agent at the far end: only with link layers that pass packets to the agent before this delay.
    agent_delays: IdVec<HopIndex, Option<Box<Processing>>>,
    /// Packets sent by an agent during a call.
    outbox: Vec<Departure>,
    /// Events of an agent's current call; empty without an active sink.
    events: Vec<AgentEvent>,
}

impl Processors {
    /// The processing delays and agents of a network, without delays after agents.
    pub fn new(network: &Network, agenda: &mut Agenda) -> Self {
        let mut processors = Processors {
            processing: IdVec::default(),
            agents: IdVec::default(),
            splitters: Vec::new(),
            agent_delays: IdVec::default(),
            outbox: Vec::new(),
            events: Vec::new(),
        };
        for (links, spec) in network.links_by_node().iter().zip(&network.nodes) {
            let node = processors.agents.next_id();
            let delay = spec.processing_delay;
            let processing =
                (delay > Span::ZERO).then(|| Processing::new(delay, agenda.slot(Wakeup::Processing(node))));
            processors.processing.push(processing);
            processors.agents.push(spec.agent.build().map(|agent| {
                let links = links.iter().copied().filter(|link| network.links[link.index()].wireless);
                if agent.split_legs().is_some() {
                    processors.splitters.push(node);
                }
                let forecast = agent.foresight();
                let forecast =
                    forecast.map(|lead| Forecast::new(agenda.slot(Wakeup::Forecast(node)), lead, links.collect()));
                InstalledAgent::new(agent, agenda.slot(Wakeup::Agent(node)), forecast)
            }));
        }
        processors
    }

    /// Announces a flow over TCP, by the addresses and ports of its ends, to the nodes that split connections.
    pub fn announce_flow(&mut self, ends: [(Addr, u16); 2], window: ReceiveWindow) {
        for node in &self.splitters {
            if let Some(installed) = &mut self.agents[*node] {
                installed.announce_flow(ends, window);
            }
        }
    }

    /// Adds the delays after agents that receive packets before the delay of their end of a hop.
    pub fn add_agent_delays(
        &mut self,
        network: &Network,
        topology: &Topology,
        arqs: &IdVec<HopIndex, Arq>,
        agenda: &mut Agenda,
    ) {
        let delay = |(hop, arq): (HopIndex, &Arq)| {
            let delay = network.links[hop.link().index()].direction(hop.direction().index()).delay;
            self.hands_to_agent_first(topology, hop, arq)
                .then(|| Box::new(Processing::new(delay, agenda.slot(Wakeup::AgentDelay(hop)))))
        };
        self.agent_delays = arqs.enumerate().map(delay).collect();
    }

    /// Whether an agent at the far end of a hop receives packets before the delay of that end.
    pub fn hands_to_agent_first(&self, topology: &Topology, hop: HopIndex, arq: &Arq) -> bool {
        topology.is_wireless(hop) && self.has_agent(topology.far_end(hop)) && arq.hands_to_agent_before_delay()
    }

    /// Arms the first wake-ups of agents; `next_change` finds the first change of a channel's state.
    pub fn begin(&mut self, agenda: &mut Agenda, mut next_change: impl FnMut(LinkId) -> Option<(Time, ChannelState)>) {
        for node in self.agents.ids() {
            if let Some(installed) = &mut self.agents[node] {
                installed.keep_timer(agenda.schedule());
            }
            self.arm_forecast(node, agenda, &mut next_change);
        }
    }

    /// Whether a node forwards packets unchanged and immediately.
    pub fn passes_on(&self, node: NodeId) -> bool {
        self.processing[node].is_none() && self.agents[node].is_none()
    }

    #[inline]
    pub fn has_agent(&self, node: NodeId) -> bool {
        self.agents[node].is_some()
    }

    /// The agent of a node, to query its needs and its counters.
    pub fn agent(&self, node: NodeId) -> Option<&dyn Agent> {
        self.agents[node].as_ref().map(InstalledAgent::agent)
    }

    /// The counters of the schemes, by node.
    pub fn counters(&self) -> Vec<Vec<(&'static str, u64)>> {
        let counters = |agent: &Option<InstalledAgent>| agent.as_ref().map(|installed| installed.agent().counters());
        self.agents.iter().map(|agent| counters(agent).unwrap_or_default()).collect()
    }

    /// Packets in the processing of a node.
    pub fn in_processing(&self, node: NodeId) -> usize {
        self.processing[node].as_ref().map_or(0, Processing::len)
    }

    /// Holds a packet for the processing delay of its node. Without a delay returns false, and does nothing.
    #[inline]
    pub fn process(&mut self, node: NodeId, packet: &Packet, agenda: &mut Agenda) -> bool {
        let Some(processing) = &mut self.processing[node] else { return false };
        processing.push(agenda.now(), *packet, agenda.schedule());
        true
    }

    /// Takes the packet whose processing is complete.
    pub fn take_processed(&mut self, node: NodeId, agenda: &mut Agenda) -> Option<Packet> {
        self.processing[node].as_mut()?.pop(agenda.schedule())
    }

    /// Holds a packet forwarded by the agent at the end of a hop for the delay of that end; Returns false, without any
    /// action, if the delay precedes the agent.
    pub fn delay_after_agent(&mut self, hop: HopIndex, packet: &Packet, agenda: &mut Agenda) -> bool {
        let Some(delay) = &mut self.agent_delays[hop] else { return false };
        delay.push(agenda.now(), *packet, agenda.schedule());
        true
    }

    /// Takes the packet whose delay after the agent is complete.
    pub fn take_delayed(&mut self, hop: HopIndex, agenda: &mut Agenda) -> Option<Packet> {
        self.agent_delays[hop].as_mut()?.pop(agenda.schedule())
    }

    /// Whether the timer of a node's agent has expired.
    pub fn is_agent_due(&mut self, node: NodeId, agenda: &mut Agenda) -> bool {
        let installed = self.agents[node].as_mut();
        installed.is_some_and(|installed| matches!(installed.due(agenda.now(), agenda.schedule()), Due::Now))
    }

    /// Calls the agent of a node. Packets sent by it are collected in the outbox.
    #[inline]
    pub fn call_agent(
        &mut self,
        node: NodeId,
        agenda: &mut Agenda,
        act: impl FnOnce(&mut dyn Agent, &mut AgentCx<'_>),
    ) {
        let Some(installed) = &mut self.agents[node] else { return };
        let cx = AgentCx { now: agenda.now(), here: node.addr(), send: &mut self.outbox, events: None };
        installed.call(cx, agenda.schedule(), act);
    }

    /// Calls the agent in a run with events. `about` is the packet concerned. Returns the events of the call.
    pub fn call_observed_agent(
        &mut self,
        node: NodeId,
        about: Option<Packet>,
        agenda: &mut Agenda,
        act: impl FnOnce(&mut dyn Agent, &mut AgentCx<'_>),
    ) -> std::vec::Drain<'_, AgentEvent> {
        if let Some(installed) = &mut self.agents[node] {
            let events = Some(&mut self.events);
            let cx = AgentCx { now: agenda.now(), here: node.addr(), send: &mut self.outbox, events };
            installed.call(cx, agenda.schedule(), act);
            installed.report_growth(about, &mut self.events);
        }
        self.events.drain(..)
    }

    /// Takes the packets sent by agents, if any; [`reuse_outbox`](Self::reuse_outbox) takes the list back.
    #[inline]
    pub fn take_outbox(&mut self) -> Option<Vec<Departure>> {
        (!self.outbox.is_empty()).then(|| std::mem::take(&mut self.outbox))
    }

    /// Reuses the memory of an outbox whose packets were all sent.
    pub fn reuse_outbox(&mut self, mut outbox: Vec<Departure>) {
        outbox.clear();
        if self.outbox.is_empty() {
            self.outbox = outbox;
        }
    }

    /// Takes the channel state change to be reported to a node's agent now.
    pub fn take_forecast(&mut self, node: NodeId) -> Option<(Time, ChannelState)> {
        self.agents[node].as_mut()?.forecast_mut()?.take()
    }

    /// Arms the wake-up before the next change, found by `next_change`, of the channels of a node's links.
    pub fn arm_forecast(
        &mut self,
        node: NodeId,
        agenda: &mut Agenda,
        next_change: impl FnMut(LinkId) -> Option<(Time, ChannelState)>,
    ) {
        if let Some(forecast) = self.agents[node].as_mut().and_then(InstalledAgent::forecast_mut) {
            forecast.arm(agenda.now(), agenda.schedule(), next_change);
        }
    }
}
