//! The Gilbert-Elliott channel of Linux' netem, whose state changes with frames [Gilbert1960, Elliott1963;
//! net/sched/sch_netem.c, `loss_gilb_ell`].
//!
//! Each direction has a separate chain, initially GOOD. As in netem, a first random number per frame determines the
//! state for the *next* frame (GOOD to BAD with probability p, BAD to GOOD with r), and a second one whether the frame
//! is lost, with probability 1 - k in GOOD and 1 - h in BAD.
//!
//! The settings have the names of the literature and of netem's documentation. The command `tc` takes loss
//! probabilities instead of h and k: `loss gemodel P R 1-H 1-K`. The defaults are netem's: r = 1 - p, h = 0, k = 1. The
//! default of r makes losses independent; the other two give Gilbert's simple model, in which BAD loses all frames and
//! GOOD none.
//!
//! **This is the only channel whose state changes with frames and not with time**: a sender that sends less stays
//! longer in BAD, and two schemes with the same seed see the same sequence of fates but not the same channel over time.
//! The channel is meant for comparisons with netem; a channel independent of traffic is `two-state`.

use engine::registry::{Fault, Settings};
use engine::{Draws, Stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Channel, ChannelFrame, ChannelState, FrameFate};

/// Probabilities per frame.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Transition probability from GOOD to BAD, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[serde(deserialize_with = "engine::share::read_share")]
    #[schemars(schema_with = "engine::share::describe_share")]
    pub p: f64,
    /// Transition probability from BAD to GOOD, 0 to 1; default 1 - p.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "engine::share::read_share")]
    #[schemars(range(min = 0.0, max = 1.0))]
    #[schemars(schema_with = "engine::share::describe_share")]
    pub r: Option<f64>,
    /// Probability that a frame arrives in BAD, 0 to 1; `tc` takes the loss probability 1 - h.
    #[serde(default, deserialize_with = "engine::share::read_share")]
    #[schemars(range(min = 0.0, max = 1.0))]
    #[schemars(schema_with = "engine::share::describe_share")]
    pub h: f64,
    /// Probability that a frame arrives in GOOD, 0 to 1; `tc` takes the loss probability 1 - k.
    #[serde(default = "default_arrival_in_good", deserialize_with = "engine::share::read_share")]
    #[schemars(range(min = 0.0, max = 1.0))]
    #[schemars(schema_with = "engine::share::describe_share")]
    pub k: f64,
}

fn default_arrival_in_good() -> f64 {
    1.0
}

struct GilbertElliott {
    p: f64,
    r: f64,
    h: f64,
    k: f64,
    /// State and random numbers of the forward and the backward direction.
    chains: [(ChannelState, Draws); 2],
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let settings = [("p", Some(self.p)), ("r", self.r), ("h", Some(self.h)), ("k", Some(self.k))];
        settings.into_iter().filter_map(|(key, value)| Fault::unless_probability(key, value?)).collect()
    }
}

impl Config {
    /// Creates the channel.
    pub fn build(&self, stream: Stream) -> Box<dyn Channel> {
        let chains = ["forward", "backward"].map(|direction| (ChannelState::Good, stream.sub(direction).draws()));
        let Config { p, r, h, k } = *self;
        Box::new(GilbertElliott { p, r: r.unwrap_or(1.0 - p), h, k, chains })
    }
}

