//! Independent losses, as on the thesis's wired links [goel1997 4.2 (5)].

use engine::Stream;
use engine::registry::{Fault, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Channel, ChannelFrame, ChannelTraits, FrameDraws, FrameFate, Keyed, SteadyLoss};

/// The loss probability.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Probability that a frame is lost, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[serde(deserialize_with = "engine::share::read_share")]
    #[schemars(schema_with = "engine::share::describe_share")]
    pub loss: f64,
}

struct Uniform {
    loss: f64,
    draws: FrameDraws,
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        Fault::unless_probability("loss", self.loss).into_iter().collect()
    }
}

impl Config {
    /// Returns the properties of the channel.
    pub fn traits(&self) -> ChannelTraits {
        let steady_loss = Some(Keyed { key: "loss", value: SteadyLoss::OfFrame(self.loss) });
        ChannelTraits { steady_loss, ..ChannelTraits::default() }
    }

    /// Creates the channel.
    pub fn build(&self, stream: Stream) -> Box<dyn Channel> {
        Box::new(Uniform { loss: self.loss, draws: FrameDraws::new(stream) })
    }
}

impl Channel for Uniform {
    fn fate(&mut self, frame: &ChannelFrame) -> FrameFate {
        if self.draws.unit(frame) < self.loss { FrameFate::Corrupted } else { FrameFate::Arrives }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::LinkDirection;
    use engine::{Span, Time};

    /// Closed form: losses are independent, so runs of losses are geometric with mean 1 / (1 - p), and two frames at
    /// any distance are both lost with probability p^2, within four standard errors.
    #[test]
    fn losses_are_independent_with_the_configured_probability() {
        for p in [0.02, 0.3] {
            let mut channel = Config { loss: p }.build(Stream::named(7, 0, "air"));
            const N: u64 = 400_000;
            let duration = Span::from_millis(4);
            let lost: Vec<bool> = (0..N)
                .map(|number| {
                    let start = Time::from_millis(4 * number);
                    let frame = ChannelFrame {
                        now: start,
                        start,
                        duration,
                        size: 1000,
                        direction: LinkDirection::Forward,
                        number: Some(number),
                    };
                    channel.fate(&frame) == FrameFate::Corrupted
                })
                .collect();
            let n = N as f64;
            let share = lost.iter().filter(|lost| **lost).count() as f64 / n;
            assert!((share - p).abs() < 4.0 * (p * (1.0 - p) / n).sqrt(), "{share}, expected {p}");
            let bursts = lost.chunk_by(|one, next| one == next).filter(|run| run[0]);
            let bursts: Vec<f64> = bursts.map(|run| run.len() as f64).collect();
            let mean = bursts.iter().sum::<f64>() / bursts.len() as f64;
            let error = (p / ((1.0 - p) * (1.0 - p)) / bursts.len() as f64).sqrt();
            assert!((mean - 1.0 / (1.0 - p)).abs() < 4.0 * error, "bursts of {mean} at {p}");
            for lag in [1, 2, 7] {
                let both = lost.windows(lag + 1).filter(|window| window[0] && window[lag]).count() as f64 / n;
                // Products that share a frame are correlated: p^2 (1 - p^2) + 2 (p^3 - p^4) bounds their variance.
                let variance = p * p * (1.0 - p * p) + 2.0 * p.powi(3) * (1.0 - p);
                assert!((both - p * p).abs() < 4.0 * (variance / n).sqrt(), "{lag} apart at {p}: {both}");
            }
        }
    }

    #[test]
    fn loss_outside_0_to_1_is_refused() {
        for loss in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(Config { loss }.check()[0].key, "loss");
        }
        assert!(Config { loss: 1.0 }.check().is_empty());
    }
}
