//! Waits for others in a cell.
//!
//! Definition: a packet of the flow, data or acknowledgment, is at a station of a medium that senses an exchange for
//! others: their packets, or a beacon. No exchange for the flow itself goes on in the medium. All of this is one
//! finding.
//!
//! Cost: C = the sum of these times, each from the first frame of the exchange that the station senses to the end of
//! its last one. Silence and back-offs between exchanges are not counted: they pass for all at once.
//!
//! This is not counted as avoidable: the air is shared. It says what part of the time the flow only waited for its
//! neighbours, which no sender, window or scheme of its own changes. What they sent in vain is part of it.
//!
//! Does not see: whether the packet would have been the next one but for them, or waited for the flow's own; that a
//! scheduler preferred them; queues of links that are no part of a medium.

use engine::{Span, Time};

use super::flow::{Fact, Flow};
use super::{Out, Watch, count, millis};

#[derive(Default)]
struct Contention {
    /// The first and the last moment.
    waited: Option<(Time, Time)>,
    exchanges: u32,
    cost: Span,
}

pub(super) fn watch() -> Box<dyn Watch> {
    Box::<Contention>::default()
}

impl Watch for Contention {
    fn observe(&mut self, _: Time, fact: &Fact, _: &Flow, out: &mut Out<'_>) {
        let Fact::Waited { from, to } = *fact else { return };
        out.lost(from, to, 1.0);
        let (began, _) = self.waited.unwrap_or((from, to));
        self.waited = Some((began, to));
        self.exchanges += 1;
        self.cost = self.cost + to.since(from);
    }

    fn end(&mut self, _: Time, _: &Flow, out: &mut Out<'_>) {
        let Some((from, to)) = self.waited else { return };
        let exchanges = count(self.exchanges, "exchange");
        let text =
            format!("packets waited in their cell while others used the air: {exchanges}, {} ms", millis(self.cost));
        out.found(from, to, self.cost, text);
    }
}
