//! Bandwidth-delay products.
//!
//! ```text
//! B = R t    R: the rate of the slowest link on the route of a flow's data;
//!            t: the time of a full segment there and of an acknowledgment back,
//!               propagation, transmission and processing, without waiting
//! ```
//!
//! Limits: the rate is the configured rate of the link, without overhead of a link layer or losses of the channel. A
//! flow has one bottleneck, the first of the slowest; flows share it evenly.

use std::collections::BTreeMap;

use engine::quantity::format_span;
use engine::{Bytes, Quantity, Rate, Span};
use path::agent::SplitLegs;
use sim::{ApplicationConfig, FlowSpec, Transport};

use super::Context;
use crate::routes::{Route, empty_packet, full_packet};

/// The path of a flow, with its capacity.
pub(super) struct FlowPath<'a> {
    pub flow: &'a FlowSpec,
    /// Number of the flow in the network.
    pub number: usize,
    /// Slowest hop of the flow's data, 2 x link + way; the first if several are equal.
    pub hop: usize,
    pub rate: Rate,
    pub round_trip: Span,
}

/// The path of each flow over TCP.
pub(super) fn collect_flow_paths<'a>(context: &Context<'a>) -> Vec<FlowPath<'a>> {
    let Context { network, routes, .. } = *context;
    let path = |(number, (flow, [there, back])): (usize, (&'a FlowSpec, &[Route; 2]))| {
        let rate = |hop: usize| network.links[hop / 2].rate;
        let hop = there.hops.iter().copied().min_by_key(|hop| rate(*hop))?;
        let round_trip = there.time(network, full_packet(flow)) + back.time(network, empty_packet(flow));
        Some(FlowPath { flow, number, hop, rate: rate(hop), round_trip })
    };
    let flows = network.flows.iter().zip(routes).enumerate();
    flows.filter(|(_, (flow, _))| flow.transport == Transport::Tcp).filter_map(path).collect()
}

/// The node that splits the connection of a flow.
pub(super) struct SplitPath {
    pub node: usize,
    pub legs: SplitLegs,
    /// The round trip between the node and the receiver.
    pub round_trip: Span,
}

/// The last node on a flow's route that splits its connection: a base station whose radio link the flow crosses.
pub(super) fn find_split_legs(context: &Context<'_>, path: &FlowPath<'_>) -> Option<SplitPath> {
    let network = context.network;
    let [there, back] = &context.routes[path.number];
    let crosses_radio = |at: usize| there.hops[at..=at + 1].iter().any(|hop| network.links[hop / 2].wireless);
    let splits = |(at, node): (usize, &usize)| {
        let legs = network.nodes[*node].agent.build()?.split_legs()?;
        crosses_radio(at).then_some((at, *node, legs))
    };
    let (at, node, legs) = there.nodes.iter().enumerate().rev().find_map(splits)?;
    let way_back = back.nodes.iter().position(|other| *other == node)?;
    let out = there.part(at + 1..there.hops.len()).time(network, full_packet(path.flow));
    let round_trip = out + back.part(0..way_back + 1).time(network, empty_packet(path.flow));
    Some(SplitPath { node, legs, round_trip })
}

/// Whether the application of a flow writes as much as the flow can send.
pub(super) fn is_bulk(flow: &FlowSpec) -> bool {
    flow.traffic.name() == ApplicationConfig::default().name()
}

/// The key of the receive window at the receiving end of a flow.
pub(super) fn window_key(context: &Context<'_>, flow: &FlowSpec) -> String {
    let peer = context.scenario.flows.get(&flow.name).and_then(|flow| flow.peer.as_ref());
    let is_own = peer.is_some_and(|peer| peer.receive_window.is_some());
    format!("flows.{}.{}receive_window", flow.name, if is_own { "peer." } else { "" })
}

/// The least power of two of at least `bytes`, as a window to write.
pub(super) fn round_up_window(bytes: f64) -> Bytes {
    Bytes((bytes.ceil() as u64).next_power_of_two())
}

impl FlowPath<'_> {
    /// The bandwidth-delay product in bytes.
    pub fn product(&self) -> f64 {
        self.rate.bits_per_sec() as f64 / 8.0 * self.round_trip.as_secs_f64()
    }

    /// Returns the bytes that each of `flows` flows needs to fill the bottleneck, and the text of a warning that with
    /// `what` they carry `carried` bit/s.
    pub fn describe_idle_rest(&self, flows: usize, what: &str, carried: f64) -> (f64, String) {
        let wanted = self.product() / flows as f64;
        let shared = if flows > 1 { format!(" / {flows} flows") } else { String::new() };
        let text = format!(
            "at least {}, the bandwidth-delay product ({} x {}{shared}): with this {what} at most {} of {} is used",
            Bytes(wanted.ceil() as u64),
            self.rate,
            format_span(self.round_trip),
            Quantity::Rate.format_brief(carried),
            self.rate,
        );
        (wanted, text)
    }
}

/// The paths that share each bottleneck.
pub(super) fn by_bottleneck<'a, 'n>(paths: &'a [FlowPath<'n>]) -> BTreeMap<usize, Vec<&'a FlowPath<'n>>> {
    let mut shared: BTreeMap<usize, Vec<&FlowPath<'n>>> = BTreeMap::new();
    paths.iter().for_each(|path| shared.entry(path.hop).or_default().push(path));
    shared
}
