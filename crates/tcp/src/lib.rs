//! The two ends of a TCP connection, without input, output or clock.
//!
//! [`Connection`] is the facade; the sender's two seams are [`recovery`], which says *what* is lost, and [`cc`], which
//! says *how much* may be in flight. [`response`] handles messages from the network; [`differentiation`] judges losses
//! that no message explains.
//!
//! ```
//! use engine::{Span, Time};
//! use tcp::{Config, Connection, State};
//! use wire::SeqNum;
//!
//! let config = Config::default();
//! let mut client = Connection::connect(&config, 1000, 80, SeqNum(1));
//! let mut server = Connection::listen(&config, 80, SeqNum(1));
//! client.write(100_000);
//!
//! // A path without losses: what one end sends reaches the other 10 ms later.
//! let mut now = Time::ZERO;
//! let (mut here, mut there) = (&mut client, &mut server);
//! while here.bytes_acknowledged() + there.bytes_acknowledged() < 100_000 {
//!     let sent: Vec<_> = std::iter::from_fn(|| here.poll_transmit(now)).collect();
//!     now += Span::from_nanos(10_000_000);
//!     for (segment, ecn) in &sent {
//!         there.handle_segment(now, segment, *ecn);
//!     }
//!     for end in [&mut *here, &mut *there] {
//!         if end.poll_timeout() <= now {
//!             end.handle_timeout(now);
//!         }
//!     }
//!     std::mem::swap(&mut here, &mut there);
//! }
//! assert_eq!(server.bytes_received(), 100_000);
//! assert_eq!((client.state(), server.state()), (State::Established, State::Established));
//! assert_eq!(client.counters().timeouts, 0);
//! ```

pub mod cc;
pub mod config;
pub mod connection;
pub mod differentiation;
pub mod event;
pub mod info;
pub mod receiver;
pub mod recovery;
pub mod response;
pub mod scoreboard;
pub mod sender;
mod state;
mod timestamps;
mod unpredicted;

pub use config::{Config, PartialConfig, presets};
pub use connection::{Adoption, Connection, Failure, Polled, State, refuse_segment};
pub use event::{Blocked, Event, Reason};
pub use info::{Info, SenderPhase};
pub use sender::Counters;
pub use unpredicted::Unpredicted;
