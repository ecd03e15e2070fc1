//! Clock offset and skew between two captures.

use engine::{Span, Time};

/// The clock of the receiver's capture relative to the clock of the sender's capture.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ReceiverClock {
    /// Offset at the start in nanoseconds, positive if the receiver's clock is ahead. The times of a capture count from
    /// its first frame.
    pub offset: i128,
    /// Skew of the receiver's clock in parts per million, positive if it runs faster; 0 if no skew was detected.
    pub skew: f64,
    /// Minimum one-way delay, assumed equal in both directions.
    pub least: Span,
}

/// The smallest change of the offset, in nanoseconds, that counts as clock skew.
const MIN_DRIFT: f64 = 100e3;

/// The largest plausible skew, in parts per million: NTP corrects 500 at most [RFC5905].
const MAX_SKEW: f64 = 1000.0;

impl ReceiverClock {
    /// Estimates the clock from departure and arrival times, each by the local clock: `forward` of packets to the
    /// receiver, `backward` of packets from it. Neither list is empty. `skew` is the [detected skew](find_skew).
    pub(super) fn estimate(forward: &[[Time; 2]], backward: &[[Time; 2]], skew: Option<f64>) -> Self {
        let skew = skew.unwrap_or(0.0);
        let clock = ReceiverClock { offset: 0, skew, least: Span::ZERO };
        let times = |pairs: &[[Time; 2]], sender: usize, receiver: usize| {
            let time = |pair: &[Time; 2]| clock.remove_skew(pair[receiver]) - i128::from(pair[sender].as_nanos());
            pairs.iter().map(time).collect::<Vec<i128>>()
        };
        let least = times(forward, 0, 1).into_iter().min().unwrap_or(0);
        let most = times(backward, 1, 0).into_iter().max().unwrap_or(0);
        let delay = ((least - most) / 2).clamp(0, u64::MAX.into());
        ReceiverClock { offset: (least + most).div_euclid(2), least: Span::from_nanos(delay as u64), ..clock }
    }

    /// Converts a time of the receiver's clock to the sender's clock.
    pub fn sender_time(&self, receivers: Time) -> Time {
        let at = self.remove_skew(receivers) - self.offset;
        Time::from_nanos(at.clamp(0, i128::from(u64::MAX / 2)) as u64)
    }

    /// Converts a time of the receiver's clock to the rate of the sender's clock.
    fn remove_skew(&self, at: Time) -> i128 {
        let at = at.as_nanos();
        i128::from(at) - (at as f64 * self.skew / (1e6 + self.skew)).round() as i128
    }
}

/// Finds the skew of the receiver's clock against the sender's clock, in parts per million, from packets of equal
/// length in each direction; `None` if no skew is detected.
pub fn find_skew(forward: &[[Time; 2]], backward: &[[Time; 2]]) -> Option<f64> {
    let (there, back) = (compare_least_delays(forward)?, compare_least_delays(backward)?);
    let (grows, shrinks) = (there.change, -back.change);
    let alike = grows * shrinks > 0.0 && grows.abs().min(shrinks.abs()) * 2.0 >= grows.abs().max(shrinks.abs());
    let drift = (grows + shrinks) / 2.0;
    let time = (there.time + back.time) / 2.0;
    let skew = drift / time.max(1.0) * 1e6;
    (alike && drift.abs() > MIN_DRIFT && skew.abs() < MAX_SKEW).then_some(skew)
}

/// The change of the minimum one-way delay, measured by the two clocks.
struct DelayChange {
    /// In nanoseconds.
    change: f64,
    /// Time between the two minima, in nanoseconds.
    time: f64,
}

/// Compares the minimum one-way delay in the first third of the time with the minimum in the last third.
fn compare_least_delays(pairs: &[[Time; 2]]) -> Option<DelayChange> {
    let (first, last) = (pairs.first()?[0], pairs.iter().map(|pair| pair[0]).max()?);
    let third = Span::from_nanos(last.since(first.min(last)).as_nanos() / 3);
    let least = |chosen: &dyn Fn(Time) -> bool| {
        let time = |pair: &&[Time; 2]| i128::from(pair[1].as_nanos()) - i128::from(pair[0].as_nanos());
        pairs.iter().filter(|pair| chosen(pair[0])).min_by_key(time).map(|pair| (pair[0], time(&pair)))
    };
    let (from, before) = least(&|at| at <= first + third)?;
    let (to, after) = least(&|at| at >= first + third.times(2))?;
    Some(DelayChange { change: (after - before) as f64, time: to.since(from.min(to)).as_nanos() as f64 })
}
