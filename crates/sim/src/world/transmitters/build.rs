//! Builds the transmitters of a network.

use engine::{IdVec, Rate, Stream};
use path::MediumStationId;
use path::agent::Agent;
use path::channel::Channel;
use path::channel::directed::Directed;
use path::link::fifo::FifoLink;
use path::link::priority::PriorityLink;
use path::link::variable::VariableLink;
use path::link::{LinkParts, TransmissionLine};
use path::mac::arq::{Arq, ArqSender};
use path::medium::places::Places;
use path::medium::{Medium, QueueId, StationSpec, TxQueueSpec};
use path::queue::{Backlog, Limit, RouterBuffer};
use path::station::{Station, TxQueue};
use path::{HopId, MediumId};

use super::{Transmitter, Transmitters};
use crate::ids::{HopIndex, LinkId, NodeId};
use crate::network::{Direction, LinkSpec, MediumSpec, Network};
use crate::world::agenda::{Agenda, Wakeup};
use crate::world::ids::StationId;
use crate::world::processors::Processors;
use crate::world::topology::Topology;

impl Transmitters {
    /// The transmitters of all links outside of media.
    pub fn new(
        network: &Network,
        nodes: (&Topology, &Processors),
        arqs: &IdVec<HopIndex, Arq>,
        agenda: &mut Agenda,
    ) -> Self {
        let (topology, processors) = nodes;
        let channels: IdVec<LinkId, _> = network.links.iter().map(|link| build_channel(network, link)).collect();
        let mut builder = Builder {
            network,
            topology,
            processors,
            agenda,
            stations: IdVec::default(),
            shared: vec![None; network.nodes.len()].into(),
        };
        let hops = arqs.enumerate().map(|(hop, arq)| builder.transmitter(hop, arq, channels[hop.link()].loses()));
        let hops = hops.collect();
        let station_nodes = builder.stations.iter().map(|(node, _)| *node).collect();
        let stations = builder.stations();
        Transmitters {
            hops,
            lines: network.links.iter().flat_map(|link| list_limits_and_rates(network, link)).collect(),
            stations,
            station_nodes,
            media: IdVec::default(),
            channels,
            buffers: network.nodes.iter().map(|node| RouterBuffer::new(node.buffer)).collect(),
            buffer_full: vec![0; network.nodes.len()].into(),
            outcomes: Vec::new(),
        }
    }

    /// Adds the shared media. Each node with a link in a medium is a station of that medium, with a queue for each of
    /// these links.
    pub fn add_media(&mut self, network: &Network, processors: &Processors, agenda: &mut Agenda) {
        for spec in &network.media {
            let id = self.media.next_id();
            let (members, queues) = self.add_queues(network, processors, id);
            let stations = members.iter().zip(queues).enumerate();
            let stations = stations.map(|(place, (node, queues))| {
                let wakeup = Wakeup::Medium { medium: id.number() as u16, station: place as u16 };
                let beacons = Wakeup::Beacons { medium: id.number() as u16, station: place as u16 };
                let node = &network.nodes[*node];
                let name = format!("medium {} station {}", spec.name, node.name);
                StationSpec {
                    slot: agenda.slot(wakeup),
                    scheduler: node.scheduler.clone(),
                    queues,
                    stream: Stream::named(network.seed, network.replication, &name),
                    beacons: (spec.config.beacon_interval.is_some() && node.kind.serves_mobiles())
                        .then(|| agenda.slot(beacons)),
                }
            });
            let stations = stations.collect();
            let places = collect_places(network, spec, &members, || agenda.slot(Wakeup::Crossing(id)));
            self.media.push(Medium::new(id, &spec.config, stations, places));
        }
    }

