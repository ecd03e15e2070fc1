//! Sampling, after Linux's minstrel (net/mac80211/rc80211_minstrel.c; Xia, Hart, Fu: *Evaluation of the Minstrel rate
//! adaptation algorithm in IEEE 802.11g WLANs*, ICC 2013).
//!
//! For each rate the share of frames that are acknowledged is kept: over each interval, then smoothed. The throughput
//! of a rate is that share over the time of a usual frame. Packets go at the rate that carries most; one in
//! ten, chosen by chance, samples another rate first. A packet that fails goes on at the second best rate, then at the
//! surest, then at the lowest, the same number of attempts at each.
//!
//! Left out: Linux's bound of 6 ms for the attempts at one rate, and its shuffled table of samples, for which chance
//! stands.

use engine::registry::{Fault, Settings};
use engine::{Draws, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{RateControl, Rates};
use crate::mac::dcf::RateIndex;

/// How it learns.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The interval at which the statistics are updated.
    pub interval: Span,
    /// The weight of what was known before, 0 to 1.
    pub weight: f64,
    /// The share of packets that sample, 0 to 1.
    pub sampling: f64,
    /// Attempts at each rate before the next.
    pub attempts: u32,
}

impl Default for Config {
    /// Linux's.
    fn default() -> Self {
        Config { interval: Span::from_millis(100), weight: 0.75, sampling: 0.1, attempts: 2 }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults: Vec<Fault> = Vec::new();
        if self.interval == Span::ZERO {
            faults.push(Fault::new("interval", self.interval, "more than nothing"));
        }
        faults.extend(Fault::unless_probability("weight", self.weight));
        faults.extend(Fault::unless_probability("sampling", self.sampling));
        if self.attempts == 0 {
            faults.push(Fault::new("attempts", self.attempts, "at least 1"));
        }
        faults
    }
}

impl Config {
    /// The control of one link.
    pub fn build(&self, rates: Rates) -> Box<dyn RateControl> {
        let known = rates.times[..=rates.preferred].iter().map(|time| Known { time: *time, ..Known::default() });
        let mut minstrel = Minstrel {
            config: self.clone(),
            known: known.collect(),
            draws: rates.stream.draws(),
            reckoned: Time::ZERO,
            chain: [rates.preferred; 4],
            first: rates.preferred,
            second: rates.preferred,
        };
        minstrel.rank();
        Box::new(minstrel)
    }
}

/// A rate that carries less than this is not used for what it carries: Linux's bound.
const HOPELESS: f64 = 0.1;
/// Beyond this surer is not better: of such rates the one that carries most is the surest. Linux's bound.
const SURE: f64 = 0.95;

/// The statistics of a rate.
#[derive(Clone, Default)]
struct Known {
    time: Span,
    /// In this interval.
    attempts: u32,
    successes: u32,
    /// The smoothed share of successes, once there is one.
    share: Option<f64>,
}

impl Known {
    /// Frames a second.
    fn carries(&self) -> f64 {
        let share = self.share.unwrap_or(0.0);
        if share < HOPELESS { 0.0 } else { share / self.time.as_secs_f64() }
    }
}

struct Minstrel {
    config: Config,
    known: Vec<Known>,
    draws: Draws,
    /// When the shares were last updated.
    reckoned: Time,
    /// The rates with the highest and second highest throughput, the most reliable and the lowest one.
    chain: [RateIndex; 4],
    /// For the packet in hand: the rates of its first attempts and its second ones.
    first: RateIndex,
    second: RateIndex,
}

impl Minstrel {
    fn reckon(&mut self, now: Time) {
        if now.since(self.reckoned) < self.config.interval {
            return;
        }
        self.reckoned = now;
        for known in &mut self.known {
            if known.attempts > 0 {
                let share = f64::from(known.successes) / f64::from(known.attempts);
                let weight = self.config.weight;
                known.share = Some(known.share.map_or(share, |old| weight * old + (1.0 - weight) * share));
                (known.attempts, known.successes) = (0, 0);
            }
        }
        self.rank();
    }

