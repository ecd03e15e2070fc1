//! Round robin among the queues whose last attempt did not fail recently: a mobile in a fade costs the others one
//! attempt in each `skip_time` (BBKT96).
//!
//! A channel is believed bad for `skip_time` after each failure, and good after each success. If all channels are
//! believed bad, the queue whose last failure is the oldest is served.

use std::collections::{BTreeSet, VecDeque};

use engine::registry::{Fault, Settings};
use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Attempt, Joined, Scheduler};

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Time for which a queue is skipped after a failed attempt, while others have packets.
    pub skip_time: Span,
}

impl Default for Config {
    /// Returns the thesis's mean sojourn time in BAD (goel1997 B.3.9). Sojourn times are exponential, so that this is
    /// also the mean remaining time after a failed attempt.
    fn default() -> Self {
        Config { skip_time: Span::from_millis(100) }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        if self.skip_time > Span::ZERO {
            return Vec::new();
        }
        vec![Fault::new("skip_time", self.skip_time, "more than 0").hint("write kind = \"round-robin\"")]
    }
}

impl Config {
    /// Creates the scheduler.
    pub fn build(&self) -> Box<dyn Scheduler> {
        let (rotation, out, bad_until) = Default::default();
        Box::new(ChannelStateScheduler { skip_time: self.skip_time, rotation, out, bad_until })
    }
}

struct ChannelStateScheduler {
    skip_time: Span,
    /// Queues with packets; the first is served next.
    rotation: VecDeque<usize>,
    /// Queues with packets that are out of the rotation, and the times of their return.
    out: BTreeSet<(Time, usize)>,
    /// Time until which the channel of each queue is believed bad, for the queues from 0 that have been served.
    bad_until: Vec<Time>,
}

impl Scheduler for ChannelStateScheduler {
    fn next(&self) -> Option<usize> {
        self.rotation.front().copied()
    }

    fn on_join(&mut self, queue: usize, packet: Joined, now: Time) {
        if !packet.first {
            return;
        }
        let bad_until = self.bad_until.get(queue).copied().unwrap_or(Time::ZERO);
        if bad_until > now && !self.rotation.is_empty() {
            self.out.insert((bad_until, queue));
        } else {
            self.rotation.push_back(queue);
        }
    }

    fn on_attempt(&mut self, attempt: Attempt, now: Time) {
        let Some(queue) = self.rotation.pop_front() else { return };
        if self.bad_until.len() <= queue {
            self.bad_until.resize(queue + 1, Time::ZERO);
        }
        self.bad_until[queue] = if attempt.acknowledged { Time::ZERO } else { now + self.skip_time };
        if attempt.more && attempt.acknowledged {
            self.rotation.push_back(queue);
        } else if attempt.more {
            self.out.insert((self.bad_until[queue], queue));
        }
        while let Some((until, queue)) = self.out.first().copied().filter(|(until, _)| *until <= now) {
            self.out.remove(&(until, queue));
            self.rotation.push_back(queue);
        }
        if self.rotation.is_empty() {
            self.rotation.extend(self.out.pop_first().map(|(_, queue)| queue));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_packet_does_not_end_the_belief_that_a_channel_is_bad() {
        let mut scheduler = Config { skip_time: Span::from_millis(10) }.build();
        let at = Time::from_millis;
        let joined = |serving| Joined { first: true, expedited: false, serving };
        scheduler.on_join(0, joined(false), at(0));
        scheduler.on_join(1, joined(true), at(0));
        scheduler.on_attempt(Attempt { acknowledged: false, done: true, besides: 0, more: false }, at(1));
        scheduler.on_join(0, joined(true), at(2));
        let good = Attempt { acknowledged: true, done: true, besides: 0, more: true };
        let order = [3, 4, 12, 13].map(|ms| {
            scheduler.on_attempt(good, at(ms));
            scheduler.next()
        });
        assert_eq!(order, [Some(1), Some(1), Some(1), Some(0)]);
        // A queue without competitors is served immediately.
        scheduler.on_attempt(Attempt { acknowledged: false, done: true, besides: 0, more: false }, at(14));
        scheduler.on_attempt(Attempt { more: false, ..good }, at(15));
        assert_eq!(scheduler.next(), None);
        scheduler.on_join(0, joined(false), at(16));
        assert_eq!(scheduler.next(), Some(0));
    }
}
