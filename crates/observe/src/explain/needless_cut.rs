//! Reductions of the window without congestion.
//!
//! Definition: a timeout or a fast retransmit reduces the usable window, although no queue dropped or marked a packet
//! of the flow, and no node's buffer dropped one, since the first unacknowledged segment was first sent. Any loss was
//! on the channel, or nothing was lost.
//!
//! The usable window is w = min(cwnd, receive window), in recovery without its inflation: after a fast retransmit this
//! is ssthresh, after a notified loss the window before it. The bandwidth-delay product is P = R B, with R the min RTT
//! and B the rate of the slowest hop; a window beyond P gains nothing. A reduction from w_0 is recovered when w is
//! min(w_0, P) = W again.
//!
//! Cost, an estimate: C = integral over that time of (W - w) / W dt. A window w < P sends w per round trip, so (W - w)
//! / W is the missing share of the former rate. If a second reduction follows before the first is recovered, each is
//! charged for its own range: the second from its w_0 down, the first for the part above. Reductions by congestion,
//! including reactions to marks, have ranges too, but are not reported.
//!
//! A capture does not show what a queue dropped: in a capture each reduction counts, as the kind `window-cut`, with the
//! data in flight as w.
//!
//! Limits: ignores whether the sender would have been idle anyway (while it waits for its timer this overlaps with
//! `idle-wait`), the longer round trip when packets queue, congestion that causes delay without drops or marks, other
//! flows, and proportional reactions to marks (DCTCP), whose reduction is charged to the previous one.

use engine::quantity::format_span;
use engine::{Span, Time};

use super::{CaptureParts, FindingCollector, ProblemKind, Watch};
use observation::{Fact, FlowObservation, SenderFact};

pub(super) const NEEDLESS_CUT: ProblemKind = ProblemKind {
    name: "needless-cut",
    summary: "the usable window was reduced although no queue had dropped or marked a packet",
    avoidable: true,
    in_runs: true,
    in_captures: None,
    watch: watch_needless_cuts,
};

/// The kind that replaces `needless-cut` in captures, which do not show whether a queue had dropped a packet.
pub(super) const WINDOW_CUT: ProblemKind = ProblemKind {
    name: "window-cut",
    summary: "a loss or a timeout reduced the usable window below the bandwidth-delay product",
    avoidable: true,
    in_runs: false,
    in_captures: Some(CaptureParts::SENDER),
    watch: watch_all_cuts,
};

#[derive(Default)]
struct NeedlessCut {
    /// Whether reductions by congestion are reported as well.
    any: bool,
    /// The usable window; 0 before the first event that shows it.
    window: f64,
    /// The last event that may reduce the window; the event with the new window follows it.
    cause: Option<CutCause>,
    /// Reductions not yet recovered, by descending `whole`.
    open: Vec<WindowCut>,
    counted: Time,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CutCause {
    Timeout,
    FastRetransmit,
    /// A mark to which the sender reacts.
    Mark,
}

struct WindowCut {
    at: Time,
    cause: CutCause,
    needless: bool,
    /// Window before the reduction.
    before: f64,
    /// Window after the reduction.
    after: f64,
    /// Window W of the equation in the header.
    whole: f64,
    nanos: f64,
}

fn watch_needless_cuts() -> Option<Box<dyn Watch>> {
    Some(Box::<NeedlessCut>::default())
}

/// Any reduction of the window.
fn watch_all_cuts() -> Option<Box<dyn Watch>> {
    Some(Box::new(NeedlessCut { any: true, ..NeedlessCut::default() }))
}

impl NeedlessCut {
    /// Integrates up to now with the current window.
    fn pass(&mut self, at: Time, out: &mut FindingCollector<'_>) {
        let from = std::mem::replace(&mut self.counted, at);
        let Some(whole) = self.open.first().map(|cut| cut.whole) else { return };
        let mut needless = 0.0;
        for number in 0..self.open.len() {
            let floor = self.open.get(number + 1).map_or(0.0, |next| next.whole).max(self.window);
            let cut = &mut self.open[number];
            let share = (cut.whole - floor).max(0.0) / whole;
            cut.nanos += share * at.since(from).as_nanos() as f64;
            needless += if cut.needless { share } else { 0.0 };
        }
        out.report_lost_time(from, at, needless);
    }

