//! Times of frames, checked against those around them.
//!
//! A frame whose time was damaged must not stretch the duration of a capture by years. A time is damaged
//! if the times of most frames behind it continue those in front of it, or, for the first and the last one, if
//! it is far from all others. It is replaced by the time of a neighbour, which keeps the order of the file.
//!
//! Hours and days without packets are times as any other: frames behind them do not go back. Nor is a clock that was
//! set back damage, or a second capture that was appended to the first: frames behind it stay there, if they are more
//! than four. Each interface has its clock.

use std::fmt;

/// Frames read ahead of a frame with a doubtful timestamp.
pub const AHEAD: usize = 8;

/// Maximum step of times backwards in nanoseconds: a minute. Frames of several interfaces are seconds out of order at
/// most.
const MAX_DISORDER: i128 = 60_000_000_000;

/// Maximum time without packets around the first or the last frame, in nanoseconds: 30 days.
const MAX_IDLE: i128 = 30 * 86_400 * 1_000_000_000;

/// Frames whose damaged timestamp was replaced by the timestamp of a neighbour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BadTimestamps {
    /// Number of frames.
    pub frames: u64,
    /// The number of the first one in the file, counted from 1.
    pub first: u64,
    /// The frame's time in the file minus the time that replaces it, in nanoseconds.
    pub by: i128,
}

/// Writes a sentence about the timestamps, without the name of the file.
impl fmt::Display for BadTimestamps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BadTimestamps { frames, first, by } = *self;
        let hours = by.unsigned_abs() / (3600 * 1_000_000_000);
        let distance = match (hours / 24, hours) {
            (0, 0) => format!("{} s", by.unsigned_abs() / 1_000_000_000),
            (0, 1) => "1 hour".to_owned(),
            (0, hours) => format!("{hours} hours"),
            (1, _) => "1 day".to_owned(),
            (days, _) => format!("{days} days"),
        };
        let side = if by < 0 { "before" } else { "after" };
        match frames {
            1 => write!(
                f,
                "frame {first} has a time {distance} {side} that of its neighbours, which it is given instead"
            ),
            _ => write!(
                f,
                "{frames} frames, the first of which is {first}, have times far from those of their \
                 neighbours, such as {distance} {side} them, and get the times of the neighbours"
            ),
        }
    }
}

/// Checks timestamps against the frames before and after.
#[derive(Debug, Default)]
pub struct FrameTimes {
    /// The time of the previous frame, by interface.
    last: Vec<Option<i128>>,
    pub bad_timestamps: BadTimestamps,
}

impl FrameTimes {
    /// Whether the timestamp is doubtful, so that later frames decide about it.
    pub fn is_doubtful(&self, interface: u32, nanos: i128) -> bool {
        self.last_time(interface).is_none_or(|last| (nanos - last).abs() > MAX_DISORDER)
    }

    /// The time of the previous frame of an interface.
    fn last_time(&self, interface: u32) -> Option<i128> {
        self.last.get(interface as usize).copied().flatten()
    }

    /// Returns the corrected time of the next frame, whose timestamp is `nanos`. `behind` are the timestamps of later
    /// frames of the same interface. It may be empty if the timestamp is not doubtful.
    pub fn correct_time(
        &mut self,
        number: u64,
        (interface, nanos): (u32, i128),
        behind: impl Iterator<Item = i128> + Clone,
    ) -> i128 {
        let last = self.last_time(interface);
        let time = if self.is_doubtful(interface, nanos) { find_neighbour_time(last, nanos, behind) } else { nanos };
        if time != nanos {
            if self.bad_timestamps.frames == 0 {
                self.bad_timestamps = BadTimestamps { frames: 0, first: number, by: nanos - time };
            }
            self.bad_timestamps.frames += 1;
        }
        let place = interface as usize;
        if self.last.len() <= place {
            self.last.resize(place + 1, None);
        }
        self.last[place] = Some(time);
        time
    }
}

