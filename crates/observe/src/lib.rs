//! The outputs of a run: its summary, metrics and traces, and an explanation of its delays.
//!
//! ```
//! use std::rc::Rc;
//!
//! use observe::summary::summarize_results;
//! use scenario::{NoFiles, Overrides, Source};
//! use sim::{NullSink, World};
//!
//! let text = r#"
//!     duration = "10 s"
//!     nodes = { a = { kind = "host" }, b = { kind = "host" } }
//!     links.wire = { kind = "wired", between = ["a", "b"], rate = "8 Mbps", delay = "50 ms" }
//!     flows.flow = { from = "a", to = "b", bytes = "1000 B" }
//! "#;
//! let options = Overrides::default();
//! let source = Source::of_text(Rc::new(NoFiles), "first".to_owned(), "first.toml".into(), text.as_bytes(), &options).unwrap();
//! let loaded = source.resolve(&source.document).unwrap();
//! let mut world = World::new(&loaded.network, false);
//! world.run(&mut NullSink);
//! let summary = summarize_results(loaded.title(), &loaded.scenario, &loaded.network, &world.results());
//! assert_eq!(summary.flows[0].bytes_delivered, 1000);
//! // 1040 bytes and their acknowledgment of 40, at 8 Mbps and 50 ms each way.
//! assert_eq!(summary.flows[0].completion_time_s, Some(0.10108));
//! ```

pub mod aliases;
pub mod explain;
pub mod output;
pub mod replications;
pub mod run;
pub mod summary;

pub use observation;
pub use summary as metric;
