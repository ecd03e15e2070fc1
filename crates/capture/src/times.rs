//! Times of frames, checked against those around them.
//!
//! A frame whose time was damaged must not stretch the duration of a capture by years. Its time is not that of the
//! frame if the times of most frames behind it continue those in front of it, or, for the first and the last one, if
//! it is far from all others. It is replaced by the time of a neighbour, which keeps the order of the file.
//!
//! Hours and days without packets are times as any other: frames behind them do not go back. Nor is a clock that was
//! set back damage, or a second capture that was appended to the first: frames behind it stay there.

use std::fmt;

/// Frames that are looked at behind one whose time is doubtful.
pub const AHEAD: usize = 8;

/// How far times may go back, in nanoseconds: a minute. Frames of several interfaces are seconds out of order at most.
const MAX_DISORDER: i128 = 60_000_000_000;

/// The longest time without packets around the first or the last frame, in nanoseconds: 30 days.
const MAX_IDLE: i128 = 30 * 86_400 * 1_000_000_000;

/// Frames with a time that is not theirs. They take that of a neighbour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Misdated {
    /// Their number.
    pub frames: u64,
    /// The number of the first one in the file, counted from 1.
    pub first: u64,
    /// How far the time of that is behind the one which it takes, in nanoseconds; negative if it is earlier.
    pub by: i128,
}

/// A sentence about them, without the name of the file.
impl fmt::Display for Misdated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Misdated { frames, first, by } = *self;
        let hours = by.unsigned_abs() / (3600 * 1_000_000_000);
        let distance = match hours / 24 {
            0 if hours == 0 => format!("{} s", by.unsigned_abs() / 1_000_000_000),
            0 => format!("{hours} hours"),
            days => format!("{days} days"),
        };
        let side = if by < 0 { "before" } else { "after" };
        match frames {
            1 => write!(
                f,
                "frame {first} has a time {distance} {side} that of its neighbours, which it is given instead"
            ),
            _ => write!(
                f,
                "{frames} frames, the first of which is {first}, have times far from those of their neighbours, such as \
                 {distance} {side} them, which they are given instead"
            ),
        }
    }
}

/// The times so far.
#[derive(Debug, Default)]
pub struct Times {
    /// That of the frame before.
    last: Option<i128>,
    pub misdated: Misdated,
}

impl Times {
    /// Whether the frames behind decide about this time.
    pub fn doubts(&self, nanos: i128) -> bool {
        self.last.is_none_or(|last| (nanos - last).abs() > MAX_DISORDER)
    }

    /// The time of the next frame, which has the time `nanos` in the file; `behind` are those of the frames behind it,
    /// at least if it is in doubt.
    pub fn enter(&mut self, number: u64, nanos: i128, behind: impl ExactSizeIterator<Item = i128> + Clone) -> i128 {
        let time = if self.doubts(nanos) { self.replaced(nanos, behind) } else { nanos };
        if time != nanos {
            if self.misdated.frames == 0 {
                self.misdated = Misdated { frames: 0, first: number, by: nanos - time };
            }
            self.misdated.frames += 1;
        }
        self.last = Some(time);
        time
    }

    fn replaced(&self, nanos: i128, behind: impl ExactSizeIterator<Item = i128> + Clone) -> i128 {
        let most =
            |is_sign: &dyn Fn(i128) -> bool| 2 * behind.clone().filter(|time| is_sign(*time)).count() > behind.len();
        let goes_back = |time: i128| time < nanos - MAX_DISORDER;
        let Some(last) = self.last else {
            let far_behind = |time: i128| time > nanos + MAX_IDLE;
            if behind.clone().any(|time| (time - nanos).abs() <= MAX_DISORDER) {
                return nanos;
            }
            let is_early = behind.len() > 1 && most(&far_behind);
            let mut others = behind.clone().filter(|time| if is_early { far_behind(*time) } else { goes_back(*time) });
            return if is_early || most(&goes_back) { others.next().unwrap_or(nanos) } else { nanos };
        };
        let continues = |time: i128| time >= last - MAX_DISORDER;
        let is_alone = behind.len() == 0;
        let is_damaged = match nanos > last {
            true if is_alone => nanos > last + MAX_IDLE,
            true => most(&|time| continues(time) && goes_back(time)),
            false => is_alone || most(&continues),
        };
        if is_damaged { last } else { nanos }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i128 = 1_000_000_000;
    const YEAR: i128 = 365 * 86_400 * SECOND;

    /// The times that frames with these times get.
    fn entered(given: &[i128]) -> (Vec<i128>, Misdated) {
        let mut times = Times::default();
        let enter = |(place, nanos): (usize, &i128)| {
            let behind = &given[place + 1..given.len().min(place + 1 + AHEAD)];
            times.enter(place as u64 + 1, *nanos, behind.iter().copied())
        };
        let entered = given.iter().enumerate().map(enter).collect();
        (entered, times.misdated)
    }

    /// Ten frames in ten seconds, of which some have another time.
    fn frames(changed: &[(usize, i128)]) -> Vec<i128> {
        let mut frames: Vec<i128> = (0..10).map(|nth| 40 * YEAR + nth * SECOND).collect();
        changed.iter().for_each(|(place, time)| frames[*place] = *time);
        frames
    }

    #[test]
    fn single_time_far_from_others_is_replaced_wherever_it_is() {
        for place in 0..10 {
            for (time, sign) in [(0, -1), (43 * YEAR, 1)] {
                let (times, misdated) = entered(&frames(&[(place, time)]));
                let neighbour = if place == 0 { 1 } else { place - 1 };
                assert_eq!(times, frames(&[(place, frames(&[])[neighbour])]), "{place} {time}");
                assert_eq!((misdated.frames, misdated.first), (1, place as u64 + 1));
                assert_eq!(misdated.by.signum(), sign, "{place} {time}");
            }
        }
    }

    #[test]
    fn several_damaged_times_are_replaced() {
        let (times, misdated) = entered(&frames(&[(3, 90 * YEAR), (4, 0), (5, 55 * YEAR)]));
        let third = frames(&[])[2];
        assert_eq!(times, frames(&[(3, third), (4, third), (5, third)]));
        assert_eq!((misdated.frames, misdated.first), (3, 4));
    }

    /// A second capture behind the first, and a clock that was set back.
    #[test]
    fn times_that_others_follow_are_kept() {
        for jump in [YEAR, -YEAR, 3600 * SECOND, -3600 * SECOND] {
            for from in 1..9 {
                let mut given = frames(&[]);
                given[from..].iter_mut().for_each(|time| *time += jump);
                let (times, misdated) = entered(&given);
                // Of a single frame in front of the others nothing shows that it is right.
                let is_lone_first = from == 1 && (jump == YEAR || jump < 0);
                assert_eq!(times == given, !is_lone_first, "{from} {jump}");
                assert_eq!(misdated.frames, u64::from(is_lone_first), "{from} {jump}");
            }
        }
    }

    #[test]
    fn idle_hours_and_disorder_of_seconds_are_kept() {
        let hours: Vec<i128> = (0..10).map(|nth| nth * 7200 * SECOND).collect();
        assert_eq!(entered(&hours), (hours.clone(), Misdated::default()));
        let disorder = frames(&[(4, 40 * YEAR - 50 * SECOND), (7, 40 * YEAR + 55 * SECOND)]);
        assert_eq!(entered(&disorder), (disorder.clone(), Misdated::default()));
        let last = frames(&[(9, 40 * YEAR + 86_400 * SECOND)]);
        assert_eq!(entered(&last), (last.clone(), Misdated::default()));
    }
}
