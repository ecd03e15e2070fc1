//! A priority queue in which each owner has at most one entry. The entry can be moved or removed in place.

/// The entry of an owner. The entry with the smallest key is the first of the heap.
#[derive(Clone, Copy)]
struct HeapEntry<K> {
    key: K,
    owner: u32,
}

/// Place of an owner without an entry.
const IDLE: u32 = u32::MAX;
/// Marks an owner whose entry is in the front.
const FRONT: u32 = u32::MAX - 1;
/// Children per node: with four, a heap of a thousand entries has five levels.
const ARITY: usize = 4;
/// Maximum number of entries in the front, which are searched and moved one by one.
const FRONT_MAX: usize = 8;
/// Number of entries moved from the heap to an empty front.
const REFILL: usize = 4;

/// A queue of entries ordered by key. Moving an entry a little costs little, independently of the number of entries.
///
/// The smallest entries are in a sorted array, the front, and all others in a heap: a run with few owners, or with few
/// busy ones, never uses the heap.
pub struct IndexedHeap<K> {
    /// The smallest entries in ascending order. The list is empty only if there are no entries.
    front: Vec<HeapEntry<K>>,
    /// The other entries, of which none is smaller than the last entry of the front.
    heap: Vec<HeapEntry<K>>,
    /// The place in `heap` by owner, or `FRONT` or `IDLE`.
    place: Vec<u32>,
}

impl<K> Default for IndexedHeap<K> {
    fn default() -> Self {
        IndexedHeap { front: Vec::new(), heap: Vec::new(), place: Vec::new() }
    }
}

impl<K: Copy + Ord> IndexedHeap<K> {
    /// Number of owners.
    pub fn owners(&self) -> usize {
        self.place.len()
    }

    /// Adds an owner without an entry and returns its number. Owners are numbered from 0.
    pub fn add_owner(&mut self) -> u32 {
        self.place.push(IDLE);
        (self.place.len() - 1) as u32
    }

    /// Returns the entry with the smallest key, and its owner; `None` if there is no entry.
    #[inline]
    pub fn first(&self) -> Option<(K, u32)> {
        self.front.first().map(|first| (first.key, first.owner))
    }

    /// Returns the key of `owner`'s entry; `None` without an entry.
    pub fn get(&self, owner: u32) -> Option<K> {
        match self.place[owner as usize] {
            IDLE => None,
            FRONT => self.front.iter().find(|entry| entry.owner == owner).map(|entry| entry.key),
            place => Some(self.heap[place as usize].key),
        }
    }

    /// Sets the entry of `owner`, replacing an earlier one.
    #[inline]
    pub fn set(&mut self, owner: u32, key: K) {
        let entry = HeapEntry { key, owner };
        match self.place[owner as usize] {
            IDLE => self.insert(entry),
            FRONT => {
                self.remove_from_front(owner);
                self.insert(entry);
                self.refill_if_empty();
            }
            place => {
                let place = place as usize;
                if self.front.last().is_some_and(|last| key < last.key) {
                    self.remove_from_heap(place);
                    self.insert(entry);
                } else if key < self.heap[place].key {
                    self.sift_up(place, entry);
                } else {
                    self.sift_down(place, entry);
                }
            }
        }
    }

    /// Replaces the first entry by an entry with a key that is not smaller, if the first entry is that of `owner`.
    /// Returns whether it is.
    #[inline]
    pub fn replace_first(&mut self, owner: u32, key: K) -> bool {
        let is_first = self.front.first().is_some_and(|first| first.owner == owner && first.key <= key);
        if !is_first {
            return false;
        }
        let entry = HeapEntry { key, owner };
        if !self.heap.is_empty() && self.front.last().is_some_and(|last| last.key < key) {
            self.move_first_to_heap(entry);
            return true;
        }
        let mut rest = self.front.as_mut_slice();
        while let [at, later @ ..] = rest {
            match later.first() {
                Some(next) if next.key < key => *at = *next,
                _ => {
                    *at = entry;
                    break;
                }
            }
            rest = later;
        }
        true
    }

