//! Which neighbour a transmitter serves next, for stations with a link layer and for those of a medium. No step looks at all
//! neighbours, of which there may be hundreds.

use std::collections::{BTreeSet, VecDeque};

use engine::{Span, Time};

use super::scheduler::{ChannelState, Scheduler};

/// How the attempt went for which it was a lane's turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Attempt {
    /// Whether it was acknowledged.
    pub acknowledged: bool,
    /// Whether its packet is delivered or given up.
    pub done: bool,
    /// How many packets of the lane behind it are, too.
    pub besides: u32,
    /// Whether the lane has packets left, this one included.
    pub more: bool,
}

/// The lanes that have something to send, in the order of service.
pub(crate) struct SchedulerState {
    scheduler: Scheduler,
    /// First come, first served: a lane for each of its packets. Otherwise: each lane in the rotation once. In front the one
    /// whose turn it is.
    queue: VecDeque<u32>,
    /// First come, first served: how many places behind the one that is being served belong to expedited packets.
    expedited: usize,
    /// Lanes with packets that are out of the rotation, and until when.
    out: BTreeSet<(Time, u32)>,
    /// Until when the channel of each lane is believed bad; as far as there are such lanes.
    bad_until: Vec<Time>,
}

impl SchedulerState {
    pub fn new(scheduler: Scheduler) -> Self {
        SchedulerState { scheduler, queue: VecDeque::new(), expedited: 0, out: BTreeSet::new(), bad_until: Vec::new() }
    }

    /// Whose turn it is.
    pub fn next(&self) -> Option<usize> {
        self.queue.front().map(|lane| *lane as usize)
    }

    /// A packet has joined a lane, in which it is the only one if `first`. What is `expedited` goes before all that is not, but
    /// what is being served, if anything is.
    pub fn joined(&mut self, lane: usize, first: bool, expedited: bool, serving: bool, now: Time) {
        let number = lane as u32;
        match self.scheduler {
            Scheduler::ChannelState(_) if first => {
                let bad_until = self.bad_until.get(lane).copied().unwrap_or(Time::ZERO);
                if bad_until > now && !self.queue.is_empty() {
                    self.out.insert((bad_until, number));
                } else {
                    self.queue.push_back(number);
                }
            }
            Scheduler::RoundRobin if first => self.queue.push_back(number),
            Scheduler::RoundRobin | Scheduler::ChannelState(_) => {}
            Scheduler::Fifo if expedited && serving => {
                self.queue.insert((1 + self.expedited).min(self.queue.len()), number);
                self.expedited += 1;
            }
            Scheduler::Fifo => self.queue.push_back(number),
        }
    }

    /// The lane whose turn it was has made an attempt.
    pub fn served(&mut self, attempt: Attempt, now: Time) {
        match self.scheduler {
            Scheduler::Fifo => self.leave(attempt),
            Scheduler::RoundRobin => {
                if let Some(lane) = self.queue.pop_front().filter(|_| attempt.more) {
                    self.queue.push_back(lane);
                }
            }
            Scheduler::ChannelState(ChannelState { rest }) => self.believe(attempt, rest, now),
        }
    }

    /// First come, first served: packets leave that are done, and one that is not stays in front.
    fn leave(&mut self, Attempt { done, besides, .. }: Attempt) {
        let Some(lane) = self.queue.pop_front() else { return };
        for _ in 0..besides {
            let Some(place) = self.queue.iter().position(|other| *other == lane) else { break };
            self.queue.remove(place);
            self.expedited -= usize::from(place < self.expedited);
        }
        if done {
            // An expedited one that comes to the front is served now.
            self.expedited = self.expedited.saturating_sub(1);
        } else {
            self.queue.push_front(lane);
        }
    }

