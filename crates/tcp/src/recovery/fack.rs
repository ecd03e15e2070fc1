//! Forward acknowledgment, as history [Mathis and Mahdavi 1996].
//!
//! Every byte that lies below the highest byte SACKed and is not SACKed itself is lost, at once; recovery begins when that is
//! more than three segments, or with the third duplicate. Reordering is taken for loss, which is why it was given up
//! for [RACK](super::rack). Everything else is as in RFC 6675.

pub use engine::registry::NoSettings as Config;

use super::LossRecovery;
use super::sack::{Edge, Sack};

/// The recovery.
pub fn build() -> Box<dyn LossRecovery> {
    Box::new(Sack::new(Edge::Forward))
}
