//! The observation of all flows of a network and their path, from events.

mod captured;

use std::rc::Rc;

use engine::{IdVec, Time};
use path::channel::ChannelState;
use path::{HopId, HopIndex, LinkEvent, LinkId, MediumId};
use sim::{Event, FlowId, Network, NodeEvent, NodeId, PacketFlow, Sink, Transport};
use wire::Body;

use crate::fact::Fact;
use crate::flow::{FlowObservation, is_transfer};
use crate::hop_timing::HopTimings;
use crate::losses::LossPlace;
use crate::media::{self, Media, ObservedExchange};
use crate::path_observation::PathObservation;
use crate::transmitters::{Before, LineKind, OnHop, Transmitters};

/// Uses an observation. Each method is called with the number of a flow that has not ended.
pub trait Subscriber {
    /// Called before states change at `at`, until which they held. May also be called without a change.
    fn hold_until(&mut self, at: Time, number: FlowId, flow: &FlowObservation, path: &PathObservation) {
        let _ = (at, number, flow, path);
    }
    /// A hop reports an event of a packet, whose place has not changed yet.
    fn on_hop(
        &mut self,
        on: &OnHop<'_>,
        event: &LinkEvent,
        number: FlowId,
        seen: (&FlowObservation, &PathObservation),
        before: Before,
    ) {
        let _ = (on, event, number, seen, before);
    }
    /// An exchange in a medium of the flow's packets ends, before the flow knows.
    fn on_exchange(
        &mut self,
        exchange: &ObservedExchange,
        number: FlowId,
        flow: &FlowObservation,
        path: &PathObservation,
    ) {
        let _ = (exchange, number, flow, path);
    }
    /// Reports facts that have changed the states. The list may be empty.
    fn on_facts(&mut self, at: Time, number: FlowId, facts: &[Fact], flow: &FlowObservation, path: &PathObservation);
    /// Reports that the channel of a link has changed its state. Unlike the other methods, this method is called once
    /// for all flows.
    fn on_channel(&mut self, at: Time, link: LinkId, path: &PathObservation) {
        let _ = (at, link, path);
    }
    /// The flow ends: complete, or with the run.
    fn on_end(&mut self, at: Time, number: FlowId, flow: &FlowObservation, path: &PathObservation) {
        let _ = (at, number, flow, path);
    }
}

/// A flow, and whether it has ended.
struct FollowedFlow {
    state: FlowObservation,
    over_tcp: bool,
    is_over: bool,
}

/// All flows of a network.
pub struct Observation {
    path: PathObservation,
    flows: IdVec<FlowId, FollowedFlow>,
    facts: Vec<Fact>,
}

impl Observation {
    /// Creates an observation of the flows that `network` names, without those that arrive during the run.
    pub fn new(network: &Network) -> Self {
        let links: Rc<[String]> = network.links.iter().map(|link| link.name.clone()).collect();
        let homes: Rc<[Option<MediumId>]> = media::find_homes(network).into();
        let flow = |spec: &sim::FlowSpec| FollowedFlow {
            state: FlowObservation::new(spec, Rc::clone(&links), Rc::clone(&homes)),
            over_tcp: spec.transport == Transport::Tcp,
            is_over: false,
        };
        let hops = Rc::new(HopTimings::of(network));
        Observation {
            flows: network.flows.iter().map(flow).collect(),
            path: PathObservation {
                transmitters: Transmitters::of(network, &hops),
                media: Media::of(network),
                hops,
                channels: vec![None; network.links.len()].into(),
            },
            facts: Vec::new(),
        }
    }

    /// Returns the state of a flow.
    pub fn flow(&self, number: FlowId) -> Option<&FlowObservation> {
        self.flows.get(number).map(|flow| &flow.state)
    }

    /// Returns the state of the path.
    pub fn path(&self) -> &PathObservation {
        &self.path
    }