    /// A channel is believed bad for `rest` behind each failure, and good behind each success.
    fn believe(&mut self, attempt: Attempt, rest: Span, now: Time) {
        let Some(number) = self.queue.pop_front() else { return };
        let lane = number as usize;
        if self.bad_until.len() <= lane {
            self.bad_until.resize(lane + 1, Time::ZERO);
        }
        self.bad_until[lane] = if attempt.acknowledged { Time::ZERO } else { now + rest };
        if attempt.more && attempt.acknowledged {
            self.queue.push_back(number);
        } else if attempt.more {
            self.out.insert((self.bad_until[lane], number));
        }
        while let Some((until, number)) = self.out.first().copied().filter(|(until, _)| *until <= now) {
            self.out.remove(&(until, number));
            self.queue.push_back(number);
        }
        // Rather a channel that is believed bad than none.
        if self.queue.is_empty() {
            self.queue.extend(self.out.pop_first().map(|(_, number)| number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whose turn it is before each of some attempts, a millisecond apart, of lanes that always have something to send; `bad`
    /// says at which millisecond an attempt of a lane fails. The third failure in a row gives the packet up.
    fn order(scheduler: Scheduler, lanes: usize, attempts: u64, bad: impl Fn(usize, u64) -> bool) -> String {
        let mut turns = SchedulerState::new(scheduler);
        for lane in (0..2 * lanes).map(|place| place % lanes) {
            turns.joined(lane, turns.queue.iter().all(|other| *other as usize != lane), false, false, Time::ZERO);
        }
        let mut failures = vec![0; lanes];
        let attempt = |ms: u64| {
            let lane = turns.next().unwrap();
            let acknowledged = !bad(lane, ms);
            failures[lane] = if acknowledged { 0 } else { failures[lane] + 1 };
            let done = acknowledged || failures[lane] == 3;
            if done {
                failures[lane] = 0;
                turns.joined(lane, false, false, true, Time::from_millis(ms));
            }
            turns.served(Attempt { acknowledged, done, besides: 0, more: true }, Time::from_millis(ms));
            char::from_digit(lane as u32, 10).unwrap()
        };
        (0..attempts).map(attempt).collect()
    }

    fn channel_state(millis: u64) -> Scheduler {
        Scheduler::ChannelState(ChannelState { rest: Span::from_millis(millis) })
    }

    #[test]
    fn a_lane_in_a_fade_blocks_all_costs_one_attempt_a_round_or_is_left_out() {
        let fade = |lane: usize, _: u64| lane == 1;
        assert_eq!(order(Scheduler::Fifo, 3, 12, fade), "011120111201");
        assert_eq!(order(Scheduler::RoundRobin, 3, 12, fade), "012012012012");
        assert_eq!(order(channel_state(6), 3, 14, fade), "01202020201202");
    }

    #[test]
    fn urgent_packets_go_before_the_others_in_the_order_in_which_they_came() {
        let mut turns = SchedulerState::new(Scheduler::Fifo);
        for (lane, expedited) in [(0, false), (1, false), (2, true), (3, true)] {
            turns.joined(lane, true, expedited, lane > 0, Time::ZERO);
        }
        let done = Attempt { acknowledged: true, done: true, besides: 0, more: false };
        let mut order = Vec::new();
        while let Some(lane) = turns.next() {
            order.push(lane);
            turns.served(done, Time::ZERO);
        }
        assert_eq!(order, [0, 2, 3, 1]);
    }

    #[test]
    fn packets_that_go_together_leave_the_queue_together() {
        let mut turns = SchedulerState::new(Scheduler::Fifo);
        for (place, lane) in [0, 0, 1, 0, 1].into_iter().enumerate() {
            turns.joined(lane, place == 0 || place == 2, false, place > 0, Time::ZERO);
        }
        // Of all three of lane 0 the second and third are done, and the first stays in front.
        turns.served(Attempt { acknowledged: true, done: false, besides: 2, more: true }, Time::ZERO);
        assert_eq!(turns.queue, [0, 1, 1]);
        turns.served(Attempt { acknowledged: true, done: true, besides: 0, more: false }, Time::ZERO);
        turns.served(Attempt { acknowledged: true, done: true, besides: 1, more: false }, Time::ZERO);
        assert_eq!(turns.next(), None);
    }

    #[test]
    fn a_channel_that_recovers_is_back_in_the_rotation() {
        assert_eq!(order(channel_state(4), 2, 12, |lane, ms| lane == 1 && ms < 4), "010000010101");
    }

    #[test]
    fn if_all_channels_are_believed_bad_the_one_that_rested_longest_is_served() {
        assert_eq!(order(channel_state(100), 3, 9, |_, _| true), "012012012");
    }

    #[test]
    fn a_lane_that_comes_back_with_a_packet_is_still_believed_bad() {
        let mut turns = SchedulerState::new(channel_state(10));
        let at = Time::from_millis;
        turns.joined(0, true, false, false, at(0));
        turns.joined(1, true, false, true, at(0));
        turns.served(Attempt { acknowledged: false, done: true, besides: 0, more: false }, at(1));
        turns.joined(0, true, false, true, at(2));
        let good = Attempt { acknowledged: true, done: true, besides: 0, more: true };
        let order = [3, 4, 12, 13].map(|ms| {
            turns.served(good, at(ms));
            turns.next()
        });
        assert_eq!(order, [Some(1), Some(1), Some(1), Some(0)]);
        // Alone it is served at once.
        turns.served(Attempt { acknowledged: false, done: true, besides: 0, more: false }, at(14));
        turns.served(Attempt { more: false, ..good }, at(15));
        assert_eq!(turns.next(), None);
        turns.joined(0, true, false, false, at(16));
        assert_eq!(turns.next(), Some(0));
    }
}
