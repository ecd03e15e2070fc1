//! Audibility between stations: which stations sense and decode which others.

use std::collections::HashMap;
use std::marker::PhantomData;

use engine::{Id, IdVec};
use fixedbitset::FixedBitSet;
use foldhash::fast::FixedState;

use super::SenseGroupId;
use crate::event::Reach;
use crate::ids::MediumStationId;

/// Audibility between stations, and the carrier-sense groups: sets of stations with equal audibility.
///
/// Audibility is symmetric, so that all stations of a group are sensed by the same groups. The number of a group is
/// reused after its last station has left.
pub(super) struct Audibility {
    /// For each station, its group.
    pub group: IdVec<MediumStationId, SenseGroupId>,
    /// For each station, the groups that sense the station.
    pub audience: IdVec<MediumStationId, Audience<SenseGroupId>>,
    /// The stations of each group; none for a number that is not in use.
    members: IdVec<SenseGroupId, Vec<MediumStationId>>,
    unused: Vec<SenseGroupId>,
    /// The stations that each station senses; empty if all stations decode each other.
    rows: IdVec<MediumStationId, AudibilityRow>,
    /// Groups by the digest of their stations' rows. Groups with equal digests can differ in the frames sensed so far.
    by_digest: HashMap<u64, Vec<SenseGroupId>, FixedState>,
    /// Digests of more than one group.
    shared: Vec<u64>,
}

/// Groups or stations that sense a station, and those that can decode its frames.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Audience<I> {
    senses: FixedBitSet,
    decodes: FixedBitSet,
    ids: PhantomData<I>,
}

impl<I: Id> Audience<I> {
    /// Returns an empty audience, with space for `count` ids.
    fn none(count: usize) -> Self {
        let [senses, decodes] = [(); 2].map(|()| FixedBitSet::with_capacity(count));
        Audience { senses, decodes, ids: PhantomData }
    }

    /// Returns the groups or stations that sense the station.
    fn sensing(&self) -> impl Iterator<Item = I> {
        self.senses.ones().map(I::from_index)
    }

    /// Calls `act` with each group that senses the station, and whether it can decode its frames.
    #[inline]
    pub fn for_each(&self, mut act: impl FnMut(I, bool)) {
        if self.senses.len() == 1 {
            // The only group contains the station itself.
            return act(I::from_index(0), true);
        }
        for group in self.senses.ones() {
            act(I::from_index(group), self.decodes.contains(group));
        }
    }

    /// Returns true if a group or station senses the station.
    fn senses(&self, id: I) -> bool {
        self.senses.contains(id.index())
    }

    /// Returns true if a group or station can decode the station's frames.
    fn decodes(&self, id: I) -> bool {
        self.decodes.contains(id.index())
    }

    /// Returns the audibility of the station at a group or station.
    pub fn reach(&self, id: I) -> Reach {
        match (self.senses(id), self.decodes(id)) {
            (_, true) => Reach::Reads,
            (true, false) => Reach::Senses,
            (false, false) => Reach::Nothing,
        }
    }

    /// Sets the audibility of the station at a group or station.
    pub fn set(&mut self, id: I, reach: Reach) {
        self.senses.set(id.index(), reach >= Reach::Senses);
        self.decodes.set(id.index(), reach >= Reach::Reads);
    }
}

/// Stations sensed by a station, including itself. Since audibility is symmetric, the same stations sense it.
#[derive(Clone)]
struct AudibilityRow {
    stations: Audience<MediumStationId>,
    /// Exclusive or of the hashes of the stations sensed by the station.
    digest: u64,
}

impl AudibilityRow {
    /// Returns the row of station `station` of `count` that senses only itself.
    fn alone(station: MediumStationId, count: usize) -> Self {
        let mut row = AudibilityRow { stations: Audience::none(count), digest: 0 };
        row.set(station, Reach::Reads);
        row
    }

    fn set(&mut self, from: MediumStationId, reach: Reach) {
        self.digest ^= hash_audibility(from, self.stations.reach(from)) ^ hash_audibility(from, reach);
        self.stations.set(from, reach);
    }

    fn equals(&self, other: &AudibilityRow) -> bool {
        self.digest == other.digest && self.stations == other.stations
    }
}

