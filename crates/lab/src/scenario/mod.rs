//! Scenarios: reading, checking, and turning into what the simulator runs.

pub mod model;
pub mod named;

pub use model::Scenario;
pub use named::Named;
