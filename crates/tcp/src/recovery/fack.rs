//! Forward acknowledgment, as history [Mathis and Mahdavi 1996].
//!
//! Every byte below the highest SACKed byte that is not SACKed itself is lost at once; recovery begins when the lost
//! data exceeds three segments, or with the third duplicate. Reordering is mistaken for loss, which is why
//! [RACK](super::rack) replaced it. Everything else is as in RFC 6675.

pub use engine::registry::NoSettings as Config;

use super::LossRecovery;
use super::sack::{Edge, Sack};

/// Creates the recovery.
pub fn build() -> Box<dyn LossRecovery> {
    Box::new(Sack::new(Edge::Forward))
}
