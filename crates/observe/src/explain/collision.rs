//! Collisions by chance.
//!
//! Definition: attempts at packets of the flow, data and acknowledgments, whose request, frame or answer was damaged by
//! other frames, one of which began at the same moment: within the propagation delay, in which carrier sense cannot
//! detect the other. Also requests that arrived and were not answered because the NAV of the receiver was set. All of
//! one link and way are one finding.
//!
//! Cost: C = sum of the times from the beginning of each such attempt to the end of the wait for its answer, with the
//! silence and the slots of the back-off behind it.
//!
//! This is not counted as avoidable. Stations that draw the same slot collide: it is the price of a random back-off
//! among many stations with packets to send, and a larger first window, which makes collisions rarer, makes all
//! back-offs longer. Requests to send make each one shorter and every exchange longer. Where frames are long and
//! stations many that pays, and this kind then says how much there is to be won at most.
//!
//! Does not see: that others used the slots of the back-off; collisions of others, which are theirs (`contention` has
//! the time).

use super::Watch;
use super::bad_air::FailedAttempts;
use super::cell::Why;

pub(super) fn watch() -> Box<dyn Watch> {
    Box::new(FailedAttempts::new(Why::Collision, "collided on", true))
}
