//! Positions of a medium's stations: audibility between stations, the times at which it changes, and capture between
//! overlapping frames.
//!
//! A frame can be decoded within the range and is sensed within the carrier-sense range; both areas are discs. For each
//! pair of stations of which one moves, the time of the next change is computed ([`crate::place::crossing`]), and a
//! timer is set for it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use engine::{IdVec, Rate, Slot, Time};

use super::audibility::{Audibility, Audience};
use super::{CarrierSenseGroup, Medium, SenseGroupId};
use crate::context::{Cx, Observer};
use crate::event::{MediumEvent, Reach};
use crate::ids::MediumStationId;
use crate::mac::dcf::reach::Ranges;
use crate::place::crossing::next_within;
use crate::place::{NodePath, square_of, square_ratio, squared_distance};

/// Positions of the stations of a medium with a range.
pub struct Places {
    /// Timer slot for changes of audibility.
    pub slot: Slot,
    /// Paths of the stations, by station number.
    pub paths: Vec<NodePath>,
    /// Time after which changes need not be predicted.
    pub until: Time,
}

/// A change of the audibility between two stations, in order of time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct AudibilityChange {
    at: Time,
    a: MediumStationId,
    b: MediumStationId,
}

/// Positions of the stations, with predicted changes of audibility.
pub(super) struct Plane {
    slot: Slot,
    paths: IdVec<MediumStationId, NodePath>,
    until: Time,
    ranges: Ranges,
    /// Squares of the ranges of rates queried so far.
    by_rate: Vec<(Rate, f64)>,
    /// Ratio of squared distances at which the earlier frame is captured; `None` without capture.
    capture: Option<f64>,
    /// Next change of audibility of each pair of stations, the earliest first.
    crossings: BinaryHeap<Reverse<AudibilityChange>>,
}

impl Plane {
    /// Returns the plane and the audibility at time zero.
    pub fn new(places: Places, ranges: &Ranges) -> (Self, Audibility) {
        let Places { slot, paths, until } = places;
        let capture = ranges.capture.map(|ratio| square_ratio(ratio.0, ranges.path_loss));
        let (ranges, by_rate, crossings) = (*ranges, Vec::new(), BinaryHeap::new());
        let mut plane = Plane { slot, paths: paths.into(), until, ranges, by_rate, capture, crossings };
        let audibility = Audibility::of(plane.paths.len(), |a, b| plane.predict_crossing(a, b, Time::ZERO));
        (plane, audibility)
    }

    /// Returns the audibility between two stations now, and predicts the next change.
    fn predict_crossing(&mut self, a: MediumStationId, b: MediumStationId, now: Time) -> Reach {
        let (place_a, place_b) = (&self.paths[a], &self.paths[b]);
        let reach = self.ranges.reach(place_a, place_b, now);
        if place_a.moves() || place_b.moves() {
            let borders = [self.ranges.read, self.ranges.sensed].map(|range| square_of(range.0));
            let next = next_within(place_a, place_b, &borders, now, self.until);
            self.crossings.extend(next.map(|at| Reverse(AudibilityChange { at, a, b })));
        }
        reach
    }

    /// Returns true if the signal of a frame at this rate, which begins now, is too weak at `to`.
    pub fn is_too_weak(&mut self, from: MediumStationId, to: MediumStationId, rate: Rate, now: Time) -> bool {
        if self.ranges.slowest.is_none() {
            return false;
        }
        let known = self.by_rate.iter().find(|(known, _)| *known == rate);
        let max = known.map(|(_, max)| *max).unwrap_or_else(|| {
            let max = self.ranges.square_at(rate);
            self.by_rate.push((rate, max));
            max
        });
        let [from, to] = [from, to].map(|station| &self.paths[station]);
        squared_distance(from, to, now) as f64 > max
    }

    /// Returns true if, at `to`, frames of `from` are stronger than frames of `other` by the capture ratio.
    pub fn captures(&self, to: MediumStationId, from: MediumStationId, other: MediumStationId, now: Time) -> bool {
        // A transmitting station receives nothing.
        let Some(ratio) = self.capture.filter(|_| to != from && to != other) else { return false };
        let [to, from, other] = [to, from, other].map(|station| &self.paths[station]);
        squared_distance(to, from, now) as f64 * ratio <= squared_distance(to, other, now) as f64
    }
}

impl Medium {
    /// Schedules the first change of audibility. Must be called once, before any other method.
    pub fn schedule_first_crossing(&mut self, schedule: &mut engine::Schedule) {
        if let Some(plane) = &self.plane
            && let Some(Reverse(first)) = plane.crossings.peek()
        {
            schedule.arm(plane.slot, first.at);
        }
    }

