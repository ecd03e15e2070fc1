//! Collisions with stations that are not heard.
//!
//! Definition: as `collision`, but no frame began at the same moment. So one began into another, whose sender was not
//! heard where it was sent: a station that senses a frame for longer than the propagation delay does not begin one,
//! unless it answers. Attempts without one between that ended otherwise are one finding.
//!
//! Cost: as of `collision`.
//!
//! This is counted as avoidable: with `rts_threshold` a short request collides instead of a frame, and its answer is
//! heard by all stations that could disturb; with a longer `carrier_sense_range` the stations hear each other. Requests
//! take time of their own, which is not taken from the cost.
//!
//! Does not see: losses that would have been at another time if the stations had heard each other; frames that began at
//! the same moment as one of several that they met (`collision` has those).

use super::Watch;
use super::bad_air::FailedAttempts;
use super::cell::Why;

pub(super) fn watch() -> Box<dyn Watch> {
    Box::new(FailedAttempts::new(Why::Hidden, "met frames of stations that do not hear each other, on", false))
}
