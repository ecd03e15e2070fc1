//! Limits by the receiver's window.
//!
//! Definition: the sender has data that it never sent; what is in flight fills the receiver's window; the congestion
//! window is at least as large (Reno's here stops growing there, so equal windows are the receiver's limit); no lost
//! segment holds the window's edge; and the slowest hop has nothing of this flow to send. The time from the first such
//! moment until the congestion window is the smaller one is one finding.
//!
//! Cost: C = the sum of these times. In a steady state without loss each round trip R costs R - n c, where n is the
//! number of segments in the window and c the time the slowest hop takes for each.
//!
//! In a shared medium the slowest hop has something to send while any station of it has, and c is what the exchanges of
//! a segment and of its acknowledgment take: the medium is idle only as [`cell`](super::cell) says it. A larger window
//! wins that much, or somewhat more, because stations that both have something to send count their back-offs at the
//! same time.
//!
//! Does not see: other flows on links. Where they keep the slowest hop busy meanwhile, a larger window would have won
//! less. That several flows of a medium each count the same idle time, which only one of them can have. That a window
//! could take air from others. A window that is full only because a hole is being repaired: `window-behind-hole` does.

use engine::{Span, Time};

use super::flow::{Fact, Flow, Idle};
use super::{Out, Watch, millis};

/// The receiver's window as the limit: in the ordinary course of things, or behind a hole that is being repaired.
pub(super) struct FullWindow {
    behind_hole: bool,
    /// When the receiver's window became the limit, and what was lost since.
    stretch: Option<(Time, Span)>,
    /// Limited, and how idle the slowest hop was, as of that time.
    idle: Option<(Time, Idle)>,
}

pub(super) fn watch() -> Box<dyn Watch> {
    Box::new(FullWindow::new(false))
}

/// Whether the sender has new data that only the receiver's window keeps back.
fn full(flow: &Flow) -> bool {
    let rest = flow.bytes.map_or(u64::MAX, |bytes| bytes.saturating_sub(flow.max));
    let next = rest.min(u64::from(flow.segment));
    next > 0 && flow.max + next > flow.una + flow.window
}

fn binding(flow: &Flow) -> bool {
    flow.cwnd >= flow.window as f64
}

impl FullWindow {
    pub fn new(behind_hole: bool) -> Self {
        FullWindow { behind_hole, stretch: None, idle: None }
    }

    /// Whether the window stops the sender in the way that is looked for.
    fn limits(&self, flow: &Flow) -> bool {
        full(flow) && binding(flow) && !flow.hole() && self.behind_hole == flow.repairs_hole()
    }

    /// Whether it may go on limiting: with a hole until that is repaired, else until the congestion window is smaller.
    fn may_limit(&self, flow: &Flow) -> bool {
        binding(flow) && (!self.behind_hole || flow.hole() || flow.repairs_hole())
    }

    /// Counts the time until now.
    fn pass(&mut self, at: Time, flow: &Flow, out: &mut Out<'_>) {
        let (Some((_, cost)), Some((seen, idle))) = (&mut self.stretch, self.idle) else { return };
        match (idle, flow.slowest_idle()) {
            (Idle::From(idle_from), _) => {
                let from = seen.max(idle_from);
                *cost = *cost + at.since(from);
                out.lost(from, at, 1.0);
            }
            // When in this time the medium was idle is not asked.
            (Idle::Cell(medium, before), Some(Idle::Cell(same, now))) if medium == same && seen < at => {
                let idle = now - before;
                *cost = *cost + idle;
                out.lost(seen, at, idle.as_secs_f64() / at.since(seen).as_secs_f64());
            }
            (Idle::Cell(..), _) => {}
        }
    }

    fn close(&mut self, at: Time, flow: &Flow, out: &mut Out<'_>) {
        self.idle = None;
        let Some((began, cost)) = self.stretch.take() else { return };
        let what = if self.behind_hole {
            "was full of data behind a hole that was being repaired".to_owned()
        } else {
            let pipe = flow.pipe().map_or(String::new(), |pipe| format!(" (the path holds {pipe:.0})"));
            format!("stopped the sender{pipe}")
        };
        let text = format!(
            "the receiver's window of {} bytes {what}; meanwhile {} stood idle for {} ms",
            flow.window,
            if flow.slowest_is_cell() { "the cell of the slowest link" } else { "the slowest link" },
            millis(cost)
        );
        out.found(began, at, cost, text);
    }
}

impl Watch for FullWindow {
    fn observe(&mut self, at: Time, _: &Fact, flow: &Flow, out: &mut Out<'_>) {
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

    fn end(&mut self, at: Time, flow: &Flow, out: &mut Out<'_>) {
        self.pass(at, flow, out);
        self.close(at, flow, out);
    }
}
