//! Many runs of one scenario: worked out, run on all cores, kept, and put side by side.

pub mod analysis;
pub mod axes;
pub mod dedup;
mod imprecise;
mod lanes;
mod note;
pub mod plan;
pub mod precise;
mod progress;
mod range;
pub mod rekey;
pub mod run;

pub use plan::{Cell, Plan, Point};
