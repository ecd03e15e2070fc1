//! What the schemes share that let fewer acknowledgments into the air: of acknowledgments that only advance, those that
//! are superseded soon are dropped.
//!
//! Before the air a *plain* acknowledgment, one without data, SACK blocks or flags but ACK and PSH that acknowledges more than
//! the one before and leaves the window open, either passes or is kept. The next one takes its place, and says all that it said; if none comes
//! soon, the one that is kept leaves. Whatever else comes passes at once: duplicates, SACK, ECN-Echo, windows that open or
//! close, data. What was kept goes before it, unless that says more.

use engine::Time;
use wire::{Flags, Packet, Segment, SeqNum};

use super::flow_table::{Flow, MOST_FLOWS, TimedFlows};
use super::{Agent, AgentCx, Verdict};

/// What counts when an acknowledgment may pass.
pub(super) struct Progress {
    /// When one passed last.
    pub passed: Time,
    /// Plain ones since.
    pub waiting: u32,
    /// Bytes they acknowledge.
    pub bytes: u32,
    /// When the first of them came.
    pub since: Time,
}

/// When acknowledgments pass.
pub(super) trait Pace: Send {
    /// Whether the newest may pass now.
    fn passes(&self, progress: &Progress, now: Time) -> bool;
    /// When it leaves if nothing more comes.
    fn due(&self, progress: &Progress) -> Time;
}

/// An agent that thins acknowledgments.
pub(super) struct Thinning<P> {
    pace: P,
    flows: TimedFlows<Known>,
    dropped: u64,
    delayed: u64,
}

/// What a flow costs, as it is counted.
const FLOW_BYTES: u64 = 148;

struct Known {
    /// The most that has been acknowledged, here or further on, and the window with it.
    ack: SeqNum,
    window: u32,
    /// What has passed of it.
    said: SeqNum,
    progress: Progress,
    kept: Option<Packet>,
}

impl Known {
    fn new(segment: &Segment, now: Time) -> Self {
        Known {
            ack: segment.ack,
            window: segment.window,
            said: segment.ack,
            progress: Progress { passed: now, waiting: 0, bytes: 0, since: now },
            kept: None,
        }
    }

    /// The newest goes on now.
    fn pass(&mut self, now: Time) {
        self.said = self.ack;
        self.progress = Progress { passed: now, waiting: 0, bytes: 0, since: now };
    }
}

impl<P: Pace> Thinning<P> {
    pub fn new(pace: P) -> Self {
        Thinning { pace, flows: TimedFlows::new(MOST_FLOWS), dropped: 0, delayed: 0 }
    }

    /// A plain acknowledgment: it passes, or is kept.
    fn advance(&mut self, flow: Flow, packet: &Packet, segment: &Segment, now: Time) -> Verdict {
        let Some(known) = self.flows.peek(&flow) else { return Verdict::Pass };
        let superseded = known.kept.take().is_some();
        self.dropped += u64::from(superseded);
        let progress = &mut known.progress;
        if progress.waiting == 0 {
            progress.since = now;
        }
        progress.waiting += 1;
        (known.ack, known.window) = (segment.ack, segment.window);
        progress.bytes = segment.ack.since(known.said).unsigned_abs();
        let passes = self.pace.passes(progress, now);
        let due = if passes { Time::NEVER } else { self.pace.due(progress) };
        let verdict = if passes {
            known.pass(now);
            Verdict::Pass
        } else {
            known.kept = Some(*packet);
            Verdict::Take
        };
        self.flows.wake_at(&flow, due);
        verdict
    }

    /// Anything else that acknowledges: what is kept goes before it, unless it says more itself.
    fn interrupt(&mut self, flow: Flow, packet: &Packet, segment: &Segment, cx: &mut AgentCx<'_>) -> Verdict {
        self.flows.wake_at(&flow, Time::NEVER);
        let Some(known) = self.flows.peek(&flow) else { return Verdict::Pass };
        let ahead = segment.ack.since(known.ack);
        let (kept, more) = (known.kept.take(), ahead > 0);
        if ahead >= 0 {
            (known.ack, known.window) = (segment.ack, segment.window);
        }
        known.pass(cx.now);
        match kept {
            Some(kept) if !more => {
                self.delayed += 1;
                cx.send(kept);
                cx.send(*packet);
                Verdict::Take
            }
            kept => {
                self.dropped += u64::from(kept.is_some());
                Verdict::Pass
            }
        }
    }

    /// Another connection begins with the same ports, or this one is reset: what is kept goes before that, and numbers mean nothing
    /// any more.
    fn over(&mut self, flow: Flow, packet: &Packet, cx: &mut AgentCx<'_>) -> Verdict {
        let kept = self.flows.remove(&flow).and_then(|known| known.kept);
        if kept.is_none() {
            return Verdict::Pass;
        }
        self.release(kept, cx);
        cx.send(*packet);
        Verdict::Take
    }

    fn release(&mut self, kept: Option<Packet>, cx: &mut AgentCx<'_>) {
        if let Some(packet) = kept {
            self.delayed += 1;
            cx.send(packet);
        }
    }
}

/// Whether a segment says nothing but that more has come.
fn is_plain(segment: &Segment) -> bool {
    let flags = segment.flags.0 & !Flags::PSH.0;
    segment.len == 0 && flags == Flags::ACK.0 && segment.options.sack.is_empty() && segment.window > 0
}

impl<P: Pace> Agent for Thinning<P> {
    fn before_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> Verdict {
        let Some((flow, segment)) = Flow::of(packet) else { return Verdict::Pass };
        if segment.flags.has(Flags::SYN) || segment.flags.has(Flags::RST) {
            return self.over(flow, packet, cx);
        }
        if !segment.flags.has(Flags::ACK) {
            return Verdict::Pass;
        }
        let Some(known) = self.flows.get(&flow) else {
            if let Some((_, known)) = self.flows.insert(flow, Known::new(segment, cx.now)) {
                self.release(known.kept, cx);
            }
            return Verdict::Pass;
        };
        if is_plain(segment) && segment.ack.since(known.ack) > 0 && known.window > 0 {
            return self.advance(flow, packet, segment, cx.now);
        }
        self.interrupt(flow, packet, segment, cx)
    }

    fn deadline(&self) -> Time {
        self.flows.deadline()
    }

    fn on_wake(&mut self, cx: &mut AgentCx<'_>) {
        while let Some(flow) = self.flows.pop_due(cx.now) {
            let Some(known) = self.flows.peek(&flow) else { continue };
            known.pass(cx.now);
            let kept = known.kept.take();
            self.release(kept, cx);
        }
    }

    fn counters(&self) -> Vec<(&'static str, u64)> {
        let own = [("acks_dropped", self.dropped), ("acks_delayed", self.delayed)];
        own.into_iter().chain(self.flows.counters(FLOW_BYTES)).collect()
    }
}
