//! Builds a world from a network.

use engine::{IdVec, Rate, Stream, Time};
use path::agent::Agent;
use path::channel::Channel;
use path::channel::directed::Directed;
use path::link::fifo::FifoLink;
use path::link::priority::PriorityLink;
use path::link::variable::VariableLink;
use path::link::{Line, Parts};
use path::mac::arq::{Arq, Sender};
use path::medium::places::Places;
use path::medium::{Medium, QueueId, StationSpec, TxQueueSpec};
use path::queue::{Backlog, Buffer, Limit};
use path::station::{Station, TxQueue};
use path::{HopId, MediumId};
use wire::Protocol;

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
use super::{Hop, Node, World};
use crate::ids::{HopIndex, LinkId, NodeId};
use crate::network::{ArrivalSpec, LinkSpec, MediumSpec, Network};
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
        let channels = channels(network);
        let limited = |node: NodeId| network.nodes[node.index()].buffer.is_some();
        let mut topology = Topology::new(network, |node| processors.passes_on(node) && !limited(node));
        let arqs: IdVec<HopIndex, Arq> =
            network.links.iter().flat_map(|link| link.directions().map(|direction| direction.arq.build())).collect();
        let (mut hops, stations, station_nodes) =
            hops(network, (&topology, &processors), &channels, &arqs, &mut agenda);
        processors.add_agent_delays(network, &topology, &arqs, &mut agenda);
        let media = media(network, &processors, &mut hops, &mut agenda);
        topology.add_roamers(network, &mut agenda);
        let [mut ports, mut datagram_ports] = [(); 2].map(|()| Ports::of(network.nodes.len()));
        let Traffic { ends, flows, sessions, datagrams } =
            traffic(network, [&mut ports, &mut datagram_ports], &mut agenda, observed);
        let arrivals = arrivals(network, &mut topology, &mut agenda);
        let arriving = arrivals.iter().filter(|process| agenda.schedule().armed(process.slot).is_some()).count();
        let buffers = network.nodes.iter().map(|spec| Node { buffer: Buffer::new(spec.buffer), buffer_full: 0 });
        let mut world = World {
            agenda,
            topology,
            processors,
            nodes: buffers.collect(),
            hops,
            stations,
            station_nodes,
            outcomes: Vec::new(),
            media,
            channels,
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
            lines: network.links.iter().flat_map(|link| lines(network, link)).collect(),
            delivered: None,
            spare: None,
        };
        world.mobiles_begin();
        let channels = &mut world.channels;
        world.processors.begin(&mut world.agenda, |link| channels[link.index()].next_change(Time::ZERO));
        if observed {
            world.next_air = world.next_change(Time::ZERO);
        }
        world
    }
}

fn channels(network: &Network) -> Vec<Box<dyn Channel>> {
    let channel = |link: &crate::network::LinkSpec| {
        let name = format!("link {} channel {}", link.name, link.random_seed);
        let stream = Stream::named(network.seed, network.replication, &name);
        match link.backward.as_deref() {
            // Equal settings are one channel, whose state both directions share.
            Some(backward) if link.channel != backward.channel => {
                let [forward, back] = [(&link.channel, "forward"), (&backward.channel, "backward")]
                    .map(|(config, direction)| config.build(stream.sub(direction)));
                Box::new(Directed::new([forward, back]))
            }
            _ => link.channel.build(stream),
        }
    };
    network.links.iter().map(channel).collect()
}

/// Whether the scheme of a node receives reports of packets that a link layer has delivered.
fn looks_at_deliveries(processors: &Processors, node: NodeId) -> bool {
    processors.agent(node).is_some_and(Agent::looks_at_deliveries)
}

/// The queue limit and the rate of both directions of a link.
fn lines(network: &Network, link: &LinkSpec) -> [(Limit, Rate); 2] {
    let of_medium = link.medium.map(|medium| network.media[medium].config.data_rate());
    link.directions().map(|spec| {
        let rate = of_medium.map_or(spec.rate, |rate| spec.medium_rate.unwrap_or(rate));
        (spec.queue.limit(), rate)
    })
}

