//! Frames in transmission.

use std::cmp::Ordering;

use engine::{Rate, Span, Time};

use super::audibility::{Audibility, Audience};
use super::carrier_sense_group::Reservation;
use super::places::Plane;
use super::{Medium, SenseGroupId, query_channel};
use crate::channel::{ChannelFrame, FrameFate};
use crate::context::{Cx, Observer};
use crate::event::{AirFrame, MediumEvent, Reception};
use crate::ids::{HopId, MediumStationId};
use crate::mac::dcf::FrameKind;

/// A frame in transmission.
pub(super) struct Flying {
    /// The station to whose exchange the frame belongs. An exchange has at most one frame in transmission at a time, a
    /// data frame or a response.
    pub owner: MediumStationId,
    pub from: MediumStationId,
    pub to: MediumStationId,
    pub frame: AirFrame,
    /// True if another frame overlaps the frame at its receiver.
    collided: bool,
    /// True if the channel damages the frame.
    corrupted: bool,
    /// True if the frame's receiver is in range and can decode it.
    readable: bool,
    /// Carrier-sense groups that sense the frame; `None` if audibility has not changed since its start.
    pub sensed_by: Option<Audience<SenseGroupId>>,
}

impl Flying {
    /// Returns the carrier-sense groups that sense the frame.
    pub fn audience<'a>(&'a self, audibility: &'a Audibility) -> &'a Audience<SenseGroupId> {
        self.sensed_by.as_ref().unwrap_or(&audibility.audience[self.from])
    }

    /// Returns the frame's reservation, if the frame ends at `now`.
    fn reserves(&self, now: Time) -> Reservation {
        Reservation { until: now + self.frame.reserves, between: [self.from, self.to] }
    }

    /// Returns true if `station` sent the frame in an exchange that it initiated, and the frame is not a beacon: the
    /// frame belongs to the transmit queue in service.
    pub fn belongs_to_exchange_of(&self, station: MediumStationId) -> bool {
        self.owner == station && self.from == station && self.frame.kind != FrameKind::Beacon
    }

    /// Returns the part of the duration that is still to be sent at `now`; the frame may begin later.
    pub fn remaining_time(&self, now: Time) -> Span {
        (self.frame.start + self.frame.duration).since(now).min(self.frame.duration)
    }

    /// Returns true if `other` overlaps this frame at the receiver of this frame. A station's own frames reach the
    /// station without delay.
    fn overlaps(&self, other: &Flying, delay: Span) -> bool {
        let until = |frame: &AirFrame| frame.start + frame.duration;
        let (own_delay, other_delay) = (delay, if other.from == self.to { Span::ZERO } else { delay });
        self.frame.start + own_delay < until(&other.frame) + other_delay
            && other.frame.start + other_delay < until(&self.frame) + own_delay
    }

    /// Returns true if the frame is captured despite the overlapping frame `other`: the frame began no later than
    /// `other`, and is stronger by the capture ratio.
    fn survives(&self, other: &Flying, plane: &Plane, now: Time) -> bool {
        let stronger = || plane.captures(self.to, self.from, other.from, now);
        match self.frame.start.cmp(&other.frame.start) {
            Ordering::Less => stronger(),
            Ordering::Equal => stronger() && !plane.captures(self.to, other.from, self.from, now),
            Ordering::Greater => false,
        }
    }

    /// Returns true if another frame has overlapped the frame at its receiver so far.
    pub fn is_collided(&self) -> bool {
        self.collided
    }
}

impl Medium {
    /// Transmits a frame over `hop`; `number` is the frame's number among the data frames of the hop. Returns the time
    /// at which the end of the frame has reached all stations.
    pub(super) fn launch<O: Observer>(
        &mut self,
        [owner, from, to]: [MediumStationId; 3],
        frame: AirFrame,
        hop: HopId,
        number: Option<u64>,
        cx: &mut Cx<'_, O>,
    ) -> Time {
        let AirFrame { start, duration, size, .. } = frame;
        let asked = ChannelFrame { now: cx.now, start, duration, size, direction: hop.direction, number };
        let mut corrupted = query_channel(cx.channels, hop, &asked, frame.rate) == FrameFate::Corrupted;
        corrupted |= self.is_too_weak(from, to, frame.rate, cx.now);
        self.launch_known([owner, from, to], frame, corrupted, cx)
    }

    /// Returns true if the signal of a frame at this rate, which begins now, is too weak at `to`.
    pub(super) fn is_too_weak(&mut self, from: MediumStationId, to: MediumStationId, rate: Rate, now: Time) -> bool {
        self.plane.as_mut().is_some_and(|plane| plane.is_too_weak(from, to, rate, now))
    }

