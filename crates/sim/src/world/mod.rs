//! The simulated world.
//!
//! The event loop takes the next wake-up and calls its owner; packets that the owner emits are processed at once: by
//! the node at the far end of a link, and from there by a connection or the next link. A packet's path through one
//! wake-up is `FifoLink`, `Link`, `Station` or `Medium` -> `World::arrive` -> `Connection` or `World::forward` ->
//! `World::output`.

mod agenda;
mod agents;
mod arrivals;
mod build;
mod compact;
mod datagrams;
mod drive;
mod endpoints;
mod event_loop;
mod flow;
mod forwarding;
mod mobile;
mod node;
mod processors;
mod session;
mod state;
mod topology;
mod transmitters;

use engine::{IdVec, Span, Time};
use path::link::fifo::Arrival;
use path::{HopId, LinkEvent, MediumEvent, MediumId, Observer};

use crate::delay::Delays;
use crate::event::{Event, NodeEvent};
use crate::ids::NodeId;
use crate::network::Network;
use crate::results::{FlowResult, Results, ShortFlow};
use agenda::{Agenda, Wakeup};
use arrivals::{Arrivals, ArrivalsId};
pub use drive::{Delivered, FlowInfo, InjectError};
use endpoints::Endpoints;
pub use endpoints::MAX_PORTS;
use event_loop::{Arriving, Observed};
use flow::{Carrier, Flow, FlowIndex};
use processors::Processors;
use session::{Session, SessionId};
pub use state::NodeState;
use topology::Topology;
use transmitters::{MediumWakeup, Transmitters};

/// A network at a point of simulated time.
pub struct World {
    agenda: Agenda,
    topology: Topology,
    transmitters: Transmitters,
    processors: Processors,
    endpoints: Endpoints,
    /// The flows of the network, and after them those that arrived during the run.
    flows: IdVec<FlowIndex, Flow>,
    sessions: IdVec<SessionId, Session>,
    /// Sizes of datagrams that an application sends while it acts.
    datagram_sizes: Vec<u32>,
    arrivals: IdVec<ArrivalsId, Arrivals>,
    /// The index of the first flow that can arrive, and the number of the next one in events.
    first_short_flow: usize,
    next_flow: u32,
    /// Flows that arrived and are over: their memory is used again.
    free_flows: Vec<FlowIndex>,
    /// The results of flows that arrived and are over.
    short_flows: Vec<ShortFlow>,
    /// `None` if they are not measured.
    delays: Option<Box<Delays>>,
    /// Awaited flows that are not over, and processes by which more arrive.
    unfinished: usize,
    /// Whether the run waits for the end of flows that arrive.
    awaits_arrivals: bool,
    /// The next state change of any channel, for active sinks; `NEVER` without one.
    next_air: Time,
    /// Packets that no connection accepted, oldest first, if they are collected.
    delivered: Option<Vec<Delivered>>,
}

/// Emits the events of links, with the flow of the packet.
struct Relay<'a, S> {
    sink: &'a mut S,
    flows: &'a Endpoints,
    delays: &'a mut Option<Box<Delays>>,
}

impl<S: Observed> Observer for Relay<'_, S> {
    #[inline]
    fn watches(&self) -> bool {
        S::ACTIVE
    }
    #[inline]
    fn times(&self) -> bool {
        S::ACTIVE || (S::TIMES && self.delays.is_some())
    }
    #[inline]
    fn link(&mut self, at: Time, hop: HopId, event: LinkEvent) {
        if let Some(delays) = self.delays
            && event.is_timing()
        {
            time_on_link(delays, self.flows, (at, hop), &event);
        }
        if S::ACTIVE {
            let of = event.packet().and_then(|packet| self.flows.flow_of(packet));
            self.sink.event(at, &Event::Link { hop, event, of });
        }
    }
    #[inline]
    fn waited(&mut self, hop: HopId, wait: Span) {
        if let Some(delays) = self.delays {
            delays.waited(hop, wait);
        }
    }
    fn medium(&mut self, at: Time, medium: MediumId, event: MediumEvent) {
        self.sink.event(at, &Event::Medium { medium, event });
    }
}

/// Measures the delay of a packet on a link. Not inlined, as the caller's path is that of all packets.
#[inline(never)]
fn time_on_link(delays: &mut Delays, flows: &Endpoints, (at, hop): (Time, HopId), event: &LinkEvent) {
    delays.link(at, hop, event, || event.packet().and_then(|packet| flows.flow_of(packet)));
}

impl World {
    /// The current time.
    pub fn now(&self) -> Time {
        self.agenda.now()
    }

    /// Measures the delays of a run of `network`, of which this is the world. To be called before the run.
    pub fn measure_delays(&mut self, network: &Network) {
        self.delays = Some(Box::new(Delays::of(network)));
    }

