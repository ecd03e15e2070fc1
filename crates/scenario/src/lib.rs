//! Scenarios: TOML and the thesis's language, checked and converted to a network for the simulator.
//!
//! The crate accesses no file directly: files named by a scenario are read through [`Files`].
//!
//! ```
//! use std::rc::Rc;
//!
//! use scenario::{NoFiles, Overrides, Source};
//!
//! let text = r#"
//!     duration = "10 s"
//!     nodes = { a = { kind = "host" }, b = { kind = "host" } }
//!     links.wire = { kind = "wired", between = ["a", "b"], rate = "8 Mbps", delay = "50 ms" }
//!     flows.flow = { from = "a", to = "b", bytes = "1 MB" }
//! "#;
//! let options = Overrides { set: vec!["links.wire.rate=2 Mbps".to_owned()], ..Overrides::default() };
//! let source = Source::of_text(Rc::new(NoFiles), "first".to_owned(), "first.toml".into(), text.as_bytes(), &options).unwrap();
//! let loaded = source.resolve(&source.document).unwrap();
//! assert_eq!(loaded.network.links[0].rate.to_string(), "2 Mbps");
//!
//! // An error has its place in the text.
//! let text = text.replace("8 Mbps", "8 mbps");
//! let source = Source::of_text(Rc::new(NoFiles), "first".to_owned(), "first.toml".into(), text.as_bytes(), &Overrides::default());
//! let source = source.unwrap();
//! let problems = source.resolve(&source.document).unwrap_err();
//! assert_eq!(problems[0].place.map(|(line, _)| line), Some(4));
//! assert_eq!(problems[0].hint.as_deref(), Some("did you mean \"8 Mbps\"?"));
//! ```

mod as_written;
mod assign;
pub mod axes;
mod bare_names;
mod check;
pub mod controls;
pub mod document;
mod event_kinds;
mod expand_counts;
mod files;
pub mod flows;
pub mod followers;
mod geometry;
pub mod goel1997;
mod incidence;
mod key_path;
mod keys;
mod lines;
pub mod lint;
pub mod load;
mod meant_name;
mod members;
pub mod model;
pub mod outside;
pub mod problem;
mod quotes;
pub mod ran;
mod read;
pub mod recordings;
mod routes;
pub mod traces;
mod tree;

pub use check::{Checked, check, check_with};
pub use document::Document;
pub use engine::{Members, Named};
pub use event_kinds::{DEFAULT_EVENT_KINDS, EVENT_KINDS, EventKind, EventKinds};
pub use files::{Files, MemoryFiles, NoFiles, nearest_path};
pub use load::{Loaded, Overrides, Source, from_toml, from_toml_with};
pub use model::{Scenario, schema, sweep};
