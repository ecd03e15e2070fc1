//! Scenarios, runs and results.

pub mod catalogue;
pub mod explain;
pub mod goel1997;
pub mod load;
pub mod output;
pub mod problem;
mod result_dir;
pub mod run;
pub mod scenario;
