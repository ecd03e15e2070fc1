//! One TCP connection of a capture as the facts of an [observation], so that whatever explains, draws and fits a run
//! does so with a capture.
//!
//! 1. [`Surveyor`] reads the packets of a connection once and measures the parameters of the second pass: segment size,
//!    round trips on both sides of the place of capture, the rate at which data is acknowledged: a [`Survey`].
//! 2. [`Replay`] reads the packets again and sends [facts](observation::CapturedFact) to a sink. Which transmissions
//!    were lost, and when the others arrived, follows from the acknowledgments.
//!
//! The sender is the end that sent more data; the data of the other end is not considered.
//!
//! Times. The path contains the place of capture: R_s is the round trip to the sender and back, R_r that to the
//! receiver and back, R = R_s + R_r; each is the smallest that was measured. Data is taken to be sent when it was
//! captured, and an acknowledgment to arrive at the sender R_s after it was captured. The receiver sent it R / 2 before
//! that, when the acknowledged data had arrived. At the sender R_s is zero and both times are exact; elsewhere a queue
//! between sender and capture is part of the sender's time.
//!
//! Evidence. Fields of captured segments are known; values derived by one of these rules are inferred and have the
//! bounds that the rule leaves, and everything else is unknown: where on the path a segment was lost, a rate that too
//! few packets show, a window whose scale was not captured. An unknown round trip counts as zero in times, and as 1 ms
//! where events are distinguished by it.
//!
//! Limits: of a segment with several transmissions, the one that arrived is chosen by timestamps, or by
//! time: an acknowledgment within 0.9 R of a retransmission does not acknowledge it. An acknowledgment that was lost,
//! and a segment that was lost before the place of capture and never repeated, leave no trace.

mod blocked_reasons;
mod duplicate_report;
mod fact_queue;
pub mod rate;
mod replay;
mod retransmissions;
mod survey;
mod transmissions;
mod window_estimate;

pub use replay::{Replay, SegmentCounts, Truth};
pub use survey::{Survey, Surveyor, Vantage};
