//! Facts in order of time, some of which become known late.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use engine::Time;
use observation::CapturedFact;

/// Facts that wait until no earlier one can follow.
#[derive(Default)]
pub struct FactQueue {
    /// Time and number of each waiting fact, which determine the order, and the fact's index in `facts`.
    waiting: BinaryHeap<Reverse<(Time, u64, usize)>>,
    facts: Vec<CapturedFact>,
    /// Indexes of facts that were passed on.
    free: Vec<usize>,
    next: u64,
    /// The time of the last fact that was passed on.
    passed_until: Time,
}

impl FactQueue {
    /// Reserves the next number. Of several facts at the same time, the one with the lowest number is passed on first.
    pub fn reserve_number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Adds a fact with the next number. One in the past is passed on at the next opportunity.
    pub fn add(&mut self, at: Time, fact: CapturedFact) {
        let number = self.reserve_number();
        self.add_numbered(at, number, fact);
    }

    /// Adds a fact with a reserved number.
    pub fn add_numbered(&mut self, at: Time, number: u64, fact: CapturedFact) {
        let place = match self.free.pop() {
            Some(place) => {
                self.facts[place] = fact;
                place
            }
            None => {
                self.facts.push(fact);
                self.facts.len() - 1
            }
        };
        self.waiting.push(Reverse((at.max(self.passed_until), number, place)));
    }

    /// The number of facts that wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Passes on all facts before `horizon`.
    pub fn flush(&mut self, horizon: Time, sink: &mut dyn FnMut(Time, &CapturedFact)) {
        while self.waiting.peek().is_some_and(|Reverse((at, ..))| *at < horizon) {
            let Some(Reverse((at, _, place))) = self.waiting.pop() else { return };
            self.passed_until = at;
            sink(at, &self.facts[place]);
            self.free.push(place);
        }
    }
}