    /// Handles the changes of audibility that are due.
    pub fn on_crossing<O: Observer>(&mut self, cx: &mut Cx<'_, O>) {
        let Some(plane) = &mut self.plane else { return };
        let mut crossed = Vec::new();
        while let Some(Reverse(AudibilityChange { at, a, b })) = plane.crossings.peek().copied()
            && at <= cx.now
        {
            plane.crossings.pop();
            let reach = plane.predict_crossing(a, b, cx.now);
            crossed.push((a, b, reach));
            cx.emit_medium(self.number, || MediumEvent::Reaches { a, b, reach });
        }
        match plane.crossings.peek() {
            Some(Reverse(next)) => cx.schedule.arm(plane.slot, next.at),
            None => cx.schedule.disarm(plane.slot),
        }
        // Frames in transmission stay audible until their end at the stations that sense them.
        for flying in &mut self.flying {
            let audience = &self.audibility.audience[flying.from];
            flying.sensed_by.get_or_insert_with(|| audience.clone());
        }
        for (a, b, reach) in crossed {
            let groups = [a, b].map(|station| self.audibility.leave(station));
            self.audibility.set(a, b, reach);
            for (station, group, other) in [(a, groups[0], b), (b, groups[1], a)] {
                let alone = self.audibility.members(group).is_empty() && (station == b || groups[0] != groups[1]);
                self.regroup(station, (group, alone), other, cx);
            }
        }
        for [kept, merged] in self.audibility.equal_pairs() {
            self.merge(kept, merged, cx);
        }
        debug_assert!(self.audibility.is_consistent());
        debug_assert!(self.audibility.equal_pairs().into_iter().all(|[a, b]| !self.have_sensed_the_same(a, b)));
    }

    /// Finds a group for a station after its audibility to `other` has changed: a group with equal audibility that has
    /// sensed the same frames so far, or a new group. The station has left the group `old`. `alone` is true if it was
    /// the only station of that group.
    fn regroup<O: Observer>(
        &mut self,
        station: MediumStationId,
        (old, alone): (SenseGroupId, bool),
        other: MediumStationId,
        cx: &mut Cx<'_, O>,
    ) {
        let equal = self.audibility.equal_groups(station).find(|group| self.have_sensed_the_same(*group, old));
        let new = match equal {
            // The distance has reached the range without crossing it.
            Some(group) if group == old => return self.audibility.join(station, old),
            Some(group) => group,
            None if alone => {
                self.audibility.update_group(old, station, other);
                return self.audibility.join(station, old);
            }
            None => self.split(old, station),
        };
        self.move_station(station, old, new, cx);
        if alone {
            self.audibility.remove_group(old, station, Some(other));
            self.forget(old);
        }
    }

    /// Returns true if the stations of two groups have sensed the same frames so far.
    fn have_sensed_the_same(&self, a: SenseGroupId, b: SenseGroupId) -> bool {
        let mut audiences = self.flying.iter().map(|flying| flying.audience(&self.audibility));
        let senses = |audience: &Audience<SenseGroupId>, group: SenseGroupId| audience.reach(group) >= Reach::Senses;
        self.groups[a].has_sensed_the_same(&self.groups[b])
            && audiences.all(|audience| senses(audience, a) == senses(audience, b))
    }

    /// Adds a group for a station of the group `old`, with a copy of its state; returns the number.
    fn split(&mut self, old: SenseGroupId, station: MediumStationId) -> SenseGroupId {
        let new = self.audibility.add_group(station);
        let group = self.groups[old].with_same_state();
        match self.groups.get_mut(new) {
            Some(unused) => *unused = group,
            None => _ = self.groups.push(group),
        }
        for sensed_by in self.flying.iter_mut().filter_map(|flying| flying.sensed_by.as_mut()) {
            sensed_by.set(new, sensed_by.reach(old));
        }
        new
    }

    /// Moves a station, which has left the group `old`, to `new`.
    fn move_station<O: Observer>(
        &mut self,
        station: MediumStationId,
        old: SenseGroupId,
        new: SenseGroupId,
        cx: &mut Cx<'_, O>,
    ) {
        self.audibility.join(station, new);
        let groups = self.groups.as_mut_slice().get_disjoint_mut([old.index(), new.index()]);
        let [old, new] = groups.expect("a station moves between different groups");
        for group in [&mut *old, &mut *new] {
            group.disarm(&self.stations, cx.schedule);
        }
        new.take_station(station, old, &mut self.stations);
        for group in [old, new] {
            group.rearm(&self.phy, &self.stations, cx.schedule);
        }
    }

    /// Moves the stations of the group `merged` to `kept`, which has equal audibility, if both have sensed the same frames
    /// so far.
    fn merge<O: Observer>(&mut self, kept: SenseGroupId, merged: SenseGroupId, cx: &mut Cx<'_, O>) {
        let members = self.audibility.members(merged).to_vec();
        // One of the two groups may have been merged with a third group.
        let Some(one) = members.first().copied().filter(|_| !self.audibility.members(kept).is_empty()) else { return };
        if !self.have_sensed_the_same(kept, merged) {
            return;
        }
        for station in members {
            self.audibility.leave(station);
            self.move_station(station, merged, kept, cx);
        }
        self.audibility.remove_group(merged, one, None);
        self.forget(merged);
    }

    /// Clears the state of a group that has no stations any more.
    fn forget(&mut self, group: SenseGroupId) {
        self.groups[group] = CarrierSenseGroup::default();
        for sensed_by in self.flying.iter_mut().filter_map(|flying| flying.sensed_by.as_mut()) {
            sensed_by.set(group, Reach::Nothing);
        }
    }
}
