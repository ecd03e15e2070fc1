//! Scenarios, runs and results.

pub mod problem;
pub mod scenario;
