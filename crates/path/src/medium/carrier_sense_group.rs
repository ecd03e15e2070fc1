//! Carrier sense and the counting of back-off slots, for all stations with equal audibility.
//!
//! Such stations sense the medium busy and idle at the same times and set the same network allocation vector (NAV), so
//! they count the same slots. For each station that backs off only the slot number of its turn is stored, and one
//! timer, for the first of them, serves the group: an idle slot costs nothing, and a frame costs the logarithm of the
//! group's size.
//!
//! A station that counts from another time, because it alone missed a response or received a damaged frame, is counted
//! separately until the medium is busy again.

mod regroup;

use std::collections::BTreeSet;

use engine::{IdVec, Schedule, Slot, Span, Time};

use super::phase::MediumPhase;
use super::station::Station;
use crate::ids::MediumStationId;
use crate::mac::dcf::Phy;

/// A station whose slots are counted separately from those of its group. The end of the slots of a resting station
/// causes no action.
struct Apart {
    station: MediumStationId,
    from: Time,
    slots: u64,
}

/// Reservation of the medium by a frame: it sets the NAV of the stations that decode the frame.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Reservation {
    pub until: Time,
    /// The two stations of the exchange. A frame sets the NAV of all stations but its receiver [802.11-2007 s9.2.5.4].
    pub between: [MediumStationId; 2],
}

/// A group of stations with equal audibility.
#[derive(Default)]
pub(super) struct CarrierSenseGroup {
    /// Number of frames sensed now.
    frames_sensed: u32,
    /// True if exactly one frame is sensed, without overlap so far, and it can be decoded.
    clear: bool,
    /// True if the last frame could not be decoded.
    damaged: bool,
    /// Start of the current busy period, or of the last one.
    busy_since: Time,
    /// Start of the busy period before.
    busy_before: Time,
    /// Start of the current idle period.
    idle_since: Time,
    /// Reservations that determine the NAV; rarely more than one.
    reserved: Vec<Reservation>,
    /// Time from which slots count in the current idle period.
    from: Time,
    /// Number of slots counted up to the last busy period.
    counted: u64,
    /// Stations in back-off, ordered by the slot number of their turn.
    waiting: BTreeSet<(u64, MediumStationId)>,
    apart: Vec<Apart>,
    /// Time of the group's timer, and the station concerned.
    first: Option<(Time, MediumStationId)>,
}

impl CarrierSenseGroup {
    /// Returns true if a station that counts slots from `from` on may transmit at `now` without back-off: no frame is
    /// sensed, and `from` has passed. A frame that began less than the propagation delay ago is not sensed yet.
    pub fn is_free(&self, from: Time, now: Time, phy: &Phy) -> bool {
        now >= from && (self.frames_sensed == 0 || self.is_unsensed(now, phy))
    }

    /// Returns true if the current busy period began too recently to be sensed. A station whose turn comes now still
    /// transmits.
    fn is_unsensed(&self, now: Time, phy: &Phy) -> bool {
        self.frames_sensed > 0 && now <= self.busy_since + phy.delay
    }

    /// Returns true if no frame is sensed and the NAV of a station is zero, possibly for less than DIFS.
    pub fn is_idle(&self, station: MediumStationId, now: Time) -> bool {
        self.frames_sensed == 0 && self.is_unreserved(station, now)
    }

    /// Returns true if the NAV of a station is zero.
    pub fn is_unreserved(&self, station: MediumStationId, now: Time) -> bool {
        now >= self.reserved_from(station)
    }

    /// Returns the end of the NAV of a station outside all exchanges.
    fn reserved_until(&self) -> Time {
        self.reserved.iter().map(|reservation| reservation.until).max().unwrap_or_default()
    }

    /// Returns the end of the reservations by exchanges in which a station takes no part.
    fn reserved_from(&self, station: MediumStationId) -> Time {
        let others = self.reserved.iter().filter(|reservation| !reservation.between.contains(&station));
        others.map(|reservation| reservation.until).max().unwrap_or_default()
    }

