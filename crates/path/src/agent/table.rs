//! State by key: of a bounded number of keys, found by hash, in the order in which they were used.

use std::collections::HashMap;
use std::hash::Hash;

use foldhash::fast::FixedState;

/// The index that stands for no entry.
const NONE: u32 = u32::MAX;

struct Place<K, T> {
    key: K,
    state: T,
    /// Its neighbours in the order of use.
    older: u32,
    newer: u32,
}

/// State by key, and by number: what has been found once need not be looked for again. Every operation takes the same
/// time, however much there is.
pub(super) struct Table<K, T> {
    most: usize,
    places: Vec<Option<Place<K, T>>>,
    free: Vec<u32>,
    /// Never iterated, and hashed without chance: order cannot come from here.
    numbers: HashMap<K, u32, FixedState>,
    oldest: u32,
    newest: u32,
}

impl<K: Copy + Eq + Hash, T> Table<K, T> {
    /// Room for `most`.
    pub fn new(most: usize) -> Self {
        Table { most, places: Vec::new(), free: Vec::new(), numbers: HashMap::default(), oldest: NONE, newest: NONE }
    }

    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    pub fn is_full(&self) -> bool {
        self.len() >= self.most
    }

    /// The number of a key. What was used last, as it is when a packet's flow is asked for again, is found without
    /// hashing.
    #[inline]
    pub fn find(&self, key: &K) -> Option<u32> {
        match self.places.get(self.newest as usize) {
            Some(Some(newest)) if newest.key == *key => Some(self.newest),
            _ => self.numbers.get(key).copied(),
        }
    }

    #[inline]
    pub fn get(&mut self, number: u32) -> Option<(K, &mut T)> {
        self.place(number).map(|place| (place.key, &mut place.state))
    }

    /// The least recently used entry.
    pub fn oldest(&mut self) -> Option<(u32, &mut T)> {
        let number = self.oldest;
        self.get(number).map(|(_, state)| (number, state))
    }

    /// Something new, used now. Only if the key is not there and the table is not full.
    pub fn insert(&mut self, key: K, state: T) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            (self.places.len() - 1) as u32
        });
        self.places[number as usize] = Some(Place { key, state, older: NONE, newer: NONE });
        self.numbers.insert(key, number);
        self.attach(number);
        number
    }

    /// The next thing inserted gets this number.
    pub fn remove(&mut self, number: u32) -> Option<(K, T)> {
        self.place(number)?;
        self.detach(number);
        let place = self.places[number as usize].take()?;
        self.numbers.remove(&place.key);
        self.free.push(number);
        Some((place.key, place.state))
    }

    /// Notes that something was used now.
    #[inline]
    pub fn touch(&mut self, number: u32) {
        if self.newest != number && self.place(number).is_some() {
            self.detach(number);
            self.attach(number);
        }
    }

    /// Shows everything, in the order of use.
    pub fn each(&mut self, mut show: impl FnMut(&K, &mut T)) {
        let mut number = self.oldest;
        while let Some(place) = self.place(number) {
            show(&place.key, &mut place.state);
            number = place.newer;
        }
    }

    #[inline]
    fn place(&mut self, number: u32) -> Option<&mut Place<K, T>> {
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

    #[test]
    fn states_leave_in_the_order_in_which_they_were_used() {
        let mut table = Table::new(4);
        let numbers: Vec<u32> = (0..4).map(|key| table.insert(key, 10 * key)).collect();
        assert!(table.is_full());
        // 0 1 2 3 becomes 1 3 0 2: from the middle, from the front, and what is last already.
        for used in [2, 0, 2, 2] {
            table.touch(numbers[used]);
        }
        assert_eq!(table.remove(numbers[3]), Some((3, 30)));
        assert_eq!(table.find(&3), None);
        // The place is used again.
        assert_eq!(table.insert(9, 90), numbers[3]);
        let mut shown = Vec::new();
        table.each(|key, state| shown.push((*key, *state)));
        assert_eq!(shown, [(1, 10), (0, 0), (2, 20), (9, 90)]);
        let mut left = Vec::new();
        while let Some((number, state)) = table.oldest() {
            left.push(*state);
            table.remove(number);
        }
        assert_eq!(left, [10, 0, 20, 90]);
        assert!(!table.is_full() && table.remove(numbers[0]).is_none());
    }

    #[test]
    fn the_one_used_last_is_found_as_the_others_are() {
        let mut table = Table::new(3);
        let numbers: Vec<u32> = (0..3).map(|key| table.insert(key, ())).collect();
        for used in [0, 2, 1] {
            table.touch(numbers[used]);
            assert!((0..3).all(|key| table.find(&key) == Some(numbers[key])));
        }
        table.remove(numbers[1]);
        assert_eq!((table.find(&1), table.find(&2)), (None, Some(numbers[2])));
    }
}
