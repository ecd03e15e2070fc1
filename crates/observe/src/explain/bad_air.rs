//! Waits for the air.
//!
//! Definition: attempts at packets of the flow, data and acknowledgments, that the channel spoilt: the frame or its
//! link acknowledgment was lost. On a link without link layer every packet lost is such an attempt. Attempts that
//! follow each other without a pause on one hop are one finding; in a medium, where others' exchanges can lie between,
//! those without one between that ended otherwise.
//!
//! Cost: C = sum of the times from the beginning of each such attempt to the beginning of the next, or to the moment
//! the link layer gave up; without link layer, and with one that sends others meanwhile, the time the packet took to
//! send. In a medium: of the times from the beginning of each to the end of the wait for its answer, with the silence
//! and the slots of the back-off behind it ([`cell`](super::cell)); of an aggregate of which something came, the part
//! of the frame that was damaged.
//!
//! This cost is the channel's: no sender could have avoided it, but by sending less while the air is BAD. It stands beside
//! the others to show what is left.
//!
//! Does not see: time in which the air was BAD and nothing of this flow was being sent; frames of other flows that
//! held a shared transmitter; that others in a medium used the slots of the back-off.

use std::collections::BTreeMap;

use engine::{Span, Time};

use super::cell::Why;
use super::flow::{Fact, Flow};
use super::hops::number;
use super::{Out, Watch, count, millis};

/// Attempts that failed for one reason.
pub(super) struct FailedAttempts {
    why: Why,
    /// What they did, and on which link, as the findings say it.
    words: &'static str,
    /// Whether all on one hop are one finding.
    together: bool,
    /// By hop.
    chains: BTreeMap<usize, Chain>,
}

/// Attempts without a pause.
struct Chain {
    began: Time,
    end: Time,
    cost: Span,
    /// At data, and at acknowledgments and messages.
    data: u32,
    other: u32,
}

impl Chain {
    fn new(began: Time) -> Self {
        Chain { began, end: began, cost: Span::ZERO, data: 0, other: 0 }
    }
}

pub(super) fn watch() -> Box<dyn Watch> {
    Box::new(FailedAttempts::new(Why::Air, "failed in the air of", false))
}

impl FailedAttempts {
    pub fn new(why: Why, words: &'static str, together: bool) -> Self {
        FailedAttempts { why, words, together, chains: BTreeMap::new() }
    }
}

fn report(hop: usize, chain: &Chain, words: &str, flow: &Flow, out: &mut Out<'_>) {
    let tried = match (chain.data, chain.other) {
        (data, 0) => format!("{} at segments", count(data, "attempt")),
        (0, other) => format!("{} at acknowledgments", count(other, "attempt")),
        (data, other) => format!("{} at segments and {other} at acknowledgments", count(data, "attempt")),
    };
    let link = flow.links.get(hop / 2).map_or("?", String::as_str);
    let text = format!("{tried} {words} link {link}: {} ms", millis(chain.cost));
    out.found(chain.began, chain.end, chain.cost, text);
}

impl Watch for FailedAttempts {
    fn observe(&mut self, _: Time, fact: &Fact, flow: &Flow, out: &mut Out<'_>) {
        let Fact::Failed { hop, from, to, data, why, unbroken } = *fact else { return };
        if why != self.why {
            return;
        }
        out.lost(from, to, 1.0);
        let hop = number(hop);
        let chain = self.chains.entry(hop).or_insert(Chain::new(from));
        if chain.end != from && !unbroken && !self.together {
            let before = std::mem::replace(chain, Chain::new(from));
            report(hop, &before, self.words, flow, out);
        }
        chain.end = to;
        chain.cost = chain.cost + to.since(from);
        chain.data += u32::from(data);
        chain.other += u32::from(!data);
    }

    fn end(&mut self, _: Time, flow: &Flow, out: &mut Out<'_>) {
        self.chains.iter().for_each(|(hop, chain)| report(*hop, chain, self.words, flow, out));
    }
}
