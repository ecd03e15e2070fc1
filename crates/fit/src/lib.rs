//! Scenarios fitted to measurements of a real path: a capture of a TCP transfer, or logs of iperf3 and ping.
//!
//! [`transfer`] takes the transmissions of a captured connection and their fates, [`path`] finds rate, delay and queue
//! of the slowest link, [`loss`] the loss process and [`reordering`] the packets that are overtaken, both with
//! confidence intervals, and [`scenario`] writes them as a scenario. [`comparison`] runs that and compares it with the
//! measurement.

mod backlog;
pub mod comparison;
pub mod duplicates;
pub mod json;
pub mod log;
pub mod loss;
pub mod measured;
mod observed;
pub mod path;
pub mod reordering;
pub mod scenario;
pub mod transfer;
pub mod transmission;