    /// Assigns the hops of a medium to queues of its stations; returns the nodes of the stations, and their queues.
    fn add_queues(
        &mut self,
        network: &Network,
        processors: &Processors,
        medium: MediumId,
    ) -> (Vec<usize>, IdVec<MediumStationId, Vec<TxQueueSpec>>) {
        let members = network.stations(medium.index());
        let mut queues: IdVec<MediumStationId, Vec<TxQueueSpec>> = vec![Vec::new(); members.len()].into();
        let mut station = vec![MediumStationId::new(0); network.nodes.len()];
        for (id, node) in queues.ids().zip(&members) {
            station[*node] = id;
        }
        let links = network.links.iter().enumerate().filter(|(_, link)| link.medium == Some(medium.index()));
        for (number, link) in links {
            let ends = link.between.map(|node| station[node]);
            for (direction, hop) in LinkId::from_index(number).hops().into_iter().enumerate() {
                let (here, there) = (ends[direction], ends[1 - direction]);
                let queue = QueueId { station: here, queue: queues[here].len() as u32 };
                self.hops[hop] = Transmitter::Medium { medium, queue };
                let node = NodeId::from_index(link.between[direction]);
                queues[here].push(TxQueueSpec {
                    hop: hop.id(),
                    to: there,
                    queue: link.direction(direction).queue.clone(),
                    stream: queue_stream(network, link, hop.id()),
                    rate: link.direction(direction).medium_rate,
                    reports_deliveries: looks_at_deliveries(processors, node),
                });
            }
        }
        (members, queues)
    }

    /// Arms the first wake-ups of media.
    pub fn begin(&mut self, agenda: &mut Agenda) {
        for medium in &mut self.media {
            medium.schedule_first_crossing(agenda.schedule());
            medium.announce_first(agenda.schedule());
        }
    }
}

/// Builds the transmitters of hops, one after the other.
struct Builder<'a> {
    network: &'a Network,
    topology: &'a Topology,
    processors: &'a Processors,
    agenda: &'a mut Agenda,
    /// The node and the queues of each station: one for each hop, or one for all hops of a node with a shared radio.
    stations: IdVec<StationId, (NodeId, Vec<TxQueue>)>,
    /// The last station of each node.
    shared: IdVec<NodeId, Option<StationId>>,
}

impl Builder<'_> {
    /// Creates the transmitter of a hop with this link layer. `lossy` is true if the channel of the hop loses packets.
    fn transmitter(&mut self, hop: HopIndex, arq: &Arq, lossy: bool) -> Transmitter {
        let link = &self.network.links[hop.link().index()];
        if link.medium.is_some() {
            // Set when the stations of the medium are known.
            return Transmitter::Medium {
                medium: MediumId::new(0),
                queue: QueueId { station: MediumStationId::new(0), queue: 0 },
            };
        }
        let node = self.topology.near_end(hop);
        let reports_deliveries = looks_at_deliveries(self.processors, node);
        match arq.sender() {
            ArqSender::Station(arq) => {
                let queue = TxQueue::new(
                    hop.id(),
                    build_line(link, hop.id()),
                    *arq,
                    build_backlog(self.network, link, hop.id()),
                );
                self.queue_of_station(node, queue.reporting_deliveries(reports_deliveries))
            }
            ArqSender::Own(build) => Transmitter::Link(build(LinkParts {
                hop: hop.id(),
                line: build_line(link, hop.id()),
                queue: build_backlog(self.network, link, hop.id()),
                slot: self.agenda.slot(Wakeup::Link(hop)),
                agent_at_far_end: self.processors.hands_to_agent_first(self.topology, hop, arq),
                reports_deliveries,
            })),
            ArqSender::Plain => self.plain(hop, lossy),
        }
    }

    /// A queue of a station of a node.
    fn queue_of_station(&mut self, node: NodeId, queue: TxQueue) -> Transmitter {
        let own = self.shared[node].filter(|_| self.network.nodes[node.index()].radio.is_shared());
        let station = own.unwrap_or_else(|| self.stations.push((node, Vec::new())));
        self.shared[node] = Some(station);
        let (_, queues) = &mut self.stations[station];
        queues.push(queue);
        Transmitter::TxQueue { station, queue: queues.len() - 1 }
    }

    /// Creates one direction of a link without a link layer, as [`path::link`] describes.
    fn plain(&mut self, hop: HopIndex, lossy: bool) -> Transmitter {
        let (network, id) = (self.network, hop.id());
        let expedites = self.processors.agent(self.topology.near_end(hop)).is_some_and(Agent::sends_expedited);
        let link = &network.links[hop.link().index()];
        let (queue, tie) = (find_direction(link, id).queue.drop_tail(), link.queue_tie);
        let line = build_line(link, id);
        match (&link.changes, queue) {
            (Some(changes), _) => {
                let name = format!("link {} jitter {}", link.name, link.random_seed);
                let stream = Stream::named(network.seed, network.replication, &name);
                let slot = self.agenda.slot(Wakeup::Link(hop));
                let variable =
                    VariableLink::new(id, line, changes, stream, (queue.unwrap_or_default(), tie), lossy, slot);
                Transmitter::Link(Box::new(match queue {
                    Some(_) if !expedites => variable,
                    _ => variable.with_backlog(build_backlog(network, link, id)),
                }))
            }
            (None, Some(queue)) if !expedites => {
                let slot = self.agenda.slot(Wakeup::Fifo(hop));
                Transmitter::Fifo(FifoLink::new(id, line, (queue, tie), lossy, slot))
            }
            (None, _) => {
                let slot = self.agenda.slot(Wakeup::Link(hop));
                let queue = build_backlog(network, link, id);
                Transmitter::Link(Box::new(PriorityLink::new(id, line, (queue, tie), lossy, slot)))
            }
        }
    }

    /// The stations with all their queues.
    fn stations(self) -> IdVec<StationId, Station> {
        let Builder { network, agenda, stations, .. } = self;
        let ids = stations.ids();
        let station = |(id, (node, queues)): (StationId, (NodeId, Vec<TxQueue>))| {
            let arrival = agenda.slot(Wakeup::StationArrival(id));
            let timer = agenda.slot(Wakeup::StationTimer(id));
            Station::new(queues, &network.nodes[node.index()].scheduler, arrival, timer)
        };
        ids.zip(stations).map(station).collect()
    }
}

