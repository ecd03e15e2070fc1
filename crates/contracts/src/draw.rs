//! Random arguments.

use engine::Draws;

/// Draws of arguments.
pub trait Draw {
    /// Returns a number below `limit`.
    fn below(&mut self, limit: u64) -> u64;
    /// Returns true with a probability.
    fn chance(&mut self, probability: f64) -> bool;
}

impl Draw for Draws {
    fn below(&mut self, limit: u64) -> u64 {
        (self.unit() * limit as f64) as u64
    }

    fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }
}
