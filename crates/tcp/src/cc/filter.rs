//! The exact maximum of recent values: a queue of the values that may still become the maximum (monotonic deque).
//!
//! Linux keeps three values instead (Kathleen Nichols' filter), which may discard a value early: controls that use this
//! type deviate from Linux.

use std::collections::VecDeque;

/// The maximum over the last `length` units of a clock supplied by the caller.
pub(crate) struct WindowedMax {
    length: u64,
    /// The values, in order of rising time and falling value.
    values: VecDeque<(u64, f64)>,
}

impl WindowedMax {
    pub fn new(length: u64) -> Self {
        WindowedMax { length, values: VecDeque::new() }
    }

    /// Adds `value` at `now`, which must not decrease.
    pub fn push(&mut self, now: u64, value: f64) {
        while self.values.back().is_some_and(|(_, last)| *last <= value) {
            self.values.pop_back();
        }
        self.values.push_back((now, value));
        self.forget_before(now.saturating_sub(self.length));
    }

    /// The maximum; zero if empty.
    pub fn get(&self) -> f64 {
        self.values.front().map_or(0.0, |(_, value)| *value)
    }

    /// Removes values older than `oldest`, except the last.
    fn forget_before(&mut self, oldest: u64) {
        while self.values.len() > 1 && self.values[0].0 < oldest {
            self.values.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with the definition, over a table.
    #[test]
    fn windowed_filter_agrees_with_the_definition() {
        let values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.0, 5.0, 8.0, 9.0, 7.0, 9.0, 3.0, 2.0, 3.0];
        let mut filter = WindowedMax::new(3);
        for now in 0..values.len() {
            filter.push(now as u64, values[now]);
            let expected = values[now.saturating_sub(3)..=now].iter().copied().fold(0.0, f64::max);
            assert_eq!(filter.get(), expected, "at {now}");
        }
    }
}
