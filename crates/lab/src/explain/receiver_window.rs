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
//! Does not see: other flows. Where they keep the slowest hop busy meanwhile, a larger window would have won less.
//! A window that is full only because a hole is being repaired: `window-behind-hole` does.

use engine::{Span, Time};

use super::flow::{Fact, Flow};
use super::{Out, Watch, millis};

/// The receiver's window as the limit: in the ordinary course of things, or behind a hole that is being repaired.
pub(super) struct FullWindow {
    behind_hole: bool,
    /// When the receiver's window became the limit, and what was lost since.
    stretch: Option<(Time, Span)>,
    /// Limited, and idle from the second time on, as of the first.
    idle: Option<(Time, Time)>,
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
    fn pass(&mut self, at: Time, out: &mut Out<'_>) {
        if let (Some((_, cost)), Some((seen, idle_from))) = (&mut self.stretch, self.idle) {
            let from = seen.max(idle_from);
            *cost = *cost + at.since(from);
            out.lost(from, at, 1.0);
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
            "the receiver's window of {} bytes {what}; meanwhile the slowest link stood idle for {} ms",
            flow.window,
            millis(cost)
        );
        out.found(began, at, cost, text);
    }
}

impl Watch for FullWindow {
    fn hear(&mut self, at: Time, _: &Fact, flow: &Flow, out: &mut Out<'_>) {
        self.pass(at, out);
        if !self.may_limit(flow) {
            self.close(at, flow, out);
            return;
        }
        self.idle = None;
        if self.limits(flow) {
            self.stretch.get_or_insert((at, Span::ZERO));
            self.idle = flow.slowest_idle_from().map(|from| (at, from));
        }
    }

    fn end(&mut self, at: Time, flow: &Flow, out: &mut Out<'_>) {
        self.pass(at, out);
        self.close(at, flow, out);
    }
}
