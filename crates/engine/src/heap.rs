//! A heap of which each owner has at most one entry, which it can move or take back.

/// An owner's entry. The entry with the least key is the first to be taken.
#[derive(Clone, Copy)]
struct Entry<K> {
    key: K,
    owner: u32,
}

/// Where an owner's entry stands in the heap, or that it has none.
const IDLE: u32 = u32::MAX;
/// Children per node: four keep a heap of a thousand entries five levels deep.
const ARITY: usize = 4;

/// Entries in order of their keys. Moving one back a little takes little, however many there are.
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
    /// How many owners there are.
    pub fn owners(&self) -> usize {
        self.place.len()
    }

    /// One owner more, without an entry. They are numbered from 0.
    pub fn add_owner(&mut self) -> u32 {
        self.place.push(IDLE);
        (self.place.len() - 1) as u32
    }

    /// The first entry, and its owner.
    #[inline]
    pub fn first(&self) -> Option<(K, u32)> {
        self.heap.first().map(|first| (first.key, first.owner))
    }

    /// The entry of `owner`, if it has one.
    pub fn get(&self, owner: u32) -> Option<K> {
        let place = self.place[owner as usize];
        (place != IDLE).then(|| self.heap[place as usize].key)
    }

    /// Gives `owner` this entry, in place of the one it has.
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

    /// Takes back the entry of `owner`, if it has one.
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
            // Which child is least is a coin toss to the processor: selected, not branched on.
            let (mut least, mut key) = (0, head.key);
            for (other, child) in others.iter().take(ARITY - 1).zip(1..) {
                let less = other.key < key;
                least = if less { child } else { least };
                key = if less { other.key } else { key };
            }
            if key >= entry.key {
                break;
            }
            self.put(place, self.heap[first + least]);
            place = first + least;
        }
        self.put(place, entry);
    }
}
