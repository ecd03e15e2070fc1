//! Counters of a medium and its stations.

use engine::{Span, Time};

use crate::event::AirFrame;
use crate::mac::dcf::FrameKind;

/// Counters of a station of a medium.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StationCounters {
    /// Number of data frames sent, including retransmissions and fragments; an aggregate counts as one.
    pub data_sent: u64,
    /// Number of acknowledgments and block acknowledgments sent.
    pub acks_sent: u64,
    /// Number of RTS frames sent.
    pub rts_sent: u64,
    /// Number of CTS frames sent.
    pub cts_sent: u64,
    /// Number of beacons sent.
    pub beacons_sent: u64,
    /// Number of completed attempts: first frames of exchanges, RTS or data, that have ended.
    pub attempts: u64,
    /// Number of attempts whose frame collided.
    pub attempts_collided: u64,
    /// Number of attempts at a packet that had failed before.
    pub retries: u64,
    /// Number of packets given up at a retry limit.
    pub given_up: u64,
    /// Number of back-offs drawn.
    pub back_offs: u64,
    /// Sum of the drawn back-offs in slots, counted down or not.
    pub back_off_slots: u64,
    /// Total duration of frames sent, of all kinds.
    pub airtime: Span,
}

impl StationCounters {
    /// Counts a frame of a kind that is sent.
    pub(super) fn count_frame(&mut self, kind: FrameKind, duration: Span) {
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

    /// Counts the end of the first frame of an exchange.
    pub(super) fn count_attempt(&mut self, frame: &AirFrame, collided: bool) {
        self.attempts += 1;
        self.attempts_collided += u64::from(collided);
        self.retries += u64::from(frame.again);
    }

    /// Counts a drawn back-off.
    pub(super) fn count_back_off(&mut self, slots: u64) {
        self.back_offs += 1;
        self.back_off_slots += slots;
    }
}

/// Use of a medium's channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AirCounters {
    /// Time in which at least one station transmitted.
    pub busy: Span,
    /// Part of the busy time in which a collided frame was in transmission.
    pub collided: Span,
}

/// Use of the channel by frames that have ended.
#[derive(Clone, Default)]
pub(super) struct MediumStats {
    busy: Union,
    collided: Union,
}

impl MediumStats {
    /// Counts a frame at its end; frames must be added in the order of their ends.
    pub fn add_frame(&mut self, from: Time, to: Time, collided: bool) {
        self.busy.add(from, to);
        if collided {
            self.collided.add(from, to);
        }
    }

    /// Returns the busy time and the time with collided frames.
    pub fn counters(&self) -> AirCounters {
        AirCounters { busy: self.busy.covered, collided: self.collided.covered }
    }

    /// Discards the stored intervals when no frame is in transmission: later frames cannot overlap them.
    pub fn clear_intervals(&mut self) {
        self.busy.recent.clear();
        self.collided.recent.clear();
    }
}

/// Length of the union of intervals that are added in the order of their ends.
#[derive(Clone, Default)]
struct Union {
    covered: Span,
    /// Disjoint intervals that a later one may overlap.
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
    fn overlapping_time_counts_once() {
        let at = Time::from_nanos;
        let mut union = Union::default();
        let mut lengths = Vec::new();
        // Disjoint, touching, within an earlier interval, and covering all earlier ones.
        for (from, to) in [(10, 20), (30, 40), (40, 45), (42, 45), (5, 50), (60, 61)] {
            union.add(at(from), at(to));
            lengths.push(union.covered.as_nanos());
        }
        assert_eq!(lengths, [10, 20, 25, 25, 45, 46]);
    }
}
