//! Many runs of one scenario: worked out, run on all cores, kept, and put side by side.

pub mod analysis;
pub mod axes;
mod imprecise;
mod lanes;
mod note;
pub mod plan;
pub mod precise;
mod progress;
mod range;
pub mod run;
pub mod said_once;

pub use plan::{Cell, Plan, Point};
