//! The far end of a link layer with a window: what it has, and what it hands up.

use std::collections::VecDeque;

use wire::Packet;

use crate::mac::arq::window::Policy;

/// What the far end makes of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Taken {
    /// It did not have it.
    New,
    /// It had it already.
    Again,
    /// It is not the next, and only the next is taken.
    OutOfTurn,
}

/// A frame that is not handed up, behind one that is missing.
enum Place {
    Missing,
    /// Handed up, or never to come.
    Settled,
    Held(Packet),
}

pub(super) struct FarEnd {
    policy: Policy,
    /// The first number that may still come.
    expected: u64,
    /// From `expected` on; never longer than the window, since the sender waits for what is missing.
    places: VecDeque<Place>,
}

impl FarEnd {
    pub fn new(policy: Policy) -> Self {
        FarEnd { policy, expected: 0, places: VecDeque::new() }
    }

    pub fn expected(&self) -> u64 {
        self.expected
    }

    /// Whether it has the frame of this number, or once had.
    pub fn has(&self, number: u64) -> bool {
        match number.checked_sub(self.expected) {
            None => true,
            Some(ahead) => self.places.get(ahead as usize).is_some_and(|place| !matches!(place, Place::Missing)),
        }
    }

    /// What an acknowledgment of frame `number` says: everything below this with go-back-N, this frame otherwise.
    pub fn acknowledges(&self, number: u64) -> u64 {
        match self.policy {
            Policy::GoBackN => self.expected,
            Policy::SelectiveRepeat { .. } => number,
        }
    }

    /// A frame arrives; what can be handed up now goes to `up`.
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

    /// The frame of this number is not going to come, unless it has.
    pub fn pass_over(&mut self, number: u64, up: impl FnMut(Packet)) {
        if !self.has(number) {
            self.put(number, Place::Settled);
            self.advance(up);
        }
    }

    /// Fills the place of `number`, which is not below `expected`.
    fn put(&mut self, number: u64, place: Place) {
        let ahead = (number - self.expected) as usize;
        while self.places.len() <= ahead {
            self.places.push_back(Place::Missing);
        }
        self.places[ahead] = place;
    }

    /// Goes on to the first place that is missing.
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
