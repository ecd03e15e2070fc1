//! Errors of the statistics.

use thiserror::Error;

/// The reason why a statistic cannot be computed. Messages name the values found and expected; the caller adds file and
/// key.
#[derive(Clone, Copy, PartialEq, Debug, Error)]
pub enum Error {
    /// NaN, an infinity, or a number of more than 1e140 in magnitude.
    #[error("found the value {found}, expected a number of at most 1e140 in magnitude")]
    Value {
        /// The value given.
        found: f64,
    },
    /// The replication already has a value.
    #[error("found a second value for replication {replication}, expected one")]
    Twice {
        /// Number of the replication.
        replication: u64,
    },
    /// A confidence level outside of 0 to 1.
    #[error("found the confidence level {found}, expected more than 0 and less than 1, such as 0.95")]
    Level {
        /// The level given.
        found: f64,
    },
    /// A probability outside of 0 to 1.
    #[error("found the probability {found}, expected 0 to 1")]
    Probability {
        /// The probability given.
        found: f64,
    },
    /// A relative half-width outside of 0 to 1.
    #[error("found the relative half-width {found}, expected more than 0 and less than 1, such as 0.05 for 5 %")]
    Precision {
        /// The relative half-width given.
        found: f64,
    },
    /// A negative allocation.
    #[error("found the allocation {found}, expected 0 or more")]
    Allocation {
        /// The allocation given.
        found: f64,
    },
    /// A minimum number of replications below 2 or above the maximum.
    #[error("found {minimum} to {maximum} replications, expected at least 2, and the minimum not above the maximum")]
    Bounds {
        /// Minimum number of replications.
        minimum: u64,
        /// Maximum number of replications.
        maximum: u64,
    },
    /// Times are not strictly increasing.
    #[error("found the time {found} after {before}, expected increasing times")]
    Time {
        /// The time found.
        found: f64,
        /// The time before.
        before: f64,
    },
    /// The series has too few values.
    #[error("found a series of {found} values, expected at least {expected}: run longer, or record more often")]
    Short {
        /// Number of values found.
        found: usize,
        /// Number of values required.
        expected: usize,
    },
    /// The truncation point is in the second half of the series.
    #[error("found the warm-up to end after {found} of {of} values, expected the first half: run longer")]
    Transient {
        /// Number of values before the truncation point.
        found: usize,
        /// Number of all values.
        of: usize,
    },
    /// Batch means are still correlated.
    #[error("found a lag-1 autocorrelation of {found:.2} between batch means, expected less than 0.4: run longer")]
    Correlated {
        /// The jackknifed lag-1 autocorrelation.
        found: f64,
    },
}
