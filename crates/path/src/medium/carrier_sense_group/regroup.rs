//! Rebuilding of carrier-sense groups when audibility changes. The stations of a new group have sensed the same frames
//! so far, so their slot counts carry over exactly.

use engine::Time;

use super::super::phase::Phase;
use super::super::station::Station;
use super::{Apart, CarrierSenseGroup, Reservation};

/// Common state of the stations of a group. Groups with equal states differ only in the number of slots counted.
#[derive(PartialEq, Eq, Hash)]
pub(in super::super) struct GroupState {
    frames_sensed: u32,
    clear: bool,
    damaged: bool,
    reserved: Vec<Reservation>,
    busy_since: Time,
    idle_since: Time,
    /// Time from which slots count.
    from: Time,
}

impl CarrierSenseGroup {
    /// Returns the common state of the group's stations.
    pub fn state(&self) -> GroupState {
        let mut reserved = self.reserved.clone();
        reserved.sort();
        let CarrierSenseGroup { frames_sensed, clear, damaged, busy_since, idle_since, from, .. } = *self;
        GroupState { frames_sensed, clear, damaged, reserved, busy_since, idle_since, from }
    }

    /// Returns a group without stations and with the state of this one.
    pub fn with_same_state(&self) -> CarrierSenseGroup {
        let CarrierSenseGroup { frames_sensed, clear, damaged, busy_since, idle_since, from, counted, .. } = *self;
        let reserved = self.reserved.clone();
        CarrierSenseGroup {
            frames_sensed,
            clear,
            damaged,
            busy_since,
            idle_since,
            reserved,
            from,
            counted,
            ..CarrierSenseGroup::default()
        }
    }

    /// Moves a station from the group `old`, which has the same state. Its remaining slots are kept.
    pub fn take_station(&mut self, number: u32, old: &CarrierSenseGroup, stations: &mut [Station]) {
        let rebased = |count: u64| count.saturating_sub(old.counted) + self.counted;
        match &mut stations[number as usize].phase {
            Phase::Contending { turn: Some(turn) } => {
                *turn = rebased(*turn);
                self.waiting.insert((*turn, number));
            }
            Phase::Contending { turn: None } | Phase::Resting { until: None } => {
                let own = old.apart.iter().find(|apart| apart.station == number);
                self.apart.extend(own.map(|Apart { station, from, slots }| Apart {
                    station: *station,
                    from: *from,
                    slots: *slots,
                }));
            }
            // A finished count stays finished.
            Phase::Resting { until: Some(until) } if *until > old.counted => *until = rebased(*until),
            Phase::Resting { until: Some(until) } => *until = 0,
            _ => {}
        }
    }
}
