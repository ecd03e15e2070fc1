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

use super::Watch;
use super::receiver_window::FullWindow;

pub(super) fn watch_window_behind_hole() -> Option<Box<dyn Watch>> {
    Some(Box::new(FullWindow::new(true)))
}
