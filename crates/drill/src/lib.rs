//! packetdrill scripts against our end of TCP, in simulated time.
//!
//! [`syntax`] reads a script, [`run`](fn@run::run) runs it against an [`End`](end::End) that an
//! [`Opener`](end::Opener) makes, or [`run_on`] against any other [`Target`](target::Target), and the [`Report`] says what came of it.

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
