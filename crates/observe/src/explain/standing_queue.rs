//! Waiting behind other flows for longer than in a fair queue.
//!
//! Definition: the flow's packets wait behind packets of other flows: `others-queue` of the time budget.
//!
//! Cost: C = max(0, Q - k S), where Q is that time, S the time for which the slowest hop transmitted for the flow, and k
//! the number of other flows at the node of the path that forwards most of them: under a round-robin scheduler each
//! packet of the flow would wait for k others.
//!
//! Limits: the number of other flows counts those that have ended, too, and flows on other links of the node, which makes
//! the cost too small. A fair queue also changes how the flow's window grows.

use engine::quantity::format_span;

use super::budget::StandingQueue;
use super::{FindingCollector, ProblemKind, format_noun_count};

pub(super) const KIND: ProblemKind = ProblemKind {
    name: "standing-queue",
    summary: "packets waited longer behind other flows than in a fair queue",
    avoidable: true,
    in_runs: true,
    in_captures: None,
    watch: || None,
};

/// Reports the finding of a flow, if any; the budget is complete at the end of the flow.
pub(super) fn report_standing_queue(queue: &StandingQueue, out: &mut FindingCollector<'_>) {
    let StandingQueue { from, to, waited, served, others } = *queue;
    let cost = waited - served.times(u64::from(others));
    let text = format!(
        "packets waited {} behind packets of {}; in a fair queue the wait would have been {}",
        format_span(waited),
        format_noun_count(others, "other flow"),
        format_span(waited - cost),
    );
    out.report_finding(from, to, cost, text);
}
