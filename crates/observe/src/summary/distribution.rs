//! Distributions of delays, in seconds.

use engine::{Histogram, Span};

/// The mean; `None` without values.
pub fn mean_in_seconds(histogram: &Histogram) -> Option<f64> {
    histogram.mean().map(|nanos| nanos / 1e9)
}

/// A quantile, within 1 %; `None` without values.
pub fn quantile_in_seconds(histogram: &Histogram, share: f64) -> Option<f64> {
    histogram.quantile(share).map(nanos_to_seconds)
}

/// The maximum; `None` without values.
pub fn max_in_seconds(histogram: &Histogram) -> Option<f64> {
    histogram.max().map(nanos_to_seconds)
}

fn nanos_to_seconds(nanos: u64) -> f64 {
    Span::from_nanos(nanos).as_secs_f64()
}
