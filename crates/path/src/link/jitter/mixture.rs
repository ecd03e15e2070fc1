//! One of several distributions for each packet, each with a probability, for example a measured distribution given by
//! quantiles [packetcontrol2014 table I].

use std::fmt::Arguments;

use engine::registry::{Fault, MemberVisitor, Settings};
use engine::{Draws, Named, Open, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DelayConfig, DelayDistribution};

/// The mixed distributions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The distributions, with probabilities whose sum is 1.
    pub parts: Vec<Part>,
}

/// One of the distributions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Probability of this distribution, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[serde(deserialize_with = "engine::share::read_share")]
    #[schemars(schema_with = "engine::share::describe_share")]
    pub probability: f64,
    /// The distribution.
    #[serde(deserialize_with = "engine::named::deserialize")]
    #[schemars(with = "Named<DelayConfig>")]
    pub delay: DelayConfig,
}

struct Mixture {
    /// The distributions with their cumulative probabilities.
    parts: Vec<(f64, Box<dyn DelayDistribution>)>,
}

/// Maximum distance from 1 of a sum of decimal probabilities.
const ROUNDING: f64 = 1e-9;

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (number, part) in (1..).zip(&self.parts) {
            let within = |fault: Fault| {
                let expected = format!("{} in its part {number}: {}", fault.key, fault.expected);
                Fault { key: "parts".into(), expected, ..fault }
            };
            faults.extend(Fault::unless_probability("probability", part.probability).map(within));
            faults.extend(part.delay.check().into_iter().map(within));
        }
        let sum: f64 = self.parts.iter().map(|part| part.probability).sum();
        if faults.is_empty() && (sum - 1.0).abs() > ROUNDING {
            let found = format!("{} parts, {sum} together", self.parts.len());
            faults.push(Fault::new("parts", found, "probabilities whose sum is 1"));
        }
        faults
    }

    fn visit_members<V: MemberVisitor>(&mut self, key: Arguments<'_>, visitor: &mut V) {
        for (number, part) in self.parts.iter_mut().enumerate() {
            part.delay.visit(format_args!("{key}.parts[{number}].delay"), visitor);
        }
    }
}

impl Config {
    /// Creates the distribution.
    pub fn build(&self) -> Box<dyn DelayDistribution> {
        let mut sum = 0.0;
        let part = |part: &Part| {
            sum += part.probability;
            (sum, part.delay.build())
        };
        Box::new(Mixture { parts: self.parts.iter().filter(|part| part.probability > 0.0).map(part).collect() })
    }
}

impl DelayDistribution for Mixture {
    fn draw(&self, draws: &mut Draws) -> Span {
        let unit = draws.unit();
        // The last distribution includes the rounding error of the sum.
        let part = self.parts.iter().find(|(until, _)| unit < *until).or(self.parts.last());
        part.map_or(Span::ZERO, |(_, distribution)| distribution.draw(draws))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_moments, assert_share};
    use super::super::uniform;
    use super::*;

    fn part(probability: f64, low: u32, high: u32) -> Part {
        let [low, high] = [low, high].map(|ms| Span::from_millis(u64::from(ms)));
        Part { probability, delay: DelayConfig::Uniform(uniform::Config { low, high }) }
    }

    /// Table I of packetcontrol2014: 80 % from 153 to 195 ms, 10 % to 225, 8 % to 297, 2 % to 621.
    #[test]
    fn quantiles_match_a_published_table() {
        let parts = [(0.8, 153, 195), (0.1, 195, 225), (0.08, 225, 297), (0.02, 297, 621)];
        let distribution =
            DelayConfig::Mixture(Config { parts: parts.map(|(p, low, high)| part(p, low, high)).into() });
        for (x, share) in [(153.0, 0.0), (174.0, 0.4), (195.0, 0.8), (225.0, 0.9), (297.0, 0.98), (621.0, 1.0)] {
            assert_share(&distribution, x, share);
        }
        // By hand: the means of the parts are 174, 210, 261 and 459 ms, 190.26 together; a part's mean square is
        // (low^2 + low high + high^2) / 3.
        let square = |low: u32, high: u32| f64::from(low * low + low * high + high * high) / 3.0;
        let squares: f64 = parts.iter().map(|(p, low, high)| p * square(*low, *high)).sum();
        assert_moments(&distribution, 190.26, squares - 190.26 * 190.26);
    }

    #[test]
    fn contradictory_distribution_settings_are_faults() {
        let expected = |parts: Vec<Part>| {
            let faults = Config { parts }.check();
            assert!(faults.iter().all(|fault| fault.key == "parts"));
            faults.into_iter().map(|fault| fault.expected).collect::<Vec<_>>().join("; ")
        };
        assert_eq!(expected(vec![part(0.25, 1, 2), part(0.75, 2, 3)]), "");
        assert_eq!(expected(vec![]), "probabilities whose sum is 1");
        assert_eq!(expected(vec![part(0.5, 1, 2), part(0.4, 2, 3)]), "probabilities whose sum is 1");
        assert!(expected(vec![part(1.5, 1, 2), part(-0.5, 2, 3)]).contains("probability in its part 2"));
        assert!(expected(vec![part(f64::NAN, 1, 2)]).contains("probability in its part 1"));
        assert!(expected(vec![part(1.0, 2, 1)]).contains("high in its part 1: at least `low`, 2 ms"));
    }
}
