//! Detection of token-bucket policers by their losses, as in Linux: two intervals of four or more round trips, each
//! ended by a loss and with at least a fifth of its bytes lost, whose rates agree within an eighth. The mean of the two
//! rates is the limit for 48 round trips.

use engine::Time;

const MIN_ROUNDS: u32 = 4;
/// Minimum share of lost bytes, 50/256 of those delivered.
const LOSS_SHARE: f64 = 50.0 / 256.0;
const AGREEMENT: f64 = 1.0 / 8.0;
/// Rates that differ by less than this, in bytes per second, count as equal (4 kbps).
const SAME: f64 = 500.0;
const KEPT_ROUNDS: u32 = 48;

#[derive(Default)]
pub(super) struct Policer {
    sampling: bool,
    kept: bool,
    /// The rate of the last interval, bytes per second; zero if there was none.
    rate: f64,
    rounds: u32,
    /// The beginning of the interval, with the totals of delivered and lost bytes at that time.
    since: Time,
    before: (u64, u64),
}

/// An acknowledgment, as detection sees it.
pub(super) struct PolicerSample {
    pub now: Time,
    /// Whether the acknowledgment completed a round trip.
    pub round_start: bool,
    /// Whether the acknowledgment showed a loss.
    pub loss: bool,
    /// Whether the rate sample was limited by the application, or by ProbeRTT.
    pub limited: bool,
    /// Bytes delivered and lost so far.
    pub totals: (u64, u64),
    /// Whether the control probes for bandwidth in the steady state.
    pub steady: bool,
}

impl Policer {
    /// The limit, if a policer is detected.
    pub fn rate(&self) -> Option<f64> {
        self.kept.then_some(self.rate)
    }

    pub fn reset(&mut self) {
        *self = Policer::default();
    }

    /// Processes an acknowledgment. Returns whether the limit has just expired.
    pub fn sample(&mut self, sample: &PolicerSample) -> bool {
        let PolicerSample { now, round_start, loss, limited, totals, steady } = *sample;
        if self.kept {
            self.rounds += u32::from(steady && round_start);
            if self.rounds < KEPT_ROUNDS {
                return false;
            }
            self.reset();
            return true;
        }
        // The policer's bucket still has tokens before the first loss.
        if !self.sampling {
            if !loss {
                return false;
            }
            self.sampling = true;
            self.begin(now, totals);
        }
        if limited {
            self.reset();
            return false;
        }
        self.rounds += u32::from(round_start);
        if self.rounds < MIN_ROUNDS {
            return false;
        }
        if self.rounds > 4 * MIN_ROUNDS {
            self.reset();
            return false;
        }
        // An interval ends with a loss: the bucket is empty.
        if !loss {
            return false;
        }
        let delivered = (totals.0 - self.before.0) as f64;
        let lost = (totals.1 - self.before.1) as f64;
        let secs = now.since(self.since).as_secs_f64();
        if delivered == 0.0 || lost < LOSS_SHARE * delivered || secs < 1e-3 {
            return false;
        }
        let rate = delivered / secs;
        let difference = (rate - self.rate).abs();
        if self.rate > 0.0 && (difference <= AGREEMENT * self.rate || difference <= SAME) {
            self.rate = (rate + self.rate) / 2.0;
            self.kept = true;
            self.rounds = 0;
        } else {
            self.rate = rate;
            self.begin(now, totals);
        }
        false
    }

    fn begin(&mut self, now: Time, totals: (u64, u64)) {
        (self.since, self.before, self.rounds) = (now, totals, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each round of 100 ms delivers 10,000 bytes and loses `lost`; returns the limit after each.
    fn rates(lost: u64, rounds: u64) -> Vec<Option<f64>> {
        let mut policer = Policer::default();
        let at = |round| Time::from_millis(100 * round);
        (1..=rounds)
            .map(|round| {
                policer.sample(&PolicerSample {
                    now: at(round),
                    round_start: true,
                    loss: lost > 0,
                    limited: false,
                    totals: (10_000 * round, lost * round),
                    steady: true,
                });
                policer.rate()
            })
            .collect()
    }

    /// The first loss begins an interval, which the 4th round ends. The 8th round ends the second interval, whose rate
    /// agrees. 48 rounds later the limit expires.
    #[test]
    fn two_lossy_intervals_with_equal_rates_detect_a_policer() {
        let seen = rates(2000, 60);
        let first = seen.iter().position(Option::is_some);
        assert_eq!(first, Some(7));
        assert_eq!(seen[7], Some(100_000.0));
        assert_eq!(seen[7 + 48], None);
        assert!(rates(1900, 60).iter().all(Option::is_none), "less than a fifth");
    }
}