    /// The delays measured so far; `None` if they are not measured.
    pub fn delays(&self) -> Option<&Delays> {
        self.delays.as_deref()
    }

    /// The progress from 0 to 1: of the bytes to deliver, or of the time if that is further.
    pub fn progress(&self) -> f64 {
        let time = self.agenda.now().as_secs_f64() / self.agenda.until().as_secs_f64().max(f64::MIN_POSITIVE);
        let share = |flow: &Flow| {
            let (bytes, Carrier::Connection { sender, .. }) = (flow.bytes? as f64, flow.carrier) else { return None };
            Some(self.endpoints.end(sender).connection().bytes_acknowledged() as f64 / bytes.max(1.0))
        };
        let more = if self.arrivals.is_empty() { 1.0 } else { 0.0 };
        let flows = &self.flows.as_slice()[..self.first_short_flow];
        let least = flows.iter().map(|flow| share(flow).unwrap_or(0.0)).fold(more, f64::min);
        time.max(least).min(1.0)
    }

    /// Ends the run with the last of these flows; it does not wait for others, nor for flows that arrive. To be called
    /// before the run.
    pub fn await_only(&mut self, flows: &[usize]) {
        for (number, flow) in self.flows.iter_mut().enumerate() {
            flow.awaited = flows.contains(&number);
        }
        self.awaits_arrivals = false;
        self.unfinished = self.flows.iter().filter(|flow| flow.awaited && !flow.over).count();
    }

    /// Whether the run is over: all awaited flows are, or the duration has passed.
    pub fn is_over(&self) -> bool {
        self.unfinished == 0 || self.agenda.now() >= self.agenda.until()
    }

    /// The counters so far.
    pub fn results(&self) -> Results {
        let now = self.agenda.now();
        Results {
            ended: now,
            events: self.agenda.taken(),
            buffer_full: self.transmitters.buffer_full(),
            no_route: self.topology.no_route(),
            roaming: self.topology.roaming(now),
            agents: self.processors.counters(),
            flows: self.flows.as_slice()[..self.first_short_flow].iter().map(|flow| self.flow_result(flow)).collect(),
            short_flows: self
                .short_flows
                .iter()
                .copied()
                .chain(self.flows.iter().filter_map(|flow| flow.short))
                .collect(),
            links: self.transmitters.link_results(now),
            media: self.transmitters.medium_results(now),
        }
    }

    /// The results of a flow of the network.
    fn flow_result(&self, flow: &Flow) -> FlowResult {
        let application = match flow.session {
            Some((session, 0)) => self.sessions[session].application.results(self.agenda.now()),
            _ => Vec::new(),
        };
        let sender = match flow.carrier {
            Carrier::Connection { sender, .. } => sender,
            Carrier::Datagrams(number) => {
                let datagrams = self.endpoints.datagrams(number);
                let elapsed = flow.completed.or(datagrams.finished()).unwrap_or(self.agenda.now()).since(flow.start);
                return FlowResult {
                    completed: flow.completed,
                    failure: None,
                    elapsed,
                    bytes_delivered: datagrams.bytes_received(),
                    longest_pause: (elapsed > Span::ZERO)
                        .then_some(datagrams.longest_pause(flow.completed.map(|_| 0), self.agenda.now())),
                    segments_duplicate: 0,
                    segments_discarded: 0,
                    sender: tcp::Counters::default(),
                    datagrams: Some(datagrams.result()),
                    application,
                };
            }
        };
        let elapsed = flow.completed.unwrap_or(self.agenda.now()).since(flow.start);
        let pause = self.endpoints.end(sender.peer()).longest_pause(flow.bytes, self.agenda.now());
        let [sender, receiver] = [sender, sender.peer()].map(|end| self.endpoints.end(end).connection());
        FlowResult {
            completed: flow.completed,
            failure: sender.failure().or(receiver.failure().filter(|_| flow.completed.is_none())),
            elapsed,
            bytes_delivered: receiver.bytes_received(),
            longest_pause: (elapsed > Span::ZERO).then_some(pause),
            segments_duplicate: receiver.segments_duplicate(),
            segments_discarded: receiver.segments_discarded(),
            sender: sender.counters(),
            datagrams: None,
            application,
        }
    }

