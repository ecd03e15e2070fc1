//! A priority queue in which each owner has at most one entry, which can be moved or removed in place.

/// The entry of an owner. The entry with the smallest key is the first of the heap.
#[derive(Clone, Copy)]
struct Entry<K> {
    key: K,
    owner: u32,
}

/// Position of an owner without an entry.
const IDLE: u32 = u32::MAX;
/// Children per node: with four, a heap of a thousand entries has five levels.
const ARITY: usize = 4;

/// A heap of entries ordered by key. Moving an entry a little costs little, independently of the heap's size.
pub struct IndexedHeap<K> {
    heap: Vec<Entry<K>>,
    place: Vec<u32>,
}

impl<K> Default for IndexedHeap<K> {
    fn default() -> Self {
        IndexedHeap { heap: Vec::new(), place: Vec::new() }
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

    /// Returns the entry with the smallest key, and its owner; `None` for an empty heap.
    #[inline]
    pub fn first(&self) -> Option<(K, u32)> {
        self.heap.first().map(|first| (first.key, first.owner))
    }

    /// Returns the key of `owner`'s entry; `None` without an entry.
    pub fn get(&self, owner: u32) -> Option<K> {
        let place = self.place[owner as usize];
        (place != IDLE).then(|| self.heap[place as usize].key)
    }

    /// Sets the entry of `owner`, replacing an earlier one.
    #[inline]
    pub fn set(&mut self, owner: u32, key: K) {
        let entry = Entry { key, owner };
        let place = self.place[owner as usize];
        if place == IDLE {
            self.heap.push(entry);
            self.sift_up(self.heap.len() - 1, entry);
        } else if key < self.heap[place as usize].key {
            self.sift_up(place as usize, entry);
        } else {
            self.sift_down(place as usize, entry);
        }
    }

    /// Replaces the first entry, if it is that of `owner`, by one with a key that is not smaller; returns whether it is.
    #[inline]
    pub fn replace_first(&mut self, owner: u32, key: K) -> bool {
        let is_first = self.heap.first().is_some_and(|first| first.owner == owner && first.key <= key);
        if is_first {
            self.sift_down(0, Entry { key, owner });
        }
        is_first
    }

    /// Removes the entry of `owner`, if any.
    #[inline]
    pub fn remove(&mut self, owner: u32) {
        let place = self.place[owner as usize];
        if place == IDLE {
            return;
        }
        self.place[owner as usize] = IDLE;
        let place = place as usize;
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
    fn put(&mut self, place: usize, entry: Entry<K>) {
        self.heap[place] = entry;
        self.place[entry.owner as usize] = place as u32;
    }

    #[inline]
    fn sift_up(&mut self, mut place: usize, entry: Entry<K>) {
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
    fn sift_down(&mut self, mut place: usize, entry: Entry<K>) {
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
