//! Carrier sense and the count of back-off slots, for all stations that hear the same others.
//!
//! Such stations sense the air busy and idle at the same moments and set the same network allocation vector, so they
//! count the same slots. Each that backs off only remembers at which number its turn comes, and one wake-up, of the
//! first of them, stands for all: an idle slot costs nothing, and a frame costs the logarithm of their number.
//!
//! A station that counts from another moment, because it alone missed an answer or received a damaged frame, stands
//! apart until the air is busy again.

mod anew;

use std::collections::BTreeSet;

use engine::{Schedule, Slot, Span, Time};

use super::phase::Phase;
use super::station::Station;
use crate::mac::dcf::Phy;

/// A station that counts from a moment of its own. It may rest: then nothing happens when its slots are over.
struct Apart {
    station: u32,
    from: Time,
    slots: u64,
}

/// A frame's reservation: it sets the network allocation vector (NAV) of the stations that read it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct Reservation {
    pub until: Time,
    /// The two stations of the exchange. A frame sets the NAV of all stations but its receiver [802.11-2007
    /// s9.2.5.4].
    pub between: [u32; 2],
}

/// Stations that hear the same others.
#[derive(Default)]
pub(super) struct CarrierSenseGroup {
    /// Frames in the air that are heard here.
    heard: u32,
    /// Whether what is heard is one frame alone since the air was last idle, and can be understood.
    clear: bool,
    /// Whether the last frame could not be understood.
    damaged: bool,
    /// Since when something is heard, or was last.
    busy_since: Time,
    /// Since when nothing is heard.
    idle_since: Time,
    /// The network allocation vectors of all stations here. One exchange, rarely more.
    reserved: Vec<Reservation>,
    /// When slots begin to count, while nothing is heard.
    from: Time,
    /// Slots counted until the air was last busy.
    counted: u64,
    /// At which count whose turn comes.
    waiting: BTreeSet<(u64, u32)>,
    apart: Vec<Apart>,
    /// Whose wake-up stands for all, and when.
    first: Option<(Time, u32)>,
}

impl CarrierSenseGroup {
    /// Whether a station that counts slots from `from` on may send at `now` without backing off: nothing is heard or
    /// reserved from it, and has not been for as long as is needed. A station that began to send less than the
    /// propagation delay ago is not heard yet.
    pub fn is_free(&self, from: Time, now: Time, phy: &Phy) -> bool {
        now >= from && (self.heard == 0 || self.is_unsensed(now, phy))
    }

    /// Whether something is in the air that began too recently to be sensed: a station whose turn comes now still
    /// sends.
    fn is_unsensed(&self, now: Time, phy: &Phy) -> bool {
        self.heard > 0 && now <= self.busy_since + phy.delay
    }

    /// Whether the air is idle for a station, as far as is heard and reserved, though perhaps not for long enough.
    pub fn is_idle(&self, station: u32, now: Time) -> bool {
        self.heard == 0 && self.is_unreserved(station, now)
    }

    /// Whether the medium is not reserved at a station (its NAV is zero).
    pub fn is_unreserved(&self, station: u32, now: Time) -> bool {
        now >= self.reserved_from(station)
    }

    /// The end of the NAV of a station outside all exchanges.
    fn reserved_until(&self) -> Time {
        self.reserved.iter().map(|reservation| reservation.until).max().unwrap_or_default()
    }

    /// Until when others have reserved the air from a station.
    fn reserved_from(&self, station: u32) -> Time {
        let others = self.reserved.iter().filter(|reservation| !reservation.between.contains(&station));
        others.map(|reservation| reservation.until).max().unwrap_or_default()
    }

    /// When a station may count that knows only of silence since `silent`, and of what others have reserved.
    fn after(&self, station: u32, silent: Time, silence: Span, phy: &Phy) -> Time {
        (silent + silence).max(self.reserved_from(station) + phy.difs)
    }

    /// When slots begin to count for a station, while nothing is heard: exchanges that it takes part in do not reserve
    /// the air from it, and behind a frame that it alone could not read it waits for longer than the others.
    pub fn counts_from(&self, number: u32, station: &Station, phy: &Phy) -> Time {
        let unread = station.unread == Some(self.idle_since);
        match self.reserved.is_empty() && !unread {
            true => self.from,
            false => {
                let silence = if self.damaged || unread { phy.eifs } else { phy.difs };
                self.after(number, self.idle_since, silence, phy)
            }
        }
    }

