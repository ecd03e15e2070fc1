//! The description of a network for the simulator: checked, with indices instead of names as references.

use std::borrow::Cow;

use engine::{Bytes, Frequency, Rate, Span, Stream, Time};
use path::agent::AgentConfig;
use path::channel::ChannelConfig;
use path::link::Timing;
use path::link::variable::plan::Changes;
use path::mac::arq::ArqConfig;
use path::place::NodePath;
use path::queue::{QueueConfig, Tie};
use path::scheduler::SchedulerConfig;
use path::{LinkId, MediumStationId, Reach};
use serde::Serialize;
use tcp::config::EcnCodepoint;
use wire::Dscp;

use crate::app::ApplicationConfig;
use crate::association::Association;
use crate::node_kind::NodeKind;
use crate::radio::Radio;
use crate::reader::ReaderConfig;
use crate::size::SizeConfig;
use crate::transport::Transport;

/// Nodes, links, media and flows, which refer to each other by their index in these lists.
///
/// All fields that determine a run's results are serialized, except the replication: stores compute their keys from
/// them. The order of fields is part of the key and their names are not: add a field at the end of its struct.
#[derive(Clone, Debug, Serialize)]
pub struct Network {
    /// Hosts, routers and base stations.
    pub nodes: Vec<NodeSpec>,
    /// Links between them.
    pub links: Vec<LinkSpec>,
    /// Shared media.
    pub media: Vec<MediumSpec>,
    /// Transfers.
    pub flows: Vec<FlowSpec>,
    /// Maximum duration of the run.
    pub duration: Span,
    /// The random seed.
    pub seed: u64,
    /// The replication; each replication has separate random streams.
    #[serde(skip)]
    pub replication: u64,
    /// Arrival processes of flows during the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arrivals: Vec<ArrivalSpec>,
}

impl Network {
    /// The random streams of both ends of a flow over TCP, the sending end first; the congestion controls draw from them.
    pub fn end_streams(&self, flow: usize) -> [Stream; 2] {
        let name = &self.flows[flow].name;
        [0, 1].map(|side| Stream::named(self.seed, self.replication, &format!("flow {name} end {side}")))
    }

    /// The links at each node, in order.
    pub fn links_by_node(&self) -> Vec<Vec<LinkId>> {
        let mut links = vec![Vec::new(); self.nodes.len()];
        for (number, link) in self.links.iter().enumerate() {
            link.between.iter().for_each(|node| links[*node].push(LinkId::from_index(number)));
        }
        links
    }

    /// The nodes that are stations of a medium, by station number, in the order in which the links of the medium name
    /// them.
    pub fn stations(&self, medium: usize) -> Vec<usize> {
        let links = self.links.iter().filter(|link| link.medium == Some(medium));
        let mut known = vec![false; self.nodes.len()];
        links.flat_map(|link| link.between).filter(|node| !std::mem::replace(&mut known[*node], true)).collect()
    }

    /// Returns the pairs of stations of a medium that do not decode each other's frames at time zero, and what they
    /// receive instead. Empty without a range, because then all stations decode each other.
    pub fn apart(&self, medium: usize) -> Vec<(MediumStationId, MediumStationId, Reach)> {
        let Some(ranges) = self.media[medium].config.ranges() else { return Vec::new() };
        let stations = self.stations(medium);
        let places: Option<Vec<_>> = stations.iter().map(|node| self.nodes[*node].place.as_ref()).collect();
        let mut apart = Vec::new();
        for (b, at_b) in places.iter().flatten().enumerate() {
            for (a, at_a) in places.iter().flatten().enumerate().take(b) {
                let reach = ranges.reach(at_a, at_b, Time::ZERO);
                if reach != Reach::Reads {
                    apart.push((MediumStationId::from_index(a), MediumStationId::from_index(b), reach));
                }
            }
        }
        apart
    }
}

