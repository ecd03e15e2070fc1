//! Aliases of metrics: names from the literature and other simulators, and former names.

use crate::summary as metric;

/// The metric that `name` denotes: an alias, or a name of an earlier version.
pub fn resolve_metric_alias(name: &str) -> Option<&'static str> {
    let small = name.to_lowercase().replace(['-', ' '], "_");
    let synonym = SYNONYMS.iter().find(|(synonyms, _)| synonyms.contains(&small.as_str())).map(|(_, name)| *name);
    synonym.or_else(|| metric::find_metric_by_former_name(&small).map(|metric| metric.name))
}

const SYNONYMS: &[(&[&str], &str)] = &[
    (&["throughput", "throughput_bps", "bandwidth", "rate"], "goodput_bps"),
    (&["total_throughput", "aggregate_throughput", "aggregate_goodput", "sum_goodput"], "total_goodput_bps"),
    (&["jain", "jain_index", "jains_index", "jain_fairness", "fairness_index"], "fairness"),
    (&["fct", "flow_completion_time", "transfer_time", "download_time"], "completion_time_s"),
    (&["rto", "rtos", "rto_count"], "timeouts"),
    (&["retransmissions", "retransmits", "rexmits"], "segments_retransmitted"),
    (&["drops", "losses", "packet_loss"], "packets_dropped"),
    (&["collisions"], "collision_probability"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alias_names_another_metric() {
        for (synonyms, name) in SYNONYMS {
            assert!(metric::find_metric(name).is_some(), "{name}");
            assert!(synonyms.iter().all(|synonym| metric::find_metric(synonym).is_none()), "{synonyms:?}");
        }
        for metric in metric::METRICS.iter() {
            assert!(metric.was.iter().all(|was| metric::find_metric(was).is_none()), "{}", metric.name);
        }
        assert_eq!(resolve_metric_alias("Jain"), Some("fairness"));
        assert_eq!(resolve_metric_alias("back_offs"), Some("backoffs"), "its former name");
        assert_eq!(resolve_metric_alias("goodput_bps"), None);
    }
}
