//! The state of a flow's receiver, derived from its events.

use tcp::Event;

use crate::byte_ranges::ByteRanges;

/// The state of a receiver. Packets that have arrived at its node and that it has not handled yet do not count.
#[derive(Clone, Debug, Default)]
pub struct ReceiverState {
    received: ByteRanges,
}

impl ReceiverState {
    /// The next byte expected.
    pub fn in_order(&self) -> u64 {
        self.received.in_order()
    }

    /// The bytes that the receiver has accepted.
    pub fn received(&self) -> &ByteRanges {
        &self.received
    }

    /// Handles an event of the receiver. Returns the number of bytes that are in order for the first time.
    pub fn apply(&mut self, event: &Event) -> u64 {
        let Event::SegmentReceived { seq, len, .. } = *event else { return 0 };
        let before = self.received.in_order();
        self.received.insert(seq, seq + u64::from(len));
        self.received.in_order() - before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_behind_a_hole_are_in_order_when_it_is_filled() {
        let mut receiver = ReceiverState::default();
        let received = |seq| Event::SegmentReceived { seq, len: 1000, in_order: true };
        let discarded = Event::SegmentDiscarded { seq: 1000, len: 1000 };
        let events = [received(0), received(2000), received(0), discarded, received(1000)];
        let news = events.map(|event| receiver.apply(&event));
        assert_eq!((news, receiver.in_order()), ([1000, 0, 0, 0, 2000], 3000));
    }
}
