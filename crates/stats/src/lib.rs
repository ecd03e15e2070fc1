//! Statistics of simulation experiments: intervals, comparisons, steady state, stopping rules.
//!
//! Pure functions of their arguments: no input or output, no clock, no randomness. [`sample`] holds values, one per
//! replication, and their moments, on which the other modules build. Results depend on the values and their replication
//! numbers, never on the order of insertion.
//!
//! If a method's coverage is below its nominal level, its file and `docs/models/statistics.md` state the difference.
//!
//! ```
//! use stats::{Interval, Level, Moments};
//!
//! let goodputs = Moments::of([4.8, 5.1, 5.0, 4.9, 5.2])?;
//! let interval = Interval::of_mean(&goodputs, Level::default()).expect("two values or more");
//! assert!((interval.centre() - 5.0).abs() < 1e-12);
//! // Student's t of 4 degrees of freedom at 95 % is 2.776; the standard error is sqrt(0.025 / 5).
//! assert!((interval.half_width() - 2.776 * 0.005_f64.sqrt()).abs() < 1e-4);
//! # Ok::<(), stats::Error>(())
//! ```

mod error;
pub mod fairness;
pub mod interval;
pub mod many;
pub mod paired;
pub mod precise;
pub mod proportion;
pub mod quantile;
pub mod sample;
pub mod steady;
mod student;

pub use error::Error;
pub use interval::{Interval, Level};
pub use sample::{Moments, Sample};
