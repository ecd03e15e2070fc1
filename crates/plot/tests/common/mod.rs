//! Small simulations to draw.

use engine::{Bytes, Span, Time};
use path::agent::{self, AgentConfig};
use path::channel::{ChannelConfig, perfect, scripted, two_state};
use path::link::Timing;
use path::mac::arq::{self, ArqConfig};
use path::queue::{Limit, Tie};
use path::scheduler::SchedulerConfig;
use sim::network::MediumSpec;
use sim::{ApplicationConfig, Event, FlowSpec, LinkSpec, Network, NodeKind, NodeSpec, Radio, World};

pub fn span(text: &str) -> Span {
    text.parse().expect("a valid time")
}

/// Settings of a network of wired host, base station and mobile: 8 Mbps and 100 ms, then 1 Mbps and 1 ms over
/// `channel`.
pub struct Path {
    pub channel: ChannelConfig,
    pub arq: ArqConfig,
    pub agent: AgentConfig,
    pub window: u64,
    pub bytes: u64,
    pub queue: Limit,
    pub buffer: Option<Bytes>,
    pub flows: usize,
    pub rto_min: Span,
}

impl Default for Path {
    fn default() -> Self {
        Path {
            channel: ChannelConfig::Perfect(perfect::Config::default()),
            arq: ArqConfig::None(arq::none::Config::default()),
            agent: AgentConfig::Unmodified(agent::unmodified::Config::default()),
            window: 4096,
            bytes: 30 * 1024,
            queue: Limit::None,
            buffer: None,
            flows: 1,
            rto_min: Span::from_secs(1),
        }
    }
}

/// A channel that loses the frames of these numbers.
pub fn dropping(drop: &[u64]) -> ChannelConfig {
    ChannelConfig::Scripted(scripted::Config { drop: drop.to_vec(), ..Default::default() })
}

/// A channel that is BAD in these intervals.
pub fn bad(intervals: &[[&str; 2]]) -> ChannelConfig {
    let bad = intervals.iter().map(|[from, to]| [span(from), span(to)]).collect();
    ChannelConfig::Scripted(scripted::Config { bad, ..Default::default() })
}

/// The two-state channel of the thesis.
pub fn fading(mean_good: &str, mean_bad: &str) -> ChannelConfig {
    let (mean_good, mean_bad) = (span(mean_good), span(mean_bad));
    ChannelConfig::TwoState(two_state::Config { mean_good, mean_bad, loss_good: 0.0, loss_bad: 1.0 })
}

pub fn stop_and_wait(max_transmissions: u32) -> ArqConfig {
    ArqConfig::StopAndWait(arq::stop_and_wait::Config { max_transmissions, ..Default::default() })
}

pub fn refined_icmp() -> AgentConfig {
    AgentConfig::RefinedIcmp(agent::refined_icmp::Config::default())
}

pub fn snoop() -> AgentConfig {
    AgentConfig::Snoop(agent::snoop::Config::default())
}

pub fn simple_icmp() -> AgentConfig {
    AgentConfig::SimpleIcmp(agent::simple_icmp::Config::default())
}

impl Path {
    pub fn network(&self) -> Network {
        let node = |name: &str, kind: NodeKind, agent: AgentConfig| NodeSpec {
            name: name.into(),
            kind,
            buffer: if kind.forwards() { self.buffer } else { None },
            processing_delay: Span::ZERO,
            radio: Radio::PerLink,
            scheduler: SchedulerConfig::default(),
            agent,
            place: None,
            association: None,
        };
        let unmodified = || AgentConfig::Unmodified(agent::unmodified::Config::default());
        let link = |name: &str, between, rate: &str, delay: &str, channel, arq, queue| LinkSpec {
            name: name.into(),
            between,
            wireless: name == "air",
            rate: rate.parse().expect("a rate"),
            delay: span(delay),
            timing: Timing::Exact,
            queue: Limit::into(queue),
            channel,
            arq,
            queue_tie: Tie::default(),
            changes: None,
            random_seed: 0,
            backward: None,
            medium: None,
            medium_rate: None,
        };
        let (wire, air) = (ChannelConfig::Perfect(perfect::Config::default()), self.channel.clone());
        let response = match self.agent {
            AgentConfig::SimpleIcmp(_) => "simple-icmp",
            AgentConfig::RefinedIcmp(_) => "refined-icmp",
            _ => "unmodified",
        };
        let flow = |number: usize| FlowSpec {
            tcp: tcp_config(self.window, response, self.rto_min),
            ..FlowSpec::bulk(&format!("transfer {number}"), [0, 2], Some(self.bytes))
        };
        let no_arq = ArqConfig::None(arq::none::Config::default());
        Network {
            media: Vec::new(),
            nodes: vec![
                node("host", NodeKind::Host, unmodified()),
                node("base station", NodeKind::BaseStation, self.agent.clone()),
                node("mobile", NodeKind::Host, unmodified()),
            ],
            links: vec![
                link("wire", [0, 1], "8 Mbps", "100 ms", wire, no_arq, Limit::None),
                link("air", [1, 2], "1 Mbps", "1 ms", air, self.arq.clone(), self.queue),
            ],
            flows: (0..self.flows).map(flow).collect(),
            duration: Span::from_secs(100_000),
            seed: 1,
            replication: 0,
            arrivals: Vec::new(),
        }
    }

