//! What there is, as the world needs it: checked, in numbers instead of names where something refers to something.

use engine::{Bytes, Rate, Span, Time};
use path::Reach;
use path::agent::AgentConfig;
use path::channel::ChannelConfig;
use path::link::Timing;
use path::link::variable::plan::Changes;
use path::mac::arq::ArqConfig;
use path::place::Path;
use path::queue::{QueueConfig, Tie};
use path::scheduler::SchedulerConfig;
use serde::Serialize;

use crate::app::TrafficConfig;

/// A network and what goes on in it. Nodes, links and flows are numbered by their place here.
///
/// All that decides a run's results is serialized, but the replication: stores make their keys of it. The order of fields
/// matters there, and their names do not: add a field at the end of its struct.
#[derive(Clone, Debug, Serialize)]
pub struct Network {
    /// Hosts and routers.
    pub nodes: Vec<NodeSpec>,
    /// Links between them.
    pub links: Vec<LinkSpec>,
    /// The air that several of them share.
    pub media: Vec<MediumSpec>,
    /// Transfers.
    pub flows: Vec<FlowSpec>,
    /// When to stop at the latest.
    pub duration: Span,
    /// What chance begins with.
    pub seed: u64,
    /// Which repetition this is; each sees chance of its own.
    #[serde(skip)]
    pub replication: u64,
}

impl Network {
    /// The links at each node, in order.
    pub fn links_by_node(&self) -> Vec<Vec<u32>> {
        let mut links = vec![Vec::new(); self.nodes.len()];
        for (number, link) in self.links.iter().enumerate() {
            link.between.iter().for_each(|node| links[*node].push(number as u32));
        }
        links
    }

    /// The nodes that are stations of a medium, by their numbers in it: in the order in which its links name them.
    pub fn stations(&self, medium: usize) -> Vec<usize> {
        let links = self.links.iter().filter(|link| link.medium == Some(medium));
        let mut known = vec![false; self.nodes.len()];
        links.flat_map(|link| link.between).filter(|node| !std::mem::replace(&mut known[*node], true)).collect()
    }

    /// The pairs of stations of a medium that do not read each other at time zero, and how they hear each other instead. None
    /// where everybody hears everybody: without a range.
    pub fn apart(&self, medium: usize) -> Vec<(u32, u32, Reach)> {
        let Some(ranges) = self.media[medium].config.ranges() else { return Vec::new() };
        let stations = self.stations(medium);
        let places: Option<Vec<_>> = stations.iter().map(|node| self.nodes[*node].place.as_ref()).collect();
        let mut apart = Vec::new();
        for (b, at_b) in places.iter().flatten().enumerate() {
            for (a, at_a) in places.iter().flatten().enumerate().take(b) {
                let reach = ranges.reach(at_a, at_b, Time::ZERO);
                if reach != Reach::Reads {
                    apart.push((a as u32, b as u32, reach));
                }
            }
        }
        apart
    }
}

/// What a node does with packets for others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeKind {
    /// It has none to forward: packets end here.
    Host,
    /// It forwards them.
    Router,
}

/// How many transmitters a node has for its wireless links.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Radio {
    /// One for each link, on frequencies of their own.
    #[default]
    PerLink,
    /// One for all links that stop and wait: frames to different neighbours wait for each other. Any other link has its own.
    Shared,
}

/// A node.
#[derive(Clone, Debug, Serialize)]
pub struct NodeSpec {
    /// Its name.
    pub name: String,
    /// What it does with packets for others.
    pub kind: NodeKind,
    /// Buffers in bytes shared by all its links, or as much as it takes.
    pub buffer: Option<Bytes>,
    /// How long it keeps each packet it forwards before it queues it.
    pub processing_delay: Span,
    /// Its transmitters.
    pub radio: Radio,
    /// The order in which a shared transmitter serves its neighbours.
    pub scheduler: SchedulerConfig,
    /// The scheme it follows.
    pub agent: AgentConfig,
    /// Where it is, if that matters.
    pub place: Option<Path>,
    /// How it uses its links in media, if one at a time.
    pub association: Option<Association>,
}

/// A mobile that uses one of its links in media at a time: that to the nearest base station in range.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Association {
    /// How long it is without any when it changes.
    pub handover_gap: Span,
    /// Another base station is taken when its squared distance times this is less than that of the present one; at least 1.
    pub nearer_by: f64,
}

/// A link.
#[derive(Clone, Debug, Serialize)]
pub struct LinkSpec {
    /// Its name, which also names its chance.
    pub name: String,
    /// The nodes it joins; forward is from the first to the second.
    pub between: [usize; 2],
    /// Whether it is air: schemes act on what crosses it.
    pub wireless: bool,
    /// Bits per second, each way.
    pub rate: Rate,
    /// Propagation delay, each way.
    pub delay: Span,
    /// How transmission times are computed.
    pub timing: Timing,
    /// The queue in front of it, each way.
    pub queue: QueueConfig,
    /// Whether a packet finds a place that another leaves at this very moment; for links without a link layer.
    pub queue_tie: Tie,
    /// What changes on it with time, if anything does; for links without a link layer.
    pub changes: Option<Box<Changes>>,
    /// What becomes of frames on it.
    pub channel: ChannelConfig,
    /// Its link layer.
    pub arq: ArqConfig,
    /// Which medium it is part of, by number: then rate, delay and link layer are the medium's.
    pub medium: Option<usize>,
    /// The rate of data, where it is not the medium's.
    pub medium_rate: Option<Rate>,
    /// Chance of its own: another number, another channel at the same seed.
    pub random_seed: u64,
}

/// Air that several links share.
#[derive(Clone, Debug, Serialize)]
pub struct MediumSpec {
    /// Its name, which also names its chance.
    pub name: String,
    /// What it is like.
    pub config: path::mac::dcf::Config,
}

/// A transfer.
#[derive(Clone, Debug, Serialize)]
pub struct FlowSpec {
    /// Its name.
    pub name: String,
    /// The node that sends.
    pub from: usize,
    /// The node that receives.
    pub to: usize,
    /// What is sent, and when.
    pub traffic: TrafficConfig,
    /// When the application begins.
    pub start: Time,
    /// Settings of both ends. Without a handshake both sequence spaces begin at zero.
    pub tcp: tcp::Config,
}
