//! Scenarios: reading, checking, and turning into what the simulator runs.

mod advice;
mod bandwidth_delay;
pub mod changes;
mod check;
mod dead_air;
pub mod document;
mod explain;
pub mod followers;
mod idle_schemes;
pub mod model;
pub mod named;
mod routes;
pub mod sweep;
pub mod tcp;
mod without_effect;

pub use check::{Checked, check, check_with};
pub use document::Document;
pub use model::Scenario;
pub use named::Named;
