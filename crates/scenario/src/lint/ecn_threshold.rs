//! ECN thresholds that a queue cannot exceed because it is full at a smaller backlog.

use path::queue::Limit;
use sim::LinkSpec;

use super::Context;
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let never = |threshold: Limit, limit: Limit| match (threshold, limit) {
        // The last admitted packet finds at most the limit minus one waiting.
        (Limit::Packets(threshold), Limit::Packets(most)) => u64::from(threshold) + 1 >= u64::from(most),
        (Limit::Bytes(threshold), Limit::Bytes(most)) => threshold >= most,
        _ => false,
    };
    let warning = |link: &LinkSpec| {
        let thresholds = link.directions().map(|way| (way.queue.traits().ecn_threshold, way.queue));
        let marking = thresholds.into_iter().filter(|(threshold, _)| *threshold != Limit::None);
        let limits = marking.map(|(threshold, queue)| (threshold, queue.limit()));
        let (threshold, limit) = limits.into_iter().find(|(threshold, limit)| never(*threshold, *limit))?;
        let text = format!("a threshold below the queue limit (\"{limit}\"): otherwise nothing is marked");
        let problem = Problem::new(text).key(format!("links.{}.ecn_threshold", link.name));
        Some(problem.found(format!("\"{threshold}\"")))
    };
    context.network.links.iter().filter_map(warning).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{list_warnings, network_with_wire};

    fn link(queue: &str, threshold: &str) -> String {
        let text = network_with_wire(&format!("queue = \"{queue}\"\necn_threshold = \"{threshold}\""));
        text.replace("mss = \"1000 B\"", "mss = \"1000 B\"\ntcp.ecn = \"request\"")
    }

    pub fn examples() -> [String; 2] {
        [link("20 packets", "19 packets"), link("20 packets", "18 packets")]
    }

    #[test]
    fn ecn_threshold_above_the_queue_limit_is_reported() {
        let reported = |queue: &str, threshold: &str| {
            let warnings = list_warnings(&link(queue, threshold));
            let of_threshold = warnings.iter().find(|warning| warning.starts_with("links.wire.ecn_threshold"));
            of_threshold.is_some_and(|warning| warning.contains("nothing is marked"))
        };
        for (queue, threshold) in [("20 packets", "19 packets"), ("20 packets", "40 packets"), ("20 kB", "20 kB")] {
            assert!(reported(queue, threshold), "{queue}, {threshold}");
        }
        for (queue, threshold) in
            [("20 packets", "18 packets"), ("20 kB", "18 kB"), ("20 kB", "20 packets"), ("unlimited", "9 packets")]
        {
            assert!(!reported(queue, threshold), "{queue}, {threshold}");
        }
    }
}
