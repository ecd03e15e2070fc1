//! Who hears whom.

use std::collections::BTreeMap;

/// Which stations sense and understand which, and the zones of those that hear the same.
pub(super) struct Hearing {
    /// For each station, the zone it is in.
    pub zone: Vec<u32>,
    /// For each station, the zones that sense it, and whether they understand it.
    pub audience: Vec<Vec<(u32, bool)>>,
    /// How many zones there are.
    pub zones: usize,
    /// By station and station; empty if everybody understands everybody.
    senses: Vec<Vec<bool>>,
    understands: Vec<Vec<bool>>,
}

impl Hearing {
    /// `count` stations in one room.
    pub fn of_all(count: usize) -> Self {
        Hearing {
            zone: vec![0; count],
            audience: vec![vec![(0, true)]; count],
            zones: 1,
            senses: Vec::new(),
            understands: Vec::new(),
        }
    }

    /// Stations of which `senses[a][b]` tells whether a senses b's frames, and `understands` whether it can read them.
    /// Every station senses itself. Zones are still to be made.
    pub fn by(senses: Vec<Vec<bool>>, understands: Vec<Vec<bool>>) -> Self {
        Hearing { zone: Vec::new(), audience: Vec::new(), zones: 0, senses, understands }
    }

    /// Makes zones of the stations that hear the same and that are `alike`. A station of each zone.
    pub fn regroup<K: Ord>(&mut self, alike: impl Fn(u32) -> K) -> Vec<u32> {
        let Hearing { senses, understands, .. } = &*self;
        let count = senses.len();
        let mut known = BTreeMap::new();
        let mut founders: Vec<u32> = Vec::new();
        let mut zone = Vec::with_capacity(count);
        for station in 0..count {
            let kind = (alike(station as u32), &senses[station], &understands[station]);
            zone.push(*known.entry(kind).or_insert_with(|| {
                founders.push(station as u32);
                founders.len() as u32 - 1
            }));
        }
        let audience = |station: usize| {
            let hears = |(number, founder): (usize, &u32)| {
                let founder = *founder as usize;
                senses[founder][station].then_some((number as u32, understands[founder][station]))
            };
            founders.iter().enumerate().filter_map(hears).collect()
        };
        let audience = (0..count).map(audience).collect();
        (self.zone, self.audience, self.zones) = (zone, audience, founders.len());
        founders
    }

    /// Whether frames of `from` add to what `station` receives.
    pub fn senses(&self, station: u32, from: u32) -> bool {
        self.senses.is_empty() || self.senses[station as usize][from as usize]
    }

    /// Whether `station` can read frames of `from`.
    pub fn understands(&self, station: u32, from: u32) -> bool {
        self.understands.is_empty() || self.understands[station as usize][from as usize]
    }

    /// Whether everybody understands everybody.
    pub fn is_of_all(&self) -> bool {
        self.senses.is_empty()
    }
}