    /// Returns the time from which a station counts slots, if its idle period of required length `silence` began at
    /// `silent`.
    fn after(&self, station: MediumStationId, silent: Time, silence: Span, phy: &Phy) -> Time {
        (silent + silence).max(self.reserved_from(station) + phy.difs)
    }

    /// Returns the time from which slots count for a station in the current idle period. Reservations by the station's
    /// own exchanges do not apply to the station. After a frame that only this station could not decode, the station
    /// waits for EIFS.
    pub fn counts_from(&self, number: MediumStationId, station: &Station, phy: &Phy) -> Time {
        let unread = station.unread == Some(self.idle_since);
        if self.reserved.is_empty() && !unread {
            self.from
        } else {
            let silence = if self.damaged || unread { phy.eifs } else { phy.difs };
            self.after(number, self.idle_since, silence, phy)
        }
    }

    /// Ends the rest of a station that now has data to send. Returns the time from which the station counts slots, and
    /// the slots left of its last back-off at that time; `None` if that back-off has ended by `now`.
    pub fn end_rest(
        &mut self,
        number: MediumStationId,
        station: &Station,
        now: Time,
        phy: &Phy,
    ) -> (Time, Option<u64>) {
        let own = self.apart.iter().position(|apart| apart.station == number);
        let (from, left) = match (own.map(|place| self.apart.remove(place)), station.phase) {
            (Some(Apart { from, slots, .. }), _) => (from, slots),
            (None, MediumPhase::Resting { until: Some(until) }) => {
                (self.counts_from(number, station, phy), until.saturating_sub(self.counted))
            }
            (None, _) => (self.counts_from(number, station, phy), 0),
        };
        (from, (left > self.slots_passed(from, now, phy.slot)).then_some(left))
    }

    /// Returns the number of slots passed in the current idle period, for a station that counts from `from` on.
    fn slots_passed(&self, from: Time, now: Time, slot: Span) -> u64 {
        if self.frames_sensed == 0 { count_slots(now.since(from), slot) } else { 0 }
    }

    /// Returns the time from which a station counts slots whose frame ended at `sent` and has had no response until
    /// `now`. Its idle period began with the end of that frame, independent of reservations and collisions seen by
    /// others [802.11-2007 s9.2.5.2]; later busy periods count as for the others.
    pub fn after_silence(&self, number: MediumStationId, station: &Station, sent: Time, now: Time, phy: &Phy) -> Time {
        let sensed_since = if self.is_unsensed(now, phy) { self.busy_before } else { self.busy_since };
        // A frame that ends exactly now counts as sensed, because events at the same time have no order.
        let sensed_more = sensed_since > sent || self.idle_since == now;
        if sensed_more {
            self.counts_from(number, station, phy).max(now)
        } else {
            self.after(number, self.idle_since, phy.difs, phy).max(now)
        }
    }

    /// Handles the start of a frame. Stations whose turn comes before they can sense the frame still transmit.
    pub fn frame_begins(
        &mut self,
        now: Time,
        decoded: bool,
        phy: &Phy,
        stations: &mut IdVec<MediumStationId, Station>,
        schedule: &mut Schedule,
    ) {
        self.clear = decoded && self.frames_sensed == 0;
        self.frames_sensed += 1;
        if self.frames_sensed == 1 {
            self.busy_before = self.busy_since;
            self.busy_since = now;
            self.freeze(now, phy, stations, schedule);
        }
    }

    /// Stops the counting of slots at the start of a busy period. Stations whose turn comes before they can sense the
    /// frame still transmit, as the sender of the frame does.
    fn freeze(
        &mut self,
        now: Time,
        phy: &Phy,
        stations: &mut IdVec<MediumStationId, Station>,
        schedule: &mut Schedule,
    ) {
        let sensed = now + phy.delay;
        self.disarm(stations, schedule);
        while let Some((count, station)) = self.waiting.first().copied() {
            let due = self.due(count, phy.slot);
            if due > sensed {
                break;
            }
            self.waiting.pop_first();
            commit_station(&mut stations[station], due.max(now), schedule);
        }
        self.counted += count_slots(sensed.since(self.from), phy.slot);
        for apart in std::mem::take(&mut self.apart) {
            self.freeze_apart(apart, now, sensed, phy, stations, schedule);
        }
    }

