//! The summary as a whole.

use std::fmt;

use indexmap::IndexMap;
use scenario::Scenario;
use scenario::model::Profile;
use scenario::ran::{group_by_scheme, list_followers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sim::delay::Delays;
use sim::{Network, Results};

use super::part::summary_part;
use super::{
    ArrivalsSummary, FlowSummary, LinkSummary, MediumSummary, NodeSummary, arrivals, flows, links, media, nodes,
};

struct RunSource<'a> {
    title: &'a str,
    scenario: &'a Scenario,
    network: &'a Network,
    results: &'a Results,
    delays: Option<&'a Delays>,
}

/// Schemes of the nodes that can run one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Schemes {
    /// All nodes have this scheme.
    One(String),
    /// The scheme of each node, by the node's name.
    Each(IndexMap<String, String>),
}

impl Schemes {
    fn of(scenario: &Scenario, network: &Network) -> Option<Self> {
        let followers: Vec<_> = list_followers(scenario, network).collect();
        match group_by_scheme(followers.iter().copied())[..] {
            [] => None,
            [(scheme, _)] => Some(Schemes::One(scheme.to_owned())),
            _ => {
                let each = followers.into_iter().map(|(scheme, node)| (node.to_owned(), scheme.to_owned()));
                Some(Schemes::Each(each.collect()))
            }
        }
    }
}

pub(super) fn assemble_summary(
    title: &str,
    scenario: &Scenario,
    network: &Network,
    results: &Results,
    delays: Option<&Delays>,
) -> Summary {
    let mut summary = Summary::of(&RunSource { title, scenario, network, results, delays });
    // Fairness is not defined for one flow.
    if summary.flows.len() > 1 {
        summary.fairness = summary.jain();
    }
    summary
}

impl Summary {
    fn goodputs(&self) -> Option<Vec<f64>> {
        self.flows.iter().map(|flow| flow.goodput_bps).collect()
    }

    /// Jain's index over the flows' goodput; `None` if a flow has no goodput.
    fn jain(&self) -> Option<f64> {
        stats::fairness::jain(&self.goodputs()?).ok().flatten()
    }

    /// Peak memory of the nodes' schemes in bytes, summed over the nodes. A scheme that does not count memory keeps no
    /// state.
    pub fn max_state_bytes(&self) -> u64 {
        let counts = self.nodes.iter().map(|node| &node.scheme_counts);
        counts.filter_map(|counts| counts.get("state_bytes_most")).sum()
    }

    /// Returns whether another run had the same outcome, which is everything except the inputs (title, scheme, profile,
    /// seed) and the nodes' counters.
    pub fn same_outcome(&self, other: &Summary) -> bool {
        fn outcome(it: &Summary) -> impl PartialEq + '_ {
            let traffic = (&it.flows, &it.arrivals, &it.fairness);
            (it.simulated_s, it.events, it.packets_dropped_buffer_full, traffic, &it.links, &it.media)
        }
        outcome(self) == outcome(other)
    }
}

/// Writes the summary as JSON: on one line or, with `{:#}`, indented.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = if f.alternate() { serde_json::to_string_pretty(self) } else { serde_json::to_string(self) };
        f.write_str(&text.map_err(|_| fmt::Error)?)
    }
}

summary_part! {
    /// The summary of a run.
    pub struct Summary in run: Run = of(at: &RunSource<'_>) {
        /// Version of the program.
        lasthop: String ["text"] = env!("CARGO_PKG_VERSION").to_owned();
        /// The scenario's title, or its file name without the ending.
        title: String ["text"] = at.title.to_owned();
        /// The scheme of all nodes that can run one: base stations, and hosts with a wireless link or the start of a
        /// flow. If the schemes differ, an object with the scheme of each node by name.
        scheme: Option<Schemes> ["text or object"] = Schemes::of(at.scenario, at.network);
        /// `exact` or `goel1997`.
        profile: Profile ["text"] = at.scenario.profile;
        /// The random seed.
        seed: u64 [""] = at.network.seed;
        /// Time at which the run ended: when the last flow completed (with `tcp.close`, when both its ends had closed)
        /// or failed, or at `duration`. A flow without end makes every run last for `duration`.
        simulated_s: f64 [metric "s", Neither] = at.results.ended.as_secs_f64();
        /// Wake-ups handled by the simulator ([what they are](path-of-a-packet.md#what-it-costs)).
        events: u64 [metric "count", Neither] = at.results.events;
        /// Packets dropped because a node's `buffer` was full, at all nodes. They are not in any link's counts.
        packets_dropped_buffer_full: u64 [metric "packets", Lower] = at.results.buffer_full.iter().sum();
        /// The flows, in the order of the scenario.
        flows: Vec<FlowSummary> ["list"] = flows::summarize_flows(at.scenario, at.network, at.results, at.delays);
        /// The links, in the order of the scenario.
        links: Vec<LinkSummary> ["list"] = links::summarize_links(at.network, at.results, at.delays);
        /// The nodes, in the order of the scenario.
        nodes: Vec<NodeSummary> ["list"] = nodes::summarize_nodes(at.network, at.results);
    }
    sparse {
        /// Jain's index over the flows' `goodput_bps` ([fairness.rs](../crates/stats/src/fairness.rs)). Null if a flow
        /// has no goodput, and with fewer than two flows; the table shows it in a line below the flows.
        fairness: Option<f64> ["1/flows to 1, or null"] = None;
        /// Flows that arrived during the run, for each arrival process: all flows, and the flows of each class of
        /// sizes.
        arrivals: Vec<ArrivalsSummary> ["list"] = arrivals::summarize_arrivals(at.network, at.results);
        /// The shared media, in the order of the scenario.
        media: Vec<MediumSummary> ["list"] = media::summarize_media(at.network, at.results);
    }
    derived {
        /// Sum of all flows' `goodput_bps`.
        total_goodput_bps [metric "bit/s", Higher] = |it| it.goodputs().map(|all| all.iter().sum());
        /// Jain's index over the flows' `goodput_bps`, 1 if all are equal.
        fairness [metric "1/flows to 1", Higher] = Summary::jain;
        /// Maximum memory used by the nodes' schemes for flows, summed over all nodes: the sum of `state_bytes_most` in
        /// `scheme_counts`. The maxima of different nodes may have occurred at different times.
        state_bytes_most [metric "bytes", Lower] = |it| Some(it.max_state_bytes() as f64);
    }
}
