//! The rate control of approach A in disconnections2012: each consecutive packet that is given up lowers the rate by a
//! step, in three steps down to a third of the highest rate; the first acknowledgment restores the highest rate. With
//! `failures` that number of consecutive failed attempts, at one packet or several, lowers the rate instead: the
//! paper's text permits both readings ("successive transmission failures detected at MAC layer", section 4.1).
//!
//! Each step uses the highest rate of the standard that is not above its share of the link's rate. The paper gives the
//! share after the last step, 33 %, and the number of steps, 3; the steps are evenly spaced here.

use engine::Time;
use engine::registry::{Fault, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{RateControl, Rates};
use crate::mac::dcf::RateIndex;

/// Number and size of the steps.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Number of steps.
    pub steps: u32,
    /// Share of the rate after the last step.
    #[serde(deserialize_with = "engine::share::read_share")]
    #[schemars(schema_with = "engine::share::describe_share")]
    pub min_share: f64,
    /// Number of consecutive failed attempts that lower the rate by a step; if unset, each packet that is given up
    /// lowers the rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failures: Option<u32>,
}

impl Default for Config {
    fn default() -> Self {
        Config { steps: 3, min_share: 0.33, failures: None }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        faults.extend(Fault::unless_some("steps", self.steps, 100));
        faults.extend(self.failures.and_then(|failures| Fault::unless_some("failures", failures, 1000)));
        if !(self.min_share > 0.0 && self.min_share <= 1.0) {
            faults.push(Fault::new("min_share", self.min_share, "more than 0, at most 1"));
        }
        faults
    }
}

impl Config {
    /// Creates the rate control of a link.
    pub fn build(&self, rates: Rates) -> Box<dyn RateControl> {
        let bits = |rate: RateIndex| rates.rates[rate].bits_per_sec() as f64;
        let highest = bits(rates.preferred);
        let step = |step: u32| {
            let share = 1.0 - (1.0 - self.min_share) * f64::from(step) / f64::from(self.steps);
            let max = share * highest;
            (0..=rates.preferred).rev().find(|rate| bits(*rate) <= max).unwrap_or(0)
        };
        Box::new(Stepping { ladder: (0..=self.steps).map(step).collect(), step: 0, failures: self.failures, failed: 0 })
    }
}

struct Stepping {
    ladder: Vec<RateIndex>,
    step: usize,
    failures: Option<u32>,
    /// Number of failed attempts since the last step.
    failed: u32,
}

impl Stepping {
    fn step_down(&mut self) {
        self.step = (self.step + 1).min(self.ladder.len() - 1);
    }
}

impl RateControl for Stepping {
    fn rate(&mut self, _: u32, _: Time) -> RateIndex {
        self.ladder[self.step]
    }

    fn on_attempt(&mut self, _: RateIndex, acknowledged: bool, _: Time) {
        if acknowledged {
            (self.step, self.failed) = (0, 0);
            return;
        }
        self.failed += 1;
        if Some(self.failed) == self.failures {
            self.failed = 0;
            self.step_down();
        }
    }

    fn on_given_up(&mut self) {
        if self.failures.is_none() {
            self.step_down();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Rate, Span, Stream};

    /// Returns the rate control of a link at 11 Mbps under 802.11b, with the rates 1, 2, 5.5 and 11.
    fn of_802_11b(config: &Config) -> Box<dyn RateControl> {
        let bits = [1_000_000, 2_000_000, 5_500_000, 11_000_000];
        let rates = bits.map(|bits| Rate::from_bits_per_sec(bits).unwrap()).to_vec();
        let times = vec![Span::from_millis(1); 4];
        config.build(Rates { rates, times, preferred: 3, stream: Stream::default() })
    }

    /// 78, 55 and 33 % of 11 Mbps are 8.5, 6.1 and 3.6. The steps come after 6, 12 and 18 failures; giving up is no
    /// step.
    // covers [disconnections2012 4.1]
    #[test]
    fn failures_setting_counts_failed_attempts() {
        let mut control = of_802_11b(&Config { failures: Some(6), ..Config::default() });
        let mut seen = Vec::new();
        for attempt in 1..=25 {
            seen.push(control.rate(attempt, Time::ZERO));
            control.on_attempt(3, false, Time::ZERO);
        }
        control.on_given_up();
        assert_eq!(seen, [[3; 6], [2; 6], [2; 6], [1; 6]].concat().into_iter().chain([1]).collect::<Vec<_>>());
        control.on_attempt(1, true, Time::ZERO);
        let after = (0..5).map(|_| control.on_attempt(3, false, Time::ZERO));
        assert_eq!((after.count(), control.rate(6, Time::ZERO)), (5, 3), "an acknowledgment resets the count too");
        assert_eq!(Config { failures: Some(0), ..Config::default() }.check()[0].key, "failures");
    }

    #[test]
    fn packets_given_up_lower_the_rate_and_an_acknowledgment_restores_it() {
        let mut control = of_802_11b(&Config::default());
        // 78, 55 and 33 % of 11 Mbps are 8.5, 6.1 and 3.6.
        let mut seen = vec![control.rate(1, Time::ZERO)];
        for _ in 0..4 {
            control.on_attempt(3, false, Time::ZERO);
            control.on_given_up();
            seen.push(control.rate(1, Time::ZERO));
        }
        assert_eq!(seen, [3, 2, 2, 1, 1]);
        control.on_attempt(1, true, Time::ZERO);
        assert_eq!(control.rate(1, Time::ZERO), 3);
    }
}
