//! The costs of the schemes, from the summaries of their runs.

use observe::summary::Summary;
use scenario::Scenario;
use scenario::model::LinkKind;

/// The costs of one run of a scheme, apart from its duration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cost {
    /// Peak memory of the scheme in the nodes that run it, in bytes per flow. For several nodes this is the sum of
    /// their peaks, which may occur at different times. 0 for a scheme that does not count memory.
    pub state_bytes_per_flow: f64,
    /// Packets received and sent by base stations.
    pub packets: f64,
    /// Seconds of transmission over the radio, in both directions of all radio links.
    pub airtime_s: f64,
    /// Bytes delivered, summed over all flows.
    pub delivered: f64,
}

impl Cost {
    /// The costs of one run of `scenario`.
    pub fn of(scenario: &Scenario, summary: &Summary) -> Self {
        let station = |name: &String| scenario.nodes.get(name).is_some_and(|node| node.kind.is_base_station());
        let (mut packets, mut airtime_s) = (0.0, 0.0);
        for link in &summary.links {
            let Some(known) = scenario.links.get(&link.name) else { continue };
            let delivered = link.forward.packets_delivered + link.backward.packets_delivered;
            // A packet between two base stations is handled by both.
            packets += known.between.iter().filter(|node| station(node)).count() as f64 * delivered as f64;
            if known.kind == LinkKind::Wireless {
                airtime_s += summary.simulated_s * (link.forward.utilization + link.backward.utilization);
            }
        }
        let state = summary.max_state_bytes() as f64;
        let delivered = summary.flows.iter().map(|flow| flow.bytes_delivered).sum::<u64>() as f64;
        Cost { state_bytes_per_flow: state / scenario.flows.len().max(1) as f64, packets, airtime_s, delivered }
    }

    /// Airtime in seconds per million delivered bytes; `None` if no byte was delivered. For several runs the result is
    /// the quotient of the sums, because a run that delivered almost nothing would dominate a mean of quotients.
    pub fn airtime_s_per_mb(&self) -> Option<f64> {
        (self.delivered > 0.0).then(|| self.airtime_s / (self.delivered / 1e6))
    }

    /// Summarizes all runs: the maximum of memory, the means of the other costs. `None` without runs.
    pub fn of_all(costs: &[Cost]) -> Option<Cost> {
        if costs.is_empty() {
            return None;
        }
        let mean = |value: fn(&Cost) -> f64| costs.iter().map(value).sum::<f64>() / costs.len() as f64;
        Some(Cost {
            state_bytes_per_flow: costs.iter().map(|cost| cost.state_bytes_per_flow).fold(0.0, f64::max),
            packets: mean(|cost| cost.packets),
            airtime_s: mean(|cost| cost.airtime_s),
            delivered: mean(|cost| cost.delivered),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::compare::paths;
    use observe::summary::RecordedSummary;
    use scenario::Document;

    /// By hand: 900 + 92 bytes of memory, 100 + 60 packets over the wire, 90 + 70 packets over the radio, 50 s x (0.5 +
    /// 0.1) of transmission, and 2 MB of data.
    #[test]
    fn costs_are_counted_in_nodes_and_on_radio_links() {
        let path = &paths::list_paths()[0];
        let scenario = Document::parse("p", path.text.as_bytes()).unwrap().read().unwrap();
        let direction = |packets: u64, busy: f64| json!({ "packets_delivered": packets, "utilization": busy });
        let summary = json!({
            "simulated_s": 50.0,
            "flows": [{ "bytes_delivered": 2_000_000 }],
            "links": [
                { "name": "wire", "forward": direction(100, 0.9), "backward": direction(60, 0.9) },
                { "name": "air", "forward": direction(90, 0.5), "backward": direction(70, 0.1) },
            ],
            "nodes": [
                { "name": "station", "scheme_counts": { "state_bytes": 7, "state_bytes_most": 900 } },
                { "name": "mobile", "scheme_counts": { "state_bytes": 92, "state_bytes_most": 92 } },
            ],
        });
        let cost = Cost::of(&scenario, &RecordedSummary::parse(&summary.to_string()).unwrap());
        assert_eq!((cost.state_bytes_per_flow, cost.packets), (992.0, 320.0));
        assert!((cost.airtime_s - 30.0).abs() < 1e-9 && (cost.airtime_s_per_mb().unwrap() - 15.0).abs() < 1e-9);
        // In this run 50 s of transmission deliver half a megabyte. Both runs together have 80 s for 2.5 MB, not the
        // mean of 15 and 100.
        let other = Cost { state_bytes_per_flow: 100.0, packets: 300.0, airtime_s: 50.0, delivered: 500_000.0 };
        let both = Cost::of_all(&[cost, other]).unwrap();
        assert_eq!((both.state_bytes_per_flow, both.packets), (992.0, 310.0));
        assert!((both.airtime_s - 40.0).abs() < 1e-9 && (both.airtime_s_per_mb().unwrap() - 32.0).abs() < 1e-9);
        let nothing = Cost { delivered: 0.0, ..other };
        assert_eq!(nothing.airtime_s_per_mb(), None);
    }
}
