//! Builds a world from a network.

use engine::{IdVec, Stream, Time};
use path::mac::arq::Arq;
use wire::Protocol;

use super::World;
use super::agenda::{Agenda, Wakeup};
use super::arrivals::{Arrivals, ArrivalsId, EmptyPath};
use super::endpoints::{ConnectionPlan, DatagramPlan, Endpoints};
use super::flow::{Carrier, Flow, FlowIndex};
use super::processors::Processors;
use super::session::{Session, SessionId};
use super::topology::Topology;
use super::transmitters::Transmitters;
use crate::ids::{HopIndex, NodeId};
use crate::network::{ArrivalSpec, Network};
use crate::transport::Transport;

impl World {
    /// A world at time zero. `observed` if it will run with an active sink.
    ///
    /// # Panics
    ///
    /// If the network is inconsistent, which the check of a scenario excludes: an index is out of range, a link that
    /// varies with time has another queue discipline than drop-tail, or an outside member is not resolved.
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
        let (flows, sessions) = traffic(network, &mut endpoints, &mut agenda);
        let arrivals = arrivals(network, &mut topology, &mut agenda);
        let arriving = arrivals.iter().filter(|process| agenda.schedule().armed(process.slot).is_some()).count();
        let mut world = World {
            agenda,
            topology,
            transmitters,
            processors,
            unfinished: flows.len() + arriving,
            awaits_arrivals: true,
            endpoints,
            first_short_flow: flows.len(),
            next_flow: flows.len() as u32,
            flows,
            sessions,
            datagram_sizes: Vec::new(),
            arrivals,
            free_flows: Vec::new(),
            short_flows: Vec::new(),
            delays: None,
            next_air: Time::NEVER,
            delivered: None,
        };
        world.mobiles_begin();
        let transmitters = &mut world.transmitters;
        world.processors.begin(&mut world.agenda, |link| transmitters.next_change(link, Time::ZERO));
        if observed {
            world.next_air = world.next_change(Time::ZERO);
        }
        world
    }
}

/// The flows of the network and their applications, with their ends.
fn traffic(
    network: &Network,
    endpoints: &mut Endpoints,
    agenda: &mut Agenda,
) -> (IdVec<FlowIndex, Flow>, IdVec<SessionId, Session>) {
    let (mut flows, mut sessions) = (IdVec::default(), IdVec::<SessionId, Session>::default());
    let mut last = SessionId::new(0);
    for (index, spec) in network.flows.iter().enumerate() {
        let flow = FlowIndex::from_index(index);
        if !spec.further_connection {
            let name = format!("flow {} traffic", spec.name);
            let application = spec.traffic.build(Stream::named(network.seed, network.replication, &name));
            let slot = agenda.slot(Wakeup::Application(sessions.next_id()));
            agenda.schedule().arm(slot, spec.start);
            last = sessions.push(Session::new(application, slot, flow, spec.stop));
        }
        let session = &mut sessions[last];
        session.connections += 1;
        let connection = index - session.first_flow.index();
        let (carrier, bytes) = (carrier(network, flow, session, endpoints, agenda), session.application.total());
        flows.push(Flow::new(flow.number(), Some((last, connection)), bytes, spec.start, carrier));
    }
    (flows, sessions)
}

/// Opens the ends of a flow.
fn carrier(
    network: &Network,
    flow: FlowIndex,
    session: &Session,
    endpoints: &mut Endpoints,
    agenda: &mut Agenda,
) -> Carrier {
    const PORTS_LEFT: &str = "the check of a scenario limits the flows of a node";
    let spec = &network.flows[flow.index()];
    let nodes = [spec.from, spec.to].map(NodeId::from_index);
    let protocol = match spec.transport {
        Transport::Tcp => {
            let plan = ConnectionPlan {
                flow: (flow, flow.number()),
                nodes,
                class: spec.class,
                start: spec.start,
                tcp: &spec.tcp,
                streams: network.end_streams(flow.index()),
                receiver_opens: session.application.receiver_opens(),
                bytes: session.application.total(),
                application_observes: session.application.observes(),
            };
            let sender = endpoints.open(&plan, None, agenda).expect(PORTS_LEFT);
            return Carrier::Connection { sender, close: spec.tcp.close };
        }
        Transport::Udp => Protocol::Udp,
        Transport::IcmpEcho => Protocol::EchoRequest,
    };
    let plan = DatagramPlan { flow, protocol, nodes, class: spec.class, start: spec.start };
    Carrier::Datagrams(endpoints.open_datagrams(&plan).expect(PORTS_LEFT))
}

/// The processes by which flows arrive.
fn arrivals(network: &Network, topology: &mut Topology, agenda: &mut Agenda) -> IdVec<ArrivalsId, Arrivals> {
    let process = |(number, spec): (usize, &ArrivalSpec)| {
        let stream = Stream::named(network.seed, network.replication, &format!("arrivals {}", spec.name));
        let slot = agenda.slot(Wakeup::Arrivals(ArrivalsId::from_index(number)));
        let mut arrivals = Arrivals::new(
            spec,
            stream,
            slot,
            empty_path(network, topology, [spec.from, spec.to].map(NodeId::from_index)),
        );
        if let Some(at) = arrivals.draw_next() {
            agenda.schedule().arm(slot, at);
        }
        arrivals
    };
    network.arrivals.iter().enumerate().map(process).collect()
}

/// Delays and rates of the route between two nodes at time zero; `None` without a route.
fn empty_path(network: &Network, topology: &mut Topology, [from, to]: [NodeId; 2]) -> Option<EmptyPath> {
    let mut path = EmptyPath::default();
    for (forward, [from, to]) in [(true, [from, to]), (false, [to, from])] {
        let mut node = from;
        let mut hops = 0;
        while node != to {
            let hop = topology.next_hop(node, to.addr())?;
            let link = &network.links[hop.link().index()];
            let spec = link.direction(hop.direction().index());
            let rate = match link.medium {
                Some(medium) => spec.medium_rate.unwrap_or(network.media[medium].config.data_rate()),
                None => spec.rate,
            };
            let pace = 8e9 / rate.bits_per_sec() as f64;
            path.delay += spec.delay.as_nanos() as f64 + network.nodes[node.index()].processing_delay.as_nanos() as f64;
            if forward {
                path.pace += pace;
                path.slowest = path.slowest.max(pace);
            } else {
                path.pace_back += pace;
            }
            node = topology.far_end(hop);
            hops += 1;
            if hops > network.links.len() {
                return None;
            }
        }
    }
    Some(path)
}
