//! Collisions by equal back-offs.
//!
//! Definition: attempts at packets of the flow, data and acknowledgments, whose RTS, frame or response was damaged by
//! other frames, one of which started at the same moment: within the propagation delay, in which carrier sense cannot
//! detect it. Also RTS frames that arrived and were not answered because the receiver's NAV was set. All such attempts
//! on one direction of a link are one finding.
//!
//! Cost: C = sum of the times from the start of each such attempt to the end of its acknowledgment timeout, including
//! the idle time and the slots of the following back-off.
//!
//! This is not counted as avoidable. Stations that draw the same slot collide: this is the price of a random back-off
//! among many backlogged stations, and a larger CWmin, which makes collisions rarer, makes all back-offs longer. RTS
//! and CTS make each collision shorter and every exchange longer. With long frames and many stations this pays off, and
//! the cost is an upper bound of the gain.
//!
//! Limits: ignores that other stations used the slots of the back-off, and collisions between other stations
//! (`contention` includes their time).

use super::bad_air::FailedAttempts;
use super::{ProblemKind, Watch};
use observation::media::AttemptFailure;

pub(super) const KIND: ProblemKind = ProblemKind {
    name: "collision",
    summary: "frames collided with others that started at the same moment",
    avoidable: false,
    in_runs: true,
    in_captures: None,
    watch: watch_collisions,
};

fn watch_collisions() -> Option<Box<dyn Watch>> {
    Some(Box::new(FailedAttempts::new(AttemptFailure::Collision, "collided on", true)))
}
