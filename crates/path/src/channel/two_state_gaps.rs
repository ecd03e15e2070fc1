//! The modified two-state Markov channel of [snoop2002 3.2], after (Nguyen1996).
//!
//! The channel is GOOD or BAD, initially GOOD; sojourn times are exponential, in time. In each state single packets are
//! lost, with a mean distance between losses of `gap_good` or `gap_bad` packets (166 and 2.6 in the paper). The state
//! at the start of a packet's transmission determines its loss; one chain serves both directions.
//!
//! A packet is lost with probability p, independently. The distance between losses has one of two distributions:
//! - `geometric`: p = 1 / gap. The distance is 1 with probability p, 2 with (1 - p) p, ...; its mean is exactly `gap`.
//!   The paper's transition probabilities, 1 / 166 and 1 / 2.6, agree with this distribution.
//! - `exponential`: p = 1 - exp(-1 / gap). A length is drawn from the exponential distribution with mean `gap`, and the packet
//!   in which it ends is lost; a length of l ends in packet ceil(l), which is geometric with this p.
//!
//! Both are memoryless, so a new distance at the entry to a state does not change the distribution. Packets therefore need
//! not be counted, and the loss of a packet does not depend on earlier traffic: the random number is a function of the
//! packet's start, as in the other channels.
//!
//! Deviation: the paper does not state whether acknowledgments are lost; the setting `directions` determines it.

use engine::Stream;
use engine::registry::{Fault, Settings};
use engine::{Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::stays::{self, Stays};
use super::{Channel, ChannelFrame, ChannelState, FrameDraws, FrameFate};
use crate::event::LinkDirections;

/// Sojourn times and distances between losses.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Mean sojourn time in GOOD.
    pub mean_good: Span,
    /// Mean sojourn time in BAD; zero for a channel that is never BAD.
    pub mean_bad: Span,
    /// Mean distance between losses in GOOD, in packets; at least 1.
    #[schemars(range(min = 1.0))]
    pub gap_good: f64,
    /// Mean distance between losses in BAD, in packets; at least 1, with which all packets are lost.
    #[schemars(range(min = 1.0))]
    pub gap_bad: f64,
    /// Distribution of the distances between losses.
    #[serde(default)]
    pub gap_law: Gaps,
    /// Directions in which packets are lost.
    #[serde(default)]
    pub directions: LinkDirections,
}

/// Distribution of the number of packets between losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Gaps {
    /// Integer distances: each packet is lost with probability 1 / gap.
    #[default]
    Geometric,
    /// Exponential lengths that end within a packet: each packet is lost with probability 1 - exp(-1 / gap).
    Exponential,
}

impl Gaps {
    /// Returns the loss probability of a packet if the mean distance between losses is `gap` packets.
    fn loss(self, gap: f64) -> f64 {
        match self {
            Gaps::Geometric => 1.0 / gap,
            Gaps::Exponential => -libm::expm1(-1.0 / gap),
        }
    }
}

struct TwoStateGaps {
    /// Loss probabilities in GOOD and in BAD.
    loss: [f64; 2],
    directions: LinkDirections,
    stays: Stays,
    draws: FrameDraws,
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults = stays::check_sojourn_times(self.mean_good, self.mean_bad);
        for (key, gap) in [("gap_good", self.gap_good), ("gap_bad", self.gap_bad)] {
            if !(gap >= 1.0 && gap.is_finite()) {
                faults.push(Fault::new(key, gap, "a mean number of packets between losses, at least 1"));
            }
        }
        faults
    }
}

impl Config {
    /// Creates the channel. Sojourn times are drawn in sequence from `stream`, frame losses as a function of the
    /// frame's start.
    pub fn build(&self, stream: Stream) -> Box<dyn Channel> {
        Box::new(TwoStateGaps {
            loss: [self.gap_good, self.gap_bad].map(|gap| self.gap_law.loss(gap)),
            directions: self.directions,
            stays: Stays::new(self.mean_good, self.mean_bad, stream.draws()),
            draws: FrameDraws::new(stream.sub("frames")),
        })
    }
}

