//! Scenarios fitted to measurements of a real path: a capture of a TCP transfer, or logs of iperf3 and ping.
//!
//! [`transfer`] takes the transmissions of a captured connection and their fates, [`path`] finds rate, delay and queue of the
//! slowest link, [`loss`] the loss process with confidence intervals, and [`scenario`] writes them as a scenario. [`beside`] runs
//! that and compares it with the measurement.

pub mod beside;
pub mod log;
pub mod loss;
pub mod measured;
pub mod path;
pub mod scenario;
pub mod transfer;
