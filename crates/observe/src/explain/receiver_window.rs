//! Limits by the receive window.
//!
//! Definition: the sender has new data; the data in flight fills the receive window; cwnd is at least as large in whole
//! segments (Reno stops growing there, so equal windows count as the receiver's limit); no lost segment holds the left
//! edge of the window; and the slowest hop has nothing of this flow to send. The time from the first such moment until
//! cwnd is the smaller window is one finding.
//!
//! Cost: C = the sum of these times. In a steady state without loss each round trip R costs R - n c, where n is the
//! number of segments in the window and c the time the slowest hop takes for each.
//!
//! In a shared medium the slowest hop has something to send while any of its stations has, and c is the time of the
//! exchanges of a segment and of its acknowledgment; idle time of the medium is defined by [`cell`](super::cell). A
//! larger window gains this time, or slightly more, because backlogged stations count their back-offs simultaneously.
//!
//! Limits: ignores other flows on links: if they keep the slowest hop busy, a larger window gains less. Several flows
//! of a medium each count the same idle time, which only one of them can use. A larger window may also take airtime
//! from others. A window that is full only because a hole is being repaired is counted by `window-behind-hole`.

use engine::quantity::format_span;
use engine::{Span, Time};

use super::{CaptureParts, FindingCollector, ProblemKind, Watch};
use observation::flow::SlowestIdle;
use observation::{Fact, FlowObservation};

pub(super) const KIND: ProblemKind = ProblemKind {
    name: "receiver-window",
    summary: "the receive window blocked the sender while the bottleneck was idle",
    avoidable: true,
    in_runs: true,
    in_captures: Some(CaptureParts::SYN),
    watch: watch_receiver_window,
};

/// The receive window limits the sender: in the steady state, or behind a hole under repair.
pub(super) struct FullWindow {
    behind_hole: bool,
    /// Time at which the receive window became the limit, and the time lost since then.
    stretch: Option<(Time, Span)>,
    /// Limited, with the idle time of the slowest hop at that moment.
    idle: Option<(Time, SlowestIdle)>,
}

fn watch_receiver_window() -> Option<Box<dyn Watch>> {
    Some(Box::new(FullWindow::new(false)))
}

/// Whether the sender has new data that only the receive window blocks.
fn is_receive_window_full(flow: &FlowObservation) -> bool {
    let rest = flow.bytes.map_or(u64::MAX, |bytes| bytes.saturating_sub(flow.sender.max));
    let next = rest.min(u64::from(flow.segment));
    next > 0 && flow.granted_window().value().is_some_and(|window| flow.sender.max + next > flow.sender.una + window)
}

/// Whether cwnd permits all whole segments of the receive window.
fn is_receive_window_binding(flow: &FlowObservation) -> bool {
    let segment = u64::from(flow.segment).max(1);
    let both = flow.sender.cwnd.value().zip(flow.granted_window().value());
    both.is_some_and(|(cwnd, window)| cwnd >= (window - window % segment) as f64)
}

impl FullWindow {
    pub fn new(behind_hole: bool) -> Self {
        FullWindow { behind_hole, stretch: None, idle: None }
    }

    /// Whether the window blocks the sender in the way detected by this kind.
    fn limits(&self, flow: &FlowObservation) -> bool {
        is_receive_window_full(flow)
            && is_receive_window_binding(flow)
            && !flow.has_hole()
            && self.behind_hole == flow.is_repairing_hole()
    }

    /// Whether the limit may persist: behind a hole until the hole is repaired, otherwise until cwnd is the smaller
    /// window.
    fn may_limit(&self, flow: &FlowObservation) -> bool {
        is_receive_window_binding(flow) && (!self.behind_hole || flow.has_hole() || flow.is_repairing_hole())
    }

    /// Adds the time until now.
    fn pass(&mut self, at: Time, flow: &FlowObservation, out: &mut FindingCollector<'_>) {
        let (Some((_, cost)), Some((seen, idle))) = (&mut self.stretch, self.idle) else { return };
        match (idle, flow.slowest_idle()) {
            (SlowestIdle::From(idle_from), _) => {
                let from = seen.max(idle_from);
                *cost = *cost + at.since(from);
                out.report_lost_time(from, at, 1.0);
            }
            // The distribution of the medium's idle time within this interval is ignored.
            (SlowestIdle::Cell(medium, before), Some(SlowestIdle::Cell(same, now))) if medium == same && seen < at => {
                let idle = now - before;
                *cost = *cost + idle;
                out.report_lost_time(seen, at, idle.as_secs_f64() / at.since(seen).as_secs_f64());
            }
            (SlowestIdle::Cell(..), _) => {}
        }
    }

    fn close(&mut self, at: Time, flow: &FlowObservation, out: &mut FindingCollector<'_>) {
        self.idle = None;
        let Some(((began, cost), window)) = self.stretch.take().zip(flow.granted_window().value()) else { return };
        let what = if self.behind_hole {
            "was full of data behind a hole".to_owned()
        } else {
            let pipe = flow.pipe().map_or(String::new(), |pipe| format!(" (the bandwidth-delay product is {pipe:.0})"));
            format!("blocked the sender{pipe}")
        };
        let text = format!(
            "the receive window of {window} bytes {what}; meanwhile {} was idle for {}{}",
            if flow.slowest_is_cell() { "the cell of the bottleneck" } else { "the bottleneck" },
            if flow.slowest_is_known() { "" } else { "at most " },
            format_span(cost)
        );
        out.report_finding(began, at, cost, text);
    }
}

impl Watch for FullWindow {
    fn observe(&mut self, at: Time, _: &Fact, flow: &FlowObservation, out: &mut FindingCollector<'_>) {
        self.pass(at, flow, out);
        if !self.may_limit(flow) {
            self.close(at, flow, out);
            return;
        }
        self.idle = None;
        if self.limits(flow) {
            self.stretch.get_or_insert((at, Span::ZERO));
            self.idle = flow.slowest_idle().map(|idle| (at, idle));
        }
    }

    fn end(&mut self, at: Time, flow: &FlowObservation, out: &mut FindingCollector<'_>) {
        self.pass(at, flow, out);
        self.close(at, flow, out);
    }
}
