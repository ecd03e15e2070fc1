//! The flows of a summary.

use engine::Span;
use scenario::Scenario;
use sim::{FlowResult, FlowSpec, Network};

use super::part::summary_part;

struct FlowSource<'a> {
    scenario: &'a Scenario,
    network: &'a Network,
    spec: &'a FlowSpec,
    result: &'a FlowResult,
}

/// Every flow, in the order of the scenario.
pub(super) fn flows(scenario: &Scenario, network: &Network, results: &sim::Results) -> Vec<FlowSummary> {
    let flows = network.flows.iter().zip(&results.flows);
    flows.map(|(spec, result)| FlowSummary::of(&FlowSource { scenario, network, spec, result })).collect()
}

fn variant(at: &FlowSource<'_>) -> Option<String> {
    at.scenario.flows.get(&at.spec.name).map(|flow| flow.tcp.variant.as_str().to_owned())
}

summary_part! {
    /// One flow: a connection of the scenario and its application.
    pub struct FlowSummary in flow: Flow = of(at: &FlowSource<'_>) {
        /// Name in the scenario.
        name: String ["text"] = at.spec.name.clone();
        /// Node that sends the data.
        from: String ["text"] = at.network.nodes[at.spec.from].name.clone();
        /// Node that receives the data.
        to: String ["text"] = at.network.nodes[at.spec.to].name.clone();
        /// `tcp.variant` of the scenario.
        variant: Option<String> ["text"] = variant(at);
        /// Whether every byte was acknowledged at the sender.
        completed: bool [metric "0 or 1", Higher] = at.result.completed.is_some();
        /// Time from the flow's start to the last acknowledgment at the sender. Null unless completed.
        completion_time_s: Option<f64> [metric "s", Lower, "completed in"] =
            at.result.completed.map(|_| at.result.elapsed.as_secs_f64());
        /// Why the connection failed: `refused`, `reset` or `timed-out` (the other end did not answer as often as
        /// `tcp.retries` says). At the receiver only if the flow did not complete. The table has it in a line below the
        /// flows.
        failure: Option<String> ["text or null"] = at.result.failure.map(|failure| failure.name().to_owned());
        /// Data received in order, without headers and repetitions, per second of the flow's time. That is 8 x
        /// `bytes_delivered` / elapsed, where elapsed is `completion_time_s` or, unless completed, the time from the
        /// flow's start to the end of the run. Null if no time elapsed.
        goodput_bps: Option<f64> [metric "bit/s", Higher, "goodput"] = at.result.goodput_bps();
        /// Data received in order at the receiver.
        bytes_delivered: u64 [metric "bytes", Higher] = at.result.bytes_delivered;
        /// Longest time without new data in order at the receiver, from the flow's start until all of it had arrived or
        /// the run ended. Data behind a hole is not in order until the hole is filled. It shows what an application
        /// sees of a loss that is repaired by a timeout, of a handover or of a fade; without any of these it is a round
        /// trip of a small window. Null if no time elapsed.
        max_pause_s: Option<f64> [metric "s", Lower] was "longest_pause_s" = at.result.longest_pause.map(Span::as_secs_f64);
        /// Segments that arrived although all their bytes had arrived before. They were retransmitted needlessly, or
        /// delivered twice by a link layer.
        segments_duplicate: u64 [metric "segments", Lower, "duplicates"] = at.result.segments_duplicate;
        /// Segments with data that TCP handed to IP, retransmissions included.
        segments_sent: u64 [metric "segments", Neither, "segments"] = at.result.sender.segments_sent;
        /// Of `segments_sent`, retransmissions for any reason. These are fast retransmit, timeout (each segment that is
        /// sent again after going back), and message.
        segments_retransmitted: u64 [metric "segments", Lower, "resent"] = at.result.sender.segments_retransmitted;
        /// Segments that recovery retransmitted without a timeout and without a message. A recovery retransmits one
        /// segment or more, so this is not the number of recoveries; Tahoe resends the whole window this way.
        /// Recoveries of the Refined scheme begin at the first duplicate, retransmit nothing and are not counted.
        fast_retransmits: u64 [metric "segments", Neither, "fast rtx"] = at.result.sender.fast_retransmits;
        /// Expiries of the retransmission timer.
        timeouts: u64 [metric "count", Lower, "timeouts"] = at.result.sender.timeouts;
        /// Tail loss probes (TLP) sent [RFC8985 s7]. A probe is new data or the last segment again; both count in
        /// `segments_sent`, the second in `segments_retransmitted` too.
        tail_probes: u64 [metric "segments", Neither] = at.result.sender.probes;
        /// Reductions of the window that were taken back because the loss was spurious (F-RTO, Eifel, duplicates
        /// reported by SACK).
        reductions_undone: u64 [metric "count", Neither] = at.result.sender.undone;
        /// Reductions of the window because of ECN marks, at most one in each round trip [RFC3168 s6.1.2]. A control
        /// that answers each mark in proportion (DCTCP) is not counted.
        reductions_by_ecn: u64 [metric "count", Neither] = at.result.sender.marks;
        /// ICMP-DEFER messages about this flow received at the sender, whether or not its scheme uses them.
        icmp_defer: u64 [metric "messages", Neither, "DEFER"] = at.result.sender.notices_defer;
        /// ICMP-RETRANSMIT messages about this flow received at the sender, whether or not its scheme uses them.
        icmp_retransmit: u64 [metric "messages", Neither, "RETRANSMIT"] = at.result.sender.notices_retransmit;
    }
    optional {
        /// Segments that arrived with data and were discarded unread: outside the window, with an unacceptable
        /// acknowledgment, or too old by their timestamp ([PAWS](models/tcp-connection.md#rules)). Every other segment
        /// that arrived is in `segments_duplicate` or brought new data. Written if the flow has `tcp.timestamps`, or if
        /// the count is not 0.
        segments_discarded: u64 [metric "segments", Lower] =
            (at.spec.tcp.timestamps || at.result.segments_discarded > 0).then_some(at.result.segments_discarded);
    }
    derived {}
}
