//! Every figure that a run gives: name, unit, definition, and where it stands in the run's summary.

use serde_json::Value;
use stats::Interval;

/// The subject of a metric.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// The run as a whole.
    Run,
    /// A flow.
    Flow,
    /// One way of a link.
    Way,
    /// A shared medium.
    Medium,
    /// A station of a shared medium.
    Station,
    /// A node.
    Node,
}

/// Which values are better.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Better {
    /// Lower ones.
    Lower,
    /// Higher ones.
    Higher,
    /// It depends.
    Neither,
}

/// A figure.
#[derive(Debug)]
pub struct Metric {
    /// Its name in summaries, stores, tables and files.
    pub name: &'static str,
    /// Its unit; empty for a plain count's name would say nothing more.
    pub unit: &'static str,
    /// Its subject.
    pub scope: Scope,
    /// Which values are better.
    pub better: Better,
    /// Its definition, in a sentence.
    pub definition: &'static str,
    /// How it is got from a summary if it does not stand in it under its name.
    computed: Option<fn(&Value) -> Option<f64>>,
}

impl PartialEq for Metric {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.scope == other.scope
    }
}

/// From a flow's start to the last acknowledgment at its sender.
pub static COMPLETION_TIME: Metric = Metric {
    name: "completion_time_s",
    unit: "s",
    scope: Scope::Flow,
    better: Better::Lower,
    definition: "from the flow's start to the last acknowledgment at the sender; none unless completed",
    computed: None,
};

/// Data received in order per second.
pub static GOODPUT: Metric = Metric {
    name: "goodput_bps",
    unit: "bit/s",
    scope: Scope::Flow,
    better: Better::Higher,
    definition: "data received in order, without headers and repetitions, per second of the flow's time",
    computed: None,
};

use Better::{Higher, Lower, Neither};

/// Every figure.
pub static METRICS: &[&Metric] = &[
    &COMPLETION_TIME,
    &GOODPUT,
    &flow("completed", "0 or 1", Higher, "whether every byte was acknowledged at the sender"),
    &flow("bytes_delivered", "bytes", Higher, "data received in order at the far end"),
    &flow(
        "longest_pause_s",
        "s",
        Lower,
        "the longest time without new data in order at the far end, from the flow's start until all was there or the run ended",
    ),
    &flow("segments_sent", "segments", Neither, "segments with data that TCP sent, resent ones included"),
    &flow("segments_retransmitted", "segments", Lower, "of these, sent again for any reason"),
    &flow("segments_duplicate", "segments", Lower, "segments that arrived though all their bytes had arrived before"),
    &flow(
        "segments_discarded",
        "segments",
        Lower,
        "segments that arrived with data but were too old or out of the window",
    ),
    &flow("fast_retransmits", "count", Neither, "segments that recovery sent again without a timeout"),
    &flow("timeouts", "count", Lower, "expiries of the retransmission timer"),
    &flow("tail_probes", "segments", Neither, "segments sent to find out whether the tail was lost (TLP)"),
    &flow("reductions_undone", "count", Neither, "reductions of the window taken back: nothing had been lost"),
    &flow("reductions_by_ecn", "count", Neither, "reductions of the window because of marks, at most one a round trip"),
    &flow("icmp_defer", "messages", Neither, "ICMP-DEFER received at the sender"),
    &flow("icmp_retransmit", "messages", Neither, "ICMP-RETRANSMIT received at the sender"),
    &way("frames_sent", "frames", Neither, "transmissions begun; without a link layer, packets whose sending began"),
    &way("frames_corrupted", "frames", Neither, "of these, lost to the channel"),
    &way("frames_duplicate", "frames", Neither, "arrived a second time and were discarded"),
    &way("frames_discarded", "frames", Neither, "arrived and brought no packet: out of turn (go-back-N), or parity"),
    &way("packets_delivered", "packets", Neither, "handed on at the far end"),
    &way("packets_dropped", "packets", Lower, "lost for good: queue full, given up, or lost in the air"),
    &way("packets_dropped_queue_full", "packets", Lower, "of these, found the queue full"),
    &way("packets_marked", "packets", Neither, "marked (ECN) because more than the threshold waited"),
    &way("packets_given_up", "packets", Lower, "the link layer stopped trying"),
    &way("packets_recovered", "packets", Neither, "came out of parity, their own frames being lost"),
    &way("utilization", "share", Neither, "time spent sending, as a share of the run"),
    &way("frames_collided", "frames", Lower, "frames in a medium that were lost to a collision at their receiver"),
    &medium("air_busy", "share", Neither, "time in which a station was sending, as a share of the run"),
    &medium("air_idle", "share", Neither, "the rest of the run"),
    &medium("air_collided", "share", Lower, "time with a frame in the air that another damaged, as a share of the run"),
    &medium(
        "collision_probability",
        "share",
        Lower,
        "how likely a frame collided: attempts_collided as a share of attempts, all stations together",
    ),
    &station("data_sent", "frames", Neither, "data frames sent, repetitions and fragments included"),
    &station("acks_sent", "frames", Neither, "acknowledgments sent"),
    &station("rts_sent", "frames", Neither, "requests to send sent"),
    &station("cts_sent", "frames", Neither, "clear-to-sends sent"),
    &station("beacons_sent", "frames", Neither, "beacons sent"),
    &station("attempts", "frames", Neither, "turns taken: the first frames of its exchanges, requests or data"),
    &station("attempts_collided", "frames", Lower, "of these, lost to a collision at their receiver"),
    &station("retries", "frames", Lower, "of the attempts, those for a packet of which an attempt had failed"),
    &station("retry_limit_drops", "packets", Lower, "packets given up at a retry limit, arrived or not"),
    &station("back_offs", "count", Neither, "back-offs drawn"),
    &station("back_off_slots", "slots", Neither, "the sum of what was drawn, counted down or not"),
    &station("airtime", "share", Neither, "time spent sending frames of all kinds, as a share of the run"),
    &node("packets_dropped_no_route", "packets", Lower, "dropped here, as no way led on: a mobile had no base station"),
    &node("handovers", "count", Neither, "how often a mobile associated with another base station than the last"),
    &node("unassociated_s", "s", Lower, "how long a mobile that associates was without a base station"),
    &Metric { scope: Scope::Run, ..flow("simulated_s", "s", Neither, "when the run ended") },
    &Metric { scope: Scope::Run, ..flow("events", "count", Neither, "wake-ups handled by the simulator") },
    &Metric {
        scope: Scope::Run,
        ..flow("packets_dropped_buffer_full", "packets", Lower, "dropped because a node's buffer was full")
    },
    &Metric {
        scope: Scope::Run,
        computed: Some(|summary| goodputs(summary).map(|all| all.iter().sum())),
        ..flow("total_goodput_bps", "bit/s", Higher, "the sum of all flows' goodput_bps")
    },
    &Metric {
        scope: Scope::Run,
        computed: Some(fairness),
        ..flow("fairness", "1/flows to 1", Higher, "Jain's index over the flows' goodput_bps; 1 if all have the same")
    },
    &Metric {
        scope: Scope::Run,
        computed: Some(|summary| Some(most_state(summary))),
        ..flow("state_bytes_most", "bytes", Lower, "the most that the nodes' schemes remembered of flows, of all nodes")
    },
];

