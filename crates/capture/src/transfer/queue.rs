//! Events in order of time, some of which become known late.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use engine::Time;
use sim::{Event, Sink};

/// An event with its place in the order: by time, then by number.
struct Entry {
    at: Time,
    number: u64,
    event: Event,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.number) == (other.at, other.number)
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

/// Events that wait until no earlier one can follow.
#[derive(Default)]
pub struct Queue {
    waiting: BinaryHeap<Reverse<Entry>>,
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
        self.waiting.push(Reverse(Entry { at: at.max(self.left), number, event }));
    }

    /// The number of events that wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Passes on all events before `horizon`.
    pub fn flush(&mut self, horizon: Time, sink: &mut impl Sink) {
        while self.waiting.peek().is_some_and(|Reverse(entry)| entry.at < horizon) {
            let Some(Reverse(entry)) = self.waiting.pop() else { return };
            self.left = entry.at;
            sink.event(entry.at, &entry.event);
        }
    }
}
