//! Moves of stations between carrier-sense groups when audibility changes. The stations of a group have sensed the same
//! frames so far. Therefore their slot counts remain exact.

use engine::IdVec;

use super::super::phase::MediumPhase;
use super::super::station::Station;
use super::CarrierSenseGroup;
use crate::ids::MediumStationId;

impl CarrierSenseGroup {
    /// Returns true if the stations of both groups have sensed the same frames so far: the groups then differ at most in
    /// the number of slots counted.
    pub fn has_sensed_the_same(&self, other: &CarrierSenseGroup) -> bool {
        let state = |group: &CarrierSenseGroup| {
            let CarrierSenseGroup { frames_sensed, clear, damaged, busy_since, busy_before, idle_since, from, .. } =
                *group;
            (frames_sensed, clear, damaged, busy_since, busy_before, idle_since, from)
        };
        let sorted = |group: &CarrierSenseGroup| {
            let mut reserved = group.reserved.clone();
            reserved.sort();
            reserved
        };
        state(self) == state(other)
            && (self.reserved == other.reserved
                || self.reserved.len() == other.reserved.len() && sorted(self) == sorted(other))
    }

    /// Returns a group without stations and with the state of this one.
    pub fn with_same_state(&self) -> CarrierSenseGroup {
        let CarrierSenseGroup {
            frames_sensed, clear, damaged, busy_since, busy_before, idle_since, from, counted, ..
        } = *self;
        let reserved = self.reserved.clone();
        CarrierSenseGroup {
            frames_sensed,
            clear,
            damaged,
            busy_since,
            busy_before,
            idle_since,
            reserved,
            from,
            counted,
            ..CarrierSenseGroup::default()
        }
    }

    /// Moves a station from the group `old`, which has the same state. Its remaining slots are kept. The caller must
    /// disarm the timers of both groups.
    pub fn take_station(
        &mut self,
        number: MediumStationId,
        old: &mut CarrierSenseGroup,
        stations: &mut IdVec<MediumStationId, Station>,
    ) {
        let rebased = |count: u64| count.saturating_sub(old.counted) + self.counted;
        match &mut stations[number].phase {
            MediumPhase::Contending { turn: Some(turn) } => {
                old.waiting.remove(&(*turn, number));
                *turn = rebased(*turn);
                self.waiting.insert((*turn, number));
            }
            MediumPhase::Contending { turn: None } | MediumPhase::Resting { until: None } => {
                let own = old.apart.iter().position(|apart| apart.station == number);
                self.apart.extend(own.map(|place| old.apart.remove(place)));
            }
            // A finished count stays finished.
            MediumPhase::Resting { until: Some(until) } if *until > old.counted => *until = rebased(*until),
            MediumPhase::Resting { until: Some(until) } => *until = 0,
            _ => {}
        }
    }
}