    /// Stops the counting for a station that counts separately, for a frame that begins at `now` and is sensed at
    /// `sensed`.
    fn freeze_apart(
        &mut self,
        Apart { station, from, slots: left }: Apart,
        now: Time,
        sensed: Time,
        phy: &Phy,
        stations: &mut IdVec<MediumStationId, Station>,
        schedule: &mut Schedule,
    ) {
        let due = from + phy.slot.times(left);
        let count = self.counted + left.saturating_sub(count_slots(sensed.since(from), phy.slot));
        let phase = &mut stations[station].phase;
        if let MediumPhase::Resting { until } = phase {
            *until = Some(count);
        } else if due <= sensed {
            commit_station(&mut stations[station], due.max(now), schedule);
        } else {
            *phase = MediumPhase::Contending { turn: Some(count) };
            self.waiting.insert((count, station));
        }
    }

    /// Handles the end of a frame. If the frame could be decoded, its reservation sets the NAV. `is_member` returns
    /// true for a station of this group.
    pub fn frame_ends(
        &mut self,
        now: Time,
        reserved: Reservation,
        is_member: impl Fn(MediumStationId) -> bool,
        phy: &Phy,
        stations: &mut IdVec<MediumStationId, Station>,
        schedule: &mut Schedule,
    ) {
        self.frames_sensed -= 1;
        if self.frames_sensed > 0 {
            return;
        }
        self.note_reception(now, reserved);
        self.idle_since = now;
        let silence = if self.damaged { phy.eifs } else { phy.difs };
        self.from = (now + silence).max(self.reserved_until() + phy.difs);
        self.rearm(phy, stations, schedule);
        for place in 0..self.reserved.len() {
            for station in self.reserved[place].between.into_iter().filter(|station| is_member(*station)) {
                self.separate(station, phy, stations, schedule);
            }
        }
    }

    /// Handles the end of a frame that is followed after SIFS by a response, sensed by the same groups: no station can
    /// count a slot in between.
    pub fn response_follows(&mut self, now: Time, reserved: Reservation, decoded: bool) {
        if self.frames_sensed == 1 {
            self.note_reception(now, reserved);
        }
        self.clear = decoded && self.frames_sensed == 1;
    }

    fn note_reception(&mut self, now: Time, reserved: Reservation) {
        self.damaged = !self.clear;
        self.reserved.retain(|reservation| reservation.until > now);
        if self.clear && reserved.until > now {
            self.reserved.push(reserved);
        }
    }

    /// Starts the back-off of a station for `left` slots, counted as for the group.
    fn join(
        &mut self,
        number: MediumStationId,
        left: u64,
        phy: &Phy,
        stations: &mut IdVec<MediumStationId, Station>,
        schedule: &mut Schedule,
    ) {
        let turn = self.counted + left;
        stations[number].phase = MediumPhase::Contending { turn: Some(turn) };
        self.waiting.insert((turn, number));
        self.rearm(phy, stations, schedule);
    }

    /// Starts the back-off of a station for `left` slots that count from `from` on.
    #[expect(clippy::too_many_arguments, reason = "the state belongs to the medium")]
    pub fn join_apart(
        &mut self,
        number: MediumStationId,
        now: Time,
        from: Time,
        left: u64,
        phy: &Phy,
        stations: &mut IdVec<MediumStationId, Station>,
        schedule: &mut Schedule,
    ) {
        stations[number].phase = MediumPhase::Contending { turn: None };
        // The current frame cannot be sensed yet. As events at the same time have no order, the back-off counts as
        // begun before the frame.
        if self.is_unsensed(now, phy) {
            let apart = Apart { station: number, from, slots: left };
            return self.freeze_apart(apart, now, self.busy_since + phy.delay, phy, stations, schedule);
        }
        self.join_from(number, from, left, phy, stations, schedule);
    }

