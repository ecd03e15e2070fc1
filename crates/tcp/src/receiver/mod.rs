//! The half of a connection that receives data.
//!
//! One cumulative acknowledgment for each arrival, at once; what comes out of order is kept.

mod reassembly;

use std::collections::VecDeque;

use crate::event::Event;
use reassembly::Reassembly;

pub(crate) struct Receiver {
    window: u64,
    assembly: Reassembly,
    owed: u32,
    duplicates: u64,
    observed: bool,
    events: VecDeque<Event>,
}

impl Receiver {
    pub fn new(window: u64) -> Self {
        let assembly = Reassembly::default();
        Receiver { window, assembly, owed: 0, duplicates: 0, observed: false, events: VecDeque::new() }
    }

    pub fn observe(&mut self) {
        self.observed = true;
    }

    /// Next byte expected: everything before it has come, once and in order.
    pub fn next(&self) -> u64 {
        self.assembly.next()
    }

    /// Bytes from `next` on that may come; constant, since the application reads at once.
    pub fn window(&self) -> u64 {
        self.window
    }

    /// Segments that brought no byte that was not here already.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }

    pub fn pop_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Takes data. What lies beyond the window is not kept [RFC9293 s3.10.7.4].
    #[inline]
    pub fn on_data(&mut self, seq: u64, len: u32) {
        self.owed += 1;
        let in_order = seq == self.next();
        if self.observed {
            self.events.push_back(Event::SegmentReceived { seq, len, in_order });
        }
        let end = (seq + u64::from(len)).min(self.next() + self.window);
        if end > seq && !self.assembly.insert(seq, end) {
            self.duplicates += 1;
        }
    }

    /// Whether an acknowledgment must go out; asking takes one off.
    #[inline]
    pub fn take_owed(&mut self) -> bool {
        let owes = self.owed > 0;
        self.owed -= u32::from(owes);
        owes
    }

    /// Whatever goes out now acknowledges everything.
    pub fn acknowledged(&mut self) {
        self.owed = 0;
    }
}
