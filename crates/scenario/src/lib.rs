//! Scenarios: TOML and the thesis's language, checked and turned into what the simulator runs.
//!
//! Nothing here touches a file: what a scenario refers to is read through [`Files`].

mod check;
mod copies;
pub mod document;
mod event_kinds;
mod explain;
mod files;
pub mod followers;
mod geometry;
pub mod goel1997;
mod incidence;
mod lines;
pub mod lint;
pub mod load;
pub mod model;
pub mod problem;
mod quotes;
pub mod ran;
pub mod recordings;
mod routes;
pub mod traces;
mod written;

pub use check::{Checked, check, check_with};
pub use document::Document;
pub use engine::Named;
pub use event_kinds::{EVENT_KINDS, EventKind, EventKinds};
pub use files::{Files, NoFiles};
pub use load::{Loaded, Overrides, Source};
pub use model::{Scenario, schema, sweep};