    /// A station that rests has something to send: when it may count, and the slots of its last back-off that it counts
    /// from there; `None` after they are over, by `now`.
    pub fn rises(&mut self, number: u32, station: &Station, now: Time, phy: &Phy) -> (Time, Option<u64>) {
        let own = self.apart.iter().position(|apart| apart.station == number);
        let (from, left) = match (own.map(|place| self.apart.remove(place)), station.phase) {
            (Some(Apart { from, slots, .. }), _) => (from, slots),
            (None, Phase::Resting { until: Some(until) }) => {
                (self.counts_from(number, station, phy), until.saturating_sub(self.counted))
            }
            (None, _) => (self.counts_from(number, station, phy), 0),
        };
        (from, (left > self.passed(from, now, phy.slot)).then_some(left))
    }

    /// How many slots have passed since the air was last busy, for a station that counts from `from` on.
    fn passed(&self, from: Time, now: Time, slot: Span) -> u64 {
        if self.heard == 0 { slots(now.since(from), slot) } else { 0 }
    }

    /// When a station may count whose frame left at `sent` and was not answered until `now`. Its silence began with the
    /// end of that frame, whatever others believe reserved or took for a collision [802.11-2007 s9.2.5.2]; of what
    /// began later it knows as much as they.
    pub fn after_silence(&self, number: u32, station: &Station, sent: Time, now: Time, phy: &Phy) -> Time {
        // A frame that ends now is unordered with the end of the wait, too.
        let heard_more = self.busy_since > sent && !self.is_unsensed(now, phy) || self.idle_since == now;
        match heard_more {
            true => self.counts_from(number, station, phy).max(now),
            false => self.after(number, self.idle_since, phy.difs, phy).max(now),
        }
    }

    /// A frame begins to be heard. Whoever's turn comes before it can be sensed sends nevertheless.
    pub fn begins(
        &mut self,
        now: Time,
        understood: bool,
        phy: &Phy,
        stations: &mut [Station],
        schedule: &mut Schedule,
    ) {
        self.clear = understood && self.heard == 0;
        self.heard += 1;
        if self.heard == 1 {
            self.busy_since = now;
            self.freeze(now, phy, stations, schedule);
        }
    }

    /// The air becomes busy: slots are counted no longer. Stations whose turn comes before the frame can be sensed send
    /// nevertheless, and so does the one whose own frame this is: it is on its way.
    fn freeze(&mut self, now: Time, phy: &Phy, stations: &mut [Station], schedule: &mut Schedule) {
        let sensed = now + phy.delay;
        self.disarm(stations, schedule);
        while let Some((count, station)) = self.waiting.first().copied() {
            let due = self.due(count, phy.slot);
            if due > sensed {
                break;
            }
            self.waiting.pop_first();
            commit(&mut stations[station as usize], due.max(now), schedule);
        }
        self.counted += slots(sensed.since(self.from), phy.slot);
        for apart in std::mem::take(&mut self.apart) {
            self.freeze_apart(apart, now, sensed, phy, stations, schedule);
        }
    }

    /// The same for a station that counts from a moment of its own, at `now`, of a frame that is sensed at `sensed`.
    fn freeze_apart(
        &mut self,
        Apart { station, from, slots: left }: Apart,
        now: Time,
        sensed: Time,
        phy: &Phy,
        stations: &mut [Station],
        schedule: &mut Schedule,
    ) {
        let due = from + phy.slot.times(left);
        let count = self.counted + left.saturating_sub(slots(sensed.since(from), phy.slot));
        let phase = &mut stations[station as usize].phase;
        if let Phase::Resting { until } = phase {
            *until = Some(count);
        } else if due <= sensed {
            commit(&mut stations[station as usize], due.max(now), schedule);
        } else {
            *phase = Phase::Contending { turn: Some(count) };
            self.waiting.insert((count, station));
        }
    }

    /// A frame is heard no longer. If it could be understood, it reserves the air.
    pub fn ends(
        &mut self,
        now: Time,
        reserved: Reservation,
        phy: &Phy,
        stations: &mut [Station],
        schedule: &mut Schedule,
    ) {
        self.heard -= 1;
        if self.heard > 0 {
            return;
        }
        self.understand(now, reserved);
        self.idle_since = now;
        let silence = if self.damaged { phy.eifs } else { phy.difs };
        self.from = (now + silence).max(self.reserved_until() + phy.difs);
        self.rearm(phy, stations, schedule);
        for place in 0..self.reserved.len() {
            for station in self.reserved[place].between {
                self.parts(station, phy, stations, schedule);
            }
        }
    }

    /// A frame is heard no longer, and its answer by a station that is heard by the same zones follows after SIFS: too
    /// soon for any station to count a slot.
    pub fn hands_over(&mut self, now: Time, reserved: Reservation, understood: bool) {
        if self.heard == 1 {
            self.understand(now, reserved);
        }
        self.clear = understood && self.heard == 1;
    }

