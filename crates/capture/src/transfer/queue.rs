//! Events in order of time, some of which become known late.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use engine::Time;
use sim::Event;

/// Events that wait until no earlier one can follow.
#[derive(Default)]
pub struct Queue {
    /// Time and number of each, which are their order, and the place where it is kept.
    waiting: BinaryHeap<Reverse<(Time, u64, usize)>>,
    events: Vec<Event>,
    /// Places of events that have left.
    free: Vec<usize>,
    next: u64,
    /// The time of the last event that has left.
    left: Time,
}

impl Queue {
    /// The next number. Of events at the same time, the one with the lower number leaves first.
    pub fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Adds an event with a number of its own. One in the past leaves at the next opportunity.
    pub fn add(&mut self, at: Time, event: Event) {
        let number = self.number();
        self.add_as(at, number, event);
    }

    /// Adds an event with a number from before.
    pub fn add_as(&mut self, at: Time, number: u64, event: Event) {
        let place = match self.free.pop() {
            Some(place) => {
                self.events[place] = event;
                place
            }
            None => {
                self.events.push(event);
                self.events.len() - 1
            }
        };
        self.waiting.push(Reverse((at.max(self.left), number, place)));
    }

    /// The number of events that wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Passes on all events before `horizon`.
    pub fn flush(&mut self, horizon: Time, sink: &mut dyn FnMut(Time, &Event)) {
        while self.waiting.peek().is_some_and(|Reverse((at, ..))| *at < horizon) {
            let Some(Reverse((at, _, place))) = self.waiting.pop() else { return };
            self.left = at;
            sink(at, &self.events[place]);
            self.free.push(place);
        }
    }
}
