//! Automatic rate fallback (Kamerman and Monteban: *WaveLAN-II: a high-performance wireless LAN for the unlicensed
//! band*, Bell Labs Technical Journal 2(3), 1997): two consecutive failures lower the rate by a step; ten consecutive
//! successes, or a number of attempts without a reduction, raise it; if the first frame at a higher rate fails, the
//! rate is lowered at once.
//!
//! The paper's timer is replaced by a count of attempts, as in ns-3, with the length used in ns-3.

use engine::Time;
use engine::registry::{Fault, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{RateControl, Rates};
use crate::mac::dcf::RateIndex;

/// Thresholds of rate changes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Number of consecutive successes that raise the rate.
    pub successes: u32,
    /// Number of consecutive failures that lower the rate.
    pub failures: u32,
    /// Number of attempts at one rate, successful or not, after which the rate is raised.
    pub patience: u32,
}

impl Default for Config {
    fn default() -> Self {
        Config { successes: 10, failures: 2, patience: 15 }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let settings = [("successes", self.successes), ("failures", self.failures), ("patience", self.patience)];
        let wrong = settings.into_iter().filter(|(_, value)| *value == 0);
        wrong.map(|(key, value)| Fault::new(key, value, "at least 1")).collect()
    }
}

impl Config {
    /// Creates the rate control of a link.
    pub fn build(&self, rates: Rates) -> Box<dyn RateControl> {
        Box::new(Arf { config: self.clone(), highest: rates.preferred, rate: rates.preferred, ..Arf::default() })
    }
}

#[derive(Default)]
struct Arf {
    config: Config,
    highest: RateIndex,
    rate: RateIndex,
    successes: u32,
    failures: u32,
    attempts: u32,
    /// True until the first acknowledgment at a rate that was just raised.
    probing: bool,
}

impl Arf {
    fn move_to(&mut self, rate: RateIndex, probing: bool) {
        *self = Arf { config: self.config.clone(), highest: self.highest, rate, probing, ..Arf::default() };
    }
}

impl RateControl for Arf {
    fn rate(&mut self, _: u32, _: Time) -> RateIndex {
        self.rate
    }

    fn on_attempt(&mut self, _: RateIndex, acknowledged: bool, _: Time) {
        self.attempts += 1;
        if acknowledged {
            self.successes += 1;
            self.failures = 0;
            self.probing = false;
        } else {
            self.failures += 1;
            self.successes = 0;
            if self.rate > 0 && (self.probing || self.failures >= self.config.failures) {
                return self.move_to(self.rate - 1, false);
            }
        }
        let due = self.successes >= self.config.successes || self.attempts >= self.config.patience;
        if due && self.rate < self.highest {
            self.move_to(self.rate + 1, true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Rate, Span, Stream};

    fn arf(config: Config) -> Box<dyn RateControl> {
        let rates = (1..=4).filter_map(|megabits| Rate::from_bits_per_sec(megabits * 1_000_000)).collect();
        let times = vec![Span::from_millis(1); 4];
        config.build(Rates { rates, times, preferred: 3, stream: Stream::default() })
    }

    /// Returns the rates of attempts with the outcomes `how`: `+` for acknowledged, `-` for failed.
    fn rates(how: &str) -> String {
        rates_of(Config::default(), how)
    }

    fn rates_of(config: Config, how: &str) -> String {
        let mut arf = arf(config);
        let attempt = |c: char| {
            let rate = arf.rate(1, Time::ZERO);
            arf.on_attempt(rate, c == '+', Time::ZERO);
            char::from_digit(rate as u32, 10).unwrap()
        };
        how.chars().map(attempt).collect()
    }

    #[test]
    fn two_failures_lower_and_ten_successes_raise_the_rate() {
        assert_eq!(rates("+-+--+-+--"), "3333322222");
        assert_eq!(rates("--++++++++++++"), "33222222222233");
    }

    #[test]
    fn configured_thresholds_replace_those_of_arf() {
        let config = Config { successes: 3, failures: 1, patience: 5 };
        assert_eq!(rates_of(config.clone(), "-+++-+++"), "32223222");
        assert_eq!(rates_of(Config { failures: 2, ..config }, "--+-+-++"), "33222223");
    }

    #[test]
    fn first_failure_at_a_raised_rate_lowers_it() {
        assert_eq!(rates("--++++++++++-+"), "33222222222232");
    }

    #[test]
    fn rate_is_raised_after_patience_attempts_and_not_lowered_below_the_lowest() {
        assert_eq!(rates("--+-+-+-+-+-+-+-++"), "332222222222222223");
        assert_eq!(rates("----------"), "3322110000");
    }
}
