//! The segments that the host under test has sent.

use engine::Time;
use wire::{Ecn, Segment};

/// A transmitted segment.
#[derive(Clone, Copy, Debug)]
pub struct SentSegment {
    /// Transmission time.
    pub time: Time,
    /// The segment.
    pub segment: Segment,
    /// Codepoint in the ECN field of the IP header.
    pub ecn: Ecn,
    /// True if the segment ends with the last byte written so far, without `MSG_MORE`. Then PSH is required.
    pub last: bool,
}

/// Transmitted segments in the order of transmission. The runner takes them from the oldest on.
#[derive(Debug, Default)]
pub struct Outbox {
    sent: Vec<SentSegment>,
    /// Number of segments in `sent` that the runner has taken.
    read: usize,
}

impl Outbox {
    /// Appends a transmitted segment.
    pub fn push(&mut self, sent: SentSegment) {
        self.sent.push(sent);
    }

    /// Returns all transmitted segments, taken or not.
    pub fn all(&self) -> &[SentSegment] {
        &self.sent
    }

    /// Returns the number of segments not taken yet.
    pub fn unread(&self) -> usize {
        self.sent.len() - self.read
    }

    /// Returns the oldest segment not taken yet.
    pub fn peek(&self) -> Option<&SentSegment> {
        self.sent.get(self.read)
    }

    /// Takes the oldest segment not taken yet.
    pub fn take(&mut self) -> Option<SentSegment> {
        let sent = self.peek().copied();
        self.read += usize::from(sent.is_some());
        sent
    }
}
