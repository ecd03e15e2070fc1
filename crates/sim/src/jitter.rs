//! Interarrival jitter.

use engine::Span;

/// Mean change of the delay from one arrival to the next, with most weight on the last sixteen [RFC3550 s6.4.1].
#[derive(Clone, Copy, Debug, Default)]
pub struct Jitter {
    last: Option<Span>,
    /// Nanoseconds; `None` before the second arrival.
    mean: Option<f64>,
}

impl Jitter {
    /// Adds a packet that arrived after this delay.
    pub fn record(&mut self, delay: Span) {
        if let Some(last) = self.last.replace(delay) {
            let change = delay.as_nanos().abs_diff(last.as_nanos()) as f64;
            let mean = self.mean.unwrap_or(0.0);
            self.mean = Some(mean + (change - mean) / 16.0);
        }
    }

    /// Returns the present value; `None` with fewer than two arrivals.
    pub fn get(&self) -> Option<Span> {
        self.mean.map(|mean| Span::from_nanos(mean as u64))
    }
}
