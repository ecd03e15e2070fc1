//! What is kept of each flow: found by its ends, in the order in which the flows were used, at most so many.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use wire::{Addr, Packet, Segment};

/// The two ends of a flow, the lesser first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Ends(pub [(Addr, u16); 2]);

impl Ends {
    /// The ends of a segment's flow, and which of them sent it.
    pub fn of(packet: &Packet, segment: &Segment) -> (Self, usize) {
        let (from, to) = ((packet.src, segment.src_port), (packet.dst, segment.dst_port));
        if from <= to { (Ends([from, to]), 0) } else { (Ends([to, from]), 1) }
    }
}

/// Nobody.
const NONE: u32 = u32::MAX;

struct Place<T> {
    ends: Ends,
    flow: T,
    /// Its neighbours in the order of use.
    older: u32,
    newer: u32,
}

/// Flows by number. Every operation takes the same time, however many there are.
pub(super) struct Table<T> {
    most: usize,
    places: Vec<Option<Place<T>>>,
    free: Vec<u32>,
    /// Never iterated, and hashed without chance: order cannot come from here.
    numbers: HashMap<Ends, u32, FixedState>,
    oldest: u32,
    newest: u32,
}

impl<T> Table<T> {
    pub fn new(most: u32) -> Self {
        Table {
            most: most as usize,
            places: Vec::new(),
            free: Vec::new(),
            numbers: HashMap::default(),
            oldest: NONE,
            newest: NONE,
        }
    }

    pub fn len(&self) -> u64 {
        self.numbers.len() as u64
    }

    pub fn is_full(&self) -> bool {
        self.numbers.len() >= self.most
    }

    pub fn find(&self, ends: &Ends) -> Option<u32> {
        self.numbers.get(ends).copied()
    }

    pub fn get(&mut self, number: u32) -> Option<(Ends, &mut T)> {
        let place = self.places.get_mut(number as usize)?.as_mut()?;
        Some((place.ends, &mut place.flow))
    }

    /// The flow that was not used for the longest time.
    pub fn oldest(&mut self) -> Option<(u32, &mut T)> {
        let number = self.oldest;
        self.get(number).map(|(_, flow)| (number, flow))
    }

    /// A new flow, used now. Only if there is none with these ends and the table is not full.
    pub fn insert(&mut self, ends: Ends, flow: T) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            (self.places.len() - 1) as u32
        });
        self.places[number as usize] = Some(Place { ends, flow, older: NONE, newer: NONE });
        self.numbers.insert(ends, number);
        self.attach(number);
        number
    }

    pub fn remove(&mut self, number: u32) -> Option<T> {
        self.places.get(number as usize)?.as_ref()?;
        self.detach(number);
        let place = self.places[number as usize].take()?;
        self.numbers.remove(&place.ends);
        self.free.push(number);
        Some(place.flow)
    }

    /// Notes that a flow was used now.
    pub fn touch(&mut self, number: u32) {
        if self.newest != number && self.get(number).is_some() {
            self.detach(number);
            self.attach(number);
        }
    }

    fn place(&mut self, number: u32) -> Option<&mut Place<T>> {
        self.places.get_mut(number as usize)?.as_mut()
    }

    fn attach(&mut self, number: u32) {
        let before = std::mem::replace(&mut self.newest, number);
        if let Some(place) = self.place(number) {
            (place.older, place.newer) = (before, NONE);
        }
        match self.place(before) {
            Some(place) => place.newer = number,
            None => self.oldest = number,
        }
    }

    fn detach(&mut self, number: u32) {
        let Some(place) = self.place(number) else { return };
        let (older, newer) = (place.older, place.newer);
        match self.place(older) {
            Some(place) => place.newer = newer,
            None => self.oldest = newer,
        }
        match self.place(newer) {
            Some(place) => place.older = older,
            None => self.newest = older,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(port: u16) -> Ends {
        Ends([(Addr::of_node(0), port), (Addr::of_node(1), 1)])
    }

    #[test]
    fn flows_leave_in_the_order_in_which_they_were_used() {
        let mut table = Table::new(4);
        let numbers: Vec<u32> = (0..4).map(|port| table.insert(ends(port), port)).collect();
        assert!(table.is_full());
        // 0 1 2 3 becomes 1 3 0 2: from the middle, from the front, and what is last already.
        for used in [2, 0, 2, 2] {
            table.touch(numbers[used]);
        }
        table.remove(numbers[3]);
        assert_eq!(table.find(&ends(3)), None);
        // The place is used again.
        assert_eq!(table.insert(ends(9), 9), numbers[3]);
        let mut left = Vec::new();
        while let Some((number, flow)) = table.oldest() {
            left.push(*flow);
            table.remove(number);
        }
        assert_eq!(left, [1, 0, 2, 9]);
        assert!(!table.is_full() && table.remove(numbers[0]).is_none());
    }
}