/// The hops of all links, the stations that serve those with stop-and-wait, and the node of each station.
fn hops(
    network: &Network,
    (topology, processors): (&Topology, &Processors),
    channels: &[Box<dyn Channel>],
    arqs: &IdVec<HopIndex, Arq>,
    agenda: &mut Agenda,
) -> (IdVec<HopIndex, Hop>, Vec<Station>, Vec<NodeId>) {
    // Queues by transmitter: one transmitter for each hop, or one for all hops of a node with a shared radio.
    let mut transmitters: Vec<(NodeId, Vec<TxQueue>)> = Vec::new();
    let mut shared: IdVec<NodeId, Option<usize>> = vec![None; network.nodes.len()].into();
    let mut hops = IdVec::<HopIndex, Hop>::default();
    for (number, link) in network.links.iter().enumerate() {
        for direction in 0..2 {
            let hop = hops.next_id();
            let id = hop.id();
            let node = NodeId::from_index(link.between[direction]);
            if link.medium.is_some() {
                // Set when the stations of the medium are known.
                hops.push(Hop::Medium { medium: MediumId(0), queue: QueueId { station: 0, queue: 0 } });
                continue;
            }
            let spec = link.direction(direction);
            let line = Line::new(spec.rate, spec.delay, link.timing);
            let reports_deliveries = looks_at_deliveries(processors, node);
            let arq = match arqs[hop].sender() {
                Sender::Station(arq) => *arq,
                Sender::Own(build) => {
                    let slot = agenda.slot(Wakeup::Link(hop));
                    let agent_at_far_end = processors.hands_to_agent_first(topology, hop, &arqs[hop]);
                    let queue = backlog(network, link, id);
                    let parts = Parts { hop: id, line, queue, slot, agent_at_far_end, reports_deliveries };
                    hops.push(Hop::Link(build(parts)));
                    continue;
                }
                Sender::Plain => {
                    let expedites = processors.agent(node).is_some_and(Agent::sends_expedited);
                    hops.push(plain(network, link, hop, expedites, channels[number].loses(), agenda));
                    continue;
                }
            };
            let queue = TxQueue::new(id, line, arq, backlog(network, link, id));
            let queue = queue.reporting_deliveries(reports_deliveries);
            let own = shared[node].filter(|_| network.nodes[node.index()].radio.is_shared());
            let station = own.unwrap_or_else(|| {
                transmitters.push((node, Vec::new()));
                transmitters.len() - 1
            });
            shared[node] = Some(station);
            let queues = &mut transmitters[station].1;
            hops.push(Hop::TxQueue { station: station as u32, queue: queues.len() as u32 });
            queues.push(queue);
        }
    }
    let station_nodes = transmitters.iter().map(|(node, _)| *node).collect();
    let station = |(number, (node, queues)): (usize, (NodeId, Vec<TxQueue>))| {
        let arrival = agenda.slot(Wakeup::StationArrival(number as u32));
        let timer = agenda.slot(Wakeup::StationTimer(number as u32));
        Station::new(queues, &network.nodes[node.index()].scheduler, arrival, timer)
    };
    let stations = transmitters.into_iter().enumerate().map(station).collect();
    (hops, stations, station_nodes)
}

