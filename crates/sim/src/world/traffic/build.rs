//! Builds the flows, applications and arrival processes of a network.

use engine::{IdVec, Stream};
use tcp::config::EcnCodepoint;
use wire::{Ecn, Protocol};

use super::Traffic;
use super::arrivals::{Arrivals, EmptyPath};
use super::flow::{Carrier, TrafficFlow};
use super::session::Session;
use crate::ids::{FlowId, NodeId};
use crate::network::Network;
use crate::transport::Transport;
use crate::world::agenda::{Agenda, Wakeup};
use crate::world::endpoints::{ConnectionPlan, DatagramPlan, Endpoints};
use crate::world::ids::{FlowIndex, SessionId};
use crate::world::topology::Topology;

impl Traffic {
    /// Creates the flows of the network and their applications, with their ends.
    pub fn new(network: &Network, endpoints: &mut Endpoints, agenda: &mut Agenda) -> Self {
        let (mut flows, mut sessions) =
            (IdVec::<FlowIndex, TrafficFlow>::default(), IdVec::<SessionId, Session>::default());
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
            let (carrier, bytes) =
                (open_carrier(network, flow, session, endpoints, agenda), session.application.total());
            flows.push(TrafficFlow::new(
                FlowId::from_index(index),
                Some((last, connection)),
                bytes,
                spec.start,
                carrier,
            ));
        }
        Traffic {
            planned: flows.len(),
            next_flow: FlowId::from_index(flows.len()),
            unfinished: flows.len(),
            awaits_arrivals: true,
            flows,
            sessions,
            datagram_sizes: Vec::new(),
            arrivals: IdVec::default(),
            free_flows: Vec::new(),
            short_flows: Vec::new(),
        }
    }

    /// Adds the processes by which flows arrive.
    pub fn add_arrivals(&mut self, network: &Network, topology: &mut Topology, agenda: &mut Agenda) {
        for spec in &network.arrivals {
            let stream = Stream::named(network.seed, network.replication, &format!("arrivals {}", spec.name));
            let slot = agenda.slot(Wakeup::Arrivals(self.arrivals.next_id()));
            let path = empty_path(network, topology, [spec.from, spec.to].map(NodeId::from_index));
            let mut arrivals = Arrivals::new(spec, stream, slot, path);
            self.unfinished += usize::from(arrivals.schedule_next(agenda));
            self.arrivals.push(arrivals);
        }
    }
}

/// Opens the ends of a flow.
fn open_carrier(
    network: &Network,
    flow: FlowIndex,
    session: &Session,
    endpoints: &mut Endpoints,
    agenda: &mut Agenda,
) -> Carrier {
    const PORTS_LEFT: &str = "the check of a scenario limits the flows of a node";
    let (spec, number) = (&network.flows[flow.index()], FlowId::from_index(flow.index()));
    let nodes = [spec.from, spec.to].map(NodeId::from_index);
    let protocol = match spec.transport {
        Transport::Tcp => {
            let plan = ConnectionPlan {
                flow: (flow, number),
                nodes,
                class: spec.class,
                start: spec.start,
                tcp: &spec.tcp,
                peer: spec.peer.as_deref(),
                streams: network.end_streams(flow.index()),
                receiver_opens: session.application.receiver_opens(),
                bytes: session.application.total(),
                application_observes: session.application.observes(),
                reader: spec.reader,
            };
            let sender = endpoints.open(&plan, None, agenda).expect(PORTS_LEFT);
            return Carrier::Connection { sender, close: spec.tcp.close };
        }
        Transport::Udp => Protocol::Udp,
        Transport::IcmpEcho => Protocol::EchoRequest,
    };
    let ecn = spec.ecn_codepoint.map_or(Ecn::NotEct, EcnCodepoint::ecn);
    let plan = DatagramPlan { flow: (flow, number), protocol, nodes, class: spec.class, ecn, start: spec.start };
    Carrier::Datagrams(endpoints.open_datagrams(&plan).expect(PORTS_LEFT))
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