/// A node.
#[derive(Clone, Debug, Serialize)]
pub struct NodeSpec {
    /// Name of the node.
    pub name: String,
    /// Kind of the node.
    pub kind: NodeKind,
    /// Buffer size of the node in bytes, shared by all its links; `None` for unlimited.
    pub buffer: Option<Bytes>,
    /// The processing delay of each forwarded packet, before it is queued.
    pub processing_delay: Span,
    /// Transmitters of the node.
    pub radio: Radio,
    /// The order in which a shared transmitter serves its neighbours.
    pub scheduler: SchedulerConfig,
    /// Scheme of the node.
    pub agent: AgentConfig,
    /// Position and motion of the node, if they matter.
    pub place: Option<NodePath>,
    /// Association of the node, if it uses its links in media one at a time.
    pub association: Option<Association>,
}

/// The settings of one direction of a link.
#[derive(Clone, Debug, Serialize)]
pub struct DirectionSpec {
    /// Bits per second.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Span,
    /// Queue discipline of the direction.
    pub queue: QueueConfig,
    /// Channel of this direction, independent of the channel of the other direction.
    pub channel: ChannelConfig,
    /// Link layer of the direction.
    pub arq: ArqConfig,
    /// The data rate, if it differs from the rate of the medium.
    pub medium_rate: Option<Rate>,
}

/// A link. The settings of one direction apply to both, unless the link has `backward`.
#[derive(Clone, Debug, Serialize)]
pub struct LinkSpec {
    /// Name of the link, which also selects its random streams.
    pub name: String,
    /// The two nodes of the link; forward is from the first to the second.
    pub between: [usize; 2],
    /// Whether the link is wireless: schemes act on packets that cross wireless links.
    pub wireless: bool,
    /// Bits per second.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Span,
    /// How transmission times are computed.
    pub timing: Timing,
    /// Queue discipline of the link.
    pub queue: QueueConfig,
    /// Whether a simultaneous departure frees its space in the queue for an arriving packet; for links without a link
    /// layer.
    pub queue_tie: Tie,
    /// Changes of the link over time, if any; for links without a link layer, with a drop-tail queue.
    pub changes: Option<Box<Changes>>,
    /// The channel.
    pub channel: ChannelConfig,
    /// Link layer of the link.
    pub arq: ArqConfig,
    /// Number of the link's medium, which then determines rate, delay and link layer.
    pub medium: Option<usize>,
    /// The data rate, if it differs from the rate of the medium.
    pub medium_rate: Option<Rate>,
    /// Number of the link's random stream: a different number gives other channel states for the same seed.
    pub random_seed: u64,
    /// Settings of the backward direction, if they differ from the forward ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backward: Option<Box<DirectionSpec>>,
}

/// The settings of one direction of a link, by reference.
#[derive(Clone, Copy, Debug)]
pub struct Direction<'a> {
    /// Rate of the direction: see [`DirectionSpec::rate`].
    pub rate: Rate,
    /// Propagation delay of the direction: see [`DirectionSpec::delay`].
    pub delay: Span,
    /// Queue of the direction: see [`DirectionSpec::queue`].
    pub queue: &'a QueueConfig,
    /// Channel of the direction: see [`DirectionSpec::channel`].
    pub channel: &'a ChannelConfig,
    /// Link layer of the direction: see [`DirectionSpec::arq`].
    pub arq: &'a ArqConfig,
    /// Rate of the direction in a medium: see [`DirectionSpec::medium_rate`].
    pub medium_rate: Option<Rate>,
}

impl LinkSpec {
    /// The settings of a direction: 0 for forward, from the first node to the second, 1 for backward.
    pub fn direction(&self, direction: usize) -> Direction<'_> {
        match self.backward.as_deref().filter(|_| direction == 1) {
            Some(DirectionSpec { rate, delay, queue, channel, arq, medium_rate }) => {
                Direction { rate: *rate, delay: *delay, queue, channel, arq, medium_rate: *medium_rate }
            }
            None => Direction {
                rate: self.rate,
                delay: self.delay,
                queue: &self.queue,
                channel: &self.channel,
                arq: &self.arq,
                medium_rate: self.medium_rate,
            },
        }
    }

    /// Numbers of the directions with separate settings: 0, and 1 with `backward`.
    pub fn distinct(&self) -> std::ops::Range<usize> {
        0..1 + usize::from(self.backward.is_some())
    }

    /// The settings of both directions, forward first.
    pub fn directions(&self) -> [Direction<'_>; 2] {
        [self.direction(0), self.direction(1)]
    }
}

