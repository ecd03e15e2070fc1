//! The segments that the host under test has sent.

use std::collections::VecDeque;

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

/// Transmitted segments in the order of transmission. The runner takes the ones of the latest connection, from the oldest
/// on. As in packetdrill, segments of an earlier connection that were not taken before are passed over.
#[derive(Debug, Default)]
pub struct Outbox {
    sent: Vec<SentSegment>,
    /// Positions in `sent` of the segments that were not taken and are not passed over, in ascending order.
    unread: VecDeque<usize>,
    /// Position in `sent` of the segment taken last.
    taken: usize,
}

impl Outbox {
    /// Appends a transmitted segment of the latest connection, or of no connection.
    pub fn push(&mut self, sent: SentSegment) {
        self.unread.push_back(self.sent.len());
        self.sent.push(sent);
    }

    /// Appends a transmitted segment of an earlier connection.
    pub fn push_of_earlier(&mut self, sent: SentSegment) {
        self.sent.push(sent);
    }

    /// Passes over all segments that were not taken yet: a new connection begins.
    pub fn pass_over(&mut self) {
        self.unread.clear();
    }

    /// Returns all transmitted segments, taken or not.
    pub fn all(&self) -> &[SentSegment] {
        &self.sent
    }

    /// Returns the number of segments to be taken.
    pub fn unread(&self) -> usize {
        self.unread.len()
    }

    /// Returns the oldest segment to be taken.
    pub fn peek(&self) -> Option<&SentSegment> {
        self.unread.front().and_then(|position| self.sent.get(*position))
    }

    /// Takes the oldest segment to be taken.
    pub fn take(&mut self) -> Option<SentSegment> {
        self.taken = self.unread.pop_front()?;
        self.sent.get(self.taken).copied()
    }

    /// Returns the position in [`all`](Self::all) of the segment taken last.
    pub fn last_taken(&self) -> usize {
        self.taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_of_earlier_connections_are_passed_over() {
        let sent = |len| SentSegment {
            time: Time::ZERO,
            segment: Segment { len, ..Segment::default() },
            ecn: Ecn::NotEct,
            last: false,
        };
        let mut outbox = Outbox::default();
        outbox.push(sent(1));
        outbox.push(sent(2));
        assert_eq!(outbox.take().map(|sent| sent.segment.len), Some(1));
        outbox.pass_over();
        assert_eq!((outbox.unread(), outbox.all().len()), (0, 2));
        outbox.push_of_earlier(sent(3));
        outbox.push(sent(4));
        assert_eq!(outbox.unread(), 1);
        assert_eq!(outbox.take().map(|sent| sent.segment.len), Some(4));
        assert_eq!(outbox.last_taken(), 3);
        assert!(outbox.take().is_none() && outbox.peek().is_none());
    }
}
