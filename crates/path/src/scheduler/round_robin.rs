//! Round robin: one attempt for each queue in turn. A mobile in a fade delays the others by one attempt per round
//! [goel1997 4.2 (8)].

use std::collections::VecDeque;

use engine::Time;
pub use engine::registry::NoSettings as Config;

use super::{Attempt, Joined, Scheduler};

/// Creates the scheduler.
pub fn build() -> Box<dyn Scheduler> {
    Box::<RoundRobin>::default()
}

/// Queues with packets; the first is served next.
#[derive(Default)]
struct RoundRobin(VecDeque<usize>);

impl Scheduler for RoundRobin {
    fn next(&self) -> Option<usize> {
        self.0.front().copied()
    }

    fn on_join(&mut self, queue: usize, packet: Joined, _: Time) {
        if packet.first {
            self.0.push_back(queue);
        }
    }

    fn on_attempt(&mut self, attempt: Attempt, _: Time) {
        if let Some(queue) = self.0.pop_front().filter(|_| attempt.more) {
            self.0.push_back(queue);
        }
    }
}
