//! The contents of the picture of a network, as texts and boxes: identical hosts of a large network share a box.

use std::collections::{BTreeMap, VecDeque};

use engine::{Bytes, Time};
use path::channel::ChannelConfig;
use path::mac::arq::ArqConfig;
use path::place::NodePath;
use sim::{Network, NodeKind, Transport};

/// Maximum number of nodes that are all drawn singly. Labels of more links at one node would not fit.
const MAX_SINGLE: usize = 10;

/// Maximum number of boxes for groups of identical hosts: more would exceed the height of a picture.
const MAX_IDENTICAL: usize = 100;

/// The symbol of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NodeSymbol {
    /// A host with a link that is not wireless.
    Host,
    /// A host all of whose links are wireless.
    Mobile,
    /// A router.
    Router,
    /// A base station.
    BaseStation,
}

impl NodeSymbol {
    /// Each kind.
    pub const ALL: [NodeSymbol; 4] =
        [NodeSymbol::Host, NodeSymbol::Mobile, NodeSymbol::Router, NodeSymbol::BaseStation];

    /// Returns the name in keys of pictures.
    pub fn label(self) -> &'static str {
        match self {
            NodeSymbol::Host => "host",
            NodeSymbol::Mobile => "mobile",
            NodeSymbol::Router => "router",
            NodeSymbol::BaseStation => "base station",
        }
    }
}

/// A box: a node, or several identical hosts.
#[derive(Clone, Debug)]
pub(super) struct TopologyNode {
    pub kind: NodeSymbol,
    pub name: String,
    /// The scheme of the node; `None` for "unmodified".
    pub scheme: Option<String>,
    /// The number of hosts.
    pub count: usize,
    /// Further lines, such as the number of the box's hosts.
    pub lines: Vec<String>,
    pub forwards: bool,
}

/// A line between two boxes: a link, or the links of identical hosts.
#[derive(Clone, Debug)]
pub(super) struct TopologyLink {
    /// Boxes.
    pub between: [usize; 2],
    pub wireless: bool,
    pub name: String,
    /// Rate and delay, channel and link layer.
    pub lines: Vec<String>,
}

/// A flow, or the flows of identical hosts.
#[derive(Clone, Debug)]
pub(super) struct TopologyFlow {
    /// Boxes.
    pub ends: [usize; 2],
    /// The links that the flow crosses, and whether it crosses them from the second box to the first; empty if both
    /// ends are in one box.
    pub route: Vec<(usize, bool)>,
    pub text: String,
}

/// A node with a position.
#[derive(Clone, Debug)]
pub(super) struct PlacedNode {
    pub name: String,
    pub kind: NodeSymbol,
    pub path: NodePath,
    /// Receive range and carrier-sense range, in metres, of each medium of which the node is the access point.
    pub ranges: Vec<[f64; 2]>,
}

/// The contents of the picture.
#[derive(Clone, Debug)]
pub(super) struct TopologyGraph {
    pub nodes: Vec<TopologyNode>,
    pub links: Vec<TopologyLink>,
    pub flows: Vec<TopologyFlow>,
    /// A line of text for each medium.
    pub media: Vec<String>,
    pub placed: Vec<PlacedNode>,
    pub end: Time,
}

impl TopologyGraph {
    pub fn of(network: &Network) -> Self {
        let alike: Vec<Vec<String>> = (0..network.links.len()).map(|link| describe_link(network, link, true)).collect();
        let groups = group_hosts(network, &alike);
        let boxes: Vec<usize> = {
            let mut of = vec![0; network.nodes.len()];
            groups.iter().enumerate().for_each(|(number, group)| group.iter().for_each(|node| of[*node] = number));
            of
        };
        let nodes = groups.iter().map(|group| build_box(network, group)).collect::<Vec<_>>();
        let links = merge_links(network, &alike, &boxes);
        let flows = group_flows(network, &boxes, &nodes, &links);
        let media = (0..network.media.len()).map(|medium| describe_medium(network, medium)).collect();
        let end = Time::ZERO + network.duration;
        TopologyGraph { nodes, links, flows, media, placed: list_placed_nodes(network), end }
    }
}

