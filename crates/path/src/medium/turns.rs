//! Which neighbour a station of a medium serves next. No step looks at all neighbours, of which there may be hundreds.

use std::collections::VecDeque;

use crate::station::scheduler::Scheduler;

/// The lanes that have something to send, in the order of service.
pub(super) struct Turns {
    scheduler: Scheduler,
    /// Round robin: each lane with work once. First come, first served: a lane for each of its packets.
    queue: VecDeque<u32>,
}

impl Turns {
    pub fn new(scheduler: Scheduler) -> Self {
        Turns { scheduler, queue: VecDeque::new() }
    }

    /// Whose turn it is.
    pub fn next(&self) -> Option<usize> {
        self.queue.front().map(|lane| *lane as usize)
    }

    /// A packet has joined a lane, in which it is the only one if `first`. What is `urgent` goes before all but what is
    /// being served, if anything is.
    pub fn joined(&mut self, lane: usize, first: bool, urgent: bool, serving: bool) {
        let lane = lane as u32;
        match self.scheduler {
            Scheduler::RoundRobin if first => self.queue.push_back(lane),
            Scheduler::RoundRobin => {}
            Scheduler::Fifo if urgent => self.queue.insert(usize::from(serving).min(self.queue.len()), lane),
            Scheduler::Fifo => self.queue.push_back(lane),
        }
    }

    /// The lane whose turn it was has made an attempt. `done` if its packet is delivered or given up, `more` if there are
    /// packets in it.
    pub fn served(&mut self, done: bool, more: bool) {
        match self.scheduler {
            Scheduler::RoundRobin => {
                if let Some(lane) = self.queue.pop_front().filter(|_| more) {
                    self.queue.push_back(lane);
                }
            }
            Scheduler::Fifo if done => {
                self.queue.pop_front();
            }
            Scheduler::Fifo => {}
        }
    }
}
