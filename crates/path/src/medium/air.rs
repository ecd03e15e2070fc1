//! The frames that are in the air.

use std::cmp::Ordering;

use engine::{Rate, Span, Time};

use super::audibility::Audibility;
use super::carrier_sense_group::Reservation;
use super::places::Plane;
use super::{Medium, fate};
use crate::channel::{Fate, Frame};
use crate::context::{Cx, Observer};
use crate::event::{AirFrame, HopId, MediumEvent, Reception};
use crate::mac::dcf::FrameKind;

/// A frame in the air.
pub(super) struct Flying {
    /// The station whose exchange it is part of; it has one frame in the air at a time, its own or the answer.
    pub owner: u32,
    pub from: u32,
    pub to: u32,
    pub frame: AirFrame,
    /// Whether another frame reaches its receiver at the same time.
    collided: bool,
    /// Whether the air damages it.
    corrupted: bool,
    /// Whether its receiver can read it.
    readable: bool,
    /// The zones that hear it, and whether they understand it, where audibility has changed since it began.
    pub heard_by: Option<Vec<(u32, bool)>>,
}

impl Flying {
    /// The zones that hear it, and whether they understand it.
    pub fn audience<'a>(&'a self, hearing: &'a Audibility) -> &'a [(u32, bool)] {
        self.heard_by.as_deref().unwrap_or(&hearing.audience[self.from as usize])
    }

    /// Its reservation, when it ends at `now`.
    fn reserves(&self, now: Time) -> Reservation {
        Reservation { until: now + self.frame.reserves, between: [self.from, self.to] }
    }

    /// Whether it is part of an exchange of `station`, sent by it, and no beacon, so that it is of the lane in service.
    pub fn is_of_lane(&self, station: u32) -> bool {
        self.owner == station && self.from == station && self.frame.kind != FrameKind::Beacon
    }

    /// How much of it has not been sent at `now`. It may not have begun.
    pub fn left(&self, now: Time) -> Span {
        (self.frame.start + self.frame.duration).since(now).min(self.frame.duration)
    }

    /// Whether any of `other` is there when this one reaches its receiver. A station's own frame is there at
    /// once.
    fn meets(&self, other: &Flying, delay: Span) -> bool {
        let until = |frame: &AirFrame| frame.start + frame.duration;
        let (way, others_way) = (delay, if other.from == self.to { Span::ZERO } else { delay });
        self.frame.start + way < until(&other.frame) + others_way
            && other.frame.start + others_way < until(&self.frame) + way
    }

    /// Whether it is captured although `other` meets it: it began first, or with it, and is so much stronger.
    fn survives(&self, other: &Flying, plane: &Plane, now: Time) -> bool {
        let stronger = || plane.captures(self.to, self.from, other.from, now);
        match self.frame.start.cmp(&other.frame.start) {
            Ordering::Less => stronger(),
            Ordering::Equal => stronger() && !plane.captures(self.to, other.from, self.from, now),
            Ordering::Greater => false,
        }
    }

    /// Whether another frame has reached its receiver at the same time, so far.
    pub fn is_collided(&self) -> bool {
        self.collided
    }
}

impl Medium {
    /// Transmits a frame. `hop` is the way it takes, `number` its place among the data frames there. Returns the time
    /// at which it will have reached every station.
    pub(super) fn launch<O: Observer>(
        &mut self,
        [owner, from, to]: [u32; 3],
        frame: AirFrame,
        hop: HopId,
        number: Option<u64>,
        cx: &mut Cx<'_, O>,
    ) -> Time {
        let AirFrame { start, duration, size, .. } = frame;
        let asked = Frame { now: cx.now, start, duration, size, way: hop.way, number };
        let mut corrupted = fate(cx.channels, hop, &asked, frame.rate) == Fate::Corrupted;
        corrupted |= self.is_too_weak(from, to, frame.rate, cx.now);
        self.launch_known([owner, from, to], frame, corrupted, cx)
    }

    /// Whether a frame at this rate, which begins now, is too weak for it where `to` is.
    pub(super) fn is_too_weak(&mut self, from: u32, to: u32, rate: Rate, now: Time) -> bool {
        self.plane.as_mut().is_some_and(|plane| plane.is_too_weak(from, to, rate, now))
    }

