//! The nodes of a summary.

use indexmap::IndexMap;
use sim::{Network, Results, RoamingResult};

use super::part::summary_part;

struct NodeSource<'a> {
    network: &'a Network,
    results: &'a Results,
    number: usize,
    /// Whether any node of the scenario associates: otherwise every node has a route.
    roams: bool,
}

impl NodeSource<'_> {
    fn roaming(&self) -> Option<&RoamingResult> {
        self.results.roaming[self.number].as_ref()
    }

    fn no_route(&self) -> Option<u64> {
        let count = self.results.no_route[self.number];
        (self.roams || count > 0).then_some(count)
    }

    fn scheme_counts(&self) -> Option<IndexMap<String, u64>> {
        let counts = &self.results.agents[self.number];
        (!counts.is_empty()).then(|| counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect())
    }
}

/// Every node, in the order of the scenario.
pub(super) fn nodes(network: &Network, results: &Results) -> Vec<NodeSummary> {
    let roams = results.roaming.iter().any(Option::is_some);
    let node = |number| NodeSummary::of(&NodeSource { network, results, number, roams });
    (0..network.nodes.len()).map(node).collect()
}

summary_part! {
    /// One node.
    pub struct NodeSummary in node: Node = of(at: &NodeSource<'_>) {
        /// Name in the scenario.
        name: String ["text"] = at.network.nodes[at.number].name.clone();
        /// Its `buffer`. Null if unlimited; the table has the nodes with a limit.
        buffer_bytes: Option<u64> ["bytes or null"] = at.network.nodes[at.number].buffer.map(|buffer| buffer.0);
        /// Packets dropped because its `buffer` was full.
        packets_dropped_buffer_full: u64 ["packets"] = at.results.buffer_full[at.number];
    }
    optional {
        /// What the node's scheme counted until the end of the run. Written if it counts something; the table has what
        /// is not 0.
        scheme_counts: IndexMap<String, u64> ["object"] = at.scheme_counts();
        /// Number of times that a mobile associated with another base station than the last. Written for nodes with
        /// `association` ([mobility](models/mobility.md#association)).
        handovers: u64 [metric "count", Neither, "handovers"] = at.roaming().map(|roaming| roaming.handovers);
        /// Time that a mobile with `association` was without a base station.
        unassociated_s: f64 [metric "s", Lower, "without base station"] = at.roaming().map(|roaming| roaming.alone.as_secs_f64());
        /// Packets dropped here because a mobile without base station left no route to their destination. Written for
        /// every node of a scenario in which one has `association`.
        packets_dropped_no_route: u64 [metric "packets", Lower, "dropped, no route"] = at.no_route();
    }
    derived {}
}
