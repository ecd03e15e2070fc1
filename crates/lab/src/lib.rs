//! Everything that needs a disk: runs into result directories, sweeps, stores, comparisons, papers, exports.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use lab::load::{Overrides, of_text};
//! use lab::store::Store;
//! use lab::sweep::Plan;
//! use lab::sweep::run::{Shard, run_sweep};
//!
//! let text = r#"
//!     duration = "10 s"
//!     nodes = { a = { kind = "host" }, b = { kind = "host" } }
//!     links.wire = { kind = "wired", between = ["a", "b"], rate = "8 Mbps", delay = "50 ms", loss = 0.01 }
//!     flows.flow = { from = "a", to = "b", bytes = "100 kB" }
//!     sweep = { replications = 3, axes.links.wire.rate = ["4 Mbps", "8 Mbps"] }
//! "#;
//! let source = of_text("first".to_owned(), "first.toml".into(), text.as_bytes(), &Overrides::default()).unwrap();
//! let plan = Plan::of(&source).unwrap();
//!
//! let folder = tempfile::tempdir()?;
//! let mut store = Store::create(&folder.path().join("first.sqlite"))?;
//! let mut sweep = || run_sweep(&plan, &mut store, 1, Shard::WHOLE, &mut |_| ControlFlow::Continue(()));
//! assert_eq!(sweep()?.done, 6, "two points, three replications");
//! let again = sweep()?;
//! assert_eq!((again.found, again.done), (6, 0), "what is finished is not run again");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod atomic_file;
pub mod captures;
pub mod catalogue;
pub mod compare;
pub mod disk;
pub mod export;
pub mod features;
pub mod figures;
pub mod load;
pub mod papers;
pub mod result_dir;
pub mod run;
mod run_error;
pub mod steady;
pub mod store;
mod swap;
pub mod sweep;
#[cfg(feature = "parquet")]
pub mod trace_tables;
#[cfg(not(feature = "parquet"))]
#[path = "no_trace_tables.rs"]
pub mod trace_tables;
mod value_text;
