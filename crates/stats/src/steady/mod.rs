//! Steady state: where a series' warm-up ends, the interval of its mean, how long a run must be.
//!
//! [`mser`] finds the end of the warm-up, [`batch`] the interval of the mean after it, and [`mod@run_length`] answers
//! how long a run must be, from one long run or from a table of values against time.

pub mod batch;
pub mod mser;
pub mod run_length;

pub use batch::{Batches, batch_means};
pub use mser::{Warmup, mser5};
pub use run_length::{Convergence, Steady, run_length, settled};