    /// Starts the back-off when the medium is idle or its current frame can be sensed.
    fn join_from(
        &mut self,
        number: MediumStationId,
        from: Time,
        left: u64,
        phy: &Phy,
        stations: &mut IdVec<MediumStationId, Station>,
        schedule: &mut Schedule,
    ) {
        if self.frames_sensed > 0 || from == self.from {
            return self.join(number, left, phy, stations, schedule);
        }
        stations[number].phase = MediumPhase::Contending { turn: None };
        self.apart.push(Apart { station: number, from, slots: left });
        self.rearm(phy, stations, schedule);
    }

    /// Starts the back-off of a station without data to send, after an exchange. The back-off has `left` slots, which
    /// count from `from` on.
    #[expect(clippy::too_many_arguments, reason = "the state belongs to the medium")]
    pub fn rest(
        &mut self,
        number: MediumStationId,
        now: Time,
        from: Time,
        left: u64,
        phy: &Phy,
        stations: &mut IdVec<MediumStationId, Station>,
        schedule: &mut Schedule,
    ) {
        let apart = Apart { station: number, from, slots: left };
        stations[number].phase = MediumPhase::Resting { until: None };
        if self.is_unsensed(now, phy) {
            return self.freeze_apart(apart, now, self.busy_since + phy.delay, phy, stations, schedule);
        }
        if self.frames_sensed > 0 || from == self.from {
            stations[number].phase = MediumPhase::Resting { until: Some(self.counted + left) };
        } else {
            self.apart.push(apart);
        }
    }

    /// Moves a station in back-off to separate counting if its slots count from a time other than the group's time.
    pub fn separate(
        &mut self,
        number: MediumStationId,
        phy: &Phy,
        stations: &mut IdVec<MediumStationId, Station>,
        schedule: &mut Schedule,
    ) {
        let from = self.counts_from(number, &stations[number], phy);
        if let Some(apart) = self.apart.iter_mut().find(|apart| apart.station == number) {
            apart.from = from;
            return self.rearm(phy, stations, schedule);
        }
        let MediumPhase::Contending { turn: Some(turn) } = stations[number].phase else { return };
        if self.frames_sensed > 0 || from == self.from || !self.waiting.remove(&(turn, number)) {
            return;
        }
        self.join_from(number, from, turn - self.counted, phy, stations, schedule);
    }

    /// Sets the group's timer to the station whose turn comes first.
    pub fn rearm(&mut self, phy: &Phy, stations: &IdVec<MediumStationId, Station>, schedule: &mut Schedule) {
        if self.frames_sensed > 0 {
            return;
        }
        let waiting = self.waiting.first().map(|(count, station)| (self.due(*count, phy.slot), *station));
        let rests = |station: MediumStationId| matches!(stations[station].phase, MediumPhase::Resting { .. });
        let apart = self.apart.iter().filter(|apart| !rests(apart.station));
        let apart = apart.map(|apart| (apart.from + phy.slot.times(apart.slots), apart.station));
        let first = waiting.into_iter().chain(apart).min();
        if first == self.first {
            return;
        }
        self.disarm(stations, schedule);
        self.first = first;
        if let Some((at, station)) = first {
            schedule.arm(slot_of(stations, station), at);
        }
    }

    /// Cancels the group's timer.
    pub fn disarm(&mut self, stations: &IdVec<MediumStationId, Station>, schedule: &mut Schedule) {
        if let Some((_, station)) = self.first.take() {
            schedule.disarm(slot_of(stations, station));
        }
    }

    /// Returns the time at which a slot number is reached if the medium stays idle.
    fn due(&self, count: u64, slot: Span) -> Time {
        self.from + slot.times(count - self.counted)
    }
}

fn slot_of(stations: &IdVec<MediumStationId, Station>, number: MediumStationId) -> Slot {
    stations[number].slot
}

/// Makes a station transmit at `due`, regardless of frames that begin before.
fn commit_station(station: &mut Station, due: Time, schedule: &mut Schedule) {
    station.phase = MediumPhase::Committed;
    schedule.arm(station.slot, due);
}

/// Returns the number of complete slots in a span.
fn count_slots(span: Span, slot: Span) -> u64 {
    span.as_nanos() / slot.as_nanos()
}