    /// Removes the entry of `owner`, if any.
    #[inline]
    pub fn remove(&mut self, owner: u32) {
        match self.place[owner as usize] {
            IDLE => return,
            FRONT => {
                self.remove_from_front(owner);
                self.refill_if_empty();
            }
            place => self.remove_from_heap(place as usize),
        }
        self.place[owner as usize] = IDLE;
    }

    /// Inserts an entry whose owner has none in the front or the heap.
    #[inline]
    fn insert(&mut self, entry: HeapEntry<K>) {
        let behind = self.front.last().is_none_or(|last| last.key <= entry.key);
        if behind && (!self.heap.is_empty() || self.front.len() == FRONT_MAX) {
            return self.push_to_heap(entry);
        }
        if self.front.len() == FRONT_MAX
            && let Some(last) = self.front.pop()
        {
            self.push_to_heap(last);
        }
        self.place[entry.owner as usize] = FRONT;
        self.front.push(entry);
        let mut rest = self.front.as_mut_slice();
        while let [earlier @ .., last] = rest {
            match earlier.last() {
                Some(before) if entry.key < before.key => *last = *before,
                _ => {
                    *last = entry;
                    break;
                }
            }
            rest = earlier;
        }
    }

    /// Removes the entry of an owner, which is in the front.
    #[inline]
    fn remove_from_front(&mut self, owner: u32) {
        let at = self.front.iter().position(|entry| entry.owner == owner);
        if let Some(mut rest) = at.and_then(|at| self.front.get_mut(at..)) {
            while let [here, later @ ..] = rest {
                let Some(next) = later.first() else { break };
                *here = *next;
                rest = later;
            }
            self.front.pop();
        }
    }

    /// Replaces the first entry by an entry of the same owner that is larger than all entries of the front.
    fn move_first_to_heap(&mut self, entry: HeapEntry<K>) {
        self.front.remove(0);
        self.push_to_heap(entry);
        self.refill_if_empty();
    }

    #[inline]
    fn refill_if_empty(&mut self) {
        if self.front.is_empty() {
            self.refill();
        }
    }

    /// Moves the smallest entries of the heap to the front, which is empty.
    fn refill(&mut self) {
        while self.front.len() < REFILL
            && let Some(first) = self.heap.first().copied()
        {
            self.remove_from_heap(0);
            self.place[first.owner as usize] = FRONT;
            self.front.push(first);
        }
    }

    fn push_to_heap(&mut self, entry: HeapEntry<K>) {
        self.heap.push(entry);
        self.sift_up(self.heap.len() - 1, entry);
    }

    /// Removes the entry at a place in the heap.
    fn remove_from_heap(&mut self, place: usize) {
        let Some(last) = self.heap.pop() else { return };
        if place < self.heap.len() {
            if place > 0 && last.key < self.heap[(place - 1) / ARITY].key {
                self.sift_up(place, last);
            } else {
                self.sift_down(place, last);
            }
        }
    }

    #[inline]
    fn put(&mut self, place: usize, entry: HeapEntry<K>) {
        self.heap[place] = entry;
        self.place[entry.owner as usize] = place as u32;
    }

    #[inline]
    fn sift_up(&mut self, mut place: usize, entry: HeapEntry<K>) {
        while place > 0 {
            let parent = (place - 1) / ARITY;
            if entry.key >= self.heap[parent].key {
                break;
            }
            self.put(place, self.heap[parent]);
            place = parent;
        }
        self.put(place, entry);
    }

    #[inline]
    fn sift_down(&mut self, mut place: usize, entry: HeapEntry<K>) {
        loop {
            let first = place * ARITY + 1;
            let Some((head, others)) = self.heap.get(first..).and_then(<[_]>::split_first) else { break };
            // The smallest child is chosen without branches, which the processor could not predict.
            let (mut smallest, mut key) = (0, head.key);
            for (other, child) in others.iter().take(ARITY - 1).zip(1..) {
                let less = other.key < key;
                smallest = if less { child } else { smallest };
                key = if less { other.key } else { key };
            }
            if key >= entry.key {
                break;
            }
            self.put(place, self.heap[first + smallest]);
            place = first + smallest;
        }
        self.put(place, entry);
    }
}
