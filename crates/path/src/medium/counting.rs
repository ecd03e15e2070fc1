//! Counters of a medium, updated at the end of frames and completed when read.

use engine::Time;

use super::Medium;
use super::air::Flying;
use super::stats::{AirCounters, StationCounters};
use crate::ids::MediumStationId;

impl Medium {
    /// Counts a frame that has ended and was removed from the frames in transmission.
    pub(super) fn count_frame(&mut self, flying: &Flying, collided: bool) {
        let Flying { owner, from, frame, .. } = flying;
        if owner == from {
            let station = &mut self.stations[*from];
            if std::mem::take(&mut station.contended) {
                station.counted.count_attempt(frame, collided);
            }
        }
        self.stats.add_frame(frame.start, frame.start + frame.duration, collided);
        if self.flying.is_empty() {
            self.stats.clear_intervals();
        }
    }

    /// Returns the ids of all stations.
    pub fn stations(&self) -> impl Iterator<Item = MediumStationId> + use<> {
        self.stations.ids()
    }

    /// Returns the counters of a station at `now`, including the elapsed part of a frame in transmission.
    pub fn station_counters(&self, number: MediumStationId, now: Time) -> StationCounters {
        let station = &self.stations[number];
        let mut counted = station.counted;
        counted.given_up = station.queues.iter().map(|queue| queue.counters.given_up).sum();
        for flying in self.flying.iter().filter(|flying| flying.from == number) {
            counted.airtime = counted.airtime - flying.remaining_time(now);
        }
        counted
    }

    /// Returns the use of the channel up to `now`. A frame in transmission counts as collided if it has collided so
    /// far.
    pub fn air_counters(&self, now: Time) -> AirCounters {
        let mut stats = self.stats.clone();
        let mut begun: Vec<&Flying> = self.flying.iter().filter(|flying| flying.frame.start < now).collect();
        begun.sort_by_key(|flying| (flying.frame.start + flying.frame.duration).min(now));
        for flying in begun {
            let Flying { frame, .. } = flying;
            stats.add_frame(frame.start, (frame.start + frame.duration).min(now), flying.is_collided());
        }
        stats.counters()
    }
}