/// The symbol of a node, which depends on its functions and on its links.
pub fn classify_node(network: &Network, node: usize) -> NodeSymbol {
    let mut links = network.links.iter().filter(|link| link.between.contains(&node)).peekable();
    match network.nodes[node].kind {
        kind if kind.is_base_station() => NodeSymbol::BaseStation,
        kind if kind.forwards() => NodeSymbol::Router,
        NodeKind::Host | NodeKind::Router | NodeKind::BaseStation => {
            if links.peek().is_some() && links.all(|link| link.wireless) {
                NodeSymbol::Mobile
            } else {
                NodeSymbol::Host
            }
        }
    }
}

/// Returns the scheme of a node, if it runs one. A host on wires that does not send behaves the same under every
/// scheme.
pub fn find_node_scheme(network: &Network, node: usize) -> Option<String> {
    let spec = &network.nodes[node];
    let at_work = || {
        let wireless = network.links.iter().any(|link| link.wireless && link.between.contains(&node));
        wireless || network.flows.iter().any(|flow| flow.from == node)
    };
    let runs = spec.kind.runs_agent() && spec.agent.name() != "unmodified";
    (runs && (spec.kind.is_base_station() || at_work())).then(|| spec.agent.name().to_owned())
}

/// Abbreviates names to two names, or to the first and the last of more: "m1–m30".
fn abbreviate_names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names[..] {
        [] => String::new(),
        [one] => one.to_owned(),
        [one, other] => format!("{one}, {other}"),
        [first, .., last] => format!("{first}\u{2013}{last}"),
    }
}

fn build_box(network: &Network, group: &[usize]) -> TopologyNode {
    let first = group[0];
    let spec = &network.nodes[first];
    let same = |first: &String| group.iter().all(|node| find_node_scheme(network, *node).as_ref() == Some(first));
    let mut lines = Vec::new();
    if group.len() > 1 {
        lines.push(format!("{} hosts", group.len()));
    }
    if let Some(buffer) = spec.buffer {
        lines.push(format!("buffer {buffer}"));
    }
    if let Some(association) = spec.association {
        lines.push(format!("handover gap {}", association.handover_gap));
    }
    TopologyNode {
        count: group.len(),
        kind: classify_node(network, first),
        name: abbreviate_names(group.iter().map(|node| network.nodes[*node].name.as_str())),
        scheme: find_node_scheme(network, first).filter(|first| same(first)),
        lines,
        forwards: spec.kind.forwards(),
    }
}

/// The settings of a link in words, without the name of a host if hosts are `alike`.
fn describe_link(network: &Network, number: usize, alike: bool) -> Vec<String> {
    let link = &network.links[number];
    let differ = link.backward.is_some();
    let mut lines = Vec::new();
    for direction in link.distinct() {
        let way = link.direction(direction);
        let mut parts = Vec::new();
        match (link.medium, &link.changes) {
            (Some(_), _) => parts.extend(way.medium_rate.map(|rate| rate.to_string())),
            (None, Some(_)) => parts.push("varies".to_owned()),
            (None, None) => parts.extend([way.rate.to_string(), way.delay.to_string()]),
        }
        if !matches!(way.arq, ArqConfig::None(..)) {
            parts.push(way.arq.name().to_owned());
        }
        if !matches!(way.channel, ChannelConfig::Perfect(..)) {
            parts.push(way.channel.name().to_owned());
        }
        // Rate and delay in one line, the rest below.
        let rest = if parts.len() > 2 { parts.split_off(2).join(", ") } else { String::new() };
        let text = parts.join(", ");
        let to = &network.nodes[link.between[1 - direction]];
        let to = if alike && to.kind.ends_flows() { "hosts" } else { &to.name };
        let text = if differ && !text.is_empty() { format!("to {to}: {text}") } else { text };
        lines.extend([text, rest].into_iter().filter(|line| !line.is_empty()));
    }
    if let Some(medium) = link.medium.filter(|_| network.media.len() > 1) {
        lines.insert(0, format!("in {}", network.media[medium].name));
    }
    lines
}