    /// Transmits a frame as [`launch`](Self::launch) does, with a known fate in the channel.
    pub(super) fn launch_known<O: Observer>(
        &mut self,
        [owner, from, to]: [MediumStationId; 3],
        frame: AirFrame,
        corrupted: bool,
        cx: &mut Cx<'_, O>,
    ) -> Time {
        let readable = self.audibility.decodes(to, from) && self.is_open(owner, frame.kind);
        self.fly(Flying { owner, from, to, frame, collided: false, corrupted, readable, sensed_by: None }, cx)
    }

    /// Transmits a broadcast frame. The receiver field holds the sender's number.
    pub(super) fn launch_to_all<O: Observer>(
        &mut self,
        from: MediumStationId,
        frame: AirFrame,
        cx: &mut Cx<'_, O>,
    ) -> Time {
        let readable = true;
        self.fly(
            Flying { owner: from, from, to: from, frame, collided: false, corrupted: false, readable, sensed_by: None },
            cx,
        )
    }

    fn fly<O: Observer>(&mut self, mut flying: Flying, cx: &mut Cx<'_, O>) -> Time {
        let Flying { owner, from, to, frame, .. } = flying;
        let (audibility, plane, delay) = (&self.audibility, self.plane.as_ref(), self.phy.delay);
        // A transmitting station senses its own frame, and receives nothing.
        let spoils = |first: &Flying, other: &Flying| {
            audibility.senses(first.to, other.from)
                && first.overlaps(other, delay)
                && !plane.is_some_and(|plane| first.survives(other, plane, cx.now))
        };
        for other in &mut self.flying {
            other.collided |= spoils(other, &flying);
            flying.collided |= spoils(&flying, other);
        }
        self.stations[from].counted.count_frame(frame.kind, frame.duration);
        self.flying.push(flying);
        cx.emit_medium(self.number, || {
            let has_packet = matches!(frame.kind, FrameKind::Data | FrameKind::Aggregate);
            MediumEvent::Sent { from, to, frame, packet: has_packet.then(|| self.head(owner).packet) }
        });
        frame.start + frame.duration + self.phy.delay
    }

    /// Marks the medium as busy for the groups that sense station `from`.
    pub(super) fn begin_sensing<O: Observer>(&mut self, from: MediumStationId, cx: &mut Cx<'_, O>) {
        let Medium { audibility, groups, stations, phy, .. } = self;
        audibility.audience[from].for_each(|group, decoded| {
            groups[group].frame_begins(cx.now, decoded, phy, stations, cx.schedule);
        });
    }

    /// Removes an exchange's frame at its end; returns the frame and its reception.
    pub(super) fn land_frame<O: Observer>(
        &mut self,
        owner: MediumStationId,
        cx: &mut Cx<'_, O>,
    ) -> (Flying, Reception) {
        let place = self.flying.iter().position(|flying| flying.owner == owner);
        let flying = self.flying.swap_remove(place.expect("an exchange has a frame in the air"));
        let Flying { from, to, frame: AirFrame { kind, .. }, .. } = flying;
        let reception = match (flying.readable, flying.collided, flying.corrupted) {
            (false, ..) => Reception::Unheard,
            (true, true, _) => Reception::Collided,
            (true, false, true) => Reception::Corrupted,
            (true, false, false) => Reception::Received,
        };
        self.count_frame(&flying, reception == Reception::Collided);
        cx.emit_medium(self.number, || {
            let damaged = self.damaged_packets(owner, &flying.frame, reception);
            MediumEvent::Ended { from, to, kind, reception, damaged }
        });
        (flying, reception)
    }

    /// Marks the end of a frame for the groups that sensed it.
    pub(super) fn end_sensing<O: Observer>(&mut self, flying: &Flying, cx: &mut Cx<'_, O>) {
        let reserved = flying.reserves(cx.now);
        let Medium { audibility, groups, stations, phy, .. } = self;
        flying.audience(audibility).for_each(|group, _| {
            let is_member = |station: MediumStationId| audibility.group[station] == group;
            groups[group].frame_ends(cx.now, reserved, is_member, phy, stations, cx.schedule);
        });
    }

    /// Returns true if the groups that sense a frame would also sense a frame of `next`, with the same ability to
    /// decode.
    pub(super) fn are_sensed_alike(&self, flying: &Flying, next: MediumStationId) -> bool {
        match &flying.sensed_by {
            None => self.audibility.have_equal_audibility(flying.from, next),
            Some(sensed_by) => *sensed_by == self.audibility.audience[next],
        }
    }

    /// Marks the end of a frame that is followed after SIFS by a frame of `next`, sensed by the same groups.
    pub(super) fn continue_sensing<O: Observer>(&mut self, flying: &Flying, next: MediumStationId, cx: &mut Cx<'_, O>) {
        let reserved = flying.reserves(cx.now);
        let groups = &mut self.groups;
        self.audibility.audience[next].for_each(|group, decoded| {
            groups[group].response_follows(cx.now, reserved, decoded);
        });
    }
}
