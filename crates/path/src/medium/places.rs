//! Positions of a medium's stations: audibility between stations, the times at which it changes, and capture between
//! overlapping frames.
//!
//! A frame can be decoded within the range and is sensed within the carrier-sense range; both areas are discs. For each
//! pair of stations of which one moves, the time of the next change is computed ([`crate::place::crossing`]), and a
//! timer is set for it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use engine::{Rate, Slot, Time};

use super::audibility::Audibility;
use super::{CarrierSenseGroup, Medium};
use crate::context::{Cx, Observer};
use crate::event::{MediumEvent, Reach};
use crate::mac::dcf::reach::Ranges;
use crate::place::crossing::next_within;
use crate::place::{Path, square, square_of, square_ratio};

/// Positions of the stations of a medium with a range.
pub struct Places {
    /// Timer slot for changes of audibility.
    pub slot: Slot,
    /// Paths of the stations, by station number.
    pub paths: Vec<Path>,
    /// Time after which changes need not be predicted.
    pub until: Time,
}

/// Positions of the stations, with predicted changes of audibility.
pub(super) struct Plane {
    slot: Slot,
    paths: Vec<Path>,
    until: Time,
    ranges: Ranges,
    /// Squares of the ranges of rates queried so far.
    by_rate: Vec<(Rate, f64)>,
    /// Ratio of squared distances at which the earlier frame is captured; `None` without capture.
    capture: Option<f64>,
    /// Next change of audibility of each pair of stations, the earliest first.
    crossings: BinaryHeap<Reverse<(Time, u32, u32)>>,
}

impl Plane {
    /// Returns the plane and the audibility at time zero.
    pub fn new(places: Places, ranges: &Ranges) -> (Self, Audibility) {
        let Places { slot, paths, until } = places;
        let capture = ranges.capture.map(|ratio| square_ratio(ratio.0, ranges.path_loss));
        let mut audibility = Audibility::of_none(paths.len());
        let (ranges, by_rate, crossings) = (*ranges, Vec::new(), BinaryHeap::new());
        let mut plane = Plane { slot, paths, until, ranges, by_rate, capture, crossings };
        for a in 0..plane.paths.len() as u32 {
            for b in 0..a {
                audibility.set(a, b, plane.look(a, b, Time::ZERO));
            }
        }
        audibility.regroup(|_| ());
        (plane, audibility)
    }

    /// Returns the audibility between two stations now, and predicts its next change.
    fn look(&mut self, a: u32, b: u32, now: Time) -> Reach {
        let (place_a, place_b) = (&self.paths[a as usize], &self.paths[b as usize]);
        let reach = self.ranges.reach(place_a, place_b, now);
        if place_a.moves() || place_b.moves() {
            let borders = [self.ranges.read, self.ranges.sensed].map(|range| square_of(range.0));
            let next = next_within(place_a, place_b, &borders, now, self.until);
            self.crossings.extend(next.map(|at| Reverse((at, a, b))));
        }
        reach
    }

    /// Returns true if the signal of a frame at this rate, which begins now, is too weak at `to`.
    pub fn is_too_weak(&mut self, from: u32, to: u32, rate: Rate, now: Time) -> bool {
        if self.ranges.slowest.is_none() {
            return false;
        }
        let known = self.by_rate.iter().find(|(known, _)| *known == rate);
        let max = known.map(|(_, max)| *max).unwrap_or_else(|| {
            let max = self.ranges.square_at(rate);
            self.by_rate.push((rate, max));
            max
        });
        let [from, to] = [from, to].map(|station| &self.paths[station as usize]);
        square(from, to, now) as f64 > max
    }

    /// Returns true if frames of `from` exceed those of `other` at `to` by the capture ratio.
    pub fn captures(&self, to: u32, from: u32, other: u32, now: Time) -> bool {
        // A transmitting station receives nothing.
        let Some(ratio) = self.capture.filter(|_| to != from && to != other) else { return false };
        let [to, from, other] = [to, from, other].map(|station| &self.paths[station as usize]);
        square(to, from, now) as f64 * ratio <= square(to, other, now) as f64
    }
}

impl Medium {
    /// Schedules the first change of audibility. Must be called once, before any other method.
    pub fn look_out(&mut self, schedule: &mut engine::Schedule) {
        if let Some(plane) = &self.plane
            && let Some(Reverse((at, ..))) = plane.crossings.peek()
        {
            schedule.arm(plane.slot, *at);
        }
    }

    /// Handles the changes of audibility that are due.
    pub fn on_crossing<O: Observer>(&mut self, cx: &mut Cx<'_, O>) {
        let Some(plane) = &mut self.plane else { return };
        let mut crossed = Vec::new();
        while let Some(Reverse((at, a, b))) = plane.crossings.peek().copied()
            && at <= cx.now
        {
            plane.crossings.pop();
            let reach = plane.look(a, b, cx.now);
            crossed.push((a, b, reach));
            cx.emit_medium(self.number, || MediumEvent::Reaches { a, b, reach });
        }
        match plane.crossings.peek() {
            Some(Reverse((at, ..))) => cx.schedule.arm(plane.slot, *at),
            None => cx.schedule.disarm(plane.slot),
        }
        self.regroup(&crossed, cx);
    }

    /// Rebuilds the carrier-sense groups after the audibility of some pairs has changed. Frames in transmission stay
    /// audible until their end at the stations that sense them.
    fn regroup<O: Observer>(&mut self, crossed: &[(u32, u32, Reach)], cx: &mut Cx<'_, O>) {
        let mut old = std::mem::take(&mut self.groups);
        for group in &mut old {
            group.disarm(&self.stations, cx.schedule);
        }
        // By carrier-sense group before the change: the frames in transmission that it senses.
        let mut frames = vec![Vec::new(); old.len()];
        let sensed_by: Vec<_> = self.flying.iter().map(|flying| flying.audience(&self.audibility).to_vec()).collect();
        for (place, sensed_by) in sensed_by.iter().enumerate() {
            for (group, _) in sensed_by {
                frames[*group as usize].push(place);
            }
        }
        let states: Vec<_> = old.iter().zip(&frames).map(|(group, frames)| (group.state(), frames)).collect();
        let before = self.audibility.group.clone();
        for (a, b, reach) in crossed {
            self.audibility.set(*a, *b, *reach);
        }
        // A new group consists of stations with equal audibility from now on that have sensed the same frames so far.
        let representatives = self.audibility.regroup(|station| &states[before[station as usize] as usize]);
        let mut groups: Vec<CarrierSenseGroup> = representatives
            .iter()
            .map(|representative| old[before[*representative as usize] as usize].with_same_state())
            .collect();
        for (station, group) in self.audibility.group.iter().enumerate() {
            let from = &old[before[station] as usize];
            groups[*group as usize].take_station(station as u32, from, &mut self.stations);
        }
        for group in &mut groups {
            group.rearm(&self.phy, &self.stations, cx.schedule);
        }
        for (flying, sensed) in self.flying.iter_mut().zip(&sensed_by) {
            let still = representatives.iter().enumerate().filter_map(|(number, representative)| {
                let then = before[*representative as usize];
                let known = sensed.iter().find(|(group, _)| *group == then);
                known.map(|(_, decoded)| (number as u32, *decoded))
            });
            flying.sensed_by = Some(still.collect());
        }
        self.groups = groups;
    }
}
