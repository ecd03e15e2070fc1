//! Instants and lengths of time, in whole nanoseconds.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

/// An instant: nanoseconds since the simulation began. 584 years fit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize)]
pub struct Time(u64);

/// A length of time in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(u64);

/// Nanoseconds in a second.
pub const NANOS_PER_SEC: u64 = 1_000_000_000;
/// Nanoseconds in a millisecond.
pub const NANOS_PER_MILLI: u64 = 1_000_000;

impl Time {
    /// When the simulation begins.
    pub const ZERO: Time = Time(0);
    /// Later than anything that happens.
    pub const NEVER: Time = Time(u64::MAX);

    /// The instant `nanos` nanoseconds after the beginning.
    pub const fn from_nanos(nanos: u64) -> Self {
        Time(nanos)
    }

    /// The instant `millis` milliseconds after the beginning.
    pub const fn from_millis(millis: u64) -> Self {
        Time(millis * NANOS_PER_MILLI)
    }

    /// Nanoseconds since the beginning.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the beginning, for tables and plots.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_SEC as f64
    }

    /// The time that has passed since `earlier`, or nothing if that lies ahead.
    pub const fn since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);

    /// `nanos` nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        Span(nanos)
    }

    /// `millis` milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Span(millis * NANOS_PER_MILLI)
    }

    /// `secs` seconds.
    pub const fn from_secs(secs: u64) -> Self {
        Span(secs * NANOS_PER_SEC)
    }

    /// Whole nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds, for tables and plots.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_SEC as f64
    }

    /// The same span without its part of a millisecond.
    pub const fn whole_millis(self) -> Self {
        Span(self.0 / NANOS_PER_MILLI * NANOS_PER_MILLI)
    }

    /// `factor` times as long; stops at the longest span there is.
    pub const fn times(self, factor: u64) -> Self {
        Span(self.0.saturating_mul(factor))
    }
}

impl Add<Span> for Time {
    type Output = Time;
    /// Saturates at [`Time::NEVER`].
    fn add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

impl Sub for Span {
    type Output = Span;
    /// Stops at zero.
    fn sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Time {
    /// Seconds with as many of nine decimals as are needed: `97.211`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (secs, nanos) = (self.0 / NANOS_PER_SEC, self.0 % NANOS_PER_SEC);
        if nanos == 0 {
            return write!(f, "{secs}");
        }
        let decimals = format!("{nanos:09}");
        write!(f, "{secs}.{}", decimals.trim_end_matches('0'))
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} s")
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
