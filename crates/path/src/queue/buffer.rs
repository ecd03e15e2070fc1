//! The buffer of a router, in bytes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use engine::{Bytes, Time};

/// The buffer of a router, shared by all its links. A packet occupies its bytes from its arrival until it has been
/// sent.
#[derive(Default)]
pub struct RouterBuffer {
    limit: Option<u64>,
    used: u64,
    /// Departures of packets that are known in advance. A heap, because links differ in speed.
    departures: BinaryHeap<Reverse<(Time, u32)>>,
}

impl RouterBuffer {
    /// Creates a buffer of `limit` bytes, or an unlimited one.
    pub fn new(limit: Option<Bytes>) -> Self {
        RouterBuffer { limit: limit.map(|bytes| bytes.0), ..Self::default() }
    }

    /// Returns true if the buffer has a limit.
    #[inline]
    pub fn is_limited(&self) -> bool {
        self.limit.is_some()
    }

    /// Reserves space for `size` bytes, if there is enough at `now`.
    #[inline]
    pub fn admit(&mut self, now: Time, size: u32) -> bool {
        let Some(limit) = self.limit else { return true };
        while let Some(Reverse((_, gone))) = self.departures.peek().filter(|Reverse((at, _))| *at <= now) {
            self.used -= u64::from(*gone);
            self.departures.pop();
        }
        let fits = self.used + u64::from(size) <= limit;
        if fits {
            self.used += u64::from(size);
        }
        fits
    }

    /// Returns the bytes occupied at `now`, and the limit; `None` for an unlimited buffer, whose bytes are not counted.
    pub fn state(&self, now: Time) -> Option<(u64, u64)> {
        let gone = self.departures.iter().filter(|Reverse((at, _))| *at <= now);
        let gone: u64 = gone.map(|Reverse((_, size))| u64::from(*size)).sum();
        self.limit.map(|limit| (self.used - gone, limit))
    }

    /// Records that an admitted packet departs at `at`.
    #[inline]
    pub fn leaves_at(&mut self, at: Time, size: u32) {
        if self.limit.is_some() {
            self.departures.push(Reverse((at, size)));
        }
    }

    /// Records that an admitted packet departs at `leaves`, or was dropped by the queue after this buffer.
    #[inline]
    pub fn release_at(&mut self, leaves: Option<Time>, size: u32) {
        if self.is_limited() {
            match leaves {
                Some(leaves) => self.leaves_at(leaves, size),
                None => self.release(size),
            }
        }
    }

    /// Frees the space of an admitted packet that has departed, or was dropped by the queue after this buffer.
    #[inline]
    pub fn release(&mut self, size: u32) {
        if self.limit.is_some() {
            self.used -= u64::from(size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffer_frees_space_of_departed_packets() {
        let mut buffer = RouterBuffer::new(Some(Bytes(3000)));
        assert!(buffer.admit(Time::ZERO, 1000));
        assert!(buffer.admit(Time::ZERO, 2000));
        assert!(!buffer.admit(Time::ZERO, 1));
        buffer.leaves_at(Time::from_millis(5), 1000);
        assert!(!buffer.admit(Time::from_millis(4), 1));
        assert!(buffer.admit(Time::from_millis(5), 1000));
        buffer.release(2000);
        assert!(buffer.admit(Time::from_millis(5), 2000));
    }
}