    /// Handles an event.
    pub fn apply(&mut self, at: Time, event: &Event, to: &mut impl Subscriber) {
        match event {
            Event::Sender { flow, event } => {
                self.hold(at, *flow, to);
                self.follow(at, *flow, to, |flow, _, facts| flow.on_sender_event(at, event, facts));
            }
            Event::Receiver { flow, event: event @ tcp::Event::SegmentReceived { .. } } => {
                self.hold(at, *flow, to);
                self.follow(at, *flow, to, |flow, _, facts| flow.on_receiver_event(event, facts));
            }
            Event::FlowCompleted { flow } => self.end(at, *flow, to),
            Event::Air { link, state } => self.change_channel(at, *link, *state, to),
            Event::Node { event: NodeEvent::Associated { link }, .. } => self.use_link(at, *link, true, to),
            Event::Node { event: NodeEvent::Left { link }, .. } => self.use_link(at, *link, false, to),
            Event::Node { node, event, of: Some(of) } => self.node(at, *node, event, of, to),
            // A packet that joins a queue has come to the node before.
            Event::Link { event: LinkEvent::Joined { .. }, .. } => {}
            Event::Link { hop, event, of } => self.link(at, *hop, event, of.as_ref(), to),
            Event::Medium { medium, event } => {
                if let Some(exchange) = self.path.media.observe(at, *medium, event) {
                    self.exchange(at, &exchange, to);
                }
            }
            Event::Node { .. }
            | Event::Agent { .. }
            | Event::Receiver { .. }
            | Event::FlowStarted { .. }
            | Event::FlowArrived { .. } => {}
        }
    }

    /// Ends a flow, unless it has ended already.
    pub fn end(&mut self, at: Time, number: FlowId, to: &mut impl Subscriber) {
        self.hold(at, number, to);
        let Observation { path, flows, .. } = self;
        let Some(flow) = flows.get_mut(number).filter(|flow| !flow.is_over) else { return };
        flow.state.update_idle_time(at, &mut path.media);
        to.on_end(at, number, &flow.state, path);
        flow.is_over = true;
        path.media.update_waiting(at, number, |_| 0);
    }

    /// Reports that a flow's state held until `at`. Until then its packets change their stages as foreseen.
    fn hold(&mut self, at: Time, number: FlowId, to: &mut impl Subscriber) {
        let Observation { path, flows, .. } = self;
        let Some(flow) = flows.get_mut(number).filter(|flow| !flow.is_over) else { return };
        while let Some(change) = flow.state.packets.next_change().filter(|change| *change <= at) {
            to.hold_until(change, number, &flow.state, path);
            flow.state.packets.make_change();
        }
        to.hold_until(at, number, &flow.state, path);
    }

    /// Updates a flow's state, and passes on the resulting facts.
    fn follow(
        &mut self,
        at: Time,
        number: FlowId,
        to: &mut impl Subscriber,
        step: impl FnOnce(&mut FlowObservation, &PathObservation, &mut Vec<Fact>),
    ) {
        let Observation { path, flows, facts } = self;
        let Some(flow) = flows.get_mut(number).filter(|flow| !flow.is_over) else { return };
        step(&mut flow.state, path, facts);
        path.media.update_waiting(at, number, |medium| flow.state.packets.waiting_in(medium));
        flow.state.update_idle_time(at, &mut path.media);
        to.on_facts(at, number, facts, &flow.state, path);
        facts.clear();
    }

    /// Records that a mobile starts or stops using a link.
    fn use_link(&mut self, at: Time, link: LinkId, used: bool, to: &mut impl Subscriber) {
        for number in self.flows.ids() {
            self.hold(at, number, to);
            self.follow(at, number, to, |flow, _, _| flow.set_link_use(link, used));
        }
    }

    /// Handles a change of the state of a link's channel.
    fn change_channel(&mut self, at: Time, link: LinkId, state: ChannelState, to: &mut impl Subscriber) {
        if let Some(channel) = self.path.channels.get_mut(link) {
            *channel = Some(state);
            to.on_channel(at, link, &self.path);
        }
    }

    /// Handles the end of an exchange in a medium.
    fn exchange(&mut self, at: Time, exchange: &ObservedExchange, to: &mut impl Subscriber) {
        for number in self.path.media.flows(exchange.medium) {
            self.hold(at, number, to);
            if let Some(flow) = self.flows.get(number).filter(|flow| !flow.is_over) {
                to.on_exchange(exchange, number, &flow.state, &self.path);
            }
            self.follow(at, number, to, |flow, path, facts| flow.exchange(number, exchange, path, facts));
        }
    }