/// Groups the nodes in boxes, in order of their first node. In small networks each node has a box. In large networks
/// hosts with one link to the same node and the same settings form a group, and if there are still too many boxes, also
/// hosts with other settings.
fn group_hosts(network: &Network, alike: &[Vec<String>]) -> Vec<Vec<usize>> {
    if network.nodes.len() <= MAX_SINGLE {
        return (0..network.nodes.len()).map(|node| vec![node]).collect();
    }
    let (mut sends, mut receives) = (vec![false; network.nodes.len()], vec![false; network.nodes.len()]);
    for flow in &network.flows {
        (sends[flow.from], receives[flow.to]) = (true, true);
    }
    let links = network.links_by_node();
    let by = |key: &dyn Fn(usize, usize) -> (Option<String>, Vec<String>)| {
        let mut known = BTreeMap::new();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (number, spec) in network.nodes.iter().enumerate() {
            let group = match links[number][..] {
                [link] if spec.kind.ends_flows() => {
                    let link = link.index();
                    let neighbour = network.links[link].between.iter().sum::<usize>() - number;
                    let wireless = network.links[link].wireless;
                    let key = (neighbour, wireless, sends[number], receives[number], key(number, link));
                    *known.entry(key).or_insert(groups.len())
                }
                _ => groups.len(),
            };
            match groups.get_mut(group) {
                Some(group) => group.push(number),
                None => groups.push(vec![number]),
            }
        }
        groups
    };
    let identical = by(&|node, link| (find_node_scheme(network, node), alike[link].clone()));
    if identical.len() <= MAX_IDENTICAL { identical } else { by(&|_, _| (None, Vec::new())) }
}

fn merge_links(network: &Network, alike: &[Vec<String>], boxes: &[usize]) -> Vec<TopologyLink> {
    let mut members: BTreeMap<[usize; 2], Vec<usize>> = BTreeMap::new();
    let mut links: Vec<(TopologyLink, Vec<usize>)> = Vec::new();
    let mut sizes = vec![0; network.nodes.len()];
    boxes.iter().for_each(|number| sizes[*number] += 1);
    for (number, spec) in network.links.iter().enumerate() {
        let between = spec.between.map(|node| boxes[node]);
        let merged = between.iter().any(|number| sizes[*number] > 1);
        let index = members.entry(between).or_default();
        if let Some(known) = index.first().filter(|_| merged) {
            let (link, of) = &mut links[*known];
            if alike[of[0]] != alike[number] {
                link.lines = vec!["settings differ".into()];
            }
            of.push(number);
            continue;
        }
        index.push(links.len());
        let lines = if merged { alike[number].clone() } else { describe_link(network, number, false) };
        links.push((TopologyLink { between, wireless: spec.wireless, name: String::new(), lines }, vec![number]));
    }
    let named = links.into_iter().map(|(link, of)| {
        let name = abbreviate_names(of.iter().map(|number| network.links[*number].name.as_str()));
        TopologyLink { name, ..link }
    });
    named.collect()
}

/// Returns the route with the fewest links between two boxes; empty if there is none.
fn find_box_route([from, to]: [usize; 2], nodes: &[TopologyNode], links: &[TopologyLink]) -> Vec<(usize, bool)> {
    let mut before: Vec<Option<(usize, bool)>> = vec![None; nodes.len()];
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        if at != from && !nodes[at].forwards {
            continue;
        }
        for (number, link) in links.iter().enumerate() {
            for (backward, [a, b]) in [(false, link.between), (true, [link.between[1], link.between[0]])] {
                if a == at && b != from && before[b].is_none() {
                    before[b] = Some((number, backward));
                    queue.push_back(b);
                }
            }
        }
    }
    let mut route = Vec::new();
    let mut at = to;
    while let Some((link, backward)) = before[at].filter(|_| at != from) {
        route.push((link, backward));
        at = if backward { links[link].between[1] } else { links[link].between[0] };
    }
    route.reverse();
    route
}

/// Describes the traffic of a flow in words.
fn describe_traffic(network: &Network, number: usize) -> String {
    let flow = &network.flows[number];
    let mut text = flow.traffic.name().to_owned();
    if let Some(bytes) = flow.traffic.total() {
        text.push_str(&format!(" {}", Bytes(bytes)));
    }
    match flow.transport {
        Transport::Tcp => match (flow.tcp.control.name(), flow.tcp.recovery.name()) {
            (control, recovery) if control == recovery => text.push_str(&format!(" over TCP {control}")),
            (control, recovery) => text.push_str(&format!(" over TCP, control {control}, recovery {recovery}")),
        },
        Transport::Udp => text.push_str(" over UDP"),
        Transport::IcmpEcho => {}
    }
    if flow.start > Time::ZERO {
        text.push_str(&format!(", from {}", flow.start.since(Time::ZERO)));
    }
    if flow.stop != Time::NEVER {
        text.push_str(&format!(", until {}", flow.stop.since(Time::ZERO)));
    }
    text
}

