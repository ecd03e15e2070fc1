//! Common part of the schemes that reduce the number of acknowledgments sent over a radio link: acknowledgments that a
//! later one supersedes are dropped.
//!
//! A *plain* acknowledgment has no data, no SACK blocks and no flags but ACK and PSH, acknowledges more than the
//! previous one, and leaves the window open. It either passes or is held. The next plain acknowledgment supersedes a
//! held one, since it contains the same information; without a next one, the held one is sent after a delay. All other
//! packets pass at once: duplicates, SACK, ECN-Echo, windows that open or close, data. A held acknowledgment is sent
//! before them, unless they acknowledge more.

use engine::Time;
use wire::{Flags, Packet, Segment, SeqNum};

use super::flow_table::{FlowKey, MAX_FLOWS, TimedFlows};
use super::{Agent, AgentCx, AgentVerdict, Effect, SchemeAction};

/// Actions that pictures mark.
pub(super) const ACTIONS: &[SchemeAction] = &[
    SchemeAction { event: "acks_delayed", label: "held ACK sent", effect: Effect::Releases },
    SchemeAction { event: "acks_dropped", label: "ACK dropped", effect: Effect::DropsAck },
];

/// Progress of a flow since the last acknowledgment that passed.
pub(super) struct AckProgress {
    /// Time at which the last acknowledgment passed.
    pub passed: Time,
    /// Number of plain acknowledgments since then.
    pub waiting: u32,
    /// Bytes that they acknowledge.
    pub bytes: u32,
    /// Arrival time of the first acknowledgment held.
    pub since: Time,
}

/// Rule for the times at which acknowledgments pass.
pub(super) trait Pace: Send {
    /// Returns true if the latest plain acknowledgment may pass now.
    fn passes(&self, progress: &AckProgress, now: Time) -> bool;
    /// Returns the time at which a held acknowledgment is sent if no other arrives.
    fn due(&self, progress: &AckProgress) -> Time;
}

/// An agent that thins acknowledgments by the rule `P`.
pub(super) struct Thinning<P> {
    pace: P,
    flows: TimedFlows<ThinnedFlow>,
    dropped: u64,
    delayed: u64,
}

/// Size of a flow's state in bytes, as reported in the counters.
const FLOW_BYTES: u64 = 148;

struct ThinnedFlow {
    /// Highest acknowledgment number seen, held or passed.
    ack: SeqNum,
    /// Window advertised with the highest acknowledgment number.
    window: u32,
    /// Highest acknowledgment number that has passed.
    said: SeqNum,
    progress: AckProgress,
    kept: Option<Packet>,
}

impl ThinnedFlow {
    fn new(segment: &Segment, now: Time) -> Self {
        ThinnedFlow {
            ack: segment.ack,
            window: segment.window,
            said: segment.ack,
            progress: AckProgress { passed: now, waiting: 0, bytes: 0, since: now },
            kept: None,
        }
    }

    /// Resets the progress when the latest acknowledgment passes.
    fn pass(&mut self, now: Time) {
        self.said = self.ack;
        self.progress = AckProgress { passed: now, waiting: 0, bytes: 0, since: now };
    }
}

impl<P: Pace> Thinning<P> {
    pub fn new(pace: P) -> Self {
        Thinning { pace, flows: TimedFlows::new(MAX_FLOWS), dropped: 0, delayed: 0 }
    }

    /// Processes a plain acknowledgment: it passes or is held.
    fn advance(&mut self, flow: FlowKey, packet: &Packet, segment: &Segment, cx: &mut AgentCx<'_>) -> AgentVerdict {
        let now = cx.now;
        let Some(known) = self.flows.peek(&flow) else { return AgentVerdict::Pass };
        if let Some(superseded) = known.kept.take() {
            self.dropped += 1;
            cx.emit("acks_dropped", 1.0, Some(&superseded));
        }
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
            AgentVerdict::Pass
        } else {
            known.kept = Some(*packet);
            AgentVerdict::Take
        };
        self.flows.wake_at(&flow, due);
        verdict
    }

    /// Processes any other acknowledgment. A held acknowledgment is dropped if this acknowledgment covers more data.
    /// Otherwise the held one is sent first.
    fn interrupt(&mut self, flow: FlowKey, packet: &Packet, segment: &Segment, cx: &mut AgentCx<'_>) -> AgentVerdict {
        self.flows.wake_at(&flow, Time::NEVER);
        let Some(known) = self.flows.peek(&flow) else { return AgentVerdict::Pass };
        let ahead = segment.ack.since(known.ack);
        let (kept, more) = (known.kept.take(), ahead > 0);
        if ahead >= 0 {
            (known.ack, known.window) = (segment.ack, segment.window);
        }
        known.pass(cx.now);
        match kept {
            Some(kept) if !more => {
                self.release(Some(kept), cx);
                cx.send(*packet);
                AgentVerdict::Take
            }
            Some(superseded) => {
                self.dropped += 1;
                cx.emit("acks_dropped", 1.0, Some(&superseded));
                AgentVerdict::Pass
            }
            None => AgentVerdict::Pass,
        }
    }

    /// Processes a SYN or RST, after which the flow's sequence numbers are invalid. A held acknowledgment is sent
    /// before it.
    fn end_flow(&mut self, flow: FlowKey, packet: &Packet, cx: &mut AgentCx<'_>) -> AgentVerdict {
        let kept = self.flows.remove(&flow).and_then(|known| known.kept);
        if kept.is_none() {
            return AgentVerdict::Pass;
        }
        self.release(kept, cx);
        cx.send(*packet);
        AgentVerdict::Take
    }

    fn release(&mut self, kept: Option<Packet>, cx: &mut AgentCx<'_>) {
        if let Some(packet) = kept {
            self.delayed += 1;
            cx.emit("acks_delayed", 1.0, Some(&packet));
            cx.send(packet);
        }
    }
}

/// Returns true if a segment has no other information than the acknowledgment of more data.
fn is_plain(segment: &Segment) -> bool {
    let flags = segment.flags.0 & !Flags::PSH.0;
    segment.len == 0 && flags == Flags::ACK.0 && segment.options.sack.is_empty() && segment.window > 0
}

impl<P: Pace> Agent for Thinning<P> {
    fn before_air(&mut self, packet: &mut Packet, cx: &mut AgentCx<'_>) -> AgentVerdict {
        let Some((flow, segment)) = FlowKey::of(packet) else { return AgentVerdict::Pass };
        if segment.flags.has(Flags::SYN) || segment.flags.has(Flags::RST) {
            return self.end_flow(flow, packet, cx);
        }
        if !segment.flags.has(Flags::ACK) {
            return AgentVerdict::Pass;
        }
        let Some(known) = self.flows.get(&flow) else {
            if let Some((_, known)) = self.flows.insert(flow, ThinnedFlow::new(segment, cx.now)) {
                self.release(known.kept, cx);
            }
            return AgentVerdict::Pass;
        };
        if is_plain(segment) && segment.ack.since(known.ack) > 0 && known.window > 0 {
            return self.advance(flow, packet, segment, cx);
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
