//! Several timeouts for one window of data.
//!
//! Definition: the timer expires again before all data sent before the first expiry is acknowledged.
//!
//! Cost: C = sum over the expiries k after the first of (t_k - a_k), where a_k is when the sender last sent or received
//! something before t_k. The first wait is the cost of one loss; the others are the cost of detecting losses one at a
//! time, or of a retransmission that was lost again.
//!
//! Limits: whether the later expiries were spurious is shown by `spurious-timeout`, not here.

use engine::quantity::format_span;
use engine::{Span, Time};

use super::{CaptureParts, FindingCollector, ProblemKind, Watch};
use observation::{Fact, FlowObservation, SenderFact};

pub(super) const KIND: ProblemKind = ProblemKind {
    name: "repeated-timeout",
    summary: "the timer expired more than once for one window of data",
    avoidable: true,
    in_runs: true,
    in_captures: Some(CaptureParts::SENDER),
    watch: watch_repeated_timeouts,
};

#[derive(Default)]
struct RepeatedTimeout {
    window: Option<TimeoutWindow>,
}

/// A window of data for which the timer has expired.
struct TimeoutWindow {
    /// First unacknowledged byte at the first expiry.
    first: u64,
    /// First unsent byte at the first expiry.
    end: u64,
    began: Time,
    last: Time,
    waits: Vec<Span>,
}

fn watch_repeated_timeouts() -> Option<Box<dyn Watch>> {
    Some(Box::<RepeatedTimeout>::default())
}

impl RepeatedTimeout {
    fn close(&mut self, out: &mut FindingCollector<'_>) {
        let Some(window) = self.window.take().filter(|window| window.waits.len() > 1) else { return };
        let cost = window.waits[1..].iter().fold(Span::ZERO, |sum, wait| sum + *wait);
        let waits: Vec<String> = window.waits.iter().map(|wait| format_span(*wait)).collect();
        let text = format!(
            "the timer expired {} times for bytes {} to {}: the sender was idle before them for {}",
            waits.len(),
            window.first,
            window.end.saturating_sub(1),
            waits.join(" and ")
        );
        out.report_finding(window.began, window.last, cost, text);
    }
}

impl Watch for RepeatedTimeout {
    fn observe(&mut self, at: Time, fact: &Fact, flow: &FlowObservation, out: &mut FindingCollector<'_>) {
        match fact {
            Fact::Sender(SenderFact::TimerExpired { seq, .. }) => {
                let silent = flow.sender.acted;
                match &mut self.window {
                    Some(window) => {
                        window.waits.push(at.since(silent));
                        window.last = at;
                        out.report_lost_time(silent, at, 1.0);
                    }
                    None => {
                        let waits = vec![at.since(silent)];
                        self.window =
                            Some(TimeoutWindow { first: *seq, end: flow.sender.max, began: at, last: at, waits });
                    }
                }
            }
            Fact::Sender(SenderFact::Acked { .. })
                if self.window.as_ref().is_some_and(|w| flow.sender.una >= w.end) =>
            {
                self.close(out);
            }
            _ => {}
        }
    }

    fn end(&mut self, _: Time, _: &FlowObservation, out: &mut FindingCollector<'_>) {
        self.close(out);
    }
}