impl Channel for GilbertElliott {
    fn fate(&mut self, frame: &ChannelFrame) -> FrameFate {
        let (state, draws) = &mut self.chains[frame.direction.index()];
        let (leaves, arrives, other) = match *state {
            ChannelState::Good => (self.p, self.k, ChannelState::Bad),
            ChannelState::Bad => (self.r, self.h, ChannelState::Good),
        };
        if draws.unit() < leaves {
            *state = other;
        }
        if draws.unit() < arrives { FrameFate::Arrives } else { FrameFate::Corrupted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::LinkDirection;
    use engine::{Span, Time};

    /// Returns, for `n` consecutive frames, whether each is lost.
    fn losses(config: Config, n: u64) -> Vec<bool> {
        let mut channel = config.build(Stream::named(8, 0, "air"));
        let frame = |index| {
            let start = Time::from_millis(index);
            ChannelFrame {
                now: start,
                start,
                duration: Span::ZERO,
                size: 100,
                direction: LinkDirection::Forward,
                number: Some(index),
            }
        };
        (0..n).map(|index| channel.fate(&frame(index)) == FrameFate::Corrupted).collect()
    }

    /// Returns the lengths of runs of lost frames and of runs of arrived frames, without the first and the last run.
    fn runs(losses: &[bool]) -> [Vec<f64>; 2] {
        let runs: Vec<&[bool]> = losses.chunk_by(|one, next| one == next).collect();
        let whole = &runs[1..runs.len() - 1];
        [true, false].map(|lost| whole.iter().filter(|run| run[0] == lost).map(|run| run.len() as f64).collect())
    }

    /// Closed form: the chain is in BAD with probability p / (p + r), and for h = 0, k = 1 runs of losses and of
    /// arrivals are geometric, with means 1 / r and 1 / p and variances (1 - r) / r^2 and (1 - p) / p^2.
    #[test]
    fn simple_gilbert_has_geometric_bursts() {
        let (p, r) = (0.02, 0.25);
        let all = losses(Config { p, r: Some(r), h: 0.0, k: 1.0 }, 1_000_000);
        let [lost, arrived] = runs(&all);
        for (runs, leaves) in [(&lost, r), (&arrived, p)] {
            let n = runs.len() as f64;
            let mean = runs.iter().sum::<f64>() / n;
            let error = ((1.0 - leaves) / (leaves * leaves) / n).sqrt();
            assert!((mean - 1.0 / leaves).abs() < 4.0 * error, "{mean}, expected {}", 1.0 / leaves);
            let one = runs.iter().filter(|run| **run == 1.0).count() as f64 / n;
            assert!((one - leaves).abs() < 4.0 * (leaves * (1.0 - leaves) / n).sqrt(), "{one}, expected {leaves}");
        }
    }

    /// Closed form: with s = p / (p + r) a frame is lost with probability s (1 - h) + (1 - s) (1 - k), and the
    /// correlation of two frames n apart is s (1 - s) (k - h)^2 (1 - p - r)^n divided by the variance of one loss.
    #[test]
    fn loss_ratio_and_correlation_match_the_closed_form() {
        let (p, r, h, k) = (0.05, 0.2, 0.3, 0.98);
        let all = losses(Config { p, r: Some(r), h, k }, 2_000_000);
        let n = all.len() as f64;
        let s = p / (p + r);
        let expected = s * (1.0 - h) + (1.0 - s) * (1.0 - k);
        let found = all.iter().filter(|lost| **lost).count() as f64 / n;
        let covariance = |lag: i32| s * (1.0 - s) * (k - h) * (k - h) * (1.0 - p - r).powi(lag);
        // Variance of the mean of correlated losses: the variance of one loss plus twice the covariances, a geometric
        // series.
        let variance = expected * (1.0 - expected) + 2.0 * covariance(1) / (p + r);
        assert!((found - expected).abs() < 4.0 * (variance / n).sqrt(), "{found}, expected {expected}");
        for lag in [1, 2, 5, 10] {
            let both = all.windows(lag + 1).filter(|window| window[0] && window[lag]).count() as f64 / (n - lag as f64);
            let expected = expected * expected + covariance(lag as i32);
            // The products are correlated over about 8 frames, so 8 samples count as one.
            let error = (8.0 * expected * (1.0 - expected) / n).sqrt();
            assert!((both - expected).abs() < 4.0 * error, "{lag} apart: {both}, expected {expected}");
        }
    }

    /// With the default of r the next state does not depend on the present one, so losses are independent with
    /// probability p.
    #[test]
    fn default_r_makes_losses_independent() {
        let all = losses(Config { p: 0.1, r: None, h: 0.0, k: 1.0 }, 400_000);
        let n = all.len() as f64;
        let both = all.windows(2).filter(|pair| pair[0] && pair[1]).count() as f64 / n;
        assert!((both - 0.01).abs() < 4.0 * (3.0 * 0.01 / n).sqrt(), "{both}");
    }

    /// In netem the state for the next frame is drawn first, and the loss is drawn with the old state. Therefore the
    /// first frame is in GOOD.
    #[test]
    fn state_changes_after_the_frame() {
        assert_eq!(losses(Config { p: 1.0, r: Some(1.0), h: 0.0, k: 1.0 }, 6), [false, true, false, true, false, true]);
        assert_eq!(losses(Config { p: 1.0, r: Some(0.0), h: 0.0, k: 1.0 }, 4), [false, true, true, true]);
        assert_eq!(losses(Config { p: 0.0, r: Some(0.0), h: 1.0, k: 0.0 }, 3), [true, true, true]);
    }

    #[test]
    fn settings_outside_0_to_1_are_refused() {
        let good = Config { p: 0.1, r: None, h: 0.0, k: 1.0 };
        let wrong = |config: Config| config.check().into_iter().map(|fault| fault.key).collect::<Vec<_>>();
        assert_eq!(wrong(good), [""; 0]);
        assert_eq!(wrong(Config { p: -0.1, r: Some(1.1), h: f64::NAN, k: 2.0 }), ["p", "r", "h", "k"]);
    }
}
