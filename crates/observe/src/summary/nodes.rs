//! The nodes of a summary.

use indexmap::IndexMap;
use sim::{Network, Results, RoamingResult};

use super::part::summary_part;

struct NodeSource<'a> {
    network: &'a Network,
    results: &'a Results,
    number: usize,
}

impl NodeSource<'_> {
    fn roaming(&self) -> Option<&RoamingResult> {
        self.results.roaming[self.number].as_ref()
    }

    fn scheme_counts(&self) -> IndexMap<String, u64> {
        self.results.agents[self.number].iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }
}

/// Every node, in the order of the scenario.
pub(super) fn summarize_nodes(network: &Network, results: &Results) -> Vec<NodeSummary> {
    let node = |number| NodeSummary::of(&NodeSource { network, results, number });
    (0..network.nodes.len()).map(node).collect()
}

summary_part! {
    /// One node.
    pub struct NodeSummary in node: Node = of(at: &NodeSource<'_>) {
        /// Name in the scenario.
        name: String ["text"] = at.network.nodes[at.number].name.clone();
        /// The `buffer` of the node. Null if unlimited; the table shows nodes with a limit.
        buffer_bytes: Option<u64> ["bytes or null"] = at.network.nodes[at.number].buffer.map(|buffer| buffer.0);
        /// Packets dropped because the node's `buffer` was full.
        packets_dropped_buffer_full: u64 ["packets"] = at.results.buffer_full[at.number];
    }
    sparse {
        /// Counters of the node's scheme at the end of the run. Empty if the scheme has no counters; the table shows
        /// counters above 0.
        scheme_counts: IndexMap<String, u64> ["object"] = at.scheme_counts();
        /// Number of times that a mobile associated with another base station than the last. Null for nodes without
        /// `association` ([mobility](models/mobility.md#association)).
        handovers: Option<u64> [metric "count", Neither, "handovers"] = at.roaming().map(|roaming| roaming.handovers);
        /// Time that a mobile with `association` was without a base station. Null for other nodes.
        unassociated_s: Option<f64> [metric "s", Lower, "without base station"] = at.roaming().map(|roaming| roaming.alone.as_secs_f64());
        /// Packets dropped here because a mobile without base station left no route to their destination.
        packets_dropped_no_route: u64 [metric "packets", Lower, "dropped, no route"] = at.results.no_route[at.number];
    }
    derived {}
}
