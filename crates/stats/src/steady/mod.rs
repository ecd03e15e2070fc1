//! Steady state: the end of a series' warm-up, the interval of its mean, the necessary length of a run.
//!
//! [`mser`] finds the end of the warm-up, [`batch`] the confidence interval of the mean after it, and
//! [`mod@run_length`] the necessary length of a run, from one long run or from a table of values against time.

pub mod batch;
pub mod mser;
pub mod run_length;

pub use batch::{Batches, batch_means};
pub use mser::{Warmup, mser5};
pub use run_length::{Convergence, Steady, find_settled_length, run_length};
