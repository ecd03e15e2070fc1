//! Checks that every flow has a route, in both directions.

use std::num::NonZeroU16;

use engine::Span;
use path::link::TransmissionLine;
use sim::routing::Routes;
use sim::world::MAX_PORTS;
use sim::{FlowSpec, Network, NodeId, Transport};
use wire::{Datagram, Packet, Segment, Timestamps};

use crate::problem::Problem;

/// Bytes of a packet with a full segment; for a flow of datagrams, whose sizes vary, bytes of the smallest packet. After a
/// handshake, options reduce the data of a segment (RFC 6691).
pub(super) fn full_packet(flow: &FlowSpec) -> u32 {
    if flow.transport != Transport::Tcp {
        return empty_packet(flow);
    }
    flow.agreed_tcp().segment + if flow.tcp.handshake { HEADERS } else { empty_packet(flow) }
}

/// Bytes of a packet with a pure acknowledgment without SACK blocks, or of an empty datagram.
pub(super) fn empty_packet(flow: &FlowSpec) -> u32 {
    if flow.transport != Transport::Tcp {
        return Packet::HEADER + Datagram::HEADER;
    }
    HEADERS + flow.agreed_tcp().data_options()
}

const HEADERS: u32 = Packet::HEADER + Segment::HEADER;

/// Returns the bytes of the largest packet without data on every connection: the SYN if there is one.
fn control_packet(flow: &FlowSpec) -> u32 {
    if !flow.tcp.handshake || flow.transport != Transport::Tcp {
        return empty_packet(flow);
    }
    let options = |tcp: &tcp::Config| wire::Options {
        mss: NonZeroU16::new(1),
        window_scale: tcp.window_scaling.shift(0),
        sack_permitted: tcp.sack,
        timestamps: tcp.timestamps.then(Timestamps::default),
        ..wire::Options::default()
    };
    HEADERS + options(&flow.tcp).size().max(options(flow.receiver_tcp()).size())
}

/// Returns the routes of each flow in both directions, then the routes of arriving flows; or the errors. Links are
/// bidirectional, so that a reachable host can answer.
pub(super) fn check_routes(network: &Network) -> Result<Vec<[Route; 2]>, Vec<Problem>> {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    let mut routes = Routes::new(network);
    let mut ports = vec![0usize; network.nodes.len()];
    let arriving = network.arrivals.iter().map(|spec| {
        let bulk = FlowSpec::bulk(&spec.name, [spec.from, spec.to], None);
        (format!("arrivals.{}", spec.name), FlowSpec { tcp: spec.tcp.clone(), peer: spec.peer.clone(), ..bulk })
    });
    let arriving: Vec<(String, FlowSpec)> = arriving.collect();
    let named = network.flows.iter().map(|flow| (format!("flows.{}", flow.name), flow));
    for (key, flow) in named.chain(arriving.iter().map(|(key, flow)| (key.clone(), flow))) {
        let name = |node: usize| format!("\"{}\"", network.nodes[node].name);
        let (Some(there), Some(back)) = (
            find_route(network, &mut routes, flow.from, flow.to),
            find_route(network, &mut routes, flow.to, flow.from),
        ) else {
            let problem = Problem::new(format!("a host that can be reached from {}", name(flow.from)));
            let hint = "no links lead there, or only through hosts, which do not forward";
            problems.push(problem.key(format!("{key}.to")).found(name(flow.to)).hint(hint));
            continue;
        };
        for node in [flow.from, flow.to] {
            ports[node] += 1;
            if ports[node] == MAX_PORTS + 1 {
                problems.push(Problem::new(format!("at most {MAX_PORTS} flows at one host")).key(key.clone()));
            }
        }
        if there.time(network, full_packet(flow)) + back.time(network, empty_packet(flow)) == Span::ZERO {
            let problem = Problem::new("a positive round trip time: with zero, simulated time would not advance");
            let hint = "give one of its links a delay, or a rate with a positive transmission time (whole milliseconds under the goel1997 profile)";
            problems.push(problem.key(key.clone()).hint(hint));
        }
        for (node, size) in there
            .nodes
            .iter()
            .map(|node| (*node, full_packet(flow).max(control_packet(flow))))
            .chain(back.nodes.iter().map(|node| (*node, control_packet(flow))))
        {
            let node = &network.nodes[node];
            if let Some(buffer) = node.buffer.filter(|buffer| buffer.0 < u64::from(size)) {
                let problem = Problem::new(format!("at least {size} B: a packet of {key} never fits"));
                let problem = problem.key(format!("nodes.{}.buffer", node.name)).found(buffer.to_string());
                problems.push(problem.hint(format!("or a smaller {key}.mss")));
            }
        }
        found.push([there, back]);
    }
    if problems.is_empty() { Ok(found) } else { Err(problems) }
}

/// The hops of a route, and the nodes that forward on it.
pub(super) struct Route {
    /// Hop numbers, 2 x link + direction.
    pub hops: Vec<usize>,
    pub nodes: Vec<usize>,
}

/// The route from one host to another, if one exists.
pub(super) fn find_route(network: &Network, routes: &mut Routes, from: usize, to: usize) -> Option<Route> {
    let mut route = Route { hops: Vec::new(), nodes: Vec::new() };
    let mut node = from;
    while node != to {
        if node != from {
            route.nodes.push(node);
        }
        let hop = routes.hop(NodeId::from_index(node), NodeId::from_index(to))?.index();
        route.hops.push(hop);
        node = network.links[hop / 2].between[1 - hop % 2];
    }
    Some(route)
}

impl Route {
    /// The part of the route with these hops.
    pub(super) fn part(&self, hops: std::ops::Range<usize>) -> Route {
        // Node number n forwards between hops n and n + 1.
        let nodes = self.nodes[hops.start..hops.end.saturating_sub(1).max(hops.start)].to_vec();
        Route { hops: self.hops[hops].to_vec(), nodes }
    }

    /// The time of a packet of `size` bytes without waiting.
    pub(super) fn time(&self, network: &Network, size: u32) -> Span {
        let on_link = |hop: &usize| {
            let link = &network.links[hop / 2];
            let spec = link.direction(hop % 2);
            TransmissionLine::new(spec.rate, spec.delay, link.timing).transmission_time(size) + spec.delay
        };
        let in_nodes = self.nodes.iter().map(|node| network.nodes[*node].processing_delay);
        self.hops.iter().map(on_link).chain(in_nodes).fold(Span::ZERO, |all, part| all + part)
    }
}
