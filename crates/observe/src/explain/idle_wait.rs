//! Idle waits for the retransmission timer.
//!
//! Definition: the timer expires when no packet of the flow is in the network: no segment, acknowledgment or message.
//! No further information can reach the sender before the expiry.
//!
//! Cost: C = t_expiry - t_empty, where t_empty is when the last packet of the flow arrived or was lost.
//!
//! Limits: ignores waits with packets in flight that cannot end them, such as too few duplicates for a fast retransmit
//! (only the part after the last one counts), and waits for a link layer that is still retrying, which are due to the
//! channel (`bad-air`).

use engine::Time;
use engine::quantity::format_span;

use super::{CaptureParts, FindingCollector, ProblemKind, Watch};
use observation::{Fact, FlowObservation, SenderFact};

pub(super) const KIND: ProblemKind = ProblemKind {
    name: "idle-wait",
    summary: "the network was empty, and the sender waited for its timer",
    avoidable: true,
    in_runs: true,
    in_captures: Some(CaptureParts::SENDER),
    watch: watch_idle_waits,
};

struct IdleWait;

fn watch_idle_waits() -> Option<Box<dyn Watch>> {
    Some(Box::new(IdleWait))
}

impl Watch for IdleWait {
    fn observe(&mut self, at: Time, fact: &Fact, flow: &FlowObservation, out: &mut FindingCollector<'_>) {
        let Fact::Sender(SenderFact::TimerExpired { seq, nth }) = *fact else { return };
        let Some(since) = flow.packets.empty_since() else { return };
        let cost = at.since(since);
        out.report_lost_time(since, at, 1.0);
        let lost = match flow.losses.lost_on_air(seq) {
            Some(lost) => format!(" (lost on the channel at {:.3} s)", lost.as_secs_f64()),
            None => String::new(),
        };
        let again = if nth > 1 { format!(", consecutive expiry {nth}") } else { String::new() };
        let text = format!(
            "the network was empty; the sender waited {} for the timer to retransmit byte {seq}{lost}{again}",
            format_span(cost)
        );
        out.report_finding(since, at, cost, text);
    }
}
