//! What the statistics refuse.

use thiserror::Error;

/// Why there is no result. The caller knows the file and the key; this says what was found and what was expected.
#[derive(Clone, Copy, PartialEq, Debug, Error)]
pub enum Error {
    /// NaN, an infinity, or a number whose square an `f64` does not hold.
    #[error("found the value {found}, expected a number of at most 1e140 either way")]
    Value {
        /// The value.
        found: f64,
    },
    /// One replication, two values.
    #[error("found a second value for replication {replication}, expected one")]
    Twice {
        /// The replication.
        replication: u64,
    },
    /// Not a confidence level.
    #[error("found the confidence level {found}, expected more than 0 and less than 1, such as 0.95")]
    Level {
        /// What was given.
        found: f64,
    },
    /// Not a probability.
    #[error("found the probability {found}, expected 0 to 1")]
    Probability {
        /// What was given.
        found: f64,
    },
    /// Not a relative precision.
    #[error("found the relative half-width {found}, expected more than 0 and less than 1, such as 0.05 for 5 %")]
    Precision {
        /// What was given.
        found: f64,
    },
    /// Less than nothing was allocated.
    #[error("found the allocation {found}, expected 0 or more")]
    Allocation {
        /// What was given.
        found: f64,
    },
    /// Bounds that leave no choice, or too little to start from.
    #[error("found {minimum} to {maximum} replications, expected at least 2, and the minimum not above the maximum")]
    Bounds {
        /// The least number of replications.
        minimum: u64,
        /// The greatest.
        maximum: u64,
    },
    /// Times that do not rise.
    #[error("found the time {found} after {before}, expected times that rise")]
    Time {
        /// The time.
        found: f64,
        /// The one before.
        before: f64,
    },
    /// A series of too few values.
    #[error("found a series of {found} values, expected at least {expected}: run longer, or record more often")]
    Short {
        /// Values there are.
        found: usize,
        /// Values that are needed.
        expected: usize,
    },
    /// The truncation point is in the second half of the series.
    #[error("found the warm-up to end after {found} of {of} values, expected the first half: run longer")]
    Transient {
        /// Values before the truncation point.
        found: usize,
        /// All values.
        of: usize,
    },
    /// Batch means that still depend on each other.
    #[error("found a lag-1 autocorrelation of {found:.2} between batch means, expected less than 0.4: run longer")]
    Correlated {
        /// The autocorrelation, jackknifed.
        found: f64,
    },
}
