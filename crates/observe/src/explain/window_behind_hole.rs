//! A window full of data behind a hole.
//!
//! Definition: as `receiver-window`, but the first unacknowledged segment was lost, has been sent again, and that is not
//! acknowledged yet: what fills the window is behind it. The time from the first such moment until no such segment is
//! left, or the congestion window is the smaller one, is one finding.
//!
//! Cost: C = the sum of the times in which the slowest hop had nothing of the flow to send. A recovery that fills one hole
//! a round trip (NewReno) pays for each; one that knows them all (SACK) pays once.
//!
//! Does not see: the time before the segment is sent again, which is the sender's wait for duplicates or for its timer.

use super::Watch;
use super::receiver_window::FullWindow;

pub(super) fn watch() -> Box<dyn Watch> {
    Box::new(FullWindow::new(true))
}
