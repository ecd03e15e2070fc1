//! What a medium counts, as frames end and when it is asked.

use engine::Time;

use super::Medium;
use super::air::Flying;
use super::stats::{AirCounters, StationCounters};

impl Medium {
    /// A frame, which is no longer among those in the air, has ended.
    pub(super) fn tally(&mut self, flying: &Flying, collided: bool) {
        let Flying { owner, from, frame, .. } = flying;
        if owner == from {
            let station = &mut self.stations[*from as usize];
            if std::mem::take(&mut station.contended) {
                station.counted.attempted(frame.again, collided);
            }
        }
        self.tally.ended(frame.start, frame.start + frame.duration, collided);
        if self.flying.is_empty() {
            self.tally.is_silent();
        }
    }

    /// How many stations there are.
    pub fn stations(&self) -> u32 {
        self.stations.len() as u32
    }

    /// What a station has counted until `now`: of a frame that is being sent, the time that is over.
    pub fn station_counters(&self, number: u32, now: Time) -> StationCounters {
        let station = &self.stations[number as usize];
        let mut counted = station.counted;
        counted.given_up = station.lanes.iter().map(|lane| lane.counters.given_up).sum();
        for flying in self.flying.iter().filter(|flying| flying.from == number) {
            counted.airtime = counted.airtime - flying.left(now);
        }
        counted
    }

    /// How the air was used until `now`. Whether a frame that is being sent is damaged is as known by then.
    pub fn air_counters(&self, now: Time) -> AirCounters {
        let mut tally = self.tally.clone();
        let mut begun: Vec<&Flying> = self.flying.iter().filter(|flying| flying.frame.start < now).collect();
        begun.sort_by_key(|flying| (flying.frame.start + flying.frame.duration).min(now));
        for flying in begun {
            let Flying { frame, .. } = flying;
            tally.ended(frame.start, (frame.start + frame.duration).min(now), flying.is_collided());
        }
        tally.counters()
    }
}
