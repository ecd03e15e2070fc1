//! Contracts of all schedulers, built from their names alone, and the order of service under each.

use crate::common;

use std::collections::VecDeque;

use common::member;
use engine::{Span, Stream, Time};
use path::scheduler::{Attempt, Joined, SchedulerConfig, channel_state};
use proptest::prelude::*;

/// Queues of a transmitter that always serves, as reported to the scheduler: numbers of packets, and the failures of the
/// packet in service.
struct Transmitter {
    queues: Vec<VecDeque<u32>>,
    failures: u32,
    log: Vec<usize>,
}

impl Transmitter {
    fn packets(&self) -> usize {
        self.queues.iter().map(VecDeque::len).sum()
    }
}

/// Runs a scheduler through random arrivals and attempts, and returns the queue of each attempt.
fn run(config: &SchedulerConfig, seed: u64) -> Vec<usize> {
    let mut scheduler = config.build();
    let mut draws = Stream::named(seed, 0, "scheduler contracts").draws();
    let mut transmitter = Transmitter { queues: vec![VecDeque::new(); 4], failures: 0, log: Vec::new() };
    for step in 0..400 {
        let now = Time::from_millis(step);
        if !draws.next_u64().is_multiple_of(3) {
            let queue = (draws.next_u64() % 4) as usize;
            let (first, serving) = (transmitter.queues[queue].is_empty(), transmitter.packets() > 0);
            transmitter.queues[queue].push_back(step as u32);
            scheduler.on_join(queue, Joined { first, expedited: false, serving }, now);
        }
        assert_eq!(scheduler.next().is_some(), transmitter.packets() > 0, "{} at step {step}", config.name());
        let Some(queue) = scheduler.next() else { continue };
        assert!(!transmitter.queues[queue].is_empty(), "{} serves an empty queue at step {step}", config.name());
        // With probability 1/5 a queue of at least three packets drops its last one; the queue to serve stays the same.
        let dropping = (draws.next_u64() % 4) as usize;
        if transmitter.queues[dropping].len() > 2 && draws.next_u64().is_multiple_of(5) {
            transmitter.queues[dropping].pop_back();
            scheduler.on_drop(dropping);
        }
        assert_eq!(scheduler.next(), Some(queue), "{} changed its mind", config.name());
        let acknowledged = draws.next_u64().is_multiple_of(2);
        transmitter.failures = if acknowledged { 0 } else { transmitter.failures + 1 };
        let done = acknowledged || transmitter.failures == 3;
        if done {
            transmitter.failures = 0;
            transmitter.queues[queue].pop_front();
        }
        transmitter.log.push(queue);
        let more = !transmitter.queues[queue].is_empty();
        scheduler.on_attempt(Attempt { acknowledged, done, besides: 0, more }, now);
    }
    // All remaining packets are served.
    let mut rest = 0;
    while let Some(queue) = scheduler.next() {
        transmitter.queues[queue].pop_front();
        let more = !transmitter.queues[queue].is_empty();
        scheduler
            .on_attempt(Attempt { acknowledged: true, done: true, besides: 0, more }, Time::from_millis(1000 + rest));
        rest += 1;
    }
    assert_eq!(transmitter.packets(), 0, "{} forgot packets", config.name());
    transmitter.log
}

fn every_scheduler() -> Vec<SchedulerConfig> {
    let all: Vec<SchedulerConfig> =
        SchedulerConfig::MEMBERS.iter().map(|(name, _)| member(name).expect("settings have defaults")).collect();
    assert!(all.iter().all(|config| config.check().is_empty()));
    all
}

proptest! {
    #[test]
    fn every_packet_is_served_and_the_same_events_give_the_same_order(seed in any::<u64>()) {
        for config in every_scheduler() {
            prop_assert_eq!(run(&config, seed), run(&config, seed));
        }
    }
}

/// Returns the queue of each attempt, with attempts a millisecond apart and queues that always have packets; `bad`
/// decides whether the attempt for a queue at a millisecond fails. The third consecutive failure gives the packet up.
fn order(config: SchedulerConfig, queues: usize, attempts: u64, bad: impl Fn(usize, u64) -> bool) -> String {
    let mut scheduler = config.build();
    let joined = |first, serving| Joined { first, expedited: false, serving };
    for place in 0..2 * queues {
        scheduler.on_join(place % queues, joined(place < queues, false), Time::ZERO);
    }
    let mut failures = vec![0; queues];
    let attempt = |ms: u64| {
        let queue = scheduler.next().unwrap();
        let acknowledged = !bad(queue, ms);
        failures[queue] = if acknowledged { 0 } else { failures[queue] + 1 };
        let done = acknowledged || failures[queue] == 3;
        if done {
            failures[queue] = 0;
            scheduler.on_join(queue, joined(false, true), Time::from_millis(ms));
        }
        scheduler.on_attempt(Attempt { acknowledged, done, besides: 0, more: true }, Time::from_millis(ms));
        char::from_digit(queue as u32, 10).unwrap()
    };
    (0..attempts).map(attempt).collect()
}

fn channel_state(millis: u64) -> SchedulerConfig {
    SchedulerConfig::ChannelState(channel_state::Config { skip_time: Span::from_millis(millis) })
}

#[test]
fn scheduler_defines_whether_a_faded_receiver_blocks_others() {
    let fade = |queue: usize, _: u64| queue == 1;
    assert_eq!(order(SchedulerConfig::Fifo(Default::default()), 3, 12, fade), "011120111201");
    assert_eq!(order(SchedulerConfig::default(), 3, 12, fade), "012012012012");
    assert_eq!(order(channel_state(6), 3, 14, fade), "01202020201202");
}

#[test]
fn queue_of_a_recovered_channel_is_served_again() {
    assert_eq!(order(channel_state(4), 2, 12, |queue, ms| queue == 1 && ms < 4), "010000010101");
}

#[test]
fn queue_skipped_for_longest_is_served_if_all_channels_are_believed_bad() {
    assert_eq!(order(channel_state(100), 3, 9, |_, _| true), "012012012");
}
