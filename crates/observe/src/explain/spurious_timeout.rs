//! Spurious timeouts.
//!
//! Definition: when the timer expires for a segment, an earlier transmission of it is in the network and reaches the
//! receiver, or an acknowledgment of it is in the network and reaches the sender. The finding is reported when this
//! happens; it is dropped when all of them are lost. RFC 3522 calls a timeout spurious in the same sense.
//!
//! Cost: C = sum over the segments that were retransmitted because of the expiry and delivered nothing new, of the
//! longest time for which each occupied a hop. The path could have carried new data in that time.
//!
//! Limits: ignores the reduction of the window by the expiry (`needless-cut` has it), and duplicates that arrive after
//! the flow is complete.

use engine::quantity::format_span;
use engine::{Span, Time};
use tcp::Reason;

use super::{CaptureParts, FindingCollector, ProblemKind, Watch, format_noun_count};
use observation::packet_in_flight::{PacketInFlight, PacketLoad};
use observation::{Fact, FlowObservation, SenderFact};

pub(super) const KIND: ProblemKind = ProblemKind {
    name: "spurious-timeout",
    summary: "the timer expired although the segment or its acknowledgment was in flight",
    avoidable: true,
    in_runs: true,
    in_captures: Some(CaptureParts::SENDER),
    watch: watch_spurious_timeouts,
};

#[derive(Default)]
struct SpuriousTimeout {
    /// Timeouts, oldest first. Only the last can still cause retransmissions.
    open: Vec<TimerExpiry>,
}

struct TimerExpiry {
    at: Time,
    seq: u64,
    /// First unsent byte at the expiry.
    end: u64,
    verdict: TimeoutVerdict,
    /// Transmissions that decide whether the timeout was spurious: earlier ones of the segment, and its
    /// acknowledgments.
    witnesses: Vec<u64>,
    /// Retransmissions caused by the timeout that are in the network.
    resent: Vec<u64>,
    duplicates: u32,
    /// Intervals in which duplicates occupied the path. They count as cost only once the timeout is known to be
    /// spurious.
    held: Vec<(Time, Time)>,
    cost: Span,
    last: Time,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TimeoutVerdict {
    Pending,
    /// The time when an earlier transmission reached the receiver, or an acknowledgment the sender.
    Spurious(Time),
    Needed,
}

fn watch_spurious_timeouts() -> Option<Box<dyn Watch>> {
    Some(Box::<SpuriousTimeout>::default())
}

impl TimerExpiry {
    fn at(at: Time, seq: u64, flow: &FlowObservation) -> Self {
        let decides = |sending: &&PacketInFlight| match sending.load {
            PacketLoad::Data { seq: first, len, .. } => first <= seq && seq < first + u64::from(len),
            PacketLoad::Ack { ack } => ack > seq,
            PacketLoad::Notice | PacketLoad::Control => false,
        };
        let witnesses: Vec<u64> = flow.packets.all().filter(decides).map(|sending| sending.id).collect();
        let verdict = if witnesses.is_empty() { TimeoutVerdict::Needed } else { TimeoutVerdict::Pending };
        let end = flow.sender.max;
        TimerExpiry {
            at,
            seq,
            end,
            verdict,
            witnesses,
            resent: vec![],
            duplicates: 0,
            held: vec![],
            cost: Span::ZERO,
            last: at,
        }
    }

    /// Handles a packet that has left the network, delivered or lost.
    fn on_packet_left(&mut self, at: Time, sending: &PacketInFlight, well: bool) {
        if let Some(witness) = self.witnesses.iter().position(|id| *id == sending.id) {
            self.witnesses.swap_remove(witness);
            if self.verdict == TimeoutVerdict::Pending {
                self.verdict = if well {
                    TimeoutVerdict::Spurious(at)
                } else if self.witnesses.is_empty() {
                    TimeoutVerdict::Needed
                } else {
                    TimeoutVerdict::Pending
                };
            }
        }
        if let Some(resent) = self.resent.iter().position(|id| *id == sending.id) {
            self.resent.swap_remove(resent);
        }
    }

    /// Adds the certain cost.
    fn charge_duplicates(&mut self, out: &mut FindingCollector<'_>) {
        if let TimeoutVerdict::Spurious(_) = self.verdict {
            for (from, to) in self.held.drain(..) {
                self.cost = self.cost + to.since(from);
                out.report_lost_time(from, to, 1.0);
            }
        }
    }

    fn report(self, out: &mut FindingCollector<'_>) {
        let TimeoutVerdict::Spurious(proven) = self.verdict else { return };
        let text = format!(
            "the timer expired for byte {} although its segment or an acknowledgment of it was in flight, and arrived \
            {} later; the needless retransmission of {} occupied the bottleneck for {}",
            self.seq,
            format_span(proven.since(self.at)),
            format_noun_count(self.duplicates, "segment"),
            format_span(self.cost)
        );
        out.report_finding(self.at, self.last.max(proven), self.cost, text);
    }
}

impl Watch for SpuriousTimeout {
    fn observe(&mut self, at: Time, fact: &Fact, flow: &FlowObservation, out: &mut FindingCollector<'_>) {
        match fact {
            Fact::Sender(SenderFact::TimerExpired { seq, .. }) => self.open.push(TimerExpiry::at(at, *seq, flow)),
            Fact::Sent(sending) => {
                if let (PacketLoad::Data { reason: Reason::Timeout, .. }, Some(last)) =
                    (sending.load, self.open.last_mut())
                {
                    last.resent.push(sending.id);
                }
                return;
            }
            Fact::Reached { packet: sending, news } => {
                for expiry in &mut self.open {
                    if !news && expiry.resent.contains(&sending.id) {
                        expiry.duplicates += 1;
                        expiry.held.push(sending.longest);
                        expiry.last = at;
                    }
                    expiry.on_packet_left(at, sending, true);
                }
            }
            Fact::Answered(sending) => self.open.iter_mut().for_each(|expiry| expiry.on_packet_left(at, sending, true)),
            Fact::Gone { packet: sending, .. } => {
                self.open.iter_mut().for_each(|expiry| expiry.on_packet_left(at, sending, false));
            }
            _ => {}
        }
        // Timeouts that were necessary, or whose retransmissions have all left the network, are complete. The last one
        // may still cause retransmissions, until all data sent before it is acknowledged.
        let newest = self.open.len().saturating_sub(1);
        for (number, mut expiry) in std::mem::take(&mut self.open).into_iter().enumerate() {
            expiry.charge_duplicates(out);
            let causes_more = number == newest && flow.sender.una < expiry.end;
            match expiry.verdict {
                TimeoutVerdict::Needed => {}
                TimeoutVerdict::Spurious(_) if !causes_more && expiry.resent.is_empty() => expiry.report(out),
                _ => self.open.push(expiry),
            }
        }
    }

    fn end(&mut self, _: Time, _: &FlowObservation, out: &mut FindingCollector<'_>) {
        self.open.drain(..).for_each(|expiry| expiry.report(out));
    }
}
