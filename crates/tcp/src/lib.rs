//! The two ends of a TCP connection, without input, output or clock.
//!
//! [`Connection`] is the facade; the sender's two seams are [`recovery`], which says *what* is lost, and [`cc`],
//! which says *how much* may fly. Messages from the network come in through [`response`]; a loss that
//! nobody has explained is looked at by [`differentiation`].

pub mod cc;
pub mod config;
pub mod connection;
pub mod differentiation;
pub mod event;
pub mod info;
pub mod presets;
pub mod receiver;
pub mod recovery;
pub mod response;
pub mod sender;
mod state;
mod timestamps;

pub use config::Config;
pub use connection::{Adoption, Connection, Failure, State, refusal};
pub use event::{Event, Reason};
pub use info::{Info, Phase};
pub use sender::Counters;
