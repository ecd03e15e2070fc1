//! Calls between a node and its scheme's agent.

use engine::Time;
use path::HopState;
use path::agent::{Agent, AgentCx, AgentEvent, LinkView, Verdict};
use path::outcome::{DeliveryNotice, RadioNotice};
use wire::Packet;

use super::World;
use super::event_loop::Observed;
use crate::event::{Event, NodeEvent};
use crate::ids::{HopIndex, NodeId};
use crate::node::InstalledAgent;
use crate::timer::Due;

impl World {
    /// A packet is about to be queued for a wireless link.
    #[inline(never)]
    pub(super) fn output_through_agent<S: Observed>(
        &mut self,
        node: NodeId,
        hop: HopIndex,
        packet: &mut Packet,
        sink: &mut S,
    ) {
        let size = packet.size();
        self.notify_agent_of_link(node, hop, sink);
        match self.ask_agent(node, packet, sink, |agent, packet, cx| agent.before_air(packet, cx)) {
            Verdict::Pass => {
                if !self.launch(node, hop, packet, false, sink) {
                    self.with_agent(node, Some(*packet), sink, |agent, cx| agent.on_queue_full(packet, cx));
                }
            }
            Verdict::Take => self.nodes[node].buffer.left(size),
        }
        self.agent_sends(node, sink);
    }

    /// Shows a link to the agent, if it looks at links.
    fn notify_agent_of_link<S: Observed>(&mut self, node: NodeId, hop: HopIndex, sink: &mut S) {
        if !self.nodes[node].agent.as_ref().is_some_and(|installed| installed.agent.looks_at_link()) {
            return;
        }
        let id = hop.id();
        let HopState { waiting, waiting_bytes, outstanding, .. } = self.hop_state(id);
        let busy = self.counters_of(&self.hops[hop]).busy;
        let (limit, rate) = self.lines[hop];
        let view = LinkView { hop: id, waiting, waiting_bytes, outstanding, limit, rate, busy };
        self.with_agent(node, None, sink, |agent, cx| agent.on_link(&view, cx));
    }

    /// Passes a packet to the agent.
    pub(super) fn ask_agent<S: Observed>(
        &mut self,
        node: NodeId,
        packet: &mut Packet,
        sink: &mut S,
        ask: impl FnOnce(&mut dyn Agent, &mut Packet, &mut AgentCx<'_>) -> Verdict,
    ) -> Verdict {
        let mut verdict = Verdict::Pass;
        let about = S::ACTIVE.then_some(*packet);
        self.with_agent(node, about, sink, |agent, cx| verdict = ask(agent, packet, cx));
        if verdict == Verdict::Take {
            self.emit(node, sink, || NodeEvent::Taken { packet: *packet });
        }
        verdict
    }

    pub(super) fn notify_agent<S: Observed>(&mut self, node: NodeId, notice: &RadioNotice, sink: &mut S) {
        self.with_agent(node, Some(notice.packet), sink, |agent, cx| agent.on_radio(notice, cx));
        self.agent_sends(node, sink);
    }

    pub(super) fn notify_agent_of_delivery<S: Observed>(
        &mut self,
        node: NodeId,
        notice: &DeliveryNotice,
        sink: &mut S,
    ) {
        self.with_agent(node, Some(notice.packet), sink, |agent, cx| agent.on_delivered(notice, cx));
        self.agent_sends(node, sink);
    }

    pub(super) fn agent_wakes<S: Observed>(&mut self, node: NodeId, sink: &mut S) {
        let Some(installed) = &mut self.nodes[node].agent else { return };
        if let Due::Later = installed.due(self.agenda.now(), self.agenda.schedule()) {
            return;
        }
        self.with_agent(node, None, sink, |agent, cx| agent.on_wake(cx));
        self.agent_sends(node, sink);
    }

    /// Lets the agent act, in a call about a packet if any. Packets that it sends are collected in the outbox.
    #[inline]
    fn with_agent<S: Observed>(
        &mut self,
        node: NodeId,
        about: Option<Packet>,
        sink: &mut S,
        act: impl FnOnce(&mut dyn Agent, &mut AgentCx<'_>),
    ) {
        let here = self.topology.role(node).addr;
        let Some(installed) = &mut self.nodes[node].agent else { return };
        let events = S::ACTIVE.then_some(&mut self.agent_events);
        let mut cx = AgentCx { now: self.agenda.now(), here, send: &mut self.outbox, events };
        act(&mut *installed.agent, &mut cx);
        installed.keep_timer(self.agenda.schedule());
        if S::ACTIVE {
            // An agent that has emitted events with a counter's name has named the packets itself.
            let emitted = self.agent_events.len();
            installed.grown_counts(|name, growth| {
                if self.agent_events[..emitted].iter().any(|event| event.name == name) {
                    return;
                }
                self.agent_events.push(AgentEvent { name, value: growth as f64, packet: about });
            });
            for AgentEvent { name, value, packet } in self.agent_events.drain(..) {
                let of = packet.and_then(|packet| self.endpoints.flow_of(&packet));
                sink.event(self.agenda.now(), &Event::Agent { node: node.number(), name, value, of, packet });
            }
        }
    }

    /// Sends the packets of the outbox.
    #[inline]
    pub(super) fn agent_sends<S: Observed>(&mut self, node: NodeId, sink: &mut S) {
        if self.outbox.is_empty() {
            return;
        }
        // A packet may arrive at once and cause further ones.
        let mut outbox = std::mem::take(&mut self.outbox);
        for departure in &outbox {
            let packet = &departure.packet;
            if packet.dst == self.topology.role(node).addr {
                self.receive(node, packet, sink);
            } else if self.admit(node, packet, sink) {
                self.emit(node, sink, || NodeEvent::Sent { packet: *packet });
                match self.topology.next_hop(node, packet.dst) {
                    Some(hop) => {
                        self.launch(node, hop, packet, departure.expedited, sink);
                    }
                    None => self.nodes[node].buffer.left(packet.size()),
                }
            }
        }
        outbox.clear();
        if self.outbox.is_empty() {
            self.outbox = outbox;
        }
    }

    /// Notifies the agent of the next change of a channel's state.
    pub(super) fn air_is_about_to_change<S: Observed>(&mut self, node: NodeId, sink: &mut S) {
        let forecast = self.nodes[node].agent.as_mut().and_then(|installed| installed.forecast.as_mut());
        let Some((at, state)) = forecast.and_then(|forecast| forecast.next.take()) else { return };
        self.with_agent(node, None, sink, |agent, cx| agent.on_forecast(state, cx));
        self.agent_sends(node, sink);
        self.look_ahead(node, at);
    }

    /// Finds the first change after `after`, of a node's channels, that its agent must be notified of.
    pub(super) fn look_ahead(&mut self, node: NodeId, after: Time) {
        let installed = self.nodes[node].agent.as_mut();
        let Some(forecast) = installed.and_then(|InstalledAgent { forecast, .. }| forecast.as_mut()) else { return };
        let channels = &mut self.channels;
        let changes = forecast.links.iter().filter_map(|link| channels[*link as usize].next_change(after));
        forecast.next = changes.min_by_key(|(at, _)| *at);
        match forecast.next {
            Some((at, _)) => {
                let at = Time::from_nanos(at.as_nanos().saturating_sub(forecast.lead.as_nanos()));
                let at = at.max(self.agenda.now());
                self.agenda.schedule().arm(forecast.slot, at);
            }
            None => self.agenda.schedule().disarm(forecast.slot),
        }
    }
}
