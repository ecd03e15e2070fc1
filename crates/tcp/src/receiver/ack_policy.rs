//! The two rules for the time of acknowledgments.

use engine::Time;

use super::delayed::Delayed;
use super::linux_acks::LinuxAcks;
use crate::config::Config;

/// The rule for the time of acknowledgments, with its state.
#[derive(Debug)]
pub(super) enum AckPolicy {
    /// [RFC5681 s4.2]
    Delayed(Delayed),
    Linux(Box<LinuxAcks>),
}

impl AckPolicy {
    pub fn new(config: &Config) -> Self {
        match config.delayed_ack.delay() {
            Some(delay) => AckPolicy::Delayed(Delayed::new(delay)),
            None => AckPolicy::Linux(Box::new(LinuxAcks::new(config.receiver))),
        }
    }

    /// Makes an acknowledgment due now.
    #[inline]
    pub fn at_once(&mut self) {
        match self {
            AckPolicy::Delayed(delayed) => delayed.at_once(),
            AckPolicy::Linux(linux) => linux.at_once(),
        }
    }

    /// Whether an acknowledgment is delayed.
    #[inline]
    pub fn waits(&self) -> bool {
        match self {
            AckPolicy::Delayed(delayed) => delayed.waits(),
            AckPolicy::Linux(linux) => linux.waits(),
        }
    }

    pub fn set_quick(&mut self, on: bool, unread: u64) {
        match self {
            AckPolicy::Delayed(delayed) => delayed.set_quick(on),
            AckPolicy::Linux(linux) => linux.set_quick(on, unread),
        }
    }

    /// Returns whether an acknowledgment of all data before `next` is due; consumes it.
    #[inline]
    pub fn take(&mut self, now: Time, next: u64) -> bool {
        match self {
            AckPolicy::Delayed(delayed) => delayed.take(now),
            AckPolicy::Linux(linux) => linux.take(now, next),
        }
    }

    /// Whether an acknowledgment is due, ignoring delayed ones.
    #[inline]
    pub fn owes(&self) -> bool {
        match self {
            AckPolicy::Delayed(delayed) => delayed.owes(),
            AckPolicy::Linux(linux) => linux.owes(),
        }
    }

    /// Records that a segment that acknowledges all data before `next` was sent.
    #[inline]
    pub fn clear(&mut self, next: u64) {
        match self {
            AckPolicy::Delayed(delayed) => delayed.clear(),
            AckPolicy::Linux(linux) => linux.clear(next),
        }
    }

    /// Returns the time at which the delayed acknowledgment is due.
    #[inline]
    pub fn deadline(&self) -> Time {
        match self {
            AckPolicy::Delayed(delayed) => delayed.deadline(),
            AckPolicy::Linux(linux) => linux.deadline(),
        }
    }
}
