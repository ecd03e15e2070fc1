//! The far end of a link layer with a window: received frames and deliveries.

use std::collections::VecDeque;

use wire::Packet;

use crate::mac::arq::window::Policy;

/// The result of receiving a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Taken {
    /// The frame is new.
    New,
    /// The frame is a duplicate.
    Again,
    /// The frame is out of sequence, and only the next one in sequence is accepted (go-back-N).
    OutOfTurn,
}

/// The state of a frame that is not delivered because an earlier one is missing.
enum Place {
    Missing,
    /// Delivered, or given up.
    Settled,
    Held(Packet),
}

pub(super) struct FarEnd {
    policy: Policy,
    /// The lowest number that may still arrive.
    expected: u64,
    /// State of the frames from `expected` on; at most a window of them, since the sender waits for missing frames.
    places: VecDeque<Place>,
}

impl FarEnd {
    pub fn new(policy: Policy) -> Self {
        FarEnd { policy, expected: 0, places: VecDeque::new() }
    }

    pub fn expected(&self) -> u64 {
        self.expected
    }

    /// Returns true if the frame of this number was received.
    pub fn has(&self, number: u64) -> bool {
        match number.checked_sub(self.expected) {
            None => true,
            Some(ahead) => self.places.get(ahead as usize).is_some_and(|place| !matches!(place, Place::Missing)),
        }
    }

    /// Returns the acknowledged number for frame `number`: all frames below it with go-back-N, this frame otherwise.
    pub fn acknowledges(&self, number: u64) -> u64 {
        match self.policy {
            Policy::GoBackN => self.expected,
            Policy::SelectiveRepeat { .. } => number,
        }
    }

    /// A frame arrives; packets that can be delivered now are passed to `up`.
    pub fn take(&mut self, number: u64, packet: Packet, mut up: impl FnMut(Packet)) -> Taken {
        if self.has(number) {
            return Taken::Again;
        }
        match self.policy {
            Policy::GoBackN if number > self.expected => return Taken::OutOfTurn,
            Policy::SelectiveRepeat { in_order: true } => self.put(number, Place::Held(packet)),
            Policy::GoBackN | Policy::SelectiveRepeat { in_order: false } => {
                up(packet);
                self.put(number, Place::Settled);
            }
        }
        self.advance(up);
        Taken::New
    }

    /// The frame of this number was given up, unless it was received.
    pub fn pass_over(&mut self, number: u64, up: impl FnMut(Packet)) {
        if !self.has(number) {
            self.put(number, Place::Settled);
            self.advance(up);
        }
    }

    /// Sets the place of `number`, which is at least `expected`.
    fn put(&mut self, number: u64, place: Place) {
        let ahead = (number - self.expected) as usize;
        while self.places.len() <= ahead {
            self.places.push_back(Place::Missing);
        }
        self.places[ahead] = place;
    }

    /// Advances to the first missing place.
    fn advance(&mut self, mut up: impl FnMut(Packet)) {
        while let Some(place) = self.places.pop_front() {
            match place {
                Place::Missing => {
                    self.places.push_front(place);
                    return;
                }
                Place::Settled => {}
                Place::Held(packet) => up(packet),
            }
            self.expected += 1;
        }
    }
}
