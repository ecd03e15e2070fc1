//! Audibility between stations: which stations sense and decode which others.

use std::collections::HashMap;
use std::hash::Hash;

use fixedbitset::FixedBitSet;
use foldhash::fast::FixedState;

use crate::event::Reach;

/// Audibility between stations, and the carrier-sense groups: sets of stations with equal audibility.
pub(super) struct Audibility {
    /// For each station, its group.
    pub group: Vec<u32>,
    /// For each station, the groups that sense it, and whether they can decode its frames.
    pub audience: Vec<Vec<(u32, bool)>>,
    /// Number of groups.
    pub groups: usize,
    /// For each station, the stations that it senses, including itself; empty if all stations decode each other.
    senses: Vec<FixedBitSet>,
    decodes: Vec<FixedBitSet>,
}

impl Audibility {
    /// Returns the audibility of `count` stations that all decode each other.
    pub fn of_all(count: usize) -> Self {
        Audibility {
            group: vec![0; count],
            audience: vec![vec![(0, true)]; count],
            groups: 1,
            senses: Vec::new(),
            decodes: Vec::new(),
        }
    }

    /// Returns the audibility of `count` stations that sense only themselves. The groups must be built afterwards.
    pub fn of_none(count: usize) -> Self {
        let alone = |station| {
            let mut row = FixedBitSet::with_capacity(count);
            row.insert(station);
            row
        };
        let rows: Vec<_> = (0..count).map(alone).collect();
        let (group, audience) = (vec![0; count], vec![Vec::new(); count]);
        Audibility { group, audience, groups: 0, senses: rows.clone(), decodes: rows }
    }

    /// Sets the audibility between two stations. The groups must be rebuilt afterwards.
    pub fn set(&mut self, a: u32, b: u32, reach: Reach) {
        for (station, from) in [(a as usize, b as usize), (b as usize, a as usize)] {
            self.senses[station].set(from, reach >= Reach::Senses);
            self.decodes[station].set(from, reach >= Reach::Reads);
        }
    }

    /// Groups the stations with equal audibility and equal `alike`. Returns one station of each group.
    pub fn regroup<K: Hash + Eq>(&mut self, alike: impl Fn(u32) -> K) -> Vec<u32> {
        let Audibility { group, audience, groups, senses, decodes } = self;
        let mut known = HashMap::with_hasher(FixedState::default());
        let mut representatives: Vec<u32> = Vec::new();
        for (station, group) in group.iter_mut().enumerate() {
            let kind = (alike(station as u32), &senses[station], &decodes[station]);
            *group = *known.entry(kind).or_insert_with(|| {
                representatives.push(station as u32);
                representatives.len() as u32 - 1
            });
        }
        audience.iter_mut().for_each(Vec::clear);
        for (number, representative) in (0..).zip(&representatives) {
            let (senses, decodes) = (&senses[*representative as usize], &decodes[*representative as usize]);
            for station in senses.ones() {
                audience[station].push((number, decodes.contains(station)));
            }
        }
        *groups = representatives.len();
        representatives
    }

    /// Returns true if frames of `from` are sensed at `station`, so that they interfere with reception there.
    pub fn senses(&self, station: u32, from: u32) -> bool {
        self.senses.is_empty() || self.senses[station as usize].contains(from as usize)
    }

    /// Returns true if `station` can decode frames of `from`.
    pub fn decodes(&self, station: u32, from: u32) -> bool {
        self.decodes.is_empty() || self.decodes[station as usize].contains(from as usize)
    }

    /// Returns true if all stations decode each other.
    pub fn is_of_all(&self) -> bool {
        self.senses.is_empty()
    }
}
