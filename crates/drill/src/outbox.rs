//! The segments that the host under test has sent.

use engine::Time;
use wire::{Ecn, Segment};

/// A segment on its way out.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// When it left.
    pub time: Time,
    /// The segment.
    pub segment: Segment,
    /// The ECN field.
    pub ecn: Ecn,
    /// Whether its last byte is the last one that the application has handed over, and meant to be pushed.
    pub last: bool,
}

/// Segments in the order in which they left; the oldest have been looked at.
#[derive(Debug, Default)]
pub struct Outbox {
    sent: Vec<Sent>,
    /// How many of `sent` have been read.
    read: usize,
}

impl Outbox {
    /// One more was sent.
    pub fn push(&mut self, sent: Sent) {
        self.sent.push(sent);
    }

    /// Everything that was sent.
    pub fn all(&self) -> &[Sent] {
        &self.sent
    }

    /// How many of them have not been read.
    pub fn unread(&self) -> usize {
        self.sent.len() - self.read
    }

    /// The oldest unread one.
    pub fn peek(&self) -> Option<&Sent> {
        self.sent.get(self.read)
    }

    /// It has been looked at.
    pub fn take(&mut self) -> Option<Sent> {
        let sent = self.peek().copied();
        self.read += usize::from(sent.is_some());
        sent
    }
}
