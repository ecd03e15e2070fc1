//! The queue of a bottleneck in packets, counted without its rate.
//!
//! With s, a and b as in [`path`](crate::path), a packet finds in the queue the packets that were sent before it, were
//! accepted, and arrive after s + b. The count may be one too high: if the rate is lower than at the minimum of a - s,
//! the packet in transmission counts, too; and if one acknowledgment covers two packets, the first seems to arrive
//! late.
//!
//! ```text
//! limit    one more than the maximum number of packets that an accepted packet found, of at least four alike
//! full     a lost packet found this maximum, or one packet less
//! ```
//!
//! The queue is first in, first out: a packet has left it when a packet that was sent later arrives, even if it was
//! delayed after the queue. A packet lost on the channel leaves with the packet before it. Whether a lost packet was in
//! the queue depends on the limit, which is therefore found by iteration, first without the lost packets.

use std::collections::VecDeque;

use engine::{Span, Time};

use crate::transmission::{Transmission, TransmissionFate};

/// Number of iterations for the limit, which changes only by the few channel losses among the packets of a full queue.
const ROUNDS: usize = 3;
/// Minimum number of packets that an accepted packet must have found for the queue to count as full.
const FEWEST: u32 = 3;

/// The largest error of the count of an accepted packet.
const UNSURE: u32 = 1;

/// Number of nearly equal counts or waits that confirm the limit of a queue.
pub(crate) const ALIKE: usize = 4;

/// The cause of a packet's loss, or its arrival.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LossSource {
    /// It arrived.
    Nothing,
    /// The channel lost the packet, or a queue that was not known to be full dropped it.
    Channel,
    /// A queue that seems full dropped the packet.
    FullQueue,
}

/// The packets of a queue.
pub(crate) struct BottleneckBacklog {
    /// Maximum number of packets that an accepted packet found.
    most: u32,
    /// The cause for each packet whose fate is known.
    pub(crate) fates: Vec<LossSource>,
}

impl BottleneckBacklog {
    /// Finds the limit of the queue that the packets met; `base` is the minimum time from sending to arrival.
    pub(crate) fn estimate(all: &[Transmission], reordered: &[bool], base: Span) -> Self {
        let left = find_departures(all);
        let mut backlog = BottleneckBacklog::count_with_limit(all, &left, reordered, base, None);
        for _ in 1..ROUNDS {
            backlog = BottleneckBacklog::count_with_limit(all, &left, reordered, base, Some(backlog.most));
        }
        backlog
    }

    /// Returns the queue limit in packets if the queue was full, or else a lower bound of it.
    pub(crate) fn limit(&self) -> u32 {
        self.most + 1
    }

    /// Counts the packets that each packet finds in the queue. A queue holds `most` packets and one more. With `None`,
    /// no lost packet counts as queued.
    fn count_with_limit(
        all: &[Transmission],
        left: &[Time],
        reordered: &[bool],
        base: Span,
        most: Option<u32>,
    ) -> Self {
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
                    fates.push(LossSource::Nothing);
                    last = *left;
                }
                TransmissionFate::Lost => {
                    let is_full = most.is_some_and(|most| found + UNSURE >= most && most >= FEWEST);
                    fates.push(if is_full { LossSource::FullQueue } else { LossSource::Channel });
                    if is_full || most.is_none() {
                        continue;
                    }
                }
            }
            queue.push_back(last);
        }
        // A lost or delayed acknowledgment makes the count of single packets too high.
        accepted.sort_unstable_by(|one, other| other.cmp(one));
        let alike = accepted.windows(ALIKE).find(|alike| alike[0] - alike[ALIKE - 1] <= 1);
        BottleneckBacklog { most: alike.map_or(0, |alike| alike[ALIKE - 1]), fates }
    }
}

/// Returns for each packet the latest time at which it left the queue, which is its arrival or the arrival of a packet
/// sent later.
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