impl Channel for TwoStateGaps {
    fn fate(&mut self, frame: &ChannelFrame) -> FrameFate {
        if !self.directions.include(frame.direction) {
            return FrameFate::Arrives;
        }
        // Only the state at the start counts, so the query has zero duration.
        let bad = self.stays.states_during(frame.now, frame.start, Span::ZERO).bad;
        if self.draws.unit(frame) < self.loss[usize::from(bad)] { FrameFate::Corrupted } else { FrameFate::Arrives }
    }

    fn has_states(&self) -> bool {
        true
    }

    fn next_change(&mut self, after: Time) -> Option<(Time, ChannelState)> {
        self.stays.next_change(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::LinkDirection;

    fn paper(gaps: Gaps) -> Config {
        Config {
            mean_good: Span::from_millis(660),
            mean_bad: Span::from_millis(10),
            gap_good: 166.0,
            gap_bad: 2.6,
            gap_law: gaps,
            directions: LinkDirections::Both,
        }
    }

    fn frame(start: Time, direction: LinkDirection) -> ChannelFrame {
        let number = Some(start.as_nanos());
        ChannelFrame { now: start, start, duration: Span::from_millis(4), size: 1000, direction, number }
    }

    /// Closed form: a frame is in BAD with probability B / (G + B), and is lost there once in `gap_bad`. Frames two
    /// mean cycles apart are practically independent (the chain's correlation falls with exp(-t (1/G + 1/B)), here
    /// within 10 ms).
    #[test]
    fn loss_ratio_matches_the_closed_form() {
        for (gaps, [good, bad]) in [
            (Gaps::Geometric, [1.0 / 166.0, 1.0 / 2.6]),
            (Gaps::Exponential, [1.0 - libm::exp(-1.0 / 166.0), 1.0 - libm::exp(-1.0 / 2.6)]),
        ] {
            let mut channel = paper(gaps).build(Stream::named(3, 0, "air"));
            let n = 400_000u64;
            let frames = (1..=n).map(|index| frame(Time::from_millis(1340 * index), LinkDirection::Forward));
            let lost = frames.filter(|frame| channel.fate(frame) == FrameFate::Corrupted).count() as f64 / n as f64;
            let expected = (660.0 * good + 10.0 * bad) / 670.0;
            let error = (expected * (1.0 - expected) / n as f64).sqrt();
            assert!((lost - expected).abs() < 4.0 * error, "{gaps:?}: {lost}, expected {expected}");
        }
    }

    /// Within a state that does not end during this test, distances are geometric with the p of the distribution: mean 1 / p,
    /// variance (1 - p) / p^2 (with its error from the fourth central moment, (1 - p) (p^2 - 9 p + 9) / p^4), and a
    /// share 1 - (1 - p)^x of them is at most x packets.
    #[test]
    fn distances_between_losses_follow_their_distribution() {
        for (law, gap, p) in [
            (Gaps::Geometric, 1.0, 1.0),
            (Gaps::Geometric, 2.6, 1.0 / 2.6),
            (Gaps::Geometric, 166.0, 1.0 / 166.0),
            (Gaps::Exponential, 1.0, 1.0 - libm::exp(-1.0)),
            (Gaps::Exponential, 2.6, 1.0 - libm::exp(-1.0 / 2.6)),
        ] {
            let config =
                Config { mean_good: "1000 h".parse().unwrap(), mean_bad: Span::ZERO, gap_good: gap, ..paper(law) };
            let mut channel = config.build(Stream::named(4, 0, "air"));
            let (mut gaps, mut since) = (Vec::new(), 0u64);
            for index in 0..400_000 {
                since += 1;
                if channel.fate(&frame(Time::from_millis(4 * index), LinkDirection::Forward)) == FrameFate::Corrupted {
                    gaps.push(std::mem::take(&mut since) as f64);
                }
            }
            let n = gaps.len() as f64;
            let mean = gaps.iter().sum::<f64>() / n;
            let variance = (1.0 - p) / (p * p);
            assert!(
                (mean - 1.0 / p).abs() <= 4.0 * (variance / n).sqrt(),
                "{law:?} {gap}: {mean}, expected {}",
                1.0 / p
            );
            let found = gaps.iter().map(|gap| (gap - mean) * (gap - mean)).sum::<f64>() / n;
            let fourth = (1.0 - p) * (p * p - 9.0 * p + 9.0) / p.powi(4);
            let error = ((fourth - variance * variance) / n).sqrt();
            assert!((found - variance).abs() <= 4.0 * error, "{law:?} {gap}: variance {found}, expected {variance}");
            for x in [1, 2, 5, 100] {
                let share = gaps.iter().filter(|gap| **gap <= f64::from(x)).count() as f64 / n;
                let expected = 1.0 - (1.0 - p).powi(x);
                let error = (expected * (1.0 - expected) / n).sqrt();
                assert!(
                    (share - expected).abs() <= 4.0 * error,
                    "{law:?} {gap}: {share} up to {x}, expected {expected}"
                );
            }
        }
    }

    /// A BAD period covers on average B / d starts of back-to-back frames of length d; all are lost if the mean
    /// distance is 1.
    #[test]
    fn burst_lengths_match_the_sojourn_time_in_bad() {
        let config = Config {
            mean_good: "5 s".parse().unwrap(),
            mean_bad: Span::from_millis(100),
            gap_good: 1e300,
            gap_bad: 1.0,
            ..paper(Gaps::Geometric)
        };
        let mut channel = config.build(Stream::named(5, 0, "air"));
        // BAD periods in which no frame begins cause no burst, so the mean is that of geometric bursts of at least one
        // frame: 1 / (1 - exp(-d / B)). Bursts less than one frame apart merge, once in G / d = 1250.
        let expected = 1.0 / -libm::expm1(-4.0 / 100.0);
        let (mut bursts, mut current) = (Vec::new(), 0u32);
        for index in 0.. {
            match channel.fate(&frame(Time::from_millis(4 * index), LinkDirection::Forward)) {
                FrameFate::Corrupted => current += 1,
                FrameFate::Arrives if current > 0 => bursts.push(f64::from(std::mem::take(&mut current))),
                FrameFate::Arrives if bursts.len() == 3000 => break,
                FrameFate::Arrives => {}
            }
        }
        let n = bursts.len() as f64;
        let mean = bursts.iter().sum::<f64>() / n;
        let error = (expected * (expected - 1.0) / n).sqrt();
        assert!((mean - expected).abs() < 4.0 * error + expected / 1250.0, "{mean}, expected {expected}");
    }

    #[test]
    fn packets_are_lost_only_in_the_configured_directions() {
        for (directions, expected) in [
            (LinkDirections::Both, [true, true]),
            (LinkDirections::Forward, [true, false]),
            (LinkDirections::Backward, [false, true]),
        ] {
            let config = Config { directions, gap_good: 2.0, ..paper(Gaps::Geometric) };
            let mut channel = config.build(Stream::named(6, 0, "air"));
            let lost = [LinkDirection::Forward, LinkDirection::Backward].map(|direction| {
                (0..1000)
                    .any(|index| channel.fate(&frame(Time::from_millis(4 * index), direction)) == FrameFate::Corrupted)
            });
            assert_eq!(lost, expected, "{directions:?}");
        }
    }

    #[test]
    fn invalid_settings_are_refused() {
        let wrong = |config: Config| config.check().into_iter().map(|fault| fault.key).collect::<Vec<_>>();
        assert_eq!(wrong(paper(Gaps::Geometric)), [""; 0]);
        for gap in [0.0, 0.9, -2.6, f64::NAN, f64::INFINITY] {
            assert_eq!(wrong(Config { gap_bad: gap, ..paper(Gaps::Geometric) }), ["gap_bad"]);
            assert_eq!(wrong(Config { gap_good: gap, ..paper(Gaps::Geometric) }), ["gap_good"]);
        }
        assert_eq!(wrong(Config { mean_good: Span::ZERO, ..paper(Gaps::Geometric) }), ["mean_good"]);
        assert_eq!(wrong(Config { mean_bad: Span::from_nanos(3), ..paper(Gaps::Geometric) }), ["mean_bad"]);
    }
}