    /// The same as [`launch`](Self::launch), of a frame whose fate in the air is known.
    pub(super) fn launch_known<O: Observer>(
        &mut self,
        [owner, from, to]: [u32; 3],
        frame: AirFrame,
        corrupted: bool,
        cx: &mut Cx<'_, O>,
    ) -> Time {
        let readable = self.hearing.understands(to, from) && self.is_open(owner, frame.kind);
        self.fly(Flying { owner, from, to, frame, collided: false, corrupted, readable, heard_by: None }, cx)
    }

    /// Transmits a broadcast frame. Its sender's number fills the field of the receiver.
    pub(super) fn launch_to_all<O: Observer>(&mut self, from: u32, frame: AirFrame, cx: &mut Cx<'_, O>) -> Time {
        let readable = true;
        self.fly(
            Flying { owner: from, from, to: from, frame, collided: false, corrupted: false, readable, heard_by: None },
            cx,
        )
    }

    fn fly<O: Observer>(&mut self, mut flying: Flying, cx: &mut Cx<'_, O>) -> Time {
        let Flying { from, to, frame, .. } = flying;
        let (hearing, plane, delay) = (&self.hearing, self.plane.as_ref(), self.phy.delay);
        // A station that sends hears nothing else: it senses itself.
        let spoils = |first: &Flying, other: &Flying| {
            hearing.senses(first.to, other.from)
                && first.meets(other, delay)
                && !plane.is_some_and(|plane| first.survives(other, plane, cx.now))
        };
        for other in &mut self.flying {
            other.collided |= spoils(other, &flying);
            flying.collided |= spoils(&flying, other);
        }
        self.stations[from as usize].counted.sends(frame.kind, frame.duration);
        self.flying.push(flying);
        cx.emit_medium(self.number, || MediumEvent::Sent { from, to, frame });
        frame.start + frame.duration + self.phy.delay
    }

    /// The zones that sense a station begin to hear it.
    pub(super) fn is_heard<O: Observer>(&mut self, from: u32, cx: &mut Cx<'_, O>) {
        for (zone, understood) in &self.hearing.audience[from as usize] {
            let zone = &mut self.zones[*zone as usize];
            zone.begins(cx.now, *understood, &self.phy, &mut self.stations, cx.schedule);
        }
    }

    /// The frame of an exchange has ended: what it was, and how it came.
    pub(super) fn landed<O: Observer>(&mut self, owner: u32, cx: &mut Cx<'_, O>) -> (Flying, Reception) {
        let place = self.flying.iter().position(|flying| flying.owner == owner);
        let flying = self.flying.swap_remove(place.expect("an exchange has a frame in the air"));
        let Flying { from, to, frame: AirFrame { kind, .. }, .. } = flying;
        let reception = match (flying.readable, flying.collided, flying.corrupted) {
            (false, ..) => Reception::Unheard,
            (true, true, _) => Reception::Collided,
            (true, false, true) => Reception::Corrupted,
            (true, false, false) => Reception::Received,
        };
        self.tally(&flying, reception == Reception::Collided);
        cx.emit_medium(self.number, || {
            let damaged = self.damaged(owner, &flying.frame, reception);
            MediumEvent::Ended { from, to, kind, reception, damaged }
        });
        (flying, reception)
    }

    /// The zones that heard a frame hear it no longer.
    pub(super) fn is_over<O: Observer>(&mut self, flying: &Flying, cx: &mut Cx<'_, O>) {
        let reserved = flying.reserves(cx.now);
        for (zone, _) in flying.audience(&self.hearing) {
            self.zones[*zone as usize].ends(cx.now, reserved, &self.phy, &mut self.stations, cx.schedule);
        }
    }

    /// Whether the zones that hear a frame would hear one of `next` too, equally well.
    pub(super) fn hear_alike(&self, flying: &Flying, next: u32) -> bool {
        self.hearing.is_of_all() || flying.audience(&self.hearing) == self.hearing.audience[next as usize]
    }

    /// The zones that heard a frame will hear `next` behind it, whom the same zones hear.
    pub(super) fn is_followed_by<O: Observer>(&mut self, flying: &Flying, next: u32, cx: &mut Cx<'_, O>) {
        let reserved = flying.reserves(cx.now);
        for (zone, understood) in &self.hearing.audience[next as usize] {
            self.zones[*zone as usize].hands_over(cx.now, reserved, *understood);
        }
    }
}