const fn flow(name: &'static str, unit: &'static str, better: Better, definition: &'static str) -> Metric {
    Metric { name, unit, scope: Scope::Flow, better, definition, computed: None }
}

const fn way(name: &'static str, unit: &'static str, better: Better, definition: &'static str) -> Metric {
    Metric { name, unit, scope: Scope::Way, better, definition, computed: None }
}

const fn medium(name: &'static str, unit: &'static str, better: Better, definition: &'static str) -> Metric {
    Metric { name, unit, scope: Scope::Medium, better, definition, computed: None }
}

const fn station(name: &'static str, unit: &'static str, better: Better, definition: &'static str) -> Metric {
    Metric { name, unit, scope: Scope::Station, better, definition, computed: None }
}

const fn node(name: &'static str, unit: &'static str, better: Better, definition: &'static str) -> Metric {
    Metric { name, unit, scope: Scope::Node, better, definition, computed: None }
}

/// Every name.
pub fn names() -> impl Iterator<Item = &'static str> {
    METRICS.iter().map(|metric| metric.name)
}

/// The figure called `name`.
pub fn find(name: &str) -> Option<&'static Metric> {
    METRICS.iter().copied().find(|metric| metric.name == name)
}

impl Metric {
    /// Between which its values lie, whatever is assumed of their distribution.
    pub fn range(&self) -> Interval {
        let high = match self.unit {
            "share" | "0 or 1" | "1/flows to 1" => 1.0,
            _ => f64::INFINITY,
        };
        Interval { low: 0.0, high }
    }

    /// The figure in a summary: about what, and how much; nothing where a run has none to give.
    pub fn read(&self, summary: &Value) -> Vec<(String, Option<f64>)> {
        match self.scope {
            Scope::Run => {
                let value = self.computed.map_or_else(|| number(&summary[self.name]), |compute| compute(summary));
                vec![(String::new(), value)]
            }
            Scope::Flow => list(&summary["flows"]).map(|flow| (name(flow), number(&flow[self.name]))).collect(),
            Scope::Way => list(&summary["links"])
                .flat_map(|link| ["forward", "backward"].map(|way| (link, way)))
                // Links of a medium count what others do not.
                .filter_map(|(link, way)| {
                    let value = link[way].get(self.name)?;
                    Some((format!("{} {way}", name(link)), number(value)))
                })
                .collect(),
            Scope::Medium => list(&summary["media"]).map(|part| (name(part), number(&part[self.name]))).collect(),
            Scope::Station => list(&summary["media"])
                .flat_map(|medium| {
                    let of_medium = name(medium);
                    list(&medium["stations"])
                        .map(move |part| (format!("{of_medium} {}", name(part)), number(&part[self.name])))
                })
                .collect(),
            // Few nodes count what mobiles do.
            Scope::Node => {
                list(&summary["nodes"]).filter_map(|part| Some((name(part), number(part.get(self.name)?)))).collect()
            }
        }
    }
}

/// Jain's index over the goodputs of a summary's flows; `None` when a flow has no goodput.
pub(crate) fn fairness(summary: &Value) -> Option<f64> {
    stats::fairness::jain(&goodputs(summary)?).ok().flatten()
}

fn goodputs(summary: &Value) -> Option<Vec<f64>> {
    list(&summary["flows"]).map(|flow| number(&flow["goodput_bps"])).collect()
}

/// A node whose scheme counts none remembers none. Nodes may have needed their most at different times.
fn most_state(summary: &Value) -> f64 {
    list(&summary["nodes"]).filter_map(|node| node["scheme_counts"]["state_bytes_most"].as_f64()).sum()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn name(part: &Value) -> String {
    part["name"].as_str().unwrap_or_default().to_owned()
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_bool().map(|yes| f64::from(u8::from(yes))))
}
