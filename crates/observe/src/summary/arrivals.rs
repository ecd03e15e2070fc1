//! The flows that arrived during a run, by arrival process and size.

use engine::Span;
use sim::{Network, Results, ShortFlow};
use stats::quantile::Ordered;

use super::part::summary_part;

/// The classes of sizes: the name, and the maximum in bytes. The limits are common in studies of flow completion times
/// in data centres (Alizadeh2013: up to 100 kB is short, above 10 MB long), with two more for mobile paths.
const CLASSES: &[(&str, u64)] = &[
    ("up to 10 kB", 10_000),
    ("10 to 100 kB", 100_000),
    ("100 kB to 1 MB", 1_000_000),
    ("1 to 10 MB", 10_000_000),
    ("above 10 MB", u64::MAX),
];

struct ClassSource<'a> {
    process: &'a str,
    sizes: &'a str,
    flows: &'a [&'a ShortFlow],
    /// Completion times in seconds, in ascending order.
    times: Ordered,
    /// Slowdowns in ascending order.
    slowdowns: Ordered,
}

/// For each arrival process, its flows of all sizes, and the flows of each class that occurs.
pub(super) fn summarize_arrivals(network: &Network, results: &Results) -> Vec<ArrivalsSummary> {
    let mut all = Vec::new();
    for (number, spec) in network.arrivals.iter().enumerate() {
        let flows: Vec<&ShortFlow> =
            results.short_flows.iter().filter(|flow| flow.arrivals.index() == number).collect();
        all.push(summarize_size_class(&spec.name, "all", &flows));
        let mut above = 0;
        for (name, most) in CLASSES {
            let in_class = |flow: &&ShortFlow| (above + 1..=*most).contains(&flow.bytes);
            let part: Vec<&ShortFlow> = flows.iter().copied().filter(in_class).collect();
            if !part.is_empty() {
                all.push(summarize_size_class(&spec.name, name, &part));
            }
            above = *most;
        }
    }
    all
}

fn summarize_size_class(process: &str, sizes: &str, flows: &[&ShortFlow]) -> ArrivalsSummary {
    // Completion times are positive and finite.
    let sorted = |values: Vec<f64>| Ordered::of(values).unwrap_or_default();
    let times = flows.iter().filter_map(|flow| flow.completion_time()).map(Span::as_secs_f64).collect();
    let slowdowns = flows.iter().filter_map(|flow| flow.slowdown()).collect();
    let (times, slowdowns) = (sorted(times), sorted(slowdowns));
    ArrivalsSummary::of(&ClassSource { process, sizes, flows, times, slowdowns })
}

fn mean_of_sorted(sorted: &Ordered) -> Option<f64> {
    let values = sorted.values();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn quantile_of_sorted(sorted: &Ordered, p: f64) -> Option<f64> {
    sorted.quantile(p).ok().flatten()
}

impl ArrivalsSummary {
    /// Returns the name of the flows as a subject of metrics: the process, followed by the class.
    pub(super) fn subject(&self) -> String {
        if self.sizes == "all" { self.name.clone() } else { format!("{} {}", self.name, self.sizes) }
    }
}

summary_part! {
    /// The flows of one arrival process, of all sizes or of one class of sizes.
    pub struct ArrivalsSummary in arrivals_of: Arrivals = of(at: &ClassSource<'_>) {
        /// Name of the arrival process in the scenario.
        name: String ["text"] = at.process.to_owned();
        /// `all`, or the class of sizes.
        sizes: String ["text"] = at.sizes.to_owned();
        /// Flows that arrived.
        flows_arrived: u64 [metric "flows", Neither, "flows"] = at.flows.len() as u64;
        /// Number of these flows whose data was completely acknowledged.
        flows_completed: u64 [metric "flows", Higher, "completed"] = at.times.values().len() as u64;
        /// Mean flow completion time, from the arrival of the flow to the last acknowledgment at its sender. The mean
        /// includes complete flows only, as do the following metrics: unfinished flows at the end of a run bias it
        /// downwards.
        fct_mean_s: Option<f64> [metric "s", Lower, "FCT mean"] = mean_of_sorted(&at.times);
        /// Median of the flow completion times.
        fct_p50_s: Option<f64> [metric "s", Lower, "p50"] = quantile_of_sorted(&at.times, 0.5);
        /// The flow completion time that 95 % of the flows do not exceed.
        fct_p95_s: Option<f64> [metric "s", Lower, "p95"] = quantile_of_sorted(&at.times, 0.95);
        /// The flow completion time that 99 % of the flows do not exceed.
        fct_p99_s: Option<f64> [metric "s", Lower, "p99"] = quantile_of_sorted(&at.times, 0.99);
        /// Longest flow completion time.
        fct_max_s: Option<f64> [metric "s", Lower, "max"] = at.times.values().last().copied();
        /// Mean slowdown. That is the completion time divided by the time on the empty path: the first packet crosses each
        /// link, the others follow at the rate of the slowest link, and one acknowledgment returns; without slow start.
        slowdown_mean: Option<f64> [metric "1 and more", Lower, "slowdown"] = mean_of_sorted(&at.slowdowns);
        /// Median of the slowdowns.
        slowdown_p50: Option<f64> [metric "1 and more", Lower] = quantile_of_sorted(&at.slowdowns, 0.5);
        /// The slowdown that 99 % of the flows do not exceed.
        slowdown_p99: Option<f64> [metric "1 and more", Lower, "p99 slowdown"] = quantile_of_sorted(&at.slowdowns, 0.99);
    }
    sparse {}
    derived {}
}
