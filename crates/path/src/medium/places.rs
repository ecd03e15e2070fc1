//! Where the stations of a medium are: who hears whom, when that changes, and which of two frames is stronger.
//!
//! A frame can be read within the range and is sensed within the carrier sense range; both are discs. For each pair of stations
//! of which one moves the medium knows when that changes next ([`crate::place::crossing`]), and wakes only then.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use engine::{Slot, Time};

use super::hearing::Hearing;
use super::{Medium, Zone};
use crate::context::{Cx, Observer};
use crate::event::{MediumEvent, Reach};
use crate::mac::dcf::reach::Ranges;
use crate::place::crossing::next_within;
use crate::place::{Path, square, square_of, square_ratio};

/// Places of the stations of a medium with a range, as they are to be made.
pub struct Places {
    /// The wake-up of the medium, for when stations come into range or leave it.
    pub slot: Slot,
    /// The ways of its stations, by their numbers.
    pub paths: Vec<Path>,
    /// When nothing more is to be known.
    pub until: Time,
}

/// Places of the stations of a medium while the world runs.
pub(super) struct Plane {
    slot: Slot,
    paths: Vec<Path>,
    until: Time,
    ranges: Ranges,
    /// The ratio of squared distances at which the first frame survives the second.
    capture: Option<f64>,
    reach: Vec<Vec<Reach>>,
    /// When which pair crosses a border next.
    crossings: BinaryHeap<Reverse<(Time, u32, u32)>>,
}

impl Plane {
    /// The plane at time zero.
    pub fn new(places: Places, ranges: &Ranges) -> Self {
        let Places { slot, paths, until } = places;
        let capture = ranges.capture.map(|ratio| square_ratio(ratio.0, ranges.path_loss));
        let reach = vec![vec![Reach::Reads; paths.len()]; paths.len()];
        let mut plane = Plane { slot, paths, until, ranges: *ranges, capture, reach, crossings: BinaryHeap::new() };
        for a in 0..plane.paths.len() as u32 {
            for b in 0..a {
                plane.look(a, b, Time::ZERO);
            }
        }
        plane
    }

    /// Notes how two stations hear each other now, and when that changes. What it is now.
    fn look(&mut self, a: u32, b: u32, now: Time) -> Reach {
        let (place_a, place_b) = (&self.paths[a as usize], &self.paths[b as usize]);
        let reach = self.ranges.reach(place_a, place_b, now);
        if place_a.moves() || place_b.moves() {
            let next = |most| next_within(place_a, place_b, most, now, self.until);
            let [read, sensed] = [self.ranges.read, self.ranges.sensed].map(|range| square_of(range.0));
            let next = next(read).into_iter().chain(next(sensed)).min();
            self.crossings.extend(next.map(|at| Reverse((at, a, b))));
        }
        self.reach[a as usize][b as usize] = reach;
        self.reach[b as usize][a as usize] = reach;
        reach
    }

    /// Who hears whom, before anything has been heard.
    pub fn first_hearing(&self) -> Hearing {
        let mut hearing = self.hearing();
        hearing.regroup(|_| ());
        hearing
    }

    /// Who hears whom, without zones.
    fn hearing(&self) -> Hearing {
        let rows = |least: Reach| {
            let row = |row: &Vec<Reach>| row.iter().map(|reach| *reach >= least).collect();
            self.reach.iter().map(row).collect()
        };
        Hearing::by(rows(Reach::Senses), rows(Reach::Reads))
    }

    /// Whether `to` can read a frame of `first` although `later` begins one: if the first is so much stronger there.
    pub fn captures(&self, to: u32, first: u32, later: u32, now: Time) -> bool {
        // Who sends hears nothing else.
        let Some(ratio) = self.capture.filter(|_| to != first && to != later) else { return false };
        let [to, first, later] = [to, first, later].map(|station| &self.paths[station as usize]);
        square(to, first, now) as f64 * ratio <= square(to, later, now) as f64
    }
}

impl Medium {
    /// Asks for the wake-up at which a pair of stations first crosses a border. To be called once, before anything else.
    pub fn look_out(&mut self, schedule: &mut engine::Schedule) {
        if let Some(plane) = &self.plane
            && let Some(Reverse((at, ..))) = plane.crossings.peek()
        {
            schedule.arm(plane.slot, *at);
        }
    }

    /// Stations have come into range of each other, or left it.
    pub fn on_crossing<O: Observer>(&mut self, cx: &mut Cx<'_, O>) {
        let Some(plane) = &mut self.plane else { return };
        while let Some(Reverse((at, a, b))) = plane.crossings.peek().copied()
            && at <= cx.now
        {
            plane.crossings.pop();
            let reach = plane.look(a, b, cx.now);
            cx.tell_of_medium(self.number, || MediumEvent::Reaches { a, b, reach });
        }
        match plane.crossings.peek() {
            Some(Reverse((at, ..))) => cx.schedule.arm(plane.slot, *at),
            None => cx.schedule.disarm(plane.slot),
        }
        let hearing = plane.hearing();
        self.regroup(hearing, cx);
    }

    /// Makes the zones anew. Frames in the air are heard to their end by whom they were heard by.
    fn regroup<O: Observer>(&mut self, mut hearing: Hearing, cx: &mut Cx<'_, O>) {
        let mut old = std::mem::take(&mut self.zones);
        for zone in &mut old {
            zone.ceases(&self.stations, cx.schedule);
        }
        // The frames that each old zone hears.
        let mut frames = vec![Vec::new(); old.len()];
        for (place, flying) in self.flying.iter().enumerate() {
            for (zone, _) in flying.audience(&self.hearing) {
                frames[*zone as usize].push(place);
            }
        }
        let standings: Vec<_> = old.iter().zip(&frames).map(|(zone, frames)| (zone.standing(), frames)).collect();
        let before = std::mem::take(&mut self.hearing.zone);
        // Together stay, or come, those who hear the same from now on and have heard the same until now.
        let founders = hearing.regroup(|station| &standings[before[station as usize] as usize]);
        let mut zones: Vec<Zone> =
            founders.iter().map(|founder| old[before[*founder as usize] as usize].heir()).collect();
        for (station, zone) in hearing.zone.iter().enumerate() {
            let from = &old[before[station] as usize];
            zones[*zone as usize].inherits(station as u32, from, &mut self.stations);
        }
        for zone in &mut zones {
            zone.resumes(&self.phy, &self.stations, cx.schedule);
        }
        for flying in &mut self.flying {
            let heard = flying.audience(&self.hearing).to_vec();
            let still = founders.iter().enumerate().filter_map(|(number, founder)| {
                let then = before[*founder as usize];
                let known = heard.iter().find(|(zone, _)| *zone == then);
                known.map(|(_, understood)| (number as u32, *understood))
            });
            flying.heard_by = Some(still.collect());
        }
        self.zones = zones;
        self.hearing = hearing;
    }
}
