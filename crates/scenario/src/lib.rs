//! Scenarios: TOML and the thesis's language, checked and turned into what the simulator runs.
//!
//! Nothing here touches a file: what a scenario refers to is read through [`Files`].

mod advice;
mod bandwidth_delay;
pub mod changes;
mod check;
mod copies;
mod dead_air;
pub mod document;
mod event_kinds;
mod explain;
mod files;
pub mod followers;
pub mod goel1997;
mod idle_media;
mod idle_schemes;
mod incidence;
mod lines;
pub mod load;
mod media;
pub mod model;
mod names;
pub mod places;
pub mod problem;
mod quotes;
pub mod ran;
mod rate_reach;
pub mod recordings;
mod routes;
pub mod sweep;
pub mod tcp_settings;
pub mod traces;
mod without_effect;
mod written;

pub use check::{Checked, check, check_with};
pub use document::Document;
pub use engine::Named;
pub use event_kinds::{DEFAULT_EVENT_KINDS, EVENT_KINDS, EventKind, EventKinds};
pub use files::{Files, NoFiles};
pub use load::{Loaded, Overrides, Source};
pub use model::{Scenario, schema};
