//! One TCP connection of a capture as a transfer: the events of a simulated run, so that whatever explains and draws a
//! run explains and draws a capture.
//!
//! 1. [`Surveyor`] reads the packets of a connection once and measures what must be known beforehand: segment size,
//!    round trips on both sides of the place of capture, the rate at which data is acknowledged: a [`Survey`].
//! 2. [`network`] makes of it a network of two hosts and a link.
//! 3. [`Replay`] reads the packets again and sends events to a sink. Which transmissions were lost, and when the others
//!    arrived, follows from the acknowledgments.
//!
//! The sender is the end that sent more data; the data of the other end is not considered.
//!
//! Times. The path has the place of capture in it: R_s is the round trip to the sender and back, R_r that to the
//! receiver and back, R = R_s + R_r; each is the smallest that was measured. Data is taken to be sent when it was
//! captured, and an acknowledgment to arrive at the sender R_s after it was captured. The receiver has sent it R / 2
//! before that, and then the data that it acknowledges had arrived. At the sender R_s is zero and both times are exact;
//! elsewhere a queue between sender and capture is part of the sender's time.
//!
//! Limits: of a segment that was sent more than once, the transmission that arrived is chosen by timestamps, or by
//! time: an acknowledgment within 0.9 R of a retransmission is not an answer to it. An acknowledgment that was lost,
//! and a segment that was lost before the place of capture and never repeated, leave no trace.

mod classify;
mod limits;
mod network;
mod queue;
pub mod rate;
mod replay;
mod survey;
mod transmissions;

pub use network::network;
pub use replay::{Counts, Replay, Truth};
pub use survey::{Survey, Surveyor, Vantage};
