//! The queue of a bottleneck in packets, counted without its rate.
//!
//! With s, a and b as in [`path`](crate::path), a packet finds those in the queue that were sent before it, were
//! accepted, and arrive after s + b. Of one in transmission this is true only where the rate is lower than that at
//! which the least a - s was seen, so that the count may be one too high; so may it be where an acknowledgment is for
//! two.
//!
//! ```text
//! limit    one more than the most packets that an accepted packet found, of at least four alike
//! full     a lost packet found the most that an accepted one found, or one less
//! ```
//!
//! The queue is first in, first out: a packet has left it when one that was sent later arrives, so that one which was
//! late for another reason is counted until then. One that the channel lost leaves with the packet before it. Whether a
//! lost packet was in the queue depends on the limit, which is therefore found in rounds, first without the lost ones.

use std::collections::VecDeque;

use engine::{Span, Time};

use crate::transmission::{Transmission, TransmissionFate};

/// Rounds in which the limit is found: it changes by the few losses of the channel among the packets of a full queue.
const ROUNDS: usize = 3;
/// The fewest packets that an accepted one must have found for the queue to be taken for full.
const FEWEST: u32 = 3;

/// By how much the count of an accepted packet may be too high.
const UNSURE: u32 = 1;

/// Waits that show the same queue.
pub(crate) const ALIKE: usize = 4;

/// What became of a packet, if it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Met {
    /// It arrived.
    Nothing,
    /// The channel lost it, or a queue that was not known to be full.
    Channel,
    /// It met a queue that seems full.
    FullQueue,
}

/// The packets of a queue.
pub(crate) struct Backlog {
    /// The most packets that an accepted packet found.
    most: u32,
    /// What each packet met whose fate is known.
    pub(crate) fates: Vec<Met>,
}

impl Backlog {
    /// Of packets with their least time from sending to arrival.
    pub(crate) fn of(all: &[Transmission], reordered: &[bool], base: Span) -> Self {
        let left = find_departures(all);
        let mut backlog = Backlog::count_with(all, &left, reordered, base, None);
        for _ in 1..ROUNDS {
            backlog = Backlog::count_with(all, &left, reordered, base, Some(backlog.most));
        }
        backlog
    }

    /// The number of packets that the queue holds, or held at least.
    pub(crate) fn limit(&self) -> u32 {
        self.most + 1
    }

    /// With a queue that is full with `most` and another; `None`: as if no lost packet had been in it.
    fn count_with(all: &[Transmission], left: &[Time], reordered: &[bool], base: Span, most: Option<u32>) -> Self {
        let mut queue = VecDeque::new();
        let (mut accepted, mut fates) = (Vec::with_capacity(all.len()), Vec::with_capacity(all.len()));
        let mut last = Time::ZERO;
        for ((sent, left), reordered) in all.iter().zip(left).zip(reordered) {
            while queue.front().is_some_and(|left| *left <= sent.sent + base) {
                queue.pop_front();
            }
            let found = queue.len() as u32;
            match sent.fate() {
                TransmissionFate::Open => continue,
                TransmissionFate::Arrived(_) => {
                    accepted.extend((!reordered).then_some(found));
                    fates.push(Met::Nothing);
                    last = *left;
                }
                TransmissionFate::Lost => {
                    let is_full = most.is_some_and(|most| found + UNSURE >= most && most >= FEWEST);
                    fates.push(if is_full { Met::FullQueue } else { Met::Channel });
                    if is_full || most.is_none() {
                        continue;
                    }
                }
            }
            queue.push_back(last);
        }
        // An acknowledgment that was lost or delayed makes single packets seem to find more.
        accepted.sort_unstable_by(|one, other| other.cmp(one));
        let alike = accepted.windows(ALIKE).find(|alike| alike[0] - alike[ALIKE - 1] <= 1);
        Backlog { most: alike.map_or(0, |alike| alike[ALIKE - 1]), fates }
    }
}

/// When each packet had left the queue at the latest: when it, or one that was sent later, arrived.
fn find_departures(all: &[Transmission]) -> Vec<Time> {
    let mut next = Time::NEVER;
    let earlier = |sent: &Transmission| {
        next = sent.arrival().map_or(next, |at| next.min(at));
        next
    };
    let mut left: Vec<Time> = all.iter().rev().map(earlier).collect();
    left.reverse();
    left
}
