//! Builds a world from a network.

use engine::{IdVec, Time};
use path::mac::arq::Arq;

use super::World;
use super::agenda::Agenda;
use super::endpoints::Endpoints;
use super::probes::Probes;
use super::processors::Processors;
use super::topology::Topology;
use super::traffic::Traffic;
use super::transmitters::Transmitters;
use crate::ids::{HopIndex, NodeId};
use crate::network::Network;

impl World {
    /// A world at time zero. `observed` states whether it will run with an active sink.
    ///
    /// # Panics
    ///
    /// If the network is inconsistent, which the check of a scenario excludes: an index is out of range, a time-varying
    /// link has a queue discipline other than drop-tail, or an outside member is not resolved.
    pub fn new(network: &Network, observed: bool) -> Self {
        let mut agenda = Agenda::new(network.duration);
        let mut processors = Processors::new(network, &mut agenda);
        let limited = |node: NodeId| network.nodes[node.index()].buffer.is_some();
        let mut topology = Topology::new(network, |node| processors.passes_on(node) && !limited(node));
        let arqs: IdVec<HopIndex, Arq> =
            network.links.iter().flat_map(|link| link.directions().map(|direction| direction.arq.build())).collect();
        let mut transmitters = Transmitters::new(network, (&topology, &processors), &arqs, &mut agenda);
        processors.add_agent_delays(network, &topology, &arqs, &mut agenda);
        transmitters.add_media(network, &processors, &mut agenda);
        topology.add_roamers(network, &mut agenda);
        let mut endpoints = Endpoints::new(network.nodes.len(), observed);
        let mut traffic = Traffic::new(network, &mut endpoints, &mut agenda);
        traffic.add_arrivals(network, &mut topology, &mut agenda);
        for (flow, spec) in traffic.network_flows().iter().zip(&network.flows) {
            if let Some(sender) = flow.sender() {
                processors.announce_flow(endpoints.end(sender).sockets(), spec.receiver_tcp().window);
            }
        }
        let mut world = World { agenda, topology, transmitters, processors, endpoints, traffic, probes: Probes::new() };
        world.mobiles_begin();
        let transmitters = &mut world.transmitters;
        world.processors.begin(&mut world.agenda, |link| transmitters.next_change(link, Time::ZERO));
        if observed {
            world.probes.watch_air(&mut world.transmitters);
        }
        world
    }
}