fn group_flows(
    network: &Network,
    boxes: &[usize],
    nodes: &[TopologyNode],
    links: &[TopologyLink],
) -> Vec<TopologyFlow> {
    let mut groups: Vec<([usize; 2], String, Vec<&str>)> = Vec::new();
    let mut known = BTreeMap::new();
    let few = network.flows.len() <= MAX_SINGLE;
    for (number, flow) in network.flows.iter().enumerate() {
        let ends = [boxes[flow.from], boxes[flow.to]];
        let carries = describe_traffic(network, number);
        let single = few && ends.iter().all(|end| nodes[*end].count == 1);
        // Flows of one kind are a group even if they start at different times. The text of the group is that of the
        // first flow.
        let key = (ends, flow.traffic.name().to_owned(), if single { number } else { 0 });
        let group = if flow.further_connection {
            groups.len().saturating_sub(1)
        } else {
            *known.entry(key).or_insert(groups.len())
        };
        match groups.get_mut(group) {
            Some((.., names)) => names.push(&flow.name),
            None => groups.push((ends, carries, vec![&flow.name])),
        }
    }
    for arrivals in &network.arrivals {
        let ends = [boxes[arrivals.from], boxes[arrivals.to]];
        groups.push((ends, format!("flows arrive at {}", arrivals.rate), vec![&arrivals.name]));
    }
    let flow = |(ends, carries, names): ([usize; 2], String, Vec<&str>)| {
        let count = if names.len() > 1 { format!(" ({} flows)", names.len()) } else { String::new() };
        let [from, to] = ends.map(|end| nodes[end].name.as_str());
        let text = format!("{}{count}: from {from} to {to}, {carries}", abbreviate_names(names.into_iter()));
        TopologyFlow { ends, route: find_box_route(ends, nodes, links), text }
    };
    groups.into_iter().map(flow).collect()
}

fn describe_medium(network: &Network, medium: usize) -> String {
    let spec = &network.media[medium];
    let mut parts = vec![spec.config.standard.name().to_owned()];
    let highest = || spec.config.standard.modes().iter().map(|mode| mode.rate).max();
    parts.extend(spec.config.rate.or_else(highest).map(|rate| rate.to_string()));
    parts.push(format!("{} stations", network.stations(medium).len()));
    if let Some(ranges) = spec.config.ranges() {
        parts.push(format!("range {}", ranges.read));
        parts.push(format!("carrier sense range {}", ranges.sensed));
    }
    format!("{}: {}", spec.name, parts.join(", "))
}

/// Millimetres to metres.
fn convert_to_metres(millimetres: u64) -> f64 {
    millimetres as f64 / 1e3
}

/// Returns for each node the receive range and the carrier-sense range, in metres, of every medium whose access point
/// it is. In a medium without an access point all stations have the ranges.
pub fn find_node_ranges(network: &Network) -> Vec<Vec<[f64; 2]>> {
    let mut ranges: Vec<Vec<[f64; 2]>> = vec![Vec::new(); network.nodes.len()];
    for (number, medium) in network.media.iter().enumerate() {
        let Some(found) = medium.config.ranges() else { continue };
        let stations = network.stations(number);
        let serves = |node: &usize| network.nodes[*node].kind.serves_mobiles();
        let centres: Vec<usize> =
            if stations.iter().any(serves) { stations.into_iter().filter(serves).collect() } else { stations };
        let found = [found.read, found.sensed].map(|range| convert_to_metres(range.0));
        centres
            .into_iter()
            .filter(|node| !ranges[*node].contains(&found))
            .collect::<Vec<_>>()
            .into_iter()
            .for_each(|node| ranges[node].push(found));
    }
    ranges
}

fn list_placed_nodes(network: &Network) -> Vec<PlacedNode> {
    let nodes = network.nodes.iter().enumerate().zip(find_node_ranges(network));
    let placed = nodes.filter_map(|((number, node), ranges)| {
        let path = node.place.clone()?;
        Some(PlacedNode { name: node.name.clone(), kind: classify_node(network, number), path, ranges })
    });
    placed.collect()
}
