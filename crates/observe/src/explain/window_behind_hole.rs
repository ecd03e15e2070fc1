//! A window full of data behind a hole.
//!
//! Definition: as `receiver-window`, but the first unacknowledged segment was lost and has been retransmitted, and the
//! retransmission is not acknowledged yet: the window is filled by data behind it. The time from the first such moment
//! until no such segment is left, or cwnd is the smaller window, is one finding.
//!
//! Cost: C = the sum of the times in which the slowest hop had nothing of the flow to send. A recovery that fills one
//! hole per round trip (NewReno) has this cost for each hole; a recovery that knows all holes (SACK) has it once.
//!
//! Limits: ignores the time before the retransmission, in which the sender waits for duplicates or for its timer.

use super::receiver_window::FullWindow;
use super::{CaptureParts, ProblemKind, Watch};

pub(super) const KIND: ProblemKind = ProblemKind {
    name: "window-behind-hole",
    summary: "the receive window was full of data behind a hole while the bottleneck was idle",
    avoidable: true,
    in_runs: true,
    in_captures: Some(CaptureParts::SYN),
    watch: watch_window_behind_hole,
};

fn watch_window_behind_hole() -> Option<Box<dyn Watch>> {
    Some(Box::new(FullWindow::new(true)))
}
