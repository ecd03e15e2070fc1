//! Builds a world from a network.

use engine::{Rate, Stream, Time};
use path::agent::Agent;
use path::channel::Channel;
use path::channel::directed::Directed;
use path::link::fifo::FifoLink;
use path::link::priority::PriorityLink;
use path::link::variable::VariableLink;
use path::link::{Line, Parts};
use path::mac::arq::{Arq, Sender};
use path::mac::dcf;
use path::medium::places::Places;
use path::medium::{Medium, QueueId, StationSpec, TxQueueSpec};
use path::queue::{Backlog, Buffer, Limit};
use path::station::{Station, TxQueue};
use path::{HopId, MediumId};
use wire::{Addr, Protocol};

use super::agenda::{Agenda, Wakeup};
use super::arrivals::{Arrivals, EmptyPath};
use super::connect::EndParts;
use super::datagrams::DatagramFlow;
use super::end::End;
use super::flow::{Carrier, Flow};
use super::ports::{Endpoints, Ports};
use super::session::Session;
use super::{Hop, World, hop_id, hop_number};
use crate::association::{Reachable, Roamer};
use crate::network::{ArrivalSpec, LinkSpec, MediumSpec, Network};
use crate::node::{Forecast, InstalledAgent, Node, Processing};
use crate::routing::Routes;
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
        let nodes = nodes(network, &mut agenda);
        let channels = channels(network);
        let far_ends: Vec<u32> =
            network.links.iter().flat_map(|link| [link.between[1] as u32, link.between[0] as u32]).collect();
        let arqs: Vec<Arq> =
            network.links.iter().flat_map(|link| link.directions().map(|direction| direction.arq.build())).collect();
        let agent_first = agent_first(network, &nodes, &arqs, &far_ends);
        let (mut hops, stations, station_nodes) = hops(network, &nodes, &channels, &arqs, &agent_first, &mut agenda);
        let agent_delays = agent_delays(network, &agent_first, &mut agenda);
        let media = media(network, &nodes, &mut hops, &mut agenda);
        let roamers = roamers(network, &mut agenda);
        let mut routes = Routes::new(network);
        let [mut ports, mut datagram_ports] = [(); 2].map(|()| Ports::of(network.nodes.len()));
        let Traffic { ends, flows, sessions, datagrams } =
            traffic(network, [&mut ports, &mut datagram_ports], &mut agenda, observed);
        let arrivals = arrivals(network, &mut routes, &mut agenda);
        let arriving = arrivals.iter().filter(|process| agenda.schedule().armed(process.slot).is_some()).count();
        let mut world = World {
            agenda,
            nodes,
            hops,
            agent_delays,
            far_ends,
            stations,
            station_nodes,
            outcomes: Vec::new(),
            media,
            channels,
            routes,
            roamers,
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
            airborne: network.links.iter().flat_map(|link| [link.wireless; 2]).collect(),
            outbox: Vec::new(),
            agent_events: Vec::new(),
            delivered: None,
            spare: None,
        };
        world.mobiles_begin();
        for node in 0..world.nodes.len() {
            if let Some(installed) = &mut world.nodes[node].agent {
                installed.keep_timer(world.agenda.schedule());
            }
            world.look_ahead(node, Time::ZERO);
        }
        if observed {
            world.next_air = world.next_change(Time::ZERO);
        }
        world
    }
}

fn nodes(network: &Network, agenda: &mut Agenda) -> Vec<Node> {
    let links = network.links_by_node();
    let node = |(number, spec): (usize, &crate::network::NodeSpec)| {
        let processing = (spec.processing_delay.as_nanos() > 0)
            .then(|| Processing::new(spec.processing_delay, agenda.slot(Wakeup::Processing(number as u32))));
        let agent = spec.agent.build().map(|agent| installed(network, &links[number], number, agent, agenda));
        Node {
            addr: Addr::of_node(number),
            passes_on: processing.is_none() && agent.is_none() && spec.buffer.is_none(),
            forwards: spec.kind.forwards(),
            buffer: Buffer::new(spec.buffer),
            buffer_full: 0,
            no_route: 0,
            processing,
            agent,
        }
    };
    network.nodes.iter().enumerate().map(node).collect()
}