/// A medium shared by several links.
#[derive(Clone, Debug, Serialize)]
pub struct MediumSpec {
    /// Name of the flow, which also selects its random streams.
    pub name: String,
    /// Parameters of the medium.
    pub config: path::mac::dcf::Config,
}

/// A transfer.
#[derive(Clone, Debug, Serialize)]
pub struct FlowSpec {
    /// Name of the flow.
    pub name: String,
    /// The node that sends.
    pub from: usize,
    /// The node that receives.
    pub to: usize,
    /// The application.
    pub traffic: ApplicationConfig,
    /// The start time of the application.
    pub start: Time,
    /// TCP settings of the sending end, and of the receiving end unless `peer` has others. Without a handshake both
    /// sequence spaces begin at zero.
    pub tcp: tcp::Config,
    /// The transport protocol.
    #[serde(skip_serializing_if = "is_default")]
    pub transport: Transport,
    /// Class of the flow's packets.
    #[serde(skip_serializing_if = "is_default")]
    pub class: Dscp,
    /// Time at which the application stops; `NEVER` for none.
    #[serde(skip_serializing_if = "is_never")]
    pub stop: Time,
    /// Whether this is a further connection of the preceding flow's application. The first flow has the settings of the
    /// application; its [connections](crate::Application::connections) are consecutive flows.
    #[serde(skip_serializing_if = "is_default")]
    pub further_connection: bool,
    /// Codepoint of the datagrams of a flow that is ECN-capable and does not use TCP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn_codepoint: Option<EcnCodepoint>,
    /// TCP settings of the receiving end, if they differ from `tcp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer: Option<Box<tcp::Config>>,
    /// How the application at the receiving end of a flow over TCP reads; `None` if it reads on arrival.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<ReaderConfig>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn is_never(time: &Time) -> bool {
    *time == Time::NEVER
}

impl FlowSpec {
    /// Returns a bulk transfer over TCP from node `from` to node `to` with default settings, which starts at time zero.
    /// The transfer is endless without `bytes`.
    pub fn bulk(name: &str, [from, to]: [usize; 2], bytes: Option<u64>) -> Self {
        FlowSpec {
            name: name.to_owned(),
            from,
            to,
            traffic: ApplicationConfig::bulk(bytes),
            start: Time::ZERO,
            tcp: tcp::Config::default(),
            transport: Transport::Tcp,
            class: Dscp::DEFAULT,
            stop: Time::NEVER,
            further_connection: false,
            ecn_codepoint: None,
            peer: None,
            reader: None,
        }
    }

    /// TCP settings of the receiving end.
    pub fn receiver_tcp(&self) -> &tcp::Config {
        self.peer.as_deref().unwrap_or(&self.tcp)
    }

    /// TCP settings of the sending end, with the options on which both ends agree.
    pub fn agreed_tcp(&self) -> Cow<'_, tcp::Config> {
        match &self.peer {
            Some(peer) => {
                let opens = !self.traffic.build(Stream::default()).receiver_opens();
                Cow::Owned(self.tcp.negotiate(peer, opens))
            }
            None => Cow::Borrowed(&self.tcp),
        }
    }
}

/// Flows that arrive during the run: a Poisson process.
#[derive(Clone, Debug, Serialize)]
pub struct ArrivalSpec {
    /// Name of the arrival process.
    pub name: String,
    /// The node that sends.
    pub from: usize,
    /// The node that receives.
    pub to: usize,
    /// Mean number of arriving flows per time.
    pub rate: Frequency,
    /// The distribution of the flows' sizes.
    pub sizes: SizeConfig,
    /// Time from which flows arrive.
    pub start: Time,
    /// Time after which no flow arrives; `NEVER` for no end.
    pub stop: Time,
    /// The maximum number of flows.
    pub count: Option<u64>,
    /// TCP settings of the sending end, and of the receiving end unless `peer` has others.
    pub tcp: tcp::Config,
    /// The class of the packets.
    pub class: Dscp,
    /// TCP settings of the receiving end, if they differ from `tcp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer: Option<Box<tcp::Config>>,
    /// How the applications at the receiving ends read; `None` if they read on arrival.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<ReaderConfig>,
}
