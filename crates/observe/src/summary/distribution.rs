//! Distributions of delays, in seconds.

use engine::{Histogram, Span};

/// The mean; `None` without values.
pub fn mean(histogram: &Histogram) -> Option<f64> {
    histogram.mean().map(|nanos| nanos / 1e9)
}

/// A quantile, within 1 %; `None` without values.
pub fn quantile(histogram: &Histogram, share: f64) -> Option<f64> {
    histogram.quantile(share).map(seconds)
}

/// The maximum; `None` without values.
pub fn max(histogram: &Histogram) -> Option<f64> {
    histogram.max().map(seconds)
}

fn seconds(nanos: u64) -> f64 {
    Span::from_nanos(nanos).as_secs_f64()
}