fn installed(
    network: &Network,
    links: &[u32],
    node: usize,
    agent: Box<dyn Agent>,
    agenda: &mut Agenda,
) -> InstalledAgent {
    let links = links.iter().copied().filter(|link| network.links[*link as usize].wireless);
    let forecast = agent.foresight().map(|lead| Forecast {
        slot: agenda.slot(Wakeup::Forecast(node as u32)),
        lead,
        links: links.collect(),
        next: None,
    });
    InstalledAgent::new(agent, agenda.slot(Wakeup::Agent(node as u32)), forecast)
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
    nodes: &[Node],
    channels: &[Box<dyn Channel>],
    arqs: &[Arq],
    agent_first: &[bool],
    agenda: &mut Agenda,
) -> (Vec<Hop>, Vec<Station>, Vec<u32>) {
    // Queues by transmitter: one transmitter for each hop, or one for all hops of a node with a shared radio.
    let mut transmitters: Vec<(usize, Vec<TxQueue>)> = Vec::new();
    let mut shared: Vec<Option<usize>> = vec![None; network.nodes.len()];
    let mut hops = Vec::new();
    for (number, link) in network.links.iter().enumerate() {
        for direction in 0..2 {
            let id = hop_id(2 * number + direction);
            let node = link.between[direction];
            if link.medium.is_some() {
                // Set when the stations of the medium are known.
                hops.push(Hop::Medium { medium: MediumId(0), queue: QueueId { station: 0, queue: 0 } });
                continue;
            }
            let spec = link.direction(direction);
            let line = Line::new(spec.rate, spec.delay, link.timing);
            let reports_deliveries = nodes[node].looks_at_deliveries();
            let arq = match arqs[2 * number + direction].sender() {
                Sender::Station(arq) => *arq,
                Sender::Own(build) => {
                    let slot = agenda.slot(Wakeup::Link(hop_number(id) as u32));
                    let agent_at_far_end = agent_first[hop_number(id)];
                    let queue = backlog(network, link, id);
                    let parts = Parts { hop: id, line, queue, slot, agent_at_far_end, reports_deliveries };
                    hops.push(Hop::Link(build(parts)));
                    continue;
                }
                Sender::Plain => {
                    let expedites = nodes[node].sends_expedited();
                    hops.push(plain(network, link, id, expedites, channels[number].loses(), agenda));
                    continue;
                }
            };
            let queue = TxQueue::new(id, line, arq, backlog(network, link, id));
            let queue = queue.reporting_deliveries(reports_deliveries);
            let own = shared[node].filter(|_| network.nodes[node].radio.is_shared());
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
    let station_nodes = transmitters.iter().map(|(node, _)| *node as u32).collect();
    let station = |(number, (node, queues)): (usize, (usize, Vec<TxQueue>))| {
        let arrival = agenda.slot(Wakeup::StationArrival(number as u32));
        let timer = agenda.slot(Wakeup::StationTimer(number as u32));
        Station::new(queues, &network.nodes[node].scheduler, arrival, timer)
    };
    let stations = transmitters.into_iter().enumerate().map(station).collect();
    (hops, stations, station_nodes)
}

/// The shared media: each node with a link in one is a station of it, with a queue for each of these links.
fn media(network: &Network, nodes: &[Node], hops: &mut [Hop], agenda: &mut Agenda) -> Vec<Medium> {
    let medium = |(number, spec): (usize, &MediumSpec)| {
        let members = network.stations(number);
        let mut queues: Vec<Vec<TxQueueSpec>> = vec![Vec::new(); members.len()];
        let mut station = vec![0; network.nodes.len()];
        for (place, node) in members.iter().enumerate() {
            station[*node] = place;
        }
        for (place, link) in network.links.iter().enumerate().filter(|(_, link)| link.medium == Some(number)) {
            let ends = link.between.map(|node| station[node]);
            for direction in 0..2 {
                let (here, there) = (ends[direction], ends[1 - direction]);
                let hop = 2 * place + direction;
                let queue = QueueId { station: here as u32, queue: queues[here].len() as u32 };
                hops[hop] = Hop::Medium { medium: MediumId(number as u32), queue };
                queues[here].push(TxQueueSpec {
                    hop: hop_id(hop),
                    to: there as u32,
                    queue: link.direction(direction).queue.clone(),
                    stream: queue_stream(network, link, hop_id(hop)),
                    rate: link.direction(direction).medium_rate,
                    reports_deliveries: nodes[link.between[direction]].looks_at_deliveries(),
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

/// The mobiles that use one link at a time.
fn roamers(network: &Network, agenda: &mut Agenda) -> Vec<Roamer> {
    let mut roamers = Vec::new();
    let until = Time::ZERO + network.duration;
    for (node, links) in network.links_by_node().iter().enumerate() {
        let spec = &network.nodes[node];
        let (Some(association), Some(path)) = (spec.association, spec.place.clone()) else { continue };
        let reachable = |link: usize| {
            let [one, other] = network.links[link].between;
            let other = if one == node { other } else { one };
            let range = network.media[network.links[link].medium?].config.range?;
            Some(Reachable { link, station: network.nodes[other].place.clone()?, range })
        };
        let candidates = links.iter().filter_map(|link| reachable(*link as usize));
        let media = links.iter().filter_map(|link| network.links[*link as usize].medium);
        let mut media = media.map(|medium| &network.media[medium].config);
        let path_loss = media.find(|medium| medium.range.is_some()).map(dcf::Config::path_loss);
        let slot = agenda.slot(Wakeup::Roamer(roamers.len() as u32));
        roamers.push(Roamer::new(node, association, path, candidates, path_loss, until, slot));
    }
    roamers
}

/// One direction of a link without a link layer, as [`path::link`] describes.
fn plain(network: &Network, link: &LinkSpec, id: HopId, expedites: bool, lossy: bool, agenda: &mut Agenda) -> Hop {
    let spec = link.direction(id.direction.index());
    let line = Line::new(spec.rate, spec.delay, link.timing);
    let number = hop_number(id) as u32;
    let (queue, tie) = (spec.queue.drop_tail(), link.queue_tie);
    match (&link.changes, queue) {
        (Some(changes), _) => {
            let name = format!("link {} jitter {}", link.name, link.random_seed);
            let stream = Stream::named(network.seed, network.replication, &name);
            let slot = agenda.slot(Wakeup::Link(number));
            let variable = VariableLink::new(id, line, changes, stream, (queue.unwrap_or_default(), tie), lossy, slot);
            Hop::Link(Box::new(match queue {
                Some(_) if !expedites => variable,
                _ => variable.with_backlog(backlog(network, link, id)),
            }))
        }
        (None, Some(queue)) if !expedites => {
            Hop::Fifo(FifoLink::new(id, line, (queue, tie), lossy, agenda.slot(Wakeup::Fifo(number))))
        }
        (None, _) => {
            let queue = backlog(network, link, id);
            Hop::Link(Box::new(PriorityLink::new(id, line, (queue, tie), lossy, agenda.slot(Wakeup::Link(number)))))
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

/// Whether an agent at the far end gets packets before that end's delay, by hop.
fn agent_first(network: &Network, nodes: &[Node], arqs: &[Arq], far_ends: &[u32]) -> Vec<bool> {
    let agent_first = |(hop, far): (usize, &u32)| {
        let wireless = network.links[hop / 2].wireless;
        wireless && nodes[*far as usize].agent.is_some() && arqs[hop].hands_to_agent_before_delay()
    };
    far_ends.iter().enumerate().map(agent_first).collect()
}

/// The delays of such ends, by hop.
fn agent_delays(network: &Network, agent_first: &[bool], agenda: &mut Agenda) -> Vec<Option<Box<Processing>>> {
    let delay = |(hop, agent_first): (usize, &bool)| {
        let delay = network.links[hop / 2].direction(hop % 2).delay;
        agent_first.then(|| Box::new(Processing::new(delay, agenda.slot(Wakeup::AgentDelay(hop as u32)))))
    };
    agent_first.iter().enumerate().map(delay).collect()
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
                let nodes = [spec.from, spec.to];
                let parts = EndParts {
                    flow: [number as u32; 2],
                    nodes,
                    ports: [ports.open(spec.from, sender), ports.open(spec.to, sender + 1)],
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
                let nodes = [spec.from, spec.to];
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
fn arrivals(network: &Network, routes: &mut Routes, agenda: &mut Agenda) -> Vec<Arrivals> {
    let process = |(number, spec): (usize, &ArrivalSpec)| {
        let stream = Stream::named(network.seed, network.replication, &format!("arrivals {}", spec.name));
        let slot = agenda.slot(Wakeup::Arrivals(number as u32));
        let mut arrivals = Arrivals::new(spec, stream, slot, empty_path(network, routes, [spec.from, spec.to]));
        if let Some(at) = arrivals.draw_next() {
            agenda.schedule().arm(slot, at);
        }
        arrivals
    };
    network.arrivals.iter().enumerate().map(process).collect()
}

/// Delays and rates of the route between two nodes at time zero; `None` without a route.
fn empty_path(network: &Network, routes: &mut Routes, [from, to]: [usize; 2]) -> Option<EmptyPath> {
    let mut path = EmptyPath::default();
    for (forward, [from, to]) in [(true, [from, to]), (false, [to, from])] {
        let mut node = from;
        let mut hops = 0;
        while node != to {
            let hop = routes.hop(node, to)?;
            let link = &network.links[hop / 2];
            let spec = link.direction(hop % 2);
            let rate = match link.medium {
                Some(medium) => spec.medium_rate.unwrap_or(network.media[medium].config.data_rate()),
                None => spec.rate,
            };
            let pace = 8e9 / rate.bits_per_sec() as f64;
            path.delay += spec.delay.as_nanos() as f64 + network.nodes[node].processing_delay.as_nanos() as f64;
            if forward {
                path.pace += pace;
                path.slowest = path.slowest.max(pace);
            } else {
                path.pace_back += pace;
            }
            node = link.between[1 - hop % 2];
            hops += 1;
            if hops > network.links.len() {
                return None;
            }
        }
    }
    Some(path)
}
