//! Builds a world from a network.

use engine::{IdVec, Stream, Time};
use path::mac::arq::Arq;
use wire::Protocol;

use super::World;
use super::agenda::{Agenda, Wakeup};
use super::arrivals::{Arrivals, EmptyPath};
use super::connect::EndParts;
use super::datagrams::DatagramFlow;
use super::end::End;
use super::flow::{Carrier, Flow};
use super::ports::{Endpoints, Ports};
use super::processors::Processors;
use super::session::Session;
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
        let [mut ports, mut datagram_ports] = [(); 2].map(|()| Ports::of(network.nodes.len()));
        let Traffic { ends, flows, sessions, datagrams } =
            traffic(network, [&mut ports, &mut datagram_ports], &mut agenda, observed);
        let arrivals = arrivals(network, &mut topology, &mut agenda);
        let arriving = arrivals.iter().filter(|process| agenda.schedule().armed(process.slot).is_some()).count();
        let mut world = World {
            agenda,
            topology,
            transmitters,
            processors,
            unfinished: flows.len() + arriving,
            awaits_arrivals: true,
            endpoints: Endpoints { ends, ports, datagrams, datagram_ports },
            first_short_flow: flows.len(),
            next_flow: flows.len() as u32,
            flows,
            sessions,
            datagram_sizes: Vec::new(),
            arrivals,
            free_flows: Vec::new(),
            short_flows: Vec::new(),
            observed,
            delays: None,
            next_air: Time::NEVER,
            delivered: None,
            spare: None,
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

/// The ends of all flows of the network, and their applications.
#[derive(Default)]
struct Traffic {
    ends: Vec<End>,
    flows: Vec<Flow>,
    sessions: Vec<Session>,
    datagrams: Vec<DatagramFlow>,
}

fn traffic(network: &Network, ports: [&mut Ports; 2], agenda: &mut Agenda, observed: bool) -> Traffic {
    let [ports, datagram_ports] = ports;
    let mut traffic = Traffic::default();
    for (number, spec) in network.flows.iter().enumerate() {
        if !spec.further_connection {
            let name = format!("flow {} traffic", spec.name);
            let application = spec.traffic.build(Stream::named(network.seed, network.replication, &name));
            let slot = agenda.slot(Wakeup::Application(traffic.sessions.len() as u32));
            agenda.schedule().arm(slot, spec.start);
            traffic.sessions.push(Session::new(application, slot, number, spec.stop));
        }
        let session = traffic.sessions.len() - 1;
        let Session { application, first_flow, flows, .. } = &mut traffic.sessions[session];
        *flows += 1;
        let (connection, bytes) = ((number - *first_flow) as u32, application.total());
        let protocol = match spec.transport {
            Transport::Tcp => None,
            Transport::Udp => Some(Protocol::Udp),
            Transport::IcmpEcho => Some(Protocol::EchoRequest),
        };
        let carrier = match protocol {
            None => {
                let (sender, observes) = (traffic.ends.len(), application.observes());
                let nodes = [spec.from, spec.to].map(NodeId::from_index);
                let parts = EndParts {
                    flow: [number as u32; 2],
                    nodes,
                    ports: [ports.open(nodes[0], sender), ports.open(nodes[1], sender + 1)],
                    class: spec.class,
                    start: spec.start,
                    observed,
                };
                let streams = network.end_streams(number);
                let slots = [sender, sender + 1].map(|end| agenda.slot(Wakeup::End(end as u32)));
                let mut ends = parts.ends(&spec.tcp, streams, slots, application.receiver_opens());
                ends[0].goal = bytes.unwrap_or(u64::MAX);
                ends.iter_mut().for_each(|end| end.watched |= observes);
                traffic.ends.extend(ends);
                Carrier::Connection { sender, close: spec.tcp.close }
            }
            Some(protocol) => {
                let flow = traffic.datagrams.len();
                let nodes = [spec.from, spec.to].map(NodeId::from_index);
                let ports = [0, 1].map(|side| datagram_ports.open(nodes[side], 2 * flow + side));
                let (class, start) = (spec.class, spec.start);
                traffic.datagrams.push(DatagramFlow::new(number as u32, protocol, nodes, ports, class, start));
                Carrier::Datagrams(flow)
            }
        };
        let session = Some((session as u32, connection));
        traffic.flows.push(Flow::new(number as u32, session, bytes, spec.start, carrier));
    }
    traffic
}

/// The processes by which flows arrive.
fn arrivals(network: &Network, topology: &mut Topology, agenda: &mut Agenda) -> Vec<Arrivals> {
    let process = |(number, spec): (usize, &ArrivalSpec)| {
        let stream = Stream::named(network.seed, network.replication, &format!("arrivals {}", spec.name));
        let slot = agenda.slot(Wakeup::Arrivals(number as u32));
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
