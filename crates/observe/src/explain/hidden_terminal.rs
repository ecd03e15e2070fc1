//! Collisions with hidden terminals.
//!
//! Definition: as `collision`, but no frame started at the same moment. One frame therefore started during another
//! whose sender its own sender did not sense: a station that senses a frame for longer than the propagation delay does
//! not transmit, except for responses. Failed attempts of this kind with no attempt between them that ended otherwise
//! are one finding.
//!
//! Cost: as for `collision`.
//!
//! This is counted as avoidable: with `rts_threshold` a short RTS collides instead of a frame, and its CTS is received
//! by all stations that could interfere; with a longer `carrier_sense_range` the stations sense each other. The time of
//! RTS and CTS is not subtracted from the cost.
//!
//! Limits: ignores losses that would have occurred at another time if the stations had sensed each other, and frames
//! that started at the same moment as one of several that they overlapped (counted by `collision`).

use super::bad_air::FailedAttempts;
use super::{ProblemKind, Watch};
use observation::media::AttemptFailure;

pub(super) const KIND: ProblemKind = ProblemKind {
    name: "hidden-terminal",
    summary: "frames collided with frames of hidden terminals",
    avoidable: true,
    in_runs: true,
    in_captures: None,
    watch: watch_hidden_terminals,
};

fn watch_hidden_terminals() -> Option<Box<dyn Watch>> {
    Some(Box::new(FailedAttempts::new(AttemptFailure::Hidden, "collided with frames of hidden terminals on", false)))
}
