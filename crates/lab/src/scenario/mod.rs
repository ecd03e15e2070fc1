//! Scenarios: reading, checking, and turning into what the simulator runs.

mod advice;
mod bandwidth_delay;
pub mod changes;
mod check;
mod copies;
mod dead_air;
pub mod document;
mod explain;
pub mod followers;
mod idle_media;
mod idle_schemes;
mod incidence;
mod media;
pub mod model;
mod names;
pub mod places;
mod quotes;
mod rate_reach;
mod routes;
pub mod sweep;
pub mod tcp;
mod without_effect;
mod written;

pub use check::{Checked, check, check_with};
pub use document::Document;
pub use engine::Named;
pub use model::Scenario;
