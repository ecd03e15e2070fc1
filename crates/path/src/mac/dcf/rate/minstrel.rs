//! Rate sampling as in Linux's minstrel (net/mac80211/rc80211_minstrel.c; Xia, Hart, Fu: *Evaluation of the Minstrel
//! rate adaptation algorithm in IEEE 802.11g WLANs*, ICC 2013).
//!
//! For each rate the share of acknowledged frames is measured over each interval, then smoothed. The throughput of a
//! rate is that share divided by the duration of a reference frame. Packets are sent at the rate with the highest
//! throughput; a random tenth of them tries another rate first. After failures a packet is sent at the rate with the
//! second highest throughput, then at the most reliable rate, then at the lowest, with the same number of attempts at
//! each.
//!
//! Omitted: Linux's limit of 6 ms for the attempts at one rate. Its shuffled table of samples is replaced by random
//! draws.

use engine::registry::{Fault, Settings};
use engine::{Draws, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{RateControl, Rates};
use crate::mac::dcf::RateIndex;

/// Parameters of the statistics and of sampling.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Interval at which the statistics are updated.
    pub interval: Span,
    /// Weight of the old value in the smoothed share, 0 to 1.
    #[serde(deserialize_with = "engine::share::read_share")]
    #[schemars(schema_with = "engine::share::describe_share")]
    pub weight: f64,
    /// Share of packets that sample another rate, 0 to 1.
    #[serde(deserialize_with = "engine::share::read_share")]
    #[schemars(schema_with = "engine::share::describe_share")]
    pub sampling: f64,
    /// Number of attempts at each rate before the next.
    pub attempts: u32,
}

impl Default for Config {
    /// Returns Linux's parameters.
    fn default() -> Self {
        Config { interval: Span::from_millis(100), weight: 0.75, sampling: 0.1, attempts: 2 }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults: Vec<Fault> = Vec::new();
        if self.interval == Span::ZERO {
            faults.push(Fault::new("interval", self.interval, "more than 0"));
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
    /// Creates the rate control of a link.
    pub fn build(&self, rates: Rates) -> Box<dyn RateControl> {
        let known = rates.times[..=rates.preferred]
            .iter()
            .map(|time| RateStatistics { time: *time, ..RateStatistics::default() });
        let mut minstrel = Minstrel {
            config: self.clone(),
            known: known.collect(),
            draws: rates.stream.draws(),
            updated: Time::ZERO,
            chain: [rates.preferred; 4],
            first: rates.preferred,
            second: rates.preferred,
        };
        minstrel.rank();
        Box::new(minstrel)
    }
}

/// Minimum share of acknowledged frames of a usable rate, as in Linux.
const MIN_SHARE: f64 = 0.1;
/// Share above which rates count as equally reliable, so that the rate with the highest throughput is chosen, as in
/// Linux.
const RELIABLE_SHARE: f64 = 0.95;

/// Statistics of a rate.
#[derive(Clone, Default)]
struct RateStatistics {
    time: Span,
    /// Number of attempts in the current interval.
    attempts: u32,
    /// Number of successes in the current interval.
    successes: u32,
    /// Smoothed share of successes; `None` before the first interval with an attempt.
    share: Option<f64>,
}

impl RateStatistics {
    /// Returns the throughput in frames per second.
    fn throughput(&self) -> f64 {
        let share = self.share.unwrap_or(0.0);
        if share < MIN_SHARE { 0.0 } else { share / self.time.as_secs_f64() }
    }
}

struct Minstrel {
    config: Config,
    known: Vec<RateStatistics>,
    draws: Draws,
    /// Time of the last update of the shares.
    updated: Time,
    /// Rates with the highest and the second highest throughput, the most reliable rate, and the lowest rate.
    chain: [RateIndex; 4],
    /// Rate of the first group of attempts of the current packet.
    first: RateIndex,
    /// Rate of the second group of attempts of the current packet.
    second: RateIndex,
}

impl Minstrel {
    fn update(&mut self, now: Time) {
        if now.since(self.updated) < self.config.interval {
            return;
        }
        self.updated = now;
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
        // The highest rate is preferred before the first measurement.
        if self.known.iter().all(|known| known.share.is_none()) {
            let highest = self.known.len() - 1;
            self.chain = [highest, highest.saturating_sub(1), 0, 0];
            return;
        }
        let throughput = |rate: &RateIndex| self.known[*rate].throughput();
        let best = |rates: &mut dyn Iterator<Item = RateIndex>| {
            rates.max_by(|a, b| throughput(a).total_cmp(&throughput(b))).unwrap_or(0)
        };
        let all = || 0..self.known.len();
        let first = best(&mut all());
        let second = best(&mut all().filter(|rate| *rate != first));
        let share = |rate: &RateIndex| self.known[*rate].share.unwrap_or(0.0);
        let surest = if all().any(|rate| share(&rate) >= RELIABLE_SHARE) {
            best(&mut all().filter(|rate| share(rate) >= RELIABLE_SHARE))
        } else {
            all().max_by(|a, b| share(a).total_cmp(&share(b))).unwrap_or(0)
        };
        self.chain = [first, second, surest, 0];
    }

    /// Chooses the rates of a new packet, with or without a sample.
    fn begin(&mut self) {
        [self.first, self.second, ..] = self.chain;
        if self.known.len() < 2 || self.draws.unit() >= self.config.sampling {
            return;
        }
        let other = (self.draws.unit() * (self.known.len() - 1) as f64) as usize;
        let sample = if other >= self.first { other + 1 } else { other };
        // A slower sample is tried only after the best rate has failed, which limits the cost of sampling.
        if self.known[sample].time > self.known[self.first].time {
            self.second = sample;
        } else {
            (self.first, self.second) = (sample, self.first);
        }
    }
}

impl RateControl for Minstrel {
    fn rate(&mut self, attempt: u32, now: Time) -> RateIndex {
        self.update(now);
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

    /// Returns the share of attempts at each rate if frames at rate number r are acknowledged with probability
    /// `shares[r]`.
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
    fn rate_with_the_highest_throughput_is_used_most() {
        // 0.9 of 3,333 frames per second is more than 0.3 of 6,667, and less than 0.6 of 6,667.
        let used = use_of([1.0, 1.0, 0.9, 0.3]);
        assert!(used[2] > 0.75, "{used:?}");
        let used = use_of([1.0, 1.0, 0.9, 0.6]);
        assert!(used[3] > 0.6, "{used:?}");
        let used = use_of([1.0, 0.0, 0.0, 0.0]);
        assert!(used[0] > 0.75, "{used:?}");
    }
}
