//! A hash table with a bounded number of entries in the order of their use.

use std::collections::HashMap;
use std::hash::Hash;

use foldhash::fast::FixedState;

/// Index that denotes no entry.
const NONE: u32 = u32::MAX;

struct LruEntry<K, T> {
    key: K,
    state: T,
    /// Indices of the neighbours in the order of use.
    older: u32,
    newer: u32,
}

/// Entries that are found by key or by index; an index saves further searches. Every operation takes constant time.
pub(super) struct LruTable<K, T> {
    most: usize,
    places: Vec<Option<LruEntry<K, T>>>,
    free: Vec<u32>,
    /// The index of each key. The map is never iterated, and hashed with a fixed seed, so that results cannot depend on
    /// its order.
    numbers: HashMap<K, u32, FixedState>,
    oldest: u32,
    newest: u32,
}

impl<K: Copy + Eq + Hash, T> LruTable<K, T> {
    /// Creates a table for at most `most` entries.
    pub fn new(most: usize) -> Self {
        LruTable { most, places: Vec::new(), free: Vec::new(), numbers: HashMap::default(), oldest: NONE, newest: NONE }
    }

    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    pub fn is_full(&self) -> bool {
        self.len() >= self.most
    }

    /// Returns the index of a key. The most recently used key, common for packets of one flow, is found without
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

    /// Returns the least recently used entry.
    pub fn oldest(&mut self) -> Option<(u32, &mut T)> {
        let number = self.oldest;
        self.get(number).map(|(_, state)| (number, state))
    }

    /// Inserts an entry and marks it as used; the key must be absent and the table not full.
    pub fn insert(&mut self, key: K, state: T) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            (self.places.len() - 1) as u32
        });
        self.places[number as usize] = Some(LruEntry { key, state, older: NONE, newer: NONE });
        self.numbers.insert(key, number);
        self.attach(number);
        number
    }

    /// Removes an entry; the next inserted entry reuses its index.
    pub fn remove(&mut self, number: u32) -> Option<(K, T)> {
        self.place(number)?;
        self.detach(number);
        let place = self.places[number as usize].take()?;
        self.numbers.remove(&place.key);
        self.free.push(number);
        Some((place.key, place.state))
    }

    /// Marks an entry as used now.
    #[inline]
    pub fn touch(&mut self, number: u32) {
        if self.newest != number && self.place(number).is_some() {
            self.detach(number);
            self.attach(number);
        }
    }

    /// Calls `show` for all entries, the least recently used one first.
    pub fn each(&mut self, mut show: impl FnMut(&K, &mut T)) {
        let mut number = self.oldest;
        while let Some(place) = self.place(number) {
            show(&place.key, &mut place.state);
            number = place.newer;
        }
    }

    #[inline]
    fn place(&mut self, number: u32) -> Option<&mut LruEntry<K, T>> {
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
    fn entries_are_removed_in_the_order_of_use() {
        let mut table = LruTable::new(4);
        let numbers: Vec<u32> = (0..4).map(|key| table.insert(key, 10 * key)).collect();
        assert!(table.is_full());
        // The order 0 1 2 3 becomes 1 3 0 2. An entry from the middle is used, one from the front, and the last one
        // twice.
        for used in [2, 0, 2, 2] {
            table.touch(numbers[used]);
        }
        assert_eq!(table.remove(numbers[3]), Some((3, 30)));
        assert_eq!(table.find(&3), None);
        // The index is reused.
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
    fn most_recently_used_entry_is_found_by_key() {
        let mut table = LruTable::new(3);
        let numbers: Vec<u32> = (0..3).map(|key| table.insert(key, ())).collect();
        for used in [0, 2, 1] {
            table.touch(numbers[used]);
            assert!((0..3).all(|key| table.find(&key) == Some(numbers[key])));
        }
        table.remove(numbers[1]);
        assert_eq!((table.find(&1), table.find(&2)), (None, Some(numbers[2])));
    }
}