    fn rank(&mut self) {
        // Until something is known the highest rate is the best.
        if self.known.iter().all(|known| known.share.is_none()) {
            let highest = self.known.len() - 1;
            self.chain = [highest, highest.saturating_sub(1), 0, 0];
            return;
        }
        let carries = |rate: &RateIndex| self.known[*rate].carries();
        let best = |rates: &mut dyn Iterator<Item = RateIndex>| {
            rates.max_by(|a, b| carries(a).total_cmp(&carries(b))).unwrap_or(0)
        };
        let all = || 0..self.known.len();
        let first = best(&mut all());
        let second = best(&mut all().filter(|rate| *rate != first));
        let share = |rate: &RateIndex| self.known[*rate].share.unwrap_or(0.0);
        let surest = if all().any(|rate| share(&rate) >= SURE) {
            best(&mut all().filter(|rate| share(rate) >= SURE))
        } else {
            all().max_by(|a, b| share(a).total_cmp(&share(b))).unwrap_or(0)
        };
        self.chain = [first, second, surest, 0];
    }

    /// A packet begins: at the best rates, or with a sample.
    fn begin(&mut self) {
        [self.first, self.second, ..] = self.chain;
        if self.known.len() < 2 || self.draws.unit() >= self.config.sampling {
            return;
        }
        let other = (self.draws.unit() * (self.known.len() - 1) as f64) as usize;
        let sample = if other >= self.first { other + 1 } else { other };
        // A slower rate is only tried when the best has failed, so that sampling costs little.
        if self.known[sample].time > self.known[self.first].time {
            self.second = sample;
        } else {
            (self.first, self.second) = (sample, self.first);
        }
    }
}

impl RateControl for Minstrel {
    fn rate(&mut self, attempt: u32, now: Time) -> RateIndex {
        self.reckon(now);
        if attempt <= 1 {
            self.begin();
        }
        match attempt.saturating_sub(1) / self.config.attempts {
            0 => self.first,
            1 => self.second,
            2 => self.chain[2],
            _ => self.chain[3],
        }
    }

    fn on_attempt(&mut self, rate: RateIndex, acknowledged: bool, _: Time) {
        if let Some(known) = self.known.get_mut(rate) {
            known.attempts += 1;
            known.successes += u32::from(acknowledged);
        }
    }

    fn on_aggregate(&mut self, rate: RateIndex, sent: u32, acknowledged: u32, _: Time) {
        if let Some(known) = self.known.get_mut(rate) {
            known.attempts += sent;
            known.successes += acknowledged;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Rate, Stream};

    /// Which share of the attempts went at each rate, if rate number r is acknowledged with probability `shares[r]`.
    fn use_of(shares: [f64; 4]) -> [f64; 4] {
        let times = [1200, 600, 300, 150].map(|micros| Span::from_nanos(1000 * micros)).to_vec();
        let rates = (1..=4).filter_map(|megabits| Rate::from_bits_per_sec(megabits * 1_000_000)).collect();
        let stream = Stream::named(1, 0, "minstrel");
        let mut minstrel = Config::default().build(Rates { rates, times, preferred: 3, stream });
        let mut air = stream.sub("air").draws();
        let (mut used, mut attempt) = ([0.0; 4], 1);
        let attempts = 20_000;
        for number in 0..attempts {
            let now = Time::from_nanos(1_000_000 * number);
            let rate = minstrel.rate(attempt, now);
            used[rate] += 1.0 / attempts as f64;
            let acknowledged = air.unit() < shares[rate];
            minstrel.on_attempt(rate, acknowledged, now);
            attempt = if acknowledged || attempt == 7 { 1 } else { attempt + 1 };
        }
        used
    }

    #[test]
    fn the_rate_that_carries_most_is_used_most() {
        // 0.9 of 3,333 frames a second are more than 0.3 of 6,667, and less than 0.6 of them.
        let used = use_of([1.0, 1.0, 0.9, 0.3]);
        assert!(used[2] > 0.75, "{used:?}");
        let used = use_of([1.0, 1.0, 0.9, 0.6]);
        assert!(used[3] > 0.6, "{used:?}");
        let used = use_of([1.0, 0.0, 0.0, 0.0]);
        assert!(used[0] > 0.75, "{used:?}");
    }
}