/// Returns the hash of a sensed station, by the output function of SplitMix64.
fn hash_audibility(station: MediumStationId, reach: Reach) -> u64 {
    if reach == Reach::Nothing {
        return 0;
    }
    let mut bits =
        (2 * u64::from(station.number()) + u64::from(reach == Reach::Reads) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ bits >> 31
}

impl Audibility {
    /// Returns the audibility of `count` stations that all decode each other.
    pub fn of_all(count: usize) -> Self {
        let mut audience = Audience::none(1);
        audience.set(SenseGroupId::new(0), Reach::Reads);
        let group: IdVec<MediumStationId, SenseGroupId> = vec![SenseGroupId::new(0); count].into();
        Audibility {
            audience: vec![audience; count].into(),
            members: vec![group.ids().collect()].into(),
            group,
            unused: Vec::new(),
            rows: IdVec::default(),
            by_digest: HashMap::default(),
            shared: Vec::new(),
        }
    }

    /// Returns the audibility of `count` stations and their groups; `reach` is the audibility between two stations.
    pub fn of(count: usize, mut reach: impl FnMut(MediumStationId, MediumStationId) -> Reach) -> Self {
        let stations = (0..count).map(MediumStationId::from_index);
        let mut audibility = Audibility {
            group: vec![SenseGroupId::new(0); count].into(),
            audience: vec![Audience::none(count); count].into(),
            members: IdVec::default(),
            unused: Vec::new(),
            rows: stations.clone().map(|station| AudibilityRow::alone(station, count)).collect(),
            by_digest: HashMap::default(),
            shared: Vec::new(),
        };
        for a in stations.clone() {
            for b in stations.clone().take_while(|b| *b < a) {
                audibility.set(a, b, reach(a, b));
            }
        }
        for station in stations {
            let group = audibility.equal_groups(station).next();
            let group = group.unwrap_or_else(|| audibility.add_group(station));
            audibility.join(station, group);
        }
        audibility
    }

    /// Returns the number of groups, including numbers not in use.
    pub fn groups(&self) -> usize {
        self.members.len()
    }

    /// Sets the audibility between two stations, neither of which is in a group.
    pub fn set(&mut self, a: MediumStationId, b: MediumStationId, reach: Reach) {
        self.rows[a].set(b, reach);
        self.rows[b].set(a, reach);
    }

    /// Returns the groups whose stations have the audibility of `station`.
    pub fn equal_groups(&self, station: MediumStationId) -> impl Iterator<Item = SenseGroupId> {
        let row = &self.rows[station];
        let groups = self.by_digest.get(&row.digest).into_iter().flatten().copied();
        groups.filter(|group| self.members[*group].first().is_some_and(|one| row.equals(&self.rows[*one])))
    }

    /// Returns the pairs of groups whose stations have equal audibility.
    pub fn equal_pairs(&self) -> Vec<[SenseGroupId; 2]> {
        let mut pairs = Vec::new();
        for groups in self.shared.iter().filter_map(|digest| self.by_digest.get(digest)) {
            for (place, a) in groups.iter().enumerate() {
                let row = |group: SenseGroupId| &self.rows[self.members[group][0]];
                let equal = groups[place + 1..].iter().filter(|b| row(*a).equals(row(**b)));
                pairs.extend(equal.map(|b| [*a, *b]));
            }
        }
        pairs
    }

    /// Returns the stations of a group.
    pub fn members(&self, group: SenseGroupId) -> &[MediumStationId] {
        &self.members[group]
    }

    /// Removes a station from its group; returns the group, which keeps its number even if it has become empty.
    pub fn leave(&mut self, station: MediumStationId) -> SenseGroupId {
        let group = self.group[station];
        let members = &mut self.members[group];
        if let Some(place) = members.iter().position(|member| *member == station) {
            members.swap_remove(place);
        }
        if members.is_empty() {
            let digest = self.rows[station].digest;
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

    /// Adds a station to a group: one of stations with equal audibility, or an empty one with the audibility of the
    /// station.
    pub fn join(&mut self, station: MediumStationId, group: SenseGroupId) {
        self.group[station] = group;
        let members = &mut self.members[group];
        members.push(station);
        if members.len() == 1 {
            let digest = self.rows[station].digest;
            let groups = self.by_digest.entry(digest).or_default();
            groups.push(group);
            if groups.len() == 2 {
                self.shared.push(digest);
            }
        }
    }

    /// Adds an empty group with the audibility of `station`; returns its number.
    pub fn add_group(&mut self, station: MediumStationId) -> SenseGroupId {
        let group = self.unused.pop().unwrap_or_else(|| self.members.push(Vec::new()));
        let stations = &self.rows[station].stations;
        for heard in stations.sensing() {
            self.audience[heard].set(group, stations.reach(heard));
        }
        group
    }

    /// Removes an empty group that had the audibility of `station`, and possibly sensed `other`.
    pub fn remove_group(&mut self, group: SenseGroupId, station: MediumStationId, other: Option<MediumStationId>) {
        for heard in self.rows[station].stations.sensing().chain(other) {
            self.audience[heard].set(group, Reach::Nothing);
        }
        self.unused.push(group);
    }

    /// Sets the audibility of `other` at an empty group to its audibility at `station`.
    pub fn update_group(&mut self, group: SenseGroupId, station: MediumStationId, other: MediumStationId) {
        self.audience[other].set(group, self.rows[station].stations.reach(other));
    }

    /// Returns true if frames of `from` are sensed at `station`, so that they interfere with reception there.
    pub fn senses(&self, station: MediumStationId, from: MediumStationId) -> bool {
        self.rows.is_empty() || self.rows[station].stations.senses(from)
    }

    /// Returns true if `station` can decode frames of `from`.
    pub fn decodes(&self, station: MediumStationId, from: MediumStationId) -> bool {
        self.rows.is_empty() || self.rows[station].stations.decodes(from)
    }

    /// Returns true if the same groups sense both stations, with the same ability to decode.
    pub fn have_equal_audibility(&self, a: MediumStationId, b: MediumStationId) -> bool {
        self.rows.is_empty() || self.rows[a].equals(&self.rows[b])
    }

    /// Returns true if the groups agree with the audibility between stations: each station is in one group, the
    /// stations of a group have equal audibility, and the audience of each station agrees with the rows.
    pub fn is_consistent(&self) -> bool {
        let in_one = |station: MediumStationId| {
            let of = self.members.iter().filter(|members| members.contains(&station));
            of.count() == 1 && self.members[self.group[station]].contains(&station)
        };
        let hears = |members: &[MediumStationId], station: MediumStationId| match members.first() {
            Some(one) => self.rows[*one].stations.reach(station),
            None => Reach::Nothing,
        };
        let stations = || self.rows.ids();
        stations().all(in_one)
            && self
                .members
                .iter()
                .flat_map(|members| members.windows(2))
                .all(|pair| self.have_equal_audibility(pair[0], pair[1]))
            && self.members.enumerate().all(|(group, members)| {
                stations().all(|station| self.audience[station].reach(group) == hears(members, station))
            })
    }
}
