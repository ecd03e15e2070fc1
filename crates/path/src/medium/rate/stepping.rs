//! The rate of approach A in disconnections2012: a step down with each packet given up in a row, three steps down to a third of
//! the highest, and back at the first acknowledgment.
//!
//! Rates that lie between those of the standard do not exist: each step takes the highest of the standard that is not above its
//! share of the link's rate. The paper gives the end of the steps, 33 %, and their number, 3; they are evenly spaced here.

use engine::Time;
use engine::registry::{Fault, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{RateControl, Rates};
use crate::mac::dcf::RateIndex;

/// How far and in how many steps.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Steps down.
    pub steps: u32,
    /// What is left of the rate behind the last.
    pub least: f64,
}

impl Default for Config {
    fn default() -> Self {
        Config { steps: 3, least: 0.33 }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        faults.extend(Fault::unless_some("steps", self.steps, 100));
        if !(self.least > 0.0 && self.least <= 1.0) {
            faults.push(Fault::new("least", self.least, "more than 0, at most 1"));
        }
        faults
    }
}

impl Config {
    /// The control of one link.
    pub fn build(&self, rates: Rates) -> Box<dyn RateControl> {
        let bits = |rate: RateIndex| rates.rates[rate].bits_per_sec() as f64;
        let highest = bits(rates.preferred);
        let step = |step: u32| {
            let share = 1.0 - (1.0 - self.least) * f64::from(step) / f64::from(self.steps);
            let most = share * highest;
            (0..=rates.preferred).rev().find(|rate| bits(*rate) <= most).unwrap_or(0)
        };
        Box::new(Stepping { ladder: (0..=self.steps).map(step).collect(), step: 0 })
    }
}

struct Stepping {
    ladder: Vec<RateIndex>,
    step: usize,
}

impl RateControl for Stepping {
    fn rate(&mut self, _: u32, _: Time) -> RateIndex {
        self.ladder[self.step]
    }

    fn on_attempt(&mut self, _: RateIndex, acknowledged: bool, _: Time) {
        if acknowledged {
            self.step = 0;
        }
    }

    fn on_given_up(&mut self) {
        self.step = (self.step + 1).min(self.ladder.len() - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Rate, Span, Stream};

    #[test]
    fn each_packet_given_up_is_a_step_and_an_acknowledgment_takes_all_back() {
        let bits = [1_000_000, 2_000_000, 5_500_000, 11_000_000];
        let rates = bits.map(|bits| Rate::from_bits_per_sec(bits).unwrap()).to_vec();
        let times = vec![Span::from_millis(1); 4];
        let mut control = Config::default().build(Rates { rates, times, preferred: 3, stream: Stream::default() });
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
