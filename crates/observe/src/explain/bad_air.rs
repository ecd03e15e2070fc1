//! Losses on the channel.
//!
//! Definition: attempts at packets of the flow, data and acknowledgments, that failed because of the channel: the frame
//! or its link acknowledgment was lost. On a link without a link layer every lost packet is such an attempt.
//! Consecutive failed attempts on one hop are one finding; in a medium, exchanges of other stations may lie between
//! them, but no attempt with another outcome.
//!
//! Cost: C = sum of the times from the start of each such attempt to the start of the next, or until the link layer
//! gave up; without a link layer, and with a link layer that sends other frames in the meantime, the transmission time
//! of the packet. In a medium: the times from the start of each attempt to the end of its acknowledgment timeout,
//! including the idle time and the slots of the following back-off ([`cell`](super::cell)); for an aggregate of which
//! some packets arrived, the part of the frame that was damaged.
//!
//! This cost is due to the channel: no sender could avoid it, except by sending less while the channel is BAD. It is
//! shown for comparison with the other findings.
//!
//! Limits: ignores BAD periods in which no packet of this flow was sent, frames of other flows that occupied a shared
//! transmitter, and that other stations of a medium used the slots of the back-off.

use std::collections::BTreeMap;

use engine::quantity::format_span;
use engine::{Span, Time};

use super::{FindingCollector, ProblemKind, Watch, format_noun_count};
use observation::media::AttemptFailure;
use observation::{Fact, FlowObservation};
use path::HopIndex;

pub(super) const KIND: ProblemKind = ProblemKind {
    name: "bad-air",
    summary: "frames were lost on the channel",
    avoidable: false,
    in_runs: true,
    in_captures: None,
    watch: watch_bad_air,
};

/// Attempts that failed for one reason.
pub(super) struct FailedAttempts {
    why: AttemptFailure,
    /// A description of the failure, followed by the link in the finding's text.
    words: &'static str,
    /// Whether all attempts on one hop are one finding.
    together: bool,
    /// By hop.
    chains: BTreeMap<HopIndex, Chain>,
}

/// Consecutive failed attempts.
struct Chain {
    began: Time,
    end: Time,
    cost: Span,
    /// Number of attempts at data.
    data: u32,
    /// Number of attempts at acknowledgments and messages.
    other: u32,
}

impl Chain {
    fn new(began: Time) -> Self {
        Chain { began, end: began, cost: Span::ZERO, data: 0, other: 0 }
    }
}

fn watch_bad_air() -> Option<Box<dyn Watch>> {
    Some(Box::new(FailedAttempts::new(AttemptFailure::Air, "failed on the channel of", false)))
}

impl FailedAttempts {
    pub fn new(why: AttemptFailure, words: &'static str, together: bool) -> Self {
        FailedAttempts { why, words, together, chains: BTreeMap::new() }
    }
}

fn report_failed_attempts(
    hop: HopIndex,
    chain: &Chain,
    words: &str,
    flow: &FlowObservation,
    out: &mut FindingCollector<'_>,
) {
    let tried = match (chain.data, chain.other) {
        (data, 0) => format!("{} at segments", format_noun_count(data, "attempt")),
        (0, other) => format!("{} at acknowledgments", format_noun_count(other, "attempt")),
        (data, other) => format!("{} at segments and {other} at acknowledgments", format_noun_count(data, "attempt")),
    };
    let link = flow.links.get(hop.link().index()).map_or("?", String::as_str);
    let text = format!("{tried} {words} link {link}: {}", format_span(chain.cost));
    out.report_finding(chain.began, chain.end, chain.cost, text);
}

impl Watch for FailedAttempts {
    fn observe(&mut self, _: Time, fact: &Fact, flow: &FlowObservation, out: &mut FindingCollector<'_>) {
        let Fact::Failed { hop, from, to, data, why, unbroken } = *fact else { return };
        if why != self.why {
            return;
        }
        out.report_lost_time(from, to, 1.0);
        let hop = hop.into();
        let chain = self.chains.entry(hop).or_insert(Chain::new(from));
        if chain.end != from && !unbroken && !self.together {
            let before = std::mem::replace(chain, Chain::new(from));
            report_failed_attempts(hop, &before, self.words, flow, out);
        }
        chain.end = to;
        chain.cost = chain.cost + to.since(from);
        chain.data += u32::from(data);
        chain.other += u32::from(!data);
    }

    fn end(&mut self, _: Time, flow: &FlowObservation, out: &mut FindingCollector<'_>) {
        self.chains.iter().for_each(|(hop, chain)| report_failed_attempts(*hop, chain, self.words, flow, out));
    }
}
