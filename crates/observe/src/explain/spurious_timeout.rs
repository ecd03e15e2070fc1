//! Spurious timeouts.
//!
//! Definition: when the timer expires for a segment, an earlier sending of it is in the network and reaches the
//! receiver, or an acknowledgment of it is in the network and reaches the sender. The oracle waits for that, or for the
//! loss of all of them. RFC 3522 calls a timeout spurious in the same sense.
//!
//! Cost: C = sum over the segments that were sent again because of the expiry and brought the receiver nothing new, of the
//! time each held the hop it held longest. There the path could have carried new data.
//!
//! Does not see: the window that the expiry cut (`needless-cut` does); duplicates that come after the flow is complete.

use engine::{Span, Time};
use tcp::Reason;

use super::flow::{Fact, Flow};
use super::sending::{Load, Sending};
use super::{Out, Watch, count, millis};

#[derive(Default)]
struct SpuriousTimeout {
    /// Oldest first. Only the last can still have segments sent because of it.
    open: Vec<Expiry>,
}

struct Expiry {
    at: Time,
    seq: u64,
    /// First byte not sent at the expiry.
    end: u64,
    verdict: Verdict,
    /// Sendings that decide: earlier ones of the segment, and acknowledgments of it.
    witnesses: Vec<u64>,
    /// What was sent because of it and is in the network.
    resent: Vec<u64>,
    duplicates: u32,
    /// Where duplicates held the path, until it is certain that they were for nothing.
    held: Vec<(Time, Time)>,
    cost: Span,
    last: Time,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Pending,
    /// An earlier sending reached the receiver, or an acknowledgment the sender, at that time.
    Spurious(Time),
    Needed,
}

pub(super) fn watch() -> Box<dyn Watch> {
    Box::<SpuriousTimeout>::default()
}

impl Expiry {
    fn at(at: Time, seq: u64, flow: &Flow) -> Self {
        let decides = |sending: &&Sending| match sending.load {
            Load::Data { seq: first, len, .. } => first <= seq && seq < first + u64::from(len),
            Load::Ack { ack } => ack > seq,
            Load::Notice => false,
        };
        let witnesses: Vec<u64> = flow.in_network().filter(decides).map(|sending| sending.id).collect();
        let verdict = if witnesses.is_empty() { Verdict::Needed } else { Verdict::Pending };
        let end = flow.max;
        Expiry {
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

    /// A packet has left the network: well, or lost.
    fn left(&mut self, at: Time, sending: &Sending, well: bool) {
        if let Some(witness) = self.witnesses.iter().position(|id| *id == sending.id) {
            self.witnesses.swap_remove(witness);
            if self.verdict == Verdict::Pending {
                self.verdict = match well {
                    true => Verdict::Spurious(at),
                    false if self.witnesses.is_empty() => Verdict::Needed,
                    false => Verdict::Pending,
                };
            }
        }
        if let Some(resent) = self.resent.iter().position(|id| *id == sending.id) {
            self.resent.swap_remove(resent);
        }
    }

    /// Counts what is certain.
    fn count(&mut self, out: &mut Out<'_>) {
        if let Verdict::Spurious(_) = self.verdict {
            for (from, to) in self.held.drain(..) {
                self.cost = self.cost + to.since(from);
                out.lost(from, to, 1.0);
            }
        }
    }

    fn report(self, out: &mut Out<'_>) {
        let Verdict::Spurious(proven) = self.verdict else { return };
        let text = format!(
            "the timer expired for byte {} while it, or its acknowledgment, was on its way: it was there {} ms later; \
             {} sent for nothing held the slowest link for {} ms",
            self.seq,
            millis(proven.since(self.at)),
            count(self.duplicates, "segment"),
            millis(self.cost)
        );
        out.found(self.at, self.last.max(proven), self.cost, text);
    }
}

impl Watch for SpuriousTimeout {
    fn observe(&mut self, at: Time, fact: &Fact, flow: &Flow, out: &mut Out<'_>) {
        match fact {
            Fact::Tcp(tcp::Event::Timeout { seq, .. }) => self.open.push(Expiry::at(at, *seq, flow)),
            Fact::Sent(sending) => {
                if let (Load::Data { reason: Reason::Timeout, .. }, Some(last)) = (sending.load, self.open.last_mut()) {
                    last.resent.push(sending.id);
                }
                return;
            }
            Fact::Reached { sending, news } => {
                for expiry in &mut self.open {
                    if !news && expiry.resent.contains(&sending.id) {
                        expiry.duplicates += 1;
                        expiry.held.push(sending.longest);
                        expiry.last = at;
                    }
                    expiry.left(at, sending, true);
                }
            }
            Fact::Answered(sending) => self.open.iter_mut().for_each(|expiry| expiry.left(at, sending, true)),
            Fact::Gone(sending) => self.open.iter_mut().for_each(|expiry| expiry.left(at, sending, false)),
            _ => {}
        }
        // Where it is needed, or nothing that was sent because of it is left, there is no more to learn. The last one may
        // still cause more to be sent, until all that had been sent is acknowledged.
        let newest = self.open.len().saturating_sub(1);
        for (number, mut expiry) in std::mem::take(&mut self.open).into_iter().enumerate() {
            expiry.count(out);
            let causes_more = number == newest && flow.una < expiry.end;
            match expiry.verdict {
                Verdict::Needed => {}
                Verdict::Spurious(_) if !causes_more && expiry.resent.is_empty() => expiry.report(out),
                _ => self.open.push(expiry),
            }
        }
    }

    fn end(&mut self, _: Time, _: &Flow, out: &mut Out<'_>) {
        self.open.drain(..).for_each(|expiry| expiry.report(out));
    }
}
