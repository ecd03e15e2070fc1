//! Audibility between stations: which stations sense and decode which others.

use std::collections::HashMap;

use fixedbitset::FixedBitSet;
use foldhash::fast::FixedState;

use crate::event::Reach;

/// Audibility between stations, and the carrier-sense groups: sets of stations with equal audibility.
///
/// Audibility is symmetric, so that all stations of a group are sensed by the same groups. The number of a group is
/// reused after its last station has left.
pub(super) struct Audibility {
    /// For each station, its group.
    pub group: Vec<u32>,
    /// For each station, the groups that sense it.
    pub audience: Vec<Audience>,
    /// The stations of each group; none for a number that is not in use.
    members: Vec<Vec<u32>>,
    unused: Vec<u32>,
    /// What each station hears; empty if all stations decode each other.
    rows: Vec<Row>,
    /// The groups by the digest of their stations' rows. Groups of one digest can differ in what their stations have
    /// sensed so far.
    by_digest: HashMap<u64, Vec<u32>, FixedState>,
    /// Digests of more than one group.
    shared: Vec<u64>,
}

/// Numbers of groups or stations, and how each hears a station.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Audience {
    senses: FixedBitSet,
    decodes: FixedBitSet,
}

impl Audience {
    /// None of `count`.
    fn none(count: usize) -> Self {
        Audience { senses: FixedBitSet::with_capacity(count), decodes: FixedBitSet::with_capacity(count) }
    }

    /// Calls `act` with each group that senses the station, and whether it can decode its frames.
    #[inline]
    pub fn for_each(&self, mut act: impl FnMut(usize, bool)) {
        if self.senses.len() == 1 {
            // The only group is that of the station itself.
            return act(0, true);
        }
        for group in self.senses.ones() {
            act(group, self.decodes.contains(group));
        }
    }

    /// How a group or station hears the station.
    pub fn reach(&self, number: u32) -> Reach {
        match (self.senses.contains(number as usize), self.decodes.contains(number as usize)) {
            (_, true) => Reach::Reads,
            (true, false) => Reach::Senses,
            (false, false) => Reach::Nothing,
        }
    }

    /// Sets how a group or station hears the station.
    pub fn set(&mut self, number: u32, reach: Reach) {
        self.senses.set(number as usize, reach >= Reach::Senses);
        self.decodes.set(number as usize, reach >= Reach::Reads);
    }
}

/// What a station hears: the stations that hear it, since audibility is symmetric, and itself.
#[derive(Clone)]
struct Row {
    stations: Audience,
    /// The exclusive or of a number for each station that it hears.
    digest: u64,
}

impl Row {
    /// What station `station` of `count` hears if it hears only itself.
    fn alone(station: u32, count: usize) -> Self {
        let mut row = Row { stations: Audience::none(count), digest: 0 };
        row.set(station, Reach::Reads);
        row
    }

    fn set(&mut self, from: u32, reach: Reach) {
        self.digest ^= heard(from, self.stations.reach(from)) ^ heard(from, reach);
        self.stations.set(from, reach);
    }

    fn equals(&self, other: &Row) -> bool {
        self.digest == other.digest && self.stations == other.stations
    }
}

