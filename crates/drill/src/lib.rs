//! Runs packetdrill scripts against lasthop's TCP in simulated time.
//!
//! [`syntax`] parses a script, [`run_script`] runs it against a [`ConnectionEnd`](end::ConnectionEnd) that an
//! [`Opener`](end::Opener) creates, or [`run_on`] against any other [`ScriptTarget`](target::ScriptTarget), and the
//! [`ScriptReport`] holds the result.
//!
//! ```
//! let script = "
//! 0.000 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
//! 0.000 bind(3, ..., ...) = 0
//! 0.000 listen(3, 1) = 0
//! 0.100 < S 0:0(0) win 1000 <mss 1460>
//! 0.100 > S. 0:0(0) ack 1 <mss 1460>
//! 0.200 < . 1:1(0) ack 1 win 1000
//! 0.200 accept(3, ..., ...) = 4
//! ";
//! let run = |script: &str| drill::run_script(&drill::parse_script(script).unwrap(), None, &drill::endpoint::open_endpoint);
//! assert_eq!(run(script).message("accept.pkt", script), None);
//! let wrong = script.replace("> S. 0:0(0) ack 1", "> S. 0:0(0) ack 2");
//! assert!(run(&wrong).message("accept.pkt", &wrong).is_some());
//! ```

pub mod code;
pub mod end;
pub mod endpoint;
pub mod host;
pub mod lossy;
mod meant;
pub mod outbox;
pub mod place;
pub mod report;
pub mod run;
pub mod settings;
pub mod syntax;
pub mod target;

pub use report::{ScriptOutcome, ScriptReport};
pub use run::{run_on, run_script};
pub use syntax::{Script, SyntaxError, parse_script};
