//! Timestamps, and protection against wrapped sequence numbers [RFC7323 s3 to s5].

use engine::time::{NANOS_PER_MILLI, NANOS_PER_SEC};
use engine::{Span, Time};
use wire::{SeqNum, Timestamps};

/// State of the timestamps option, including the last known clock of the other end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// TS.Recent, with the second in which it was set.
    recent: u32,
    set_at: u32,
}

/// The value of `set_at` while TS.Recent is unset.
const NONE: u32 = u32::MAX;

/// Size of the option in a segment, including padding [RFC7323 appendix A].
const SIZE: u32 = 12;

/// TS.Recent is not compared after this time, in seconds: the other end's clock may have wrapped [RFC7323 s5.5].
const VALID: u32 = 24 * 24 * 3600;

/// Bytes of data in a segment of `segment` bytes that carries timestamps, or not (RFC 6691).
pub(crate) fn left_for_data(segment: u32, stamped: bool) -> u32 {
    if stamped { segment.saturating_sub(SIZE).max(1) } else { segment }
}

/// The clock of this end: milliseconds [RFC7323 s5.4].
pub(crate) fn timestamp_at(now: Time) -> u32 {
    (now.as_nanos() / NANOS_PER_MILLI) as u32
}

fn count_seconds(now: Time) -> u32 {
    u32::try_from(now.as_nanos() / NANOS_PER_SEC).unwrap_or(NONE - 1)
}

/// Whether a timestamp is from before `time`.
pub(crate) fn is_before(stamp: u32, time: Time) -> bool {
    (stamp.wrapping_sub(timestamp_at(time)) as i32) < 0
}

impl Default for Clock {
    fn default() -> Self {
        Clock { recent: 0, set_at: NONE }
    }
}

impl Clock {
    /// A clock with TS.Recent set at time zero.
    pub fn of(recent: Option<u32>) -> Self {
        recent.map_or_else(Self::default, |recent| Clock { recent, set_at: 0 })
    }

    /// The timestamps of a segment sent now.
    pub fn stamp(&self, now: Time) -> Timestamps {
        Timestamps { value: timestamp_at(now), echo: self.recent }
    }

    /// Returns the number of ticks by which a segment is older than TS.Recent [RFC7323 s5.3 R1]; 0 if the segment is
    /// not older, or if TS.Recent is too old for the comparison [RFC7323 s5.5].
    #[inline]
    pub fn behind(&self, now: Time, stamps: &Timestamps) -> u32 {
        let behind = self.recent.wrapping_sub(stamps.value);
        if behind as i32 <= 0 || self.set_at == NONE || count_seconds(now).saturating_sub(self.set_at) > VALID {
            return 0;
        }
        behind
    }

    /// Updates TS.Recent from a segment that begins at or before the last acknowledgment sent [RFC7323 s4.3].
    #[inline]
    pub fn take(&mut self, now: Time, stamps: &Timestamps, seq: SeqNum, last_ack: SeqNum) {
        if seq.since(last_ack) <= 0 && self.behind(now, stamps) == 0 {
            (self.recent, self.set_at) = (stamps.value, count_seconds(now));
        }
    }

    /// Returns the time since the echoed timestamp was sent; `None` for a timestamp that was never sent.
    pub fn age(now: Time, stamps: &Timestamps) -> Option<Span> {
        let age = timestamp_at(now).wrapping_sub(stamps.echo);
        (age < u32::MAX / 2).then(|| Span::from_millis(u64::from(age)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 24 * 3600;

    fn at(value: u32) -> Timestamps {
        Timestamps { value, echo: 0 }
    }

    // covers [RFC7323 s5.3 R1, s5.5]
    #[test]
    fn recent_timestamp_is_valid_for_24_days() {
        let mut clock = Clock::default();
        assert_eq!(clock.behind(Time::ZERO, &at(5)), 0, "nothing has come");
        clock.take(Time::ZERO, &at(1000), SeqNum(0), SeqNum(0));
        assert_eq!(clock.behind(Time::ZERO, &at(999)), 1);
        assert_eq!(clock.behind(Time::ZERO, &at(1000)), 0);
        assert_eq!(clock.behind(Time::ZERO + Span::from_secs(24 * DAY), &at(900)), 100);
        let later = Time::ZERO + Span::from_secs(25 * DAY);
        assert_eq!(clock.behind(later, &at(900)), 0);
        clock.take(later, &at(900), SeqNum(0), SeqNum(0));
        assert_eq!(clock.stamp(later).echo, 900);
    }

    // covers [RFC7323 s5.2]
    #[test]
    fn timestamps_wrap_around() {
        let mut clock = Clock::default();
        clock.take(Time::ZERO, &at(u32::MAX), SeqNum(0), SeqNum(0));
        assert_eq!(clock.behind(Time::ZERO, &at(4)), 0);
        clock.take(Time::ZERO, &at(4), SeqNum(0), SeqNum(0));
        assert_eq!(clock.behind(Time::ZERO, &at(u32::MAX)), 5);
    }
}
