//! The simulated world.
//!
//! The event loop takes the next wake-up and calls its owner; packets that the owner emits are processed at once: by
//! the node at the far end of a link, and from there by a connection or the next link. A packet's path through one
//! wake-up is `FifoLink`, `Link`, `Station` or `Medium` -> `World::arrive` -> `Connection` or `World::forward` ->
//! `World::output`.

mod agenda;
mod agents;
mod applications;
mod build;
mod compact;
mod connections;
mod datagrams;
mod drive;
mod endpoints;
mod event_loop;
mod forwarding;
mod mobile;
mod node;
mod processors;
mod state;
mod topology;
mod traffic;
mod transmitters;

use engine::{Span, Time};
use path::link::fifo::Arrival;
use path::{HopId, LinkEvent, MediumEvent, MediumId, Observer};

use crate::delay::Delays;
use crate::event::{Event, NodeEvent};
use crate::ids::NodeId;
use crate::network::Network;
use crate::results::Results;
use agenda::{Agenda, Wakeup};
pub use drive::{Delivered, FlowInfo, InjectError};
use endpoints::Endpoints;
pub use endpoints::MAX_PORTS;
use event_loop::{Arriving, Observed};
use processors::Processors;
pub use state::NodeState;
use topology::Topology;
use traffic::Traffic;
use transmitters::{MediumWakeup, Transmitters};

/// A network at a point of simulated time.
pub struct World {
    agenda: Agenda,
    topology: Topology,
    transmitters: Transmitters,
    processors: Processors,
    endpoints: Endpoints,
    traffic: Traffic,
    /// `None` if they are not measured.
    delays: Option<Box<Delays>>,
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
        time.max(self.traffic.progress(&self.endpoints)).min(1.0)
    }

    /// Ends the run with the last of these flows; it does not wait for others, nor for flows that arrive. To be called
    /// before the run.
    pub fn await_only(&mut self, flows: &[usize]) {
        self.traffic.await_only(flows);
    }

    /// Whether the run is over: all awaited flows are, or the duration has passed.
    pub fn is_over(&self) -> bool {
        self.traffic.is_over() || self.agenda.now() >= self.agenda.until()
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
            flows: self.traffic.results(&self.endpoints, now),
            short_flows: self.traffic.short_flows(),
            links: self.transmitters.link_results(now),
            media: self.transmitters.medium_results(now),
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
