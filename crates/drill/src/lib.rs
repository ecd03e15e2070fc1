//! Runs packetdrill scripts against lasthop's TCP in simulated time.
//!
//! [`syntax`] parses a script, [`run`](fn@run::run) runs it against an [`End`](end::End) that an
//! [`Opener`](end::Opener) creates, or [`run_on`] against any other [`Target`](target::Target), and the [`Report`]
//! holds the result.
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
//! let run = |script: &str| drill::run(&drill::parse(script).unwrap(), None, &drill::endpoint::open);
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

pub use report::{Outcome, Report};
pub use run::{run, run_on};
pub use syntax::{Script, SyntaxError, parse};