/// A number for one station that is heard, with bits as good as random: the output function of SplitMix64.
fn heard(station: u32, reach: Reach) -> u64 {
    if reach == Reach::Nothing {
        return 0;
    }
    let mut bits = (2 * u64::from(station) + u64::from(reach == Reach::Reads) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ bits >> 31
}

impl Audibility {
    /// Returns the audibility of `count` stations that all decode each other.
    pub fn of_all(count: usize) -> Self {
        let mut audience = Audience::none(1);
        audience.set(0, Reach::Reads);
        Audibility {
            group: vec![0; count],
            audience: vec![audience; count],
            members: vec![(0..count as u32).collect()],
            unused: Vec::new(),
            rows: Vec::new(),
            by_digest: HashMap::default(),
            shared: Vec::new(),
        }
    }

    /// Returns the audibility of `count` stations, where `reach` is that between two of them, and their groups.
    pub fn of(count: usize, mut reach: impl FnMut(u32, u32) -> Reach) -> Self {
        let mut audibility = Audibility {
            group: vec![0; count],
            audience: vec![Audience::none(count); count],
            members: Vec::new(),
            unused: Vec::new(),
            rows: (0..count as u32).map(|station| Row::alone(station, count)).collect(),
            by_digest: HashMap::default(),
            shared: Vec::new(),
        };
        for a in 0..count as u32 {
            for b in 0..a {
                audibility.set(a, b, reach(a, b));
            }
        }
        for station in 0..count as u32 {
            let group = audibility.equal_groups(station).next();
            let group = group.unwrap_or_else(|| audibility.add_group(station));
            audibility.join(station, group);
        }
        audibility
    }

    /// The number of groups, including numbers not in use.
    pub fn groups(&self) -> usize {
        self.members.len()
    }

    /// Sets the audibility between two stations, which are in no group.
    pub fn set(&mut self, a: u32, b: u32, reach: Reach) {
        self.rows[a as usize].set(b, reach);
        self.rows[b as usize].set(a, reach);
    }

    /// The groups whose stations hear the same stations as `station`.
    pub fn equal_groups(&self, station: u32) -> impl Iterator<Item = u32> {
        let row = &self.rows[station as usize];
        let groups = self.by_digest.get(&row.digest).into_iter().flatten().copied();
        groups.filter(|group| {
            self.members[*group as usize].first().is_some_and(|one| row.equals(&self.rows[*one as usize]))
        })
    }

    /// Pairs of groups whose stations hear the same stations.
    pub fn equal_pairs(&self) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        for groups in self.shared.iter().filter_map(|digest| self.by_digest.get(digest)) {
            for (place, a) in groups.iter().enumerate() {
                let row = |group: u32| &self.rows[self.members[group as usize][0] as usize];
                let equal = groups[place + 1..].iter().filter(|b| row(*a).equals(row(**b)));
                pairs.extend(equal.map(|b| [*a, *b]));
            }
        }
        pairs
    }

    /// The stations of a group.
    pub fn members(&self, group: u32) -> &[u32] {
        &self.members[group as usize]
    }

    /// Takes a station out of its group; returns the group, which keeps its number even if it is empty now.
    pub fn leave(&mut self, station: u32) -> u32 {
        let group = self.group[station as usize];
        let members = &mut self.members[group as usize];
        if let Some(place) = members.iter().position(|member| *member == station) {
            members.swap_remove(place);
        }
        if members.is_empty() {
            let digest = self.rows[station as usize].digest;
            if let Some(groups) = self.by_digest.get_mut(&digest) {
                groups.retain(|other| *other != group);
                if groups.len() == 1 {
                    self.shared.retain(|shared| *shared != digest);
                }
                if groups.is_empty() {
                    self.by_digest.remove(&digest);
                }
            }
        }
        group
    }

    /// Puts a station into a group: one with equal stations, or an empty one that is sensed like it.
    pub fn join(&mut self, station: u32, group: u32) {
        self.group[station as usize] = group;
        let members = &mut self.members[group as usize];
        members.push(station);
        if members.len() == 1 {
            let digest = self.rows[station as usize].digest;
            let groups = self.by_digest.entry(digest).or_default();
            groups.push(group);
            if groups.len() == 2 {
                self.shared.push(digest);
            }
        }
    }

    /// Adds an empty group, which hears what `station` hears; returns its number.
    pub fn add_group(&mut self, station: u32) -> u32 {
        let group = self.unused.pop().unwrap_or_else(|| {
            self.members.push(Vec::new());
            self.members.len() as u32 - 1
        });
        let stations = &self.rows[station as usize].stations;
        for heard in stations.senses.ones() {
            self.audience[heard].set(group, stations.reach(heard as u32));
        }
        group
    }

    /// Removes an empty group, which heard what `station` hears, and possibly `other`.
    pub fn remove_group(&mut self, group: u32, station: u32, other: Option<u32>) {
        let heard = self.rows[station as usize].stations.senses.ones();
        for heard in heard.chain(other.map(|other| other as usize)) {
            self.audience[heard].set(group, Reach::Nothing);
        }
        self.unused.push(group);
    }

    /// An empty group now hears `other` like `station`.
    pub fn update_group(&mut self, group: u32, station: u32, other: u32) {
        self.audience[other as usize].set(group, self.rows[station as usize].stations.reach(other));
    }

    /// Returns true if frames of `from` are sensed at `station`, so that they interfere with reception there.
    pub fn senses(&self, station: u32, from: u32) -> bool {
        self.rows.is_empty() || self.rows[station as usize].stations.senses.contains(from as usize)
    }

    /// Returns true if `station` can decode frames of `from`.
    pub fn decodes(&self, station: u32, from: u32) -> bool {
        self.rows.is_empty() || self.rows[station as usize].stations.decodes.contains(from as usize)
    }

    /// Returns true if the same groups sense both stations, with the same ability to decode.
    pub fn heard_alike(&self, a: u32, b: u32) -> bool {
        self.rows.is_empty() || self.rows[a as usize].equals(&self.rows[b as usize])
    }

    /// Returns true if the groups agree with the audibility between stations: each station is in one group, the stations
    /// of a group hear the same, and are the audience of all that they hear.
    pub fn is_consistent(&self) -> bool {
        let in_one = |station: usize| {
            let of = self.members.iter().filter(|members| members.contains(&(station as u32)));
            of.count() == 1 && self.members[self.group[station] as usize].contains(&(station as u32))
        };
        let hears = |members: &[u32], station: usize| match members.first() {
            Some(one) => self.rows[*one as usize].stations.reach(station as u32),
            None => Reach::Nothing,
        };
        let stations = 0..self.rows.len();
        stations.clone().all(in_one)
            && self.members.iter().flat_map(|members| members.windows(2)).all(|pair| self.heard_alike(pair[0], pair[1]))
            && (0..).zip(&self.members).all(|(group, members)| {
                stations.clone().all(|station| self.audience[station].reach(group) == hears(members, station))
            })
    }
}
