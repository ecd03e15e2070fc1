//! The simulated world.
//!
//! The event loop takes the next wake-up and lets its component act; packets that it sends are processed at once: by
//! the node at the far end of a link, and from there by a connection or the next link. A packet's path through one
//! wake-up is `FifoLink`, `Link`, `Station` or `Medium` -> `World::arrive` -> `Connection` or `World::forward` ->
//! `World::output`.
//!
//! The state has seven owners, each with private fields and an invariant in the comment of its type. The files with
//! `impl World` have no state: they pass results of one owner to the next, and events to the sink.

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
mod ids;
mod mobile;
mod node;
mod probes;
mod processors;
mod state;
mod topology;
mod traffic;
mod transmitters;

use engine::Time;
use path::MediumId;
use path::MediumStationId;
use path::link::fifo::FifoArrival;

use crate::delay::Delays;
use crate::event::NodeEvent;
use crate::ids::NodeId;
use crate::network::Network;
use crate::results::Results;
use agenda::{Agenda, Wakeup};
pub use drive::{Delivered, FlowInfo, InjectError};
use endpoints::Endpoints;
pub use endpoints::MAX_PORTS;
use event_loop::{Arriving, LoopSink};
use probes::Probes;
use processors::Processors;
pub use state::NodeState;
use topology::Topology;
use traffic::Traffic;
use transmitters::{MediumWakeup, Transmitters};

/// A network at a point of simulated time. It passes wake-ups and packets to the parts that own the state.
pub struct World {
    agenda: Agenda,
    topology: Topology,
    transmitters: Transmitters,
    processors: Processors,
    endpoints: Endpoints,
    traffic: Traffic,
    probes: Probes,
}

impl World {
    /// The current time.
    pub fn now(&self) -> Time {
        self.agenda.now()
    }

    /// Enables the measurement of delays in a run of `network`, the network of this world. To be called before the run.
    pub fn measure_delays(&mut self, network: &Network) {
        self.probes.measure_delays(network);
    }

    /// Delays measured so far; `None` without measurements.
    pub fn delays(&self) -> Option<&Delays> {
        self.probes.delays()
    }

    /// The progress from 0 to 1: of the bytes to deliver, or of the time, whichever is larger.
    pub fn progress(&self) -> f64 {
        let time = self.agenda.now().as_secs_f64() / self.agenda.until().as_secs_f64().max(f64::MIN_POSITIVE);
        time.max(self.traffic.progress(&self.endpoints)).min(1.0)
    }

    /// Makes the run end with the last of these flows, without waiting for other or arriving flows. Must be called
    /// before the run.
    pub fn await_only(&mut self, flows: &[usize]) {
        self.traffic.await_only(flows);
    }

    /// Whether the run has ended: all awaited flows have ended, or the duration has passed.
    pub fn is_over(&self) -> bool {
        self.traffic.is_over() || self.agenda.now() >= self.agenda.until()
    }

    /// The counters so far.
    pub fn results(&self) -> Results {
        let now = self.agenda.now();
        Results {
            ended: now,
            events: self.agenda.wakeups_taken(),
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

    /// Calls a component whose wake-up is due, and processes its output.
    #[inline]
    fn wake<S: LoopSink>(&mut self, wakeup: Wakeup, arriving: &mut Arriving, sink: &mut S) {
        match wakeup {
            Wakeup::Fifo(hop) => {
                let relay = &mut self.probes.relay(&self.endpoints, sink);
                match self.transmitters.wake_fifo(hop, arriving, &mut self.agenda, relay) {
                    FifoArrival::Nothing => {}
                    FifoArrival::Compact => self.arrive_compact(hop, &arriving.compact, &mut arriving.whole, sink),
                    FifoArrival::Whole => self.arrive(hop, &mut arriving.whole, sink),
                }
            }
            Wakeup::Link(hop) => {
                let node = self.topology.near_end(hop);
                let relay = &mut self.probes.relay(&self.endpoints, sink);
                let whole = &mut arriving.whole;
                let delivered = self.transmitters.wake_link((node, hop), whole, &mut self.agenda, relay);
                self.after_wakeup(delivered, whole, sink);
            }
            Wakeup::StationArrival(station) => {
                let relay = &mut self.probes.relay(&self.endpoints, sink);
                let whole = &mut arriving.whole;
                let delivered = self.transmitters.wake_station_at_arrival(station, whole, &mut self.agenda, relay);
                self.after_wakeup(delivered, whole, sink);
            }
            Wakeup::StationTimer(station) => {
                let relay = &mut self.probes.relay(&self.endpoints, sink);
                let whole = &mut arriving.whole;
                let delivered = self.transmitters.wake_station_at_timeout(station, whole, &mut self.agenda, relay);
                self.after_wakeup(delivered, whole, sink);
            }
            Wakeup::Medium { medium, station } => {
                self.medium_wakes(
                    MediumId::new(medium.into()),
                    MediumWakeup::Station(MediumStationId::new(station.into())),
                    sink,
                );
            }
            Wakeup::Beacons { medium, station } => {
                self.medium_wakes(
                    MediumId::new(medium.into()),
                    MediumWakeup::Beacon(MediumStationId::new(station.into())),
                    sink,
                );
            }
            Wakeup::Crossing(medium) => self.medium_wakes(medium, MediumWakeup::Crossing, sink),
            Wakeup::Roamer(roamer) => self.roamer_looks(roamer, sink),
            Wakeup::End(end) => self.end_wakes(end, sink),
            Wakeup::Reader(end) => self.end_acted(end, sink),
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

    /// Calls a medium, and processes its output.
    #[inline(always)]
    fn medium_wakes<S: LoopSink>(&mut self, medium: MediumId, wakeup: MediumWakeup, sink: &mut S) {
        let relay = &mut self.probes.relay(&self.endpoints, sink);
        self.transmitters.wake_medium(medium, wakeup, &mut self.agenda, relay);
        while let Some((hop, outcome)) = self.transmitters.take_medium_outcome(medium) {
            self.process_outcome(hop, outcome, sink);
        }
    }

    /// Emits an event of a node.
    #[inline]
    fn emit<S: LoopSink>(&mut self, node: NodeId, sink: &mut S, event: impl FnOnce() -> NodeEvent) {
        self.probes.emit(node, &self.endpoints, self.agenda.now(), sink, event);
    }
}
