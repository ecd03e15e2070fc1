//! Counters of a medium and its stations.

use engine::{Span, Time};

use crate::mac::dcf::FrameKind;

/// Counters of a station of a medium.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StationCounters {
    /// Data frames sent, repetitions and fragments included; an aggregate is one.
    pub data_sent: u64,
    /// Acknowledgments sent, of blocks too.
    pub acks_sent: u64,
    /// Requests to send sent.
    pub rts_sent: u64,
    /// Clear-to-sends sent.
    pub cts_sent: u64,
    /// Beacons sent.
    pub beacons_sent: u64,
    /// Turns that it took: first frames of exchanges, requests or data, that have ended.
    pub attempts: u64,
    /// Of these, those that another frame damaged.
    pub attempts_collided: u64,
    /// Of the turns, those for a packet that had failed before.
    pub retries: u64,
    /// Packets that it gave up at a retry limit.
    pub given_up: u64,
    /// Back-offs drawn.
    pub back_offs: u64,
    /// Slots of them, counted down or not.
    pub back_off_slots: u64,
    /// Time spent sending, frames of all kinds.
    pub airtime: Span,
}

impl StationCounters {
    /// Counts the start and duration of a frame of a kind.
    pub(super) fn sends(&mut self, kind: FrameKind, duration: Span) {
        let count = match kind {
            FrameKind::Data | FrameKind::Aggregate => &mut self.data_sent,
            FrameKind::Ack | FrameKind::BlockAck => &mut self.acks_sent,
            FrameKind::Rts => &mut self.rts_sent,
            FrameKind::Cts => &mut self.cts_sent,
            FrameKind::Beacon => &mut self.beacons_sent,
        };
        *count += 1;
        self.airtime = self.airtime + duration;
    }

    /// The first frame of an exchange has ended.
    pub(super) fn attempted(&mut self, again: bool, collided: bool) {
        self.attempts += 1;
        self.attempts_collided += u64::from(collided);
        self.retries += u64::from(again);
    }

    /// A back-off was drawn.
    pub(super) fn backs_off(&mut self, slots: u64) {
        self.back_offs += 1;
        self.back_off_slots += slots;
    }
}

/// How a medium's air was used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AirCounters {
    /// Time in which at least one station was sending.
    pub busy: Span,
    /// Of this, time in which a frame was in the air that another damaged.
    pub collided: Span,
}

/// How the air has been used by the frames that have ended.
#[derive(Clone, Default)]
pub(super) struct MediumStats {
    busy: Union,
    collided: Union,
}

impl MediumStats {
    /// A frame has ended, not before any other that has.
    pub fn ended(&mut self, from: Time, to: Time, collided: bool) {
        self.busy.add(from, to);
        if collided {
            self.collided.add(from, to);
        }
    }

    /// Time in which anything, and in which anything damaged, was in the air.
    pub fn counters(&self) -> AirCounters {
        AirCounters { busy: self.busy.covered, collided: self.collided.covered }
    }

    /// Nothing is in the air: what comes begins later than all that was.
    pub fn is_silent(&mut self) {
        self.busy.recent.clear();
        self.collided.recent.clear();
    }
}

/// The length of a union of intervals that are added in the order of their ends.
#[derive(Clone, Default)]
struct Union {
    covered: Span,
    /// Those that a later one may overlap; they are apart.
    recent: Vec<(Time, Time)>,
}

impl Union {
    fn add(&mut self, mut from: Time, to: Time) {
        while let Some((begin, end)) = self.recent.last().copied().filter(|(_, end)| *end >= from) {
            self.recent.pop();
            self.covered = self.covered - end.since(begin);
            from = from.min(begin);
        }
        self.recent.push((from, to));
        self.covered = self.covered + to.since(from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_counts_once() {
        let at = Time::from_nanos;
        let mut union = Union::default();
        let mut lengths = Vec::new();
        // Apart, touching, within what is there, and over all of it.
        for (from, to) in [(10, 20), (30, 40), (40, 45), (42, 45), (5, 50), (60, 61)] {
            union.add(at(from), at(to));
            lengths.push(union.covered.as_nanos());
        }
        assert_eq!(lengths, [10, 20, 25, 25, 45, 46]);
    }
}
