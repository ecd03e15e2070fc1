//! The indexed heap, compared with an ordered map.

use std::collections::BTreeMap;

use engine::{IndexedHeap, Stream};

#[test]
fn owners_are_numbered_from_zero() {
    let mut heap = IndexedHeap::<u64>::default();
    assert_eq!((heap.owners(), heap.first()), (0, None));
    assert_eq!([heap.add_owner(), heap.add_owner(), heap.add_owner()], [0, 1, 2]);
    assert_eq!(heap.owners(), 3);
    heap.set(1, 5);
    assert_eq!((heap.owners(), heap.first()), (3, Some((5, 1))));
    assert_eq!([heap.get(0), heap.get(1), heap.get(2)], [None, Some(5), None]);
}

/// Entries of up to 300 owners change at random, so that heap nodes have no, one, some or four children. After each
/// change every owner has the entry that was set last, and the first entry has the smallest key.
#[test]
fn heap_agrees_with_an_ordered_map() {
    let mut draws = Stream::named(1, 0, "heap").draws();
    for owners in [1, 2, 5, 6, 21, 22, 300] {
        let mut heap = IndexedHeap::default();
        (0..owners).for_each(|owner| assert_eq!(heap.add_owner(), owner));
        let mut model: BTreeMap<u32, u64> = BTreeMap::new();
        for _ in 0..3_000 {
            let owner = (draws.next_u64() % u64::from(owners)) as u32;
            let key = draws.next_u64() % 1_000;
            match draws.next_u64() % 4 {
                0 => {
                    heap.remove(owner);
                    model.remove(&owner);
                }
                1 => {
                    let (later, first) = (key + 200, heap.first());
                    let owner = first.map_or(owner, |(_, first)| first);
                    let replaces = first.is_some_and(|(key, _)| key <= later);
                    assert_eq!(heap.replace_first(owner, later), replaces);
                    if replaces {
                        model.insert(owner, later);
                    }
                }
                _ => {
                    heap.set(owner, key);
                    model.insert(owner, key);
                }
            }
            assert_eq!(heap.first().map(|(key, _)| key), model.values().min().copied());
            assert!(heap.first().is_none_or(|(key, owner)| model[&owner] == key));
            assert!((0..owners).all(|owner| heap.get(owner) == model.get(&owner).copied()));
        }
        // Entries removed from the front have ascending keys.
        let mut keys: Vec<u64> = model.into_values().collect();
        keys.sort_unstable();
        for key in keys {
            let (first, owner) = heap.first().expect("as many entries as the model");
            assert_eq!(first, key);
            heap.remove(owner);
        }
        assert_eq!(heap.first(), None);
    }
}
