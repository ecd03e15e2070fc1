//! The far end of a link layer with a window: received frames and deliveries.

use std::collections::VecDeque;

use wire::Packet;

use crate::mac::arq::window::WindowPolicy;

/// The result of receiving a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FrameReceipt {
    /// The frame is new.
    New,
    /// The frame is a duplicate.
    Again,
    /// The frame is out of sequence, and the receiver accepts only the next frame in sequence (go-back-N).
    OutOfTurn,
}

/// The state of a frame that is not delivered because an earlier one is missing.
enum ReorderSlot {
    Missing,
    /// Delivered, or given up.
    Settled,
    Held(Packet),
}

pub(super) struct FarEnd {
    policy: WindowPolicy,
    /// The lowest number that may still arrive.
    expected: u64,
    /// State of the frames from `expected` on. At most a window of frames is stored, because the sender waits for
    /// missing frames.
    places: VecDeque<ReorderSlot>,
}

impl FarEnd {
    pub fn new(policy: WindowPolicy) -> Self {
        FarEnd { policy, expected: 0, places: VecDeque::new() }
    }

    pub fn next_expected(&self) -> u64 {
        self.expected
    }

    /// Returns true if the frame of this number was received.
    pub fn has(&self, number: u64) -> bool {
        match number.checked_sub(self.expected) {
            None => true,
            Some(ahead) => self.places.get(ahead as usize).is_some_and(|place| !matches!(place, ReorderSlot::Missing)),
        }
    }

    /// Returns the acknowledged number for frame `number`: all frames below it with go-back-N, this frame otherwise.
    pub fn acknowledges(&self, number: u64) -> u64 {
        match self.policy {
            WindowPolicy::GoBackN => self.expected,
            WindowPolicy::SelectiveRepeat { .. } => number,
        }
    }

    /// A frame arrives; packets that can be delivered now are passed to `up`.
    pub fn take(&mut self, number: u64, packet: Packet, mut up: impl FnMut(Packet)) -> FrameReceipt {
        if self.has(number) {
            return FrameReceipt::Again;
        }
        match self.policy {
            WindowPolicy::GoBackN if number > self.expected => return FrameReceipt::OutOfTurn,
            WindowPolicy::SelectiveRepeat { in_order: true } => self.put(number, ReorderSlot::Held(packet)),
            WindowPolicy::GoBackN | WindowPolicy::SelectiveRepeat { in_order: false } => {
                up(packet);
                self.put(number, ReorderSlot::Settled);
            }
        }
        self.advance(up);
        FrameReceipt::New
    }

    /// Passes over the frame with this number, which was given up, unless the frame was received.
    pub fn pass_over(&mut self, number: u64, up: impl FnMut(Packet)) {
        if !self.has(number) {
            self.put(number, ReorderSlot::Settled);
            self.advance(up);
        }
    }

    /// Sets the state of frame `number`, which is at least `expected`.
    fn put(&mut self, number: u64, place: ReorderSlot) {
        let ahead = (number - self.expected) as usize;
        while self.places.len() <= ahead {
            self.places.push_back(ReorderSlot::Missing);
        }
        self.places[ahead] = place;
    }

    /// Advances to the first missing frame.
    fn advance(&mut self, mut up: impl FnMut(Packet)) {
        while let Some(place) = self.places.pop_front() {
            match place {
                ReorderSlot::Missing => {
                    self.places.push_front(place);
                    return;
                }
                ReorderSlot::Settled => {}
                ReorderSlot::Held(packet) => up(packet),
            }
            self.expected += 1;
        }
    }
}
