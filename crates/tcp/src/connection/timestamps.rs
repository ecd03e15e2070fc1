//! Timestamps, and protection against wrapped sequence numbers [RFC7323 s3 to s5].

use engine::time::NANOS_PER_MILLI;
use engine::{Span, Time};
use wire::{SeqNum, Timestamps};

/// What one end knows of the other's clock.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    /// TS.Recent.
    recent: Option<u32>,
}

/// What the option takes of a segment, padding included [RFC7323 appendix A].
const SIZE: u32 = 12;

/// Bytes of data in a segment of `segment` bytes that carries timestamps, or not (RFC 6691).
pub(super) fn left_for_data(segment: u32, stamped: bool) -> u32 {
    if stamped { segment.saturating_sub(SIZE).max(1) } else { segment }
}

/// The clock of this end: milliseconds [RFC7323 s5.4].
pub(super) fn value(now: Time) -> u32 {
    (now.as_nanos() / NANOS_PER_MILLI) as u32
}

/// Whether a timestamp is from before `time`.
pub(crate) fn is_before(stamp: u32, time: Time) -> bool {
    (stamp.wrapping_sub(value(time)) as i32) < 0
}

impl Clock {
    /// A clock of which `recent` was seen last.
    pub fn of(recent: Option<u32>) -> Self {
        Clock { recent }
    }

    /// What a segment sent now carries.
    pub fn stamp(&self, now: Time) -> Timestamps {
        Timestamps { value: value(now), echo: self.recent.unwrap_or(0) }
    }

    /// Whether a segment is from before what came already [RFC7323 s5.3 R1].
    pub fn is_old(&self, stamps: &Timestamps) -> bool {
        self.recent.is_some_and(|recent| (stamps.value.wrapping_sub(recent) as i32) < 0)
    }

    /// Takes the stamp of a segment that begins at or before what was acknowledged last [RFC7323 s4.3].
    pub fn take(&mut self, stamps: &Timestamps, seq: SeqNum, last_ack: SeqNum) {
        if seq.since(last_ack) <= 0 && !self.is_old(stamps) {
            self.recent = Some(stamps.value);
        }
    }

    /// How long ago the time echoed was; none for one that was never sent.
    pub fn age(now: Time, stamps: &Timestamps) -> Option<Span> {
        let age = value(now).wrapping_sub(stamps.echo);
        (age < u32::MAX / 2).then(|| Span::from_millis(u64::from(age)))
    }
}