/// Returns the timestamp of a frame if later frames confirm it, or else the time of a neighbour.
fn find_neighbour_time(last: Option<i128>, nanos: i128, behind: impl Iterator<Item = i128> + Clone) -> i128 {
    let behind_count = behind.clone().count();
    let most = |holds: &dyn Fn(i128) -> bool| 2 * behind.clone().filter(|time| holds(*time)).count() > behind_count;
    let goes_back = |time: i128| time < nanos - MAX_DISORDER;
    let Some(last) = last else {
        let far_behind = |time: i128| time > nanos + MAX_IDLE;
        if behind.clone().any(|time| (time - nanos).abs() <= MAX_DISORDER) {
            return nanos;
        }
        let is_early = behind_count > 1 && most(&far_behind);
        let mut others = behind.clone().filter(|time| if is_early { far_behind(*time) } else { goes_back(*time) });
        return if is_early || most(&goes_back) { others.next().unwrap_or(nanos) } else { nanos };
    };
    let continues = |time: i128| time >= last - MAX_DISORDER;
    let is_alone = behind_count == 0;
    let is_damaged = match nanos > last {
        true if is_alone => nanos > last + MAX_IDLE,
        true => most(&|time| continues(time) && goes_back(time)),
        false => is_alone || most(&continues),
    };
    if is_damaged { last } else { nanos }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i128 = 1_000_000_000;
    const YEAR: i128 = 365 * 86_400 * SECOND;

    /// The times that frames with these times get.
    fn correct_times(given: &[i128]) -> (Vec<i128>, BadTimestamps) {
        let mut times = FrameTimes::default();
        let enter = |(place, nanos): (usize, &i128)| {
            let behind = &given[place + 1..given.len().min(place + 1 + AHEAD)];
            times.correct_time(place as u64 + 1, (0, *nanos), behind.iter().copied())
        };
        let entered = given.iter().enumerate().map(enter).collect();
        (entered, times.bad_timestamps)
    }

    /// Returns ten frames in ten seconds, some of which have another time.
    fn frames(changed: &[(usize, i128)]) -> Vec<i128> {
        let mut frames: Vec<i128> = (0..10).map(|nth| 40 * YEAR + nth * SECOND).collect();
        changed.iter().for_each(|(place, time)| frames[*place] = *time);
        frames
    }

    #[test]
    fn single_time_far_from_others_is_replaced_at_any_position() {
        for place in 0..10 {
            for (time, sign) in [(0, -1), (43 * YEAR, 1)] {
                let (times, bad) = correct_times(&frames(&[(place, time)]));
                let neighbour = if place == 0 { 1 } else { place - 1 };
                assert_eq!(times, frames(&[(place, frames(&[])[neighbour])]), "{place} {time}");
                assert_eq!((bad.frames, bad.first), (1, place as u64 + 1));
                assert_eq!(bad.by.signum(), sign, "{place} {time}");
            }
        }
    }

    #[test]
    fn several_damaged_times_are_replaced() {
        let (times, bad) = correct_times(&frames(&[(3, 90 * YEAR), (4, 0), (5, 55 * YEAR)]));
        let third = frames(&[])[2];
        assert_eq!(times, frames(&[(3, third), (4, third), (5, third)]));
        assert_eq!((bad.frames, bad.first), (3, 4));
    }

    /// A second capture behind the first, and a clock that was set back.
    #[test]
    fn times_that_others_follow_are_kept() {
        for jump in [YEAR, -YEAR, 3600 * SECOND, -3600 * SECOND] {
            for from in 1..9 {
                let mut given = frames(&[]);
                given[from..].iter_mut().for_each(|time| *time += jump);
                let (times, bad) = correct_times(&given);
                // If a single frame precedes the others, nothing shows that its timestamp is right.
                let is_lone_first = from == 1 && (jump == YEAR || jump < 0);
                assert_eq!(times == given, !is_lone_first, "{from} {jump}");
                assert_eq!(bad.frames, u64::from(is_lone_first), "{from} {jump}");
            }
        }
    }

    /// Interfaces whose clocks are two minutes apart, in turn.
    #[test]
    fn clocks_of_interfaces_are_kept() {
        let given: Vec<(u32, i128)> = (0..30).map(|nth| (u32::from(nth % 3 == 2), i128::from(nth) * SECOND)).collect();
        let given: Vec<(u32, i128)> =
            given.into_iter().map(|(of, time)| (of, time + 120 * SECOND * i128::from(of))).collect();
        let mut times = FrameTimes::default();
        for (place, (of, time)) in given.iter().enumerate() {
            let behind = given[place + 1..].iter().take(AHEAD).filter(|(other, _)| other == of).map(|(_, time)| *time);
            assert_eq!(times.correct_time(place as u64 + 1, (*of, *time), behind), *time, "{place}");
        }
        assert_eq!(times.bad_timestamps, BadTimestamps::default());
    }

    #[test]
    fn idle_hours_and_disorder_of_seconds_are_kept() {
        let hours: Vec<i128> = (0..10).map(|nth| nth * 7200 * SECOND).collect();
        assert_eq!(correct_times(&hours), (hours.clone(), BadTimestamps::default()));
        let disorder = frames(&[(4, 40 * YEAR - 50 * SECOND), (7, 40 * YEAR + 55 * SECOND)]);
        assert_eq!(correct_times(&disorder), (disorder.clone(), BadTimestamps::default()));
        let last = frames(&[(9, 40 * YEAR + 86_400 * SECOND)]);
        assert_eq!(correct_times(&last), (last.clone(), BadTimestamps::default()));
    }
}
