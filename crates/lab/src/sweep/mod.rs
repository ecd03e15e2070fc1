//! Sweeps of many runs of one scenario, which are planned, executed on all cores, stored and analysed.

pub mod again;
pub mod analysis;
pub mod batch;
pub mod budget;
pub mod dedup;
mod imprecise;
mod lanes;
mod note;
pub mod plan;
pub mod precise;
mod progress;
pub mod rekey;
pub mod run;
pub mod session;

pub use lanes::Task;
pub use plan::{CellId, Plan, Point, SweepCell};
pub use session::SweepSession;