    fn node(&mut self, at: Time, node: NodeId, event: &NodeEvent, of: &PacketFlow, to: &mut impl Subscriber) {
        let Some(packet) = event.packet().filter(|packet| !matches!(packet.body, Body::Datagram(_))) else { return };
        self.hold(at, of.flow, to);
        let about = (packet, of);
        self.follow(at, of.flow, to, |flow, _, facts| match event {
            NodeEvent::Sent { .. } => flow.send(at, node, packet, of, facts),
            NodeEvent::NoRoute { .. } => flow.drop_at_node(at, node, about, LossPlace::Outage, facts),
            NodeEvent::BufferFull { .. } => flow.drop_at_node(at, node, about, LossPlace::Queue, facts),
            NodeEvent::Taken { .. } => flow.consume(at, node, packet, facts),
            NodeEvent::Received { .. } => flow.receive(packet, of),
            NodeEvent::Transit { .. } | NodeEvent::Associated { .. } | NodeEvent::Left { .. } => {}
        });
    }

    fn link(&mut self, at: Time, id: HopId, event: &LinkEvent, of: Option<&PacketFlow>, to: &mut impl Subscriber) {
        let (number, hops) = (HopIndex::from(id), Rc::clone(&self.path.hops));
        let (Some(hop), Some(kind)) = (hops.get(id), self.path.transmitters.line(number).map(|line| line.kind)) else {
            return;
        };
        self.transmit(&OnHop { at, number, hop }, kind, event, of, to);
        let transfer = of.filter(|of| event.packet().is_some_and(|packet| is_transfer(packet, of)));
        let (flow, media) = (transfer.map(|of| of.flow), &mut self.path.media);
        let known = match event {
            LinkEvent::FrameSent { number, attempt, packet } => {
                media.add_packet(at, id, *number, *attempt, packet, flow)
            }
            LinkEvent::GivenUp { number, packet, .. } => media.give_up_packet(id, *number, packet, flow),
            _ => Vec::new(),
        };
        known.iter().for_each(|exchange| self.exchange(at, exchange, to));
        if let LinkEvent::FrameCorrupted { number, .. } = event {
            self.path.media.damage_packet(id, *number);
        }
        if let Some(of) = of {
            self.follow(at, of.flow, to, |flow, _, facts| flow.link(at, id, hop, (event, of), facts));
        }
    }

    /// Updates the transmitter of a hop, and the stage of a flow's packet at this hop.
    fn transmit(
        &mut self,
        on: &OnHop<'_>,
        kind: LineKind,
        event: &LinkEvent,
        of: Option<&PacketFlow>,
        to: &mut impl Subscriber,
    ) {
        let flow = of.map(|of| of.flow);
        let serving = self.path.transmitters.serving(on.number);
        // The flow that was served before waits from now on, or its frame is repeated.
        let taken =
            matches!(event, LinkEvent::Dequeued { .. } | LinkEvent::FrameSent { .. }) && kind != LineKind::Medium;
        let concerned = serving.filter(|_| taken || matches!(event, LinkEvent::AckCorrupted { .. }));
        for flow in flow.into_iter().chain(concerned) {
            self.hold(on.at, flow, to);
        }
        let free = self.path.transmitters.observe(on, event, flow, taken);
        let before = Before { free, serves: self.path.transmitters.serving(on.number) == flow };
        let Observation { path, flows, .. } = self;
        let followed = flow.and_then(|flow| Some((flow, flows.get_mut(flow)?)));
        let Some((number, flow)) = followed.filter(|(_, flow)| flow.over_tcp && !flow.is_over) else {
            return;
        };
        to.on_hop(on, event, number, (&flow.state, path), before);
        if let (Some(line), Some(packet)) = (path.transmitters.line_mut(on.number), event.packet()) {
            line.set_stage(on, (event, packet), &mut flow.state.packets, free);
        }
    }
}

/// A run's observation with one subscriber, which is a sink of the run's events.
pub struct ObservingSink<S> {
    observation: Observation,
    subscriber: S,
}

impl<S: Subscriber> ObservingSink<S> {
    /// Observes the flows of `network` for a subscriber.
    pub fn new(network: &Network, subscriber: S) -> Self {
        ObservingSink::of(Observation::new(network), subscriber)
    }

    /// Passes the facts of an observation to a subscriber.
    pub fn of(observation: Observation, subscriber: S) -> Self {
        ObservingSink { observation, subscriber }
    }

    /// Ends the flows that are not complete, with the run at `ended`. Returns the subscriber.
    pub fn finish(mut self, ended: Time) -> S {
        for number in self.observation.flows.ids() {
            self.observation.end(ended, number, &mut self.subscriber);
        }
        self.subscriber
    }
}

impl<S: Subscriber> Sink for ObservingSink<S> {
    const ACTIVE: bool = true;

    fn event(&mut self, at: Time, event: &Event) {
        self.observation.apply(at, event, &mut self.subscriber);
    }
}
