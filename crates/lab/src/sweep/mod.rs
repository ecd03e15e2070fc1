//! Many runs of one scenario: worked out, run on all cores, kept, and put side by side.

pub mod analysis;
pub mod axes;
mod lanes;
pub mod plan;
pub mod precise;
mod range;
pub mod run;
pub mod said_once;

pub use plan::{Cell, Plan, Point};
