//! Waits for the air.
//!
//! Definition: attempts at packets of the flow, data and acknowledgments, that the channel spoilt: the frame or its link
//! acknowledgment was lost. On a link without link layer every packet lost is such an attempt. Attempts that follow each
//! other without a pause on one hop are one finding.
//!
//! Cost: C = sum of the times from the beginning of each such attempt to the beginning of the next, or to the moment the
//! link layer gave up; without link layer, and with one that sends others meanwhile, the time the packet took to send.
//!
//! This cost is the channel's: no sender could have avoided it, but by sending less while the air is BAD. It stands beside
//! the others to show what is left.
//!
//! Does not see: time in which the air was BAD and nothing of this flow was being sent; frames of other flows that
//! held a shared transmitter.

use std::collections::BTreeMap;

use engine::Time;

use super::flow::{Fact, Flow};
use super::hops::number;
use super::{Out, Watch, count, millis};

#[derive(Default)]
struct BadAir {
    /// By hop.
    chains: BTreeMap<usize, Chain>,
}

/// Attempts without a pause.
struct Chain {
    began: Time,
    end: Time,
    /// At data, and at acknowledgments and messages.
    data: u32,
    other: u32,
}

pub(super) fn watch() -> Box<dyn Watch> {
    Box::<BadAir>::default()
}

fn report(hop: usize, chain: &Chain, flow: &Flow, out: &mut Out<'_>) {
    let cost = chain.end.since(chain.began);
    let tried = match (chain.data, chain.other) {
        (data, 0) => format!("{} at segments", count(data, "attempt")),
        (0, other) => format!("{} at acknowledgments", count(other, "attempt")),
        (data, other) => format!("{} at segments and {other} at acknowledgments", count(data, "attempt")),
    };
    let link = flow.links.get(hop / 2).map_or("?", String::as_str);
    let text = format!("{tried} failed in the air of link {link}: {} ms", millis(cost));
    out.found(chain.began, chain.end, cost, text);
}

impl Watch for BadAir {
    fn hear(&mut self, _: Time, fact: &Fact, flow: &Flow, out: &mut Out<'_>) {
        let Fact::Failed { hop, from, to, data } = *fact else { return };
        out.lost(from, to, 1.0);
        let hop = number(hop);
        let chain = self.chains.entry(hop).or_insert(Chain { began: from, end: from, data: 0, other: 0 });
        if chain.end != from {
            let before = std::mem::replace(chain, Chain { began: from, end: from, data: 0, other: 0 });
            report(hop, &before, flow, out);
        }
        chain.end = to;
        chain.data += u32::from(data);
        chain.other += u32::from(!data);
    }

    fn end(&mut self, _: Time, flow: &Flow, out: &mut Out<'_>) {
        self.chains.iter().for_each(|(hop, chain)| report(*hop, chain, flow, out));
    }
}
