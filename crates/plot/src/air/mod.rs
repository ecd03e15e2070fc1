//! The picture of a shared medium: a row for each station, its frames where they were in the air, what collided, and how
//! back-offs were counted down.
//!
//! While single frames can be seen they are drawn one by one; over longer times each row shows what share of the air its
//! station took.

mod countdown;
mod ear;
mod frames;
mod layout;
mod record;
mod rows;
mod shares;

pub use record::{AirRecorder, AirRecording, MediumDescription};
