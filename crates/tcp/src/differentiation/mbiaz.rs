//! mBiaz (Cen, Cosman, Voelker, "End-to-end differentiation of congestion and wireless losses", IEEE/ACM Transactions on
//! Networking 11(5), 2003): [`biaz`](super::biaz) with the upper bound at (n + 1.25) T_min, since with several
//! flows over the wireless hop a gap of nearly two is as likely to be congestion.
//!
//! Deviations and limits: as for Biaz.

use engine::registry::{Fault, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LossDifferentiation;
use super::biaz::{Biaz, check_gap_limit};

/// Settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The upper bound of a wireless loss's gap, in minimum gaps beyond the lost segments.
    #[serde(default = "five_quarters")]
    pub limit: f64,
}

fn five_quarters() -> f64 {
    1.25
}

impl Default for Config {
    fn default() -> Self {
        Config { limit: five_quarters() }
    }
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        check_gap_limit(self.limit).into_iter().collect()
    }
}

impl Config {
    /// Creates the differentiation.
    pub fn build(&self, segment: f64) -> Box<dyn LossDifferentiation> {
        Box::new(Biaz::new(segment, self.limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differentiation::tests::Teller;
    use crate::differentiation::{DifferentiationConfig, LossCause};

    #[test]
    fn mbiaz_upper_bound_is_below_the_biaz_bound() {
        use LossCause::{Congestion, Wireless};
        for (gap, expected) in [(19, Congestion), (20, Wireless), (22, Wireless), (23, Congestion), (29, Congestion)] {
            let mut teller = Teller::new(&DifferentiationConfig::Mbiaz(Config::default()));
            for _ in 0..10 {
                teller.ack(10, 1000, 100);
            }
            teller.ack(gap, 0, 100);
            assert_eq!(teller.cause(1), expected, "gap of {gap} ms");
        }
    }
}
