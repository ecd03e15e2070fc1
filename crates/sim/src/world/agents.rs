//! Calls from a node to the agent of its scheme.

use path::agent::{Agent, AgentCx, AgentEvent, AgentVerdict};
use path::outcome::{DeliveryNotice, RadioNotice};
use wire::Packet;

use super::World;
use super::event_loop::LoopSink;
use crate::event::{Event, NodeEvent};
use crate::ids::{HopIndex, NodeId};

impl World {
    /// Handles a packet that is about to be queued for a wireless link.
    #[inline(never)]
    pub(super) fn output_through_agent<S: LoopSink>(
        &mut self,
        node: NodeId,
        hop: HopIndex,
        packet: &mut Packet,
        sink: &mut S,
    ) {
        let size = packet.size();
        self.notify_agent_of_link(node, hop, sink);
        match self.ask_agent(node, packet, sink, |agent, packet, cx| agent.before_air(packet, cx)) {
            AgentVerdict::Pass => {
                if !self.launch(node, hop, packet, false, sink) {
                    self.with_agent(node, Some(*packet), sink, |agent, cx| agent.on_queue_full(packet, cx));
                }
            }
            AgentVerdict::Take => self.transmitters.release(node, size),
        }
        self.agent_sends(node, sink);
    }

    /// Shows a link to the agent, if the agent observes links.
    fn notify_agent_of_link<S: LoopSink>(&mut self, node: NodeId, hop: HopIndex, sink: &mut S) {
        if !self.processors.agent(node).is_some_and(Agent::looks_at_link) {
            return;
        }
        let view = self.transmitters.view(hop, self.agenda.now());
        self.with_agent(node, None, sink, |agent, cx| agent.on_link(&view, cx));
    }

    /// Passes a packet to the agent.
    pub(super) fn ask_agent<S: LoopSink>(
        &mut self,
        node: NodeId,
        packet: &mut Packet,
        sink: &mut S,
        ask: impl FnOnce(&mut dyn Agent, &mut Packet, &mut AgentCx<'_>) -> AgentVerdict,
    ) -> AgentVerdict {
        let mut verdict = AgentVerdict::Pass;
        let about = S::ACTIVE.then_some(*packet);
        self.with_agent(node, about, sink, |agent, cx| verdict = ask(agent, packet, cx));
        if verdict == AgentVerdict::Take {
            self.emit(node, sink, || NodeEvent::Taken { packet: *packet });
        }
        verdict
    }

    pub(super) fn notify_agent<S: LoopSink>(&mut self, node: NodeId, notice: &RadioNotice, sink: &mut S) {
        self.with_agent(node, Some(notice.packet), sink, |agent, cx| agent.on_radio(notice, cx));
        self.agent_sends(node, sink);
    }

    pub(super) fn notify_agent_of_delivery<S: LoopSink>(
        &mut self,
        node: NodeId,
        notice: &DeliveryNotice,
        sink: &mut S,
    ) {
        self.with_agent(node, Some(notice.packet), sink, |agent, cx| agent.on_delivered(notice, cx));
        self.agent_sends(node, sink);
    }

    pub(super) fn agent_wakes<S: LoopSink>(&mut self, node: NodeId, sink: &mut S) {
        if !self.processors.is_agent_due(node, &mut self.agenda) {
            return;
        }
        self.with_agent(node, None, sink, |agent, cx| agent.on_wake(cx));
        self.agent_sends(node, sink);
    }

    /// Calls the agent, with the packet if the call concerns one. Packets sent by the agent are collected in the
    /// outbox.
    #[inline]
    fn with_agent<S: LoopSink>(
        &mut self,
        node: NodeId,
        about: Option<Packet>,
        sink: &mut S,
        act: impl FnOnce(&mut dyn Agent, &mut AgentCx<'_>),
    ) {
        if !S::ACTIVE {
            return self.processors.call_agent(node, &mut self.agenda, act);
        }
        for event in self.processors.call_observed_agent(node, about, &mut self.agenda, act) {
            let AgentEvent { name, value, packet } = event;
            let of = packet.and_then(|packet| self.endpoints.flow_of(&packet));
            sink.event(self.agenda.now(), &Event::Agent { node, name, value, of, packet });
        }
    }

    /// Sends the packets of the outbox.
    #[inline]
    pub(super) fn agent_sends<S: LoopSink>(&mut self, node: NodeId, sink: &mut S) {
        // A packet may arrive immediately and cause further ones.
        let Some(outbox) = self.processors.take_outbox() else { return };
        for departure in &outbox {
            let packet = &departure.packet;
            if packet.dst == node.addr() {
                self.receive(node, packet, sink);
            } else if self.admit(node, packet, sink) {
                self.emit(node, sink, || NodeEvent::Sent { packet: *packet });
                match self.topology.next_hop(node, packet.dst) {
                    Some(hop) => {
                        self.launch(node, hop, packet, departure.expedited, sink);
                    }
                    None => self.transmitters.release(node, packet.size()),
                }
            }
        }
        self.processors.reuse_outbox(outbox);
    }

    /// Notifies the agent of the next change of a channel's state.
    pub(super) fn air_is_about_to_change<S: LoopSink>(&mut self, node: NodeId, sink: &mut S) {
        let Some((at, state)) = self.processors.take_forecast(node) else { return };
        self.with_agent(node, None, sink, |agent, cx| agent.on_forecast(state, cx));
        self.agent_sends(node, sink);
        let transmitters = &mut self.transmitters;
        self.processors.arm_forecast(node, &mut self.agenda, |link| transmitters.next_change(link, at));
    }
}
