//! Rebuilds zones when audibility changes: the stations of a new zone have heard the same until now, so their counts
//! carry over to the slot.

use engine::{Schedule, Time};

use super::super::phase::Phase;
use super::super::station::Station;
use super::{Apart, CarrierSenseGroup, Reservation};
use crate::mac::dcf::Phy;

/// The common state of the stations of a zone. Zones with equal states differ only in how much they have
/// counted.
#[derive(PartialEq, Eq, Hash)]
pub(in super::super) struct Standing {
    heard: u32,
    clear: bool,
    damaged: bool,
    reserved: Vec<Reservation>,
    busy_since: Time,
    idle_since: Time,
    /// From when slots count.
    from: Time,
}

impl CarrierSenseGroup {
    /// The common state of its stations.
    pub fn standing(&self) -> Standing {
        let mut reserved = self.reserved.clone();
        reserved.sort();
        let CarrierSenseGroup { heard, clear, damaged, busy_since, idle_since, from, .. } = *self;
        Standing { heard, clear, damaged, reserved, busy_since, idle_since, from }
    }

    /// A zone without stations that has heard what this one has.
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

    /// No station's wake-up stands for the whole zone any more.
    pub fn ceases(&mut self, stations: &[Station], schedule: &mut Schedule) {
        self.disarm(stations, schedule);
    }

    /// A station comes over from a zone with the same standing. Slots that it has still to wait stay as many.
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
            // A count that is over stays so.
            Phase::Resting { until: Some(until) } if *until > old.counted => *until = rebased(*until),
            Phase::Resting { until: Some(until) } => *until = 0,
            _ => {}
        }
    }

    /// All have come: whose turn comes first has the wake-up.
    pub fn resumes(&mut self, phy: &Phy, stations: &[Station], schedule: &mut Schedule) {
        self.rearm(phy, stations, schedule);
    }
}