    fn understand(&mut self, now: Time, reserved: Reservation) {
        self.damaged = !self.clear;
        self.reserved.retain(|reservation| reservation.until > now);
        if self.clear && reserved.until > now {
            self.reserved.push(reserved);
        }
    }

    /// A station begins to back off for `left` slots, as all others here do.
    fn join(&mut self, number: u32, left: u64, phy: &Phy, stations: &mut [Station], schedule: &mut Schedule) {
        let turn = self.counted + left;
        stations[number as usize].phase = Phase::Contending { turn: Some(turn) };
        self.waiting.insert((turn, number));
        self.rearm(phy, stations, schedule);
    }

    /// A station backs off for `left` slots that count from `from` on.
    #[expect(clippy::too_many_arguments, reason = "what a medium lends its zones")]
    pub fn join_apart(
        &mut self,
        number: u32,
        now: Time,
        from: Time,
        left: u64,
        phy: &Phy,
        stations: &mut [Station],
        schedule: &mut Schedule,
    ) {
        stations[number as usize].phase = Phase::Contending { turn: None };
        // As if it had begun before the frame did, which it cannot sense yet: events of one time have no order here.
        if self.is_unsensed(now, phy) {
            let apart = Apart { station: number, from, slots: left };
            return self.freeze_apart(apart, now, self.busy_since + phy.delay, phy, stations, schedule);
        }
        self.join_from(number, from, left, phy, stations, schedule);
    }

    /// The same while nothing is heard, or what is heard can be sensed.
    fn join_from(
        &mut self,
        number: u32,
        from: Time,
        left: u64,
        phy: &Phy,
        stations: &mut [Station],
        schedule: &mut Schedule,
    ) {
        if self.heard > 0 || from == self.from {
            return self.join(number, left, phy, stations, schedule);
        }
        stations[number as usize].phase = Phase::Contending { turn: None };
        self.apart.push(Apart { station: number, from, slots: left });
        self.rearm(phy, stations, schedule);
    }

    /// A station has nothing to send behind its exchange; the back-off of `left` slots counts from `from` on all the
    /// same.
    #[expect(clippy::too_many_arguments, reason = "what a medium lends its zones")]
    pub fn rest(
        &mut self,
        number: u32,
        now: Time,
        from: Time,
        left: u64,
        phy: &Phy,
        stations: &mut [Station],
        schedule: &mut Schedule,
    ) {
        let apart = Apart { station: number, from, slots: left };
        stations[number as usize].phase = Phase::Resting { until: None };
        if self.is_unsensed(now, phy) {
            return self.freeze_apart(apart, now, self.busy_since + phy.delay, phy, stations, schedule);
        }
        if self.heard > 0 || from == self.from {
            stations[number as usize].phase = Phase::Resting { until: Some(self.counted + left) };
        } else {
            self.apart.push(apart);
        }
    }

    /// A station that may count from another moment than the stations with which it was to count, if it backs off.
    pub fn parts(&mut self, number: u32, phy: &Phy, stations: &mut [Station], schedule: &mut Schedule) {
        let from = self.counts_from(number, &stations[number as usize], phy);
        if let Some(apart) = self.apart.iter_mut().find(|apart| apart.station == number) {
            apart.from = from;
            return self.rearm(phy, stations, schedule);
        }
        let Phase::Contending { turn: Some(turn) } = stations[number as usize].phase else { return };
        if self.heard > 0 || from == self.from || !self.waiting.remove(&(turn, number)) {
            return;
        }
        self.join_from(number, from, turn - self.counted, phy, stations, schedule);
    }

    /// Whose turn comes first has the wake-up.
    fn rearm(&mut self, phy: &Phy, stations: &[Station], schedule: &mut Schedule) {
        if self.heard > 0 {
            return;
        }
        let waiting = self.waiting.first().map(|(count, station)| (self.due(*count, phy.slot), *station));
        let rests = |station: u32| matches!(stations[station as usize].phase, Phase::Resting { .. });
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

    fn disarm(&mut self, stations: &[Station], schedule: &mut Schedule) {
        if let Some((_, station)) = self.first.take() {
            schedule.disarm(slot_of(stations, station));
        }
    }

    /// When a count will be reached, if the air stays idle.
    fn due(&self, count: u64, slot: Span) -> Time {
        self.from + slot.times(count - self.counted)
    }
}

fn slot_of(stations: &[Station], number: u32) -> Slot {
    stations[number as usize].slot
}

/// A station sends at `due`, whatever it senses until then.
fn commit(station: &mut Station, due: Time, schedule: &mut Schedule) {
    station.phase = Phase::Committed;
    schedule.arm(station.slot, due);
}

/// How many slots have passed.
fn slots(span: Span, slot: Span) -> u64 {
    span.as_nanos() / slot.as_nanos()
}