    /// Lets a component act whose wake-up has come, and processes its output.
    #[inline]
    fn wake<S: Observed>(&mut self, wakeup: Wakeup, arriving: &mut Arriving, sink: &mut S) {
        match wakeup {
            Wakeup::Fifo(hop) => {
                let relay = &mut Relay { sink, flows: &self.endpoints, delays: &mut self.delays };
                match self.transmitters.wake_fifo(hop, arriving, &mut self.agenda, relay) {
                    Arrival::Nothing => {}
                    Arrival::Compact => self.arrive_compact(hop, &arriving.compact, &mut arriving.whole, sink),
                    Arrival::Whole => self.arrive(hop, &mut arriving.whole, sink),
                }
            }
            Wakeup::Link(hop) => {
                let node = self.topology.near_end(hop);
                let relay = &mut Relay { sink, flows: &self.endpoints, delays: &mut self.delays };
                let whole = &mut arriving.whole;
                let delivered = self.transmitters.wake_link((node, hop), whole, &mut self.agenda, relay);
                self.after_wakeup(delivered, whole, sink);
            }
            Wakeup::StationArrival(station) => {
                let relay = &mut Relay { sink, flows: &self.endpoints, delays: &mut self.delays };
                let whole = &mut arriving.whole;
                let delivered = self.transmitters.wake_station_at_arrival(station, whole, &mut self.agenda, relay);
                self.after_wakeup(delivered, whole, sink);
            }
            Wakeup::StationTimer(station) => {
                let relay = &mut Relay { sink, flows: &self.endpoints, delays: &mut self.delays };
                let whole = &mut arriving.whole;
                let delivered = self.transmitters.wake_station_at_timeout(station, whole, &mut self.agenda, relay);
                self.after_wakeup(delivered, whole, sink);
            }
            Wakeup::Medium { medium, station } => {
                self.medium_wakes(MediumId(medium.into()), MediumWakeup::Station(station.into()), sink);
            }
            Wakeup::Beacons { medium, station } => {
                self.medium_wakes(MediumId(medium.into()), MediumWakeup::Beacon(station.into()), sink);
            }
            Wakeup::Crossing(medium) => self.medium_wakes(medium, MediumWakeup::Crossing, sink),
            Wakeup::Roamer(roamer) => self.roamer_looks(roamer, sink),
            Wakeup::End(end) => self.end_wakes(end, sink),
            Wakeup::Agent(node) => self.agent_wakes(node, sink),
            Wakeup::Forecast(node) => self.air_is_about_to_change(node, sink),
            Wakeup::Processing(node) => {
                if let Some(mut packet) = self.processors.take_processed(node, &mut self.agenda) {
                    self.output(node, &mut packet, sink);
                }
            }
            Wakeup::AgentDelay(hop) => {
                if let Some(mut packet) = self.processors.take_delayed(hop, &mut self.agenda) {
                    self.pass_on(self.topology.far_end(hop), &mut packet, sink);
                }
            }
            Wakeup::Application(session) => self.application_wakes(session, sink),
            Wakeup::Arrivals(process) => self.flow_arrives(process, sink),
        }
    }

    /// Lets a medium act, and processes its output.
    #[inline]
    fn medium_wakes<S: Observed>(&mut self, medium: MediumId, wakeup: MediumWakeup, sink: &mut S) {
        let relay = &mut Relay { sink, flows: &self.endpoints, delays: &mut self.delays };
        self.transmitters.wake_medium(medium, wakeup, &mut self.agenda, relay);
        while let Some((hop, outcome)) = self.transmitters.take_medium_outcome(medium) {
            self.process_outcome(hop, outcome, sink);
        }
    }

    #[inline]
    fn emit<S: Observed>(&mut self, node: NodeId, sink: &mut S, event: impl FnOnce() -> NodeEvent) {
        if !(S::ACTIVE || (S::TIMES && self.delays.is_some())) {
            return;
        }
        let event = event();
        let of = event.packet().and_then(|packet| self.endpoints.flow_of(packet));
        if let (Some(delays), Some(of)) = (&mut self.delays, &of) {
            delays.node(self.agenda.now(), node.number(), &event, of);
        }
        if S::ACTIVE {
            sink.event(self.agenda.now(), &Event::Node { node: node.number(), event, of });
        }
    }

    /// Emits every state change of channels up to now, oldest first.
    fn emit_air<S: Observed>(&mut self, sink: &mut S) {
        while self.next_air <= self.agenda.now() && self.next_air != Time::NEVER {
            let at = self.next_air;
            let before = Time::from_nanos(at.as_nanos().saturating_sub(1));
            for link in self.transmitters.links() {
                if let Some((when, state)) = self.transmitters.next_change(link, before)
                    && when == at
                {
                    sink.event(at, &Event::Air { link: link.number(), state });
                }
            }
            self.next_air = self.next_change(at);
        }
    }

    /// The first state change of any link's channel after `after`.
    fn next_change(&mut self, after: Time) -> Time {
        let transmitters = &mut self.transmitters;
        let changes = transmitters.links().filter_map(|link| transmitters.next_change(link, after));
        changes.map(|(at, _)| at).min().unwrap_or(Time::NEVER)
    }
}
