//! The clock of one capture in terms of another.

use engine::{Span, Time};

/// The clock of the receiver's capture, in terms of the sender's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Clock {
    /// Its offset at the start, in nanoseconds; positive if it is ahead. Captures count from their first frames.
    pub offset: i128,
    /// How much faster it runs, in parts per million; 0 if that is not seen.
    pub skew: f64,
    /// The least delay, taken to be the same in both directions.
    pub least: Span,
}

/// The least change of the offset that is taken for different rates of clocks.
const MIN_DRIFT: f64 = 100e3;

/// The largest difference of rates that is believed, in parts per million: NTP corrects 500 at most [RFC5905].
const MAX_SKEW: f64 = 1000.0;

impl Clock {
    /// The clock by times at which packets left and arrived, each by its own clock: of packets to the receiver, and
    /// from it. Neither list is empty. `skew` is the [difference of rates](find_skew), if it is seen.
    pub(super) fn of(forward: &[[Time; 2]], backward: &[[Time; 2]], skew: Option<f64>) -> Self {
        let skew = skew.unwrap_or(0.0);
        let clock = Clock { offset: 0, skew, least: Span::ZERO };
        let times = |pairs: &[[Time; 2]], sender: usize, receiver: usize| {
            let time = |pair: &[Time; 2]| clock.remove_skew(pair[receiver]) - i128::from(pair[sender].as_nanos());
            pairs.iter().map(time).collect::<Vec<i128>>()
        };
        let least = times(forward, 0, 1).into_iter().min().unwrap_or(0);
        let most = times(backward, 1, 0).into_iter().max().unwrap_or(0);
        let delay = ((least - most) / 2).clamp(0, u64::MAX.into());
        Clock { offset: (least + most).div_euclid(2), least: Span::from_nanos(delay as u64), ..clock }
    }

    /// The time of the sender's clock.
    pub fn sender_time(&self, receivers: Time) -> Time {
        let at = self.remove_skew(receivers) - self.offset;
        Time::from_nanos(at.clamp(0, i128::from(u64::MAX / 2)) as u64)
    }

    /// A time of the receiver's clock, if that ran at the rate of the sender's.
    fn remove_skew(&self, at: Time) -> i128 {
        let at = at.as_nanos();
        i128::from(at) - (at as f64 * self.skew / (1e6 + self.skew)).round() as i128
    }
}

/// The rate of the receiver's clock in parts per million more than the sender's, if it differs visibly; by packets of
/// one length in each direction.
pub fn find_skew(forward: &[[Time; 2]], backward: &[[Time; 2]]) -> Option<f64> {
    let (there, back) = (find_ends(forward)?, find_ends(backward)?);
    let (grows, shrinks) = (there.change, -back.change);
    let alike = grows * shrinks > 0.0 && grows.abs().min(shrinks.abs()) * 2.0 >= grows.abs().max(shrinks.abs());
    let drift = (grows + shrinks) / 2.0;
    let time = (there.time + back.time) / 2.0;
    let skew = drift / time.max(1.0) * 1e6;
    (alike && drift.abs() > MIN_DRIFT && skew.abs() < MAX_SKEW).then_some(skew)
}

/// How the least time from one clock to the other changes.
struct LeastDelays {
    /// In nanoseconds.
    change: f64,
    /// Between both least times.
    time: f64,
}

/// From the first third of the time to the last.
fn find_ends(pairs: &[[Time; 2]]) -> Option<LeastDelays> {
    let (first, last) = (pairs.first()?[0], pairs.iter().map(|pair| pair[0]).max()?);
    let third = Span::from_nanos(last.since(first.min(last)).as_nanos() / 3);
    let least = |chosen: &dyn Fn(Time) -> bool| {
        let time = |pair: &&[Time; 2]| i128::from(pair[1].as_nanos()) - i128::from(pair[0].as_nanos());
        pairs.iter().filter(|pair| chosen(pair[0])).min_by_key(time).map(|pair| (pair[0], time(&pair)))
    };
    let (from, before) = least(&|at| at <= first + third)?;
    let (to, after) = least(&|at| at >= first + third.times(2))?;
    Some(LeastDelays { change: (after - before) as f64, time: to.since(from.min(to)).as_nanos() as f64 })
}