/// The shared media: each node with a link in one is a station of it, with a queue for each of these links.
fn media(
    network: &Network,
    processors: &Processors,
    hops: &mut IdVec<HopIndex, Hop>,
    agenda: &mut Agenda,
) -> Vec<Medium> {
    let medium = |(number, spec): (usize, &MediumSpec)| {
        let members = network.stations(number);
        let mut queues: Vec<Vec<TxQueueSpec>> = vec![Vec::new(); members.len()];
        let mut station = vec![0; network.nodes.len()];
        for (place, node) in members.iter().enumerate() {
            station[*node] = place;
        }
        for (place, link) in network.links.iter().enumerate().filter(|(_, link)| link.medium == Some(number)) {
            let ends = link.between.map(|node| station[node]);
            for (direction, hop) in LinkId::from_index(place).hops().into_iter().enumerate() {
                let (here, there) = (ends[direction], ends[1 - direction]);
                let queue = QueueId { station: here as u32, queue: queues[here].len() as u32 };
                hops[hop] = Hop::Medium { medium: MediumId(number as u32), queue };
                queues[here].push(TxQueueSpec {
                    hop: hop.id(),
                    to: there as u32,
                    queue: link.direction(direction).queue.clone(),
                    stream: queue_stream(network, link, hop.id()),
                    rate: link.direction(direction).medium_rate,
                    reports_deliveries: looks_at_deliveries(processors, NodeId::from_index(link.between[direction])),
                });
            }
        }
        let station = |(place, (node, queues)): (usize, (usize, Vec<TxQueueSpec>))| {
            let name = format!("medium {} station {}", spec.name, network.nodes[node].name);
            StationSpec {
                slot: agenda.slot(Wakeup::Medium { medium: number as u16, station: place as u16 }),
                scheduler: network.nodes[node].scheduler.clone(),
                queues,
                stream: Stream::named(network.seed, network.replication, &name),
                beacons: (spec.config.beacon_interval.is_some() && network.nodes[node].kind.serves_mobiles())
                    .then(|| agenda.slot(Wakeup::Beacons { medium: number as u16, station: place as u16 })),
            }
        };
        let placed = || members.iter().map(|node| network.nodes[*node].place.clone()).collect::<Option<Vec<_>>>();
        let paths = spec.config.range.and_then(|_| placed());
        let stations = members.iter().copied().zip(queues).enumerate().map(station).collect();
        let places = paths.map(|paths| Places {
            slot: agenda.slot(Wakeup::Crossing(number as u32)),
            paths,
            until: Time::ZERO + network.duration,
        });
        Medium::new(MediumId(number as u32), &spec.config, stations, places)
    };
    network.media.iter().enumerate().map(medium).collect()
}

/// One direction of a link without a link layer, as [`path::link`] describes.
fn plain(network: &Network, link: &LinkSpec, hop: HopIndex, expedites: bool, lossy: bool, agenda: &mut Agenda) -> Hop {
    let id = hop.id();
    let spec = link.direction(id.direction.index());
    let line = Line::new(spec.rate, spec.delay, link.timing);
    let (queue, tie) = (spec.queue.drop_tail(), link.queue_tie);
    match (&link.changes, queue) {
        (Some(changes), _) => {
            let name = format!("link {} jitter {}", link.name, link.random_seed);
            let stream = Stream::named(network.seed, network.replication, &name);
            let slot = agenda.slot(Wakeup::Link(hop));
            let variable = VariableLink::new(id, line, changes, stream, (queue.unwrap_or_default(), tie), lossy, slot);
            Hop::Link(Box::new(match queue {
                Some(_) if !expedites => variable,
                _ => variable.with_backlog(backlog(network, link, id)),
            }))
        }
        (None, Some(queue)) if !expedites => {
            Hop::Fifo(FifoLink::new(id, line, (queue, tie), lossy, agenda.slot(Wakeup::Fifo(hop))))
        }
        (None, _) => {
            let queue = backlog(network, link, id);
            Hop::Link(Box::new(PriorityLink::new(id, line, (queue, tie), lossy, agenda.slot(Wakeup::Link(hop)))))
        }
    }
}

/// The queue of a hop whose transmitter selects packets at the time of sending.
fn backlog(network: &Network, link: &LinkSpec, hop: HopId) -> Backlog {
    Backlog::new(link.direction(hop.direction.index()).queue, queue_stream(network, link, hop))
}

/// The random stream of a hop's queue.
fn queue_stream(network: &Network, link: &LinkSpec, hop: HopId) -> Stream {
    let name = format!("link {} queue {} {}", link.name, hop.direction.index(), link.random_seed);
    Stream::named(network.seed, network.replication, &name)
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