    /// Runs the network and returns its description and events.
    pub fn run(&self) -> (plot::Description, Vec<(Time, Event)>) {
        let network = self.network();
        let mut events = Vec::new();
        World::new(&network, true).run(&mut events);
        (plot::Description::of(&network), events)
    }
}

/// A mobile that walks away from an access point and back, behind a wire with rates by direction; the flow runs Snoop.
pub fn walk() -> Network {
    let mut network = Path { agent: snoop(), buffer: Some(Bytes(64_000)), ..Path::default() }.network();
    network.duration = span("60 s");
    let range = Some("100 m".parse().expect("a length"));
    let config = path::mac::dcf::Config { range, ..Default::default() };
    network.media = vec![MediumSpec { name: "cell".into(), config }];
    let [wire, air] = &mut network.links[..] else { unreachable!("the path has two links") };
    air.medium = Some(0);
    wire.backward = Some(Box::new(sim::network::DirectionSpec {
        rate: "1 Mbps".parse().expect("a rate"),
        delay: span("50 ms"),
        queue: wire.queue.clone(),
        channel: wire.channel.clone(),
        arq: wire.arq.clone(),
        medium_rate: None,
    }));
    let at = |seconds: u64| Time::ZERO + Span::from_secs(seconds);
    network.nodes[1].place = Some(path::place::NodePath::still([0, 0]));
    let turns = [(at(20), [80_000, 40_000]), (at(30), [80_000, 40_000]), (at(50), [-60_000, 40_000])];
    network.nodes[2].place = Some(path::place::NodePath::through([10_000, -30_000], &turns));
    network
}

/// A cell of IEEE 802.11b: a base station, `mobiles` mobiles, and a flow from each of them to the base station, so that
/// frames collide.
pub fn cell(mobiles: usize, duration: &str) -> (plot::MediumDescription, Vec<(Time, Event)>) {
    cell_of(path::mac::dcf::Config::default(), &vec![None; mobiles + 1], duration, None)
}

/// Returns the cell with other 802.11 settings, places of the stations (the base station first), and a lossy channel.
pub fn cell_of(
    config: path::mac::dcf::Config,
    places: &[Option<path::place::NodePath>],
    duration: &str,
    channel: Option<ChannelConfig>,
) -> (plot::MediumDescription, Vec<(Time, Event)>) {
    let mut network = Path::default().network();
    network.duration = span(duration);
    network.media = vec![MediumSpec { name: "cell".into(), config }];
    let (mut node, mut link, flow) = (network.nodes.remove(0), network.links.remove(1), network.flows.remove(0));
    (link.medium, link.arq) = (Some(0), ArqConfig::None(arq::none::Config::default()));
    link.channel = channel.unwrap_or(link.channel);
    node.name = "base station".into();
    (network.nodes, network.links) = (vec![node.clone()], Vec::new());
    network.nodes[0].place = places[0].clone();
    for (number, place) in places.iter().enumerate().skip(1) {
        let name = format!("mobile {number}");
        network.nodes.push(NodeSpec { name: name.clone(), place: place.clone(), ..node.clone() });
        network.links.push(LinkSpec { name: name.clone(), between: [0, number], ..link.clone() });
        network.flows.push(FlowSpec {
            name,
            from: number,
            to: 0,
            traffic: ApplicationConfig::default(),
            ..flow.clone()
        });
    }
    let mut events = Vec::new();
    World::new(&network, true).run(&mut events);
    (plot::MediumDescription::of(&network).remove(0), events)
}

fn tcp_config(window: u64, response: &str, min_rto: Span) -> tcp::Config {
    tcp::Config {
        segment: 1024,
        window: Bytes(window).into(),
        min_rto,
        response: response_of(response),
        ..tcp::Config::default()
    }
}

fn response_of(name: &str) -> tcp::response::ResponseConfig {
    use tcp::response::{ResponseConfig, refined_icmp, simple_icmp, unmodified};
    match name {
        "simple-icmp" => ResponseConfig::SimpleIcmp(simple_icmp::Config::default()),
        "refined-icmp" => ResponseConfig::RefinedIcmp(refined_icmp::Config::default()),
        _ => ResponseConfig::Unmodified(unmodified::Config::default()),
    }
}

/// Counts the marks of a class in a picture. Each mark begins with one `M`.
pub fn marks(svg: &str, class: &str) -> usize {
    let of_class = |line: &&str| line.starts_with(&format!("<path class=\"{class}\""));
    let data = |line: &str| {
        line.split('"').skip_while(|part| *part != " d=").nth(1).map_or(0, |data| data.matches('M').count())
    };
    svg.lines().filter(of_class).map(data).sum()
}