    fn follow_window(&mut self, at: Time, flow: &FlowObservation, out: &mut FindingCollector<'_>) {
        let cause = self.cause.take();
        // In fast recovery the reported window includes its inflation.
        let recovers = flow.sender.in_fast_recovery.value() == Some(true);
        let usable = match (recovers, cause) {
            (true, None) => return,
            (true, Some(_)) => flow.sender.ssthresh,
            (false, _) => flow.sender.cwnd,
        };
        let Some(usable) = usable.value() else { return };
        let usable = flow.granted_window().value().map_or(usable, |window| usable.min(window as f64));
        let before = std::mem::replace(&mut self.window, usable);
        if let Some(cause) = cause.filter(|_| self.window < before) {
            let whole = flow.pipe().map_or(before, |pipe| pipe.min(before));
            let met = |full| flow.sender.oldest_sent().is_some_and(|sent| full >= sent);
            let congested = cause == CutCause::Mark || flow.congested_at.is_some_and(met);
            // A reduction that does not go below the lower end of the previous one is inside the range of the previous
            // one.
            let whole = self.open.last().map_or(whole, |last| whole.min(last.whole));
            self.open.push(WindowCut {
                at,
                cause,
                needless: self.any || !congested,
                before,
                after: self.window,
                whole,
                nanos: 0.0,
            });
        }
        while let Some(cut) = self.open.pop_if(|cut| self.window >= cut.whole) {
            self.report_cut(&cut, at, true, flow, out);
        }
    }

    /// Reports a reduction whose window is restored (`regrown`), or of which the flow's end is reached.
    fn report_cut(
        &self,
        cut: &WindowCut,
        at: Time,
        regrown: bool,
        flow: &FlowObservation,
        out: &mut FindingCollector<'_>,
    ) {
        if !cut.needless {
            return;
        }
        let cost = Span::from_nanos(cut.nanos.round() as u64);
        let segments = |bytes: f64| format!("{:.1}", bytes / f64::from(flow.segment.max(1)));
        let took = format_span(at.since(cut.at));
        let how = if regrown {
            format!("the window recovered after {took}")
        } else {
            format!("the window did not recover in the remaining {took}")
        };
        let cause = match cut.cause {
            CutCause::Timeout => "timeout",
            CutCause::FastRetransmit => "fast retransmit",
            CutCause::Mark => "mark",
        };
        let holds = match flow.pipe() {
            _ if !self.any => " although no queue had dropped or marked a packet".to_owned(),
            Some(pipe) => format!(", while the path holds {}", segments(pipe)),
            None => String::new(),
        };
        let text = format!(
            "a {cause} reduced the usable window from {} to {} segments{holds}; {how}; lost time: about {}",
            segments(cut.before),
            segments(cut.after),
            format_span(cost)
        );
        out.report_finding(cut.at, at, cost, text);
    }
}

impl Watch for NeedlessCut {
    fn observe(&mut self, at: Time, fact: &Fact, flow: &FlowObservation, out: &mut FindingCollector<'_>) {
        let Fact::Sender(fact) = fact else { return };
        self.pass(at, out);
        match *fact {
            SenderFact::WindowChanged => self.follow_window(at, flow, out),
            SenderFact::TimerExpired { .. } => self.cause = Some(CutCause::Timeout),
            // After an expiry without a reduction no window event follows, and the next window event has another cause.
            SenderFact::Acked { .. } if self.cause == Some(CutCause::Timeout) => self.cause = None,
            SenderFact::FastRetransmit { .. } => self.cause = Some(CutCause::FastRetransmit),
            SenderFact::MarkAnswered => self.cause = Some(CutCause::Mark),
            _ => {}
        }
    }

    fn end(&mut self, at: Time, flow: &FlowObservation, out: &mut FindingCollector<'_>) {
        self.pass(at, out);
        for cut in std::mem::take(&mut self.open) {
            self.report_cut(&cut, at, false, flow, out);
        }
    }
}
