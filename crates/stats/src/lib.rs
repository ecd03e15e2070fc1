//! What a simulation laboratory needs of statistics: intervals, comparisons, steady state, when to stop.
//!
//! Pure functions of their arguments: no input or output, no clock, no chance. [`sample`] holds values, a value for
//! each replication, and sums them up; everything else starts from there. Results depend on the values and their
//! replications, never on the order in which they arrived.
//!
//! Where a method holds the truth less often than it promises, its file and `docs/models/statistics.md` say so.

mod error;
pub mod fairness;
pub mod interval;
pub mod many;
pub mod paired;
pub mod precise;
pub mod quantile;
pub mod sample;
pub mod steady;
mod student;

pub use error::Error;
pub use interval::{Interval, Level};
pub use sample::{Moments, Sample};
