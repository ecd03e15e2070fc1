//! Who hears whom.

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
    /// Every station senses itself.
    #[expect(dead_code, reason = "positions come with mobility")]
    pub fn by(senses: Vec<Vec<bool>>, understands: Vec<Vec<bool>>) -> Self {
        let count = senses.len();
        let mut zone: Vec<u32> = Vec::new();
        let mut founders: Vec<usize> = Vec::new();
        for station in 0..count {
            let alike =
                |other: &usize| senses[*other] == senses[station] && understands[*other] == understands[station];
            let number = founders.iter().position(alike).unwrap_or_else(|| {
                founders.push(station);
                founders.len() - 1
            });
            zone.push(number as u32);
        }
        let audience = |station: usize| {
            let hears = |(number, founder): (usize, &usize)| {
                senses[*founder][station].then_some((number as u32, understands[*founder][station]))
            };
            founders.iter().enumerate().filter_map(hears).collect()
        };
        let audience = (0..count).map(audience).collect();
        Hearing { zone, audience, zones: founders.len(), senses, understands }
    }

    /// Whether frames of `from` add to what `station` receives.
    pub fn senses(&self, station: u32, from: u32) -> bool {
        self.senses.is_empty() || self.senses[station as usize][from as usize]
    }

    /// Whether `station` can read frames of `from`.
    pub fn understands(&self, station: u32, from: u32) -> bool {
        self.understands.is_empty() || self.understands[station as usize][from as usize]
    }

    /// Whether both are heard by the same zones, equally well.
    pub fn alike(&self, a: u32, b: u32) -> bool {
        self.senses.is_empty() || self.audience[a as usize] == self.audience[b as usize]
    }
}
