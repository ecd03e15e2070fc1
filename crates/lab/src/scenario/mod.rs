//! Scenarios: reading, checking, and turning into what the simulator runs.

mod advice;
mod bandwidth_delay;
pub mod changes;
mod check;
pub mod document;
mod explain;
mod media;
pub mod model;
pub mod places;
mod routes;
pub mod sweep;
pub mod tcp;
mod without_effect;

pub use check::{Checked, check};
pub use document::Document;
pub use engine::Named;
pub use model::Scenario;
