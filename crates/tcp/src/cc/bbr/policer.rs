//! A policer seen by its losses, as in Linux: two spans of four round trips or more, each ended by losses of a fifth of
//! what was delivered, with rates that agree within an eighth. Their mean is kept to for 48 round trips.

use engine::Time;

const MIN_ROUNDS: u32 = 4;
/// 50/256 of what was delivered.
const LOSS_SHARE: f64 = 50.0 / 256.0;
const AGREEMENT: f64 = 1.0 / 8.0;
/// The difference between two rates that never counts, in bytes per second: 4 kbps.
const SAME: f64 = 500.0;
const KEPT_ROUNDS: u32 = 48;

#[derive(Default)]
pub(super) struct Policer {
    sampling: bool,
    kept: bool,
    /// The rate of the last span, bytes per second; zero if there was none.
    rate: f64,
    rounds: u32,
    /// When the span began, with what had been delivered and lost by then.
    since: Time,
    before: (u64, u64),
}

impl Policer {
    /// The rate to keep to, if a policer is suspected.
    pub fn rate(&self) -> Option<f64> {
        self.kept.then_some(self.rate)
    }

    pub fn reset(&mut self) {
        *self = Policer::default();
    }

    /// An acknowledgment; `totals` are bytes delivered and lost, `steady` whether the rate is being probed in the steady
    /// state. Whether the rate kept to has just been given up.
    pub fn sample(
        &mut self,
        now: Time,
        round_start: bool,
        loss: bool,
        limited: bool,
        totals: (u64, u64),
        steady: bool,
    ) -> bool {
        if self.kept {
            self.rounds += u32::from(steady && round_start);
            if self.rounds < KEPT_ROUNDS {
                return false;
            }
            self.reset();
            return true;
        }
        // Before the first loss the policer still has tokens.
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
        // A span ends with a loss: the tokens are gone.
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

    /// Each round of 100 ms delivers 10,000 bytes and loses `lost`; the rates seen after each.
    fn rates(lost: u64, rounds: u64) -> Vec<Option<f64>> {
        let mut policer = Policer::default();
        let at = |round| Time::from_millis(100 * round);
        (1..=rounds)
            .map(|round| {
                policer.sample(at(round), true, lost > 0, false, (10_000 * round, lost * round), true);
                policer.rate()
            })
            .collect()
    }

    /// The first loss begins a span; the 4th round ends it, the 8th the second, which agrees; 48 rounds later all is forgotten.
    #[test]
    fn two_lossy_spans_that_agree_make_a_policer() {
        let seen = rates(2000, 60);
        let first = seen.iter().position(Option::is_some);
        assert_eq!(first, Some(7));
        assert_eq!(seen[7], Some(100_000.0));
        assert_eq!(seen[7 + 48], None);
        assert!(rates(1900, 60).iter().all(Option::is_none), "less than a fifth");
    }
}
