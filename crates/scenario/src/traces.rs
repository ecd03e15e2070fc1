//! The names of the traces that a scenario can request. The crate `observe` writes them.

use crate::problem::Problem;

/// A trace that can be requested.
pub struct Trace {
    /// Name of the trace in `--trace` and `output.traces`.
    pub name: &'static str,
    /// Description of the trace in one line.
    pub summary: &'static str,
}

/// Every trace.
pub const TRACES: &[Trace] = &[
    Trace { name: "seqno", summary: "<node>-seqno: first byte of each segment sent (ms, bytes)" },
    Trace { name: "ackno", summary: "<node>-ackno: acknowledgments received by the source (ms, bytes)" },
    Trace { name: "congestion", summary: "<node>-congestion: congestion window (ms, bytes)" },
    Trace { name: "threshold", summary: "<node>-threshold: slow start threshold (ms, bytes)" },
    Trace { name: "swnd_size", summary: "<node>-swnd_size: unacknowledged data at the source (ms, bytes)" },
    Trace {
        name: "router_pkt_arrival",
        summary: "<node>-router_pkt_arrival: first byte of each data packet that arrives at a router (ms, bytes)",
    },
    Trace {
        name: "wless_state",
        summary: "wless_state-<node>-<node>: state of a wireless link's channel (ms, 1 GOOD or 0 BAD)",
    },
    Trace {
        name: "fcts",
        summary: "fcts.csv: flows that arrived during the run, a line each: start, bytes, completion time, slowdown",
    },
    Trace {
        name: "series",
        summary: "series.csv: each flow's goodput, retransmissions, cwnd, RTT and wait in queues, a line for each interval",
    },
    Trace { name: "contention", summary: "<medium>.<node>-contention: contention window at each back-off (ms, slots)" },
    Trace {
        name: "air",
        summary: "trace.dat: changes of the channel's state (ms GOOD|BAD), for a channel of kind \"recorded\"",
    },
    Trace { name: "events", summary: "event-trace.txt: corruptions, losses, retransmissions as in appendix B.4" },
    Trace { name: "jsonl", summary: "events.jsonl: every event, one JSON object a line" },
    Trace {
        name: "parquet",
        summary: "<event>.parquet: every event, one table for each kind, for pandas, polars and DuckDB",
    },
    Trace {
        name: "pcapng",
        summary: "<node>.pcapng: packets as a capture at each node, <medium>.air.pcapng: frames in the air, for tshark and \
                  Wireshark",
    },
];

/// Names accepted by [`parse_trace_names`].
pub fn trace_names() -> impl Iterator<Item = &'static str> {
    TRACES.iter().map(|trace| trace.name).chain(["all", "none"])
}

/// Traces by name: `all`, `none`, or a list.
pub fn parse_trace_names(list: &[String]) -> Result<Vec<&'static Trace>, Problem> {
    if list.len() > 1 && list.iter().any(|name| name == "none") {
        return Err(Problem::new("`none` alone, or traces without it").found(list.join(",")));
    }
    let unknown = |name: &str| Problem::new("a trace").found(format!("\"{name}\"")).nearest(name, trace_names());
    let mut chosen: Vec<&'static Trace> = Vec::new();
    for name in list {
        match name.as_str() {
            "none" => {}
            "all" => chosen.extend(TRACES),
            name => chosen.push(TRACES.iter().find(|trace| trace.name == name).ok_or_else(|| unknown(name))?),
        }
    }
    // The traces are in the order of the table, without duplicates.
    Ok(TRACES.iter().filter(|trace| chosen.iter().any(|other| other.name == trace.name)).collect())
}
