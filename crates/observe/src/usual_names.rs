//! What others call the figures that a run gives.

/// The name of the figure that is usually called so too.
pub fn of_metric(name: &str) -> Option<&'static str> {
    let small = name.to_lowercase().replace(['-', ' '], "_");
    USUAL.iter().find(|(usual, _)| usual.contains(&small.as_str())).map(|(_, name)| *name)
}

const USUAL: &[(&[&str], &str)] = &[
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
    use crate::metric;

    #[test]
    fn every_usual_name_is_another_one_of_a_figure() {
        for (usual, name) in USUAL {
            assert!(metric::find(name).is_some(), "{name}");
            assert!(usual.iter().all(|usual| metric::find(usual).is_none()), "{usual:?}");
        }
        assert_eq!(of_metric("Jain"), Some("fairness"));
        assert_eq!(of_metric("goodput_bps"), None);
    }
}