/// Whether the scheme of a node receives reports of packets that a link layer has delivered.
fn looks_at_deliveries(processors: &Processors, node: NodeId) -> bool {
    processors.agent(node).is_some_and(Agent::looks_at_deliveries)
}

/// The motion of the stations of a medium with a range, if all have positions.
fn collect_places(
    network: &Network,
    spec: &MediumSpec,
    members: &[usize],
    slot: impl FnOnce() -> engine::Slot,
) -> Option<Places> {
    spec.config.range?;
    let paths = members.iter().map(|node| network.nodes[*node].place.clone()).collect::<Option<Vec<_>>>()?;
    Some(Places { slot: slot(), paths, until: engine::Time::ZERO + network.duration })
}

fn build_channel(network: &Network, link: &LinkSpec) -> Box<dyn Channel> {
    let name = format!("link {} channel {}", link.name, link.random_seed);
    let stream = Stream::named(network.seed, network.replication, &name);
    match link.backward.as_deref() {
        // Equal settings give a single channel, whose state both directions share.
        Some(backward) if link.channel != backward.channel => {
            let [forward, back] = [(&link.channel, "forward"), (&backward.channel, "backward")]
                .map(|(config, direction)| config.build(stream.sub(direction)));
            Box::new(Directed::new([forward, back]))
        }
        _ => link.channel.build(stream),
    }
}

/// The queue limit and the rate of both directions of a link.
fn list_limits_and_rates(network: &Network, link: &LinkSpec) -> [(Limit, Rate); 2] {
    let of_medium = link.medium.map(|medium| network.media[medium].config.data_rate());
    link.directions().map(|spec| {
        let rate = of_medium.map_or(spec.rate, |rate| spec.medium_rate.unwrap_or(rate));
        (spec.queue.limit(), rate)
    })
}

fn find_direction(link: &LinkSpec, hop: HopId) -> Direction<'_> {
    link.direction(hop.direction.index())
}

fn build_line(link: &LinkSpec, hop: HopId) -> TransmissionLine {
    let spec = find_direction(link, hop);
    TransmissionLine::new(spec.rate, spec.delay, link.timing)
}

/// The queue of a hop whose transmitter selects packets at the time of sending.
fn build_backlog(network: &Network, link: &LinkSpec, hop: HopId) -> Backlog {
    Backlog::new(find_direction(link, hop).queue, queue_stream(network, link, hop))
}

/// The random stream of a hop's queue.
fn queue_stream(network: &Network, link: &LinkSpec, hop: HopId) -> Stream {
    let name = format!("link {} queue {} {}", link.name, hop.direction.index(), link.random_seed);
    Stream::named(network.seed, network.replication, &name)
}
