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

use engine::{Rate, Span};
use sim::{FlowSpec, Transport};

use super::Context;
use crate::routes::{Route, empty_packet, full_packet};

/// The path of a flow, with its capacity.
pub(super) struct FlowPath<'a> {
    pub flow: &'a FlowSpec,
    /// Slowest hop of the flow's data, 2 x link + way; the first if several are equal.
    pub hop: usize,
    pub rate: Rate,
    pub round_trip: Span,
}

/// The path of each flow over TCP.
pub(super) fn collect_flow_paths<'a>(context: &Context<'a>) -> Vec<FlowPath<'a>> {
    let Context { network, routes, .. } = *context;
    let path = |(flow, [there, back]): (&'a FlowSpec, &[Route; 2])| {
        let rate = |hop: usize| network.links[hop / 2].rate;
        let hop = there.hops.iter().copied().min_by_key(|hop| rate(*hop))?;
        let round_trip = there.time(network, full_packet(flow)) + back.time(network, empty_packet(flow));
        Some(FlowPath { flow, hop, rate: rate(hop), round_trip })
    };
    let flows = network.flows.iter().zip(routes);
    flows.filter(|(flow, _)| flow.transport == Transport::Tcp).filter_map(path).collect()
}

impl FlowPath<'_> {
    /// The bandwidth-delay product in bytes.
    pub fn product(&self) -> f64 {
        self.rate.bits_per_sec() as f64 / 8.0 * self.round_trip.as_secs_f64()
    }
}

/// The paths that share each bottleneck.
pub(super) fn by_bottleneck<'a, 'n>(paths: &'a [FlowPath<'n>]) -> BTreeMap<usize, Vec<&'a FlowPath<'n>>> {
    let mut shared: BTreeMap<usize, Vec<&FlowPath<'n>>> = BTreeMap::new();
    paths.iter().for_each(|path| shared.entry(path.hop).or_default().push(path));
    shared
}
