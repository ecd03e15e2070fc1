//! Which stations hear each other.

use std::collections::HashMap;
use std::hash::Hash;

use fixedbitset::FixedBitSet;
use foldhash::fast::FixedState;

use crate::event::Reach;

/// Which stations sense and understand which, and the zones: sets of stations that hear the same.
pub(super) struct Audibility {
    /// For each station, the zone it is in.
    pub zone: Vec<u32>,
    /// For each station, the zones that sense it, and whether they understand it.
    pub audience: Vec<Vec<(u32, bool)>>,
    /// How many zones there are.
    pub zones: usize,
    /// By station, the stations that it senses, itself included; empty when all understand each other.
    senses: Vec<FixedBitSet>,
    understands: Vec<FixedBitSet>,
}

impl Audibility {
    /// `count` stations in one room.
    pub fn of_all(count: usize) -> Self {
        Audibility {
            zone: vec![0; count],
            audience: vec![vec![(0, true)]; count],
            zones: 1,
            senses: Vec::new(),
            understands: Vec::new(),
        }
    }

    /// `count` stations that hear themselves only. Zones are still to be made.
    pub fn of_none(count: usize) -> Self {
        let alone = |station| {
            let mut row = FixedBitSet::with_capacity(count);
            row.insert(station);
            row
        };
        let rows: Vec<_> = (0..count).map(alone).collect();
        let (zone, audience) = (vec![0; count], vec![Vec::new(); count]);
        Audibility { zone, audience, zones: 0, senses: rows.clone(), understands: rows }
    }

    /// Changes how two stations hear each other from now on. The zones must be rebuilt afterwards.
    pub fn set(&mut self, a: u32, b: u32, reach: Reach) {
        for (station, from) in [(a as usize, b as usize), (b as usize, a as usize)] {
            self.senses[station].set(from, reach >= Reach::Senses);
            self.understands[station].set(from, reach >= Reach::Reads);
        }
    }

    /// Makes zones of the stations that hear the same and that are `alike`. A station of each zone.
    pub fn regroup<K: Hash + Eq>(&mut self, alike: impl Fn(u32) -> K) -> Vec<u32> {
        let Audibility { zone, audience, zones, senses, understands } = self;
        let mut known = HashMap::with_hasher(FixedState::default());
        let mut founders: Vec<u32> = Vec::new();
        for (station, zone) in zone.iter_mut().enumerate() {
            let kind = (alike(station as u32), &senses[station], &understands[station]);
            *zone = *known.entry(kind).or_insert_with(|| {
                founders.push(station as u32);
                founders.len() as u32 - 1
            });
        }
        audience.iter_mut().for_each(Vec::clear);
        for (number, founder) in (0..).zip(&founders) {
            let (senses, understands) = (&senses[*founder as usize], &understands[*founder as usize]);
            for station in senses.ones() {
                audience[station].push((number, understands.contains(station)));
            }
        }
        *zones = founders.len();
        founders
    }

    /// Whether frames of `from` add to what `station` receives.
    pub fn senses(&self, station: u32, from: u32) -> bool {
        self.senses.is_empty() || self.senses[station as usize].contains(from as usize)
    }

    /// Whether `station` can read frames of `from`.
    pub fn understands(&self, station: u32, from: u32) -> bool {
        self.understands.is_empty() || self.understands[station as usize].contains(from as usize)
    }

    /// Whether all stations understand each other.
    pub fn is_of_all(&self) -> bool {
        self.senses.is_empty()
    }
}
