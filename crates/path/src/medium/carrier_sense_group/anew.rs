//! Rebuilding of carrier-sense groups when audibility changes. The stations of a new group have sensed the same frames
//! so far, so their slot counts carry over exactly.

use engine::{Schedule, Time};

use super::super::phase::Phase;
use super::super::station::Station;
use super::{Apart, CarrierSenseGroup, Reservation};
use crate::mac::dcf::Phy;

/// Common state of the stations of a group. Groups with equal states differ only in the number of slots counted.
#[derive(PartialEq, Eq, Hash)]
pub(in super::super) struct Standing {
    heard: u32,
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
    pub fn standing(&self) -> Standing {
        let mut reserved = self.reserved.clone();
        reserved.sort();
        let CarrierSenseGroup { heard, clear, damaged, busy_since, idle_since, from, .. } = *self;
        Standing { heard, clear, damaged, reserved, busy_since, idle_since, from }
    }

    /// Returns a group without stations and with the state of this one.
    pub fn heir(&self) -> CarrierSenseGroup {
        let CarrierSenseGroup { heard, clear, damaged, busy_since, idle_since, from, counted, .. } = *self;
        let reserved = self.reserved.clone();
        CarrierSenseGroup {
            heard,
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

    /// Cancels the group's timer.
    pub fn ceases(&mut self, stations: &[Station], schedule: &mut Schedule) {
        self.disarm(stations, schedule);
    }

    /// Moves a station from the group `old`, which has the same state. Its remaining slots are kept.
    pub fn inherits(&mut self, number: u32, old: &CarrierSenseGroup, stations: &mut [Station]) {
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

    /// Sets the timer after all stations have been moved.
    pub fn resumes(&mut self, phy: &Phy, stations: &[Station], schedule: &mut Schedule) {
        self.rearm(phy, stations, schedule);
    }
}
