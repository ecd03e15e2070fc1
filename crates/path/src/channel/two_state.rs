//! The two-state Markov channel of the thesis [goel1997 4.2 (5), after BBKT96].
//!
//! The channel is GOOD or BAD, initially GOOD; sojourn times in each state are exponential and independent. One chain
//! serves both directions. A frame with the states S during its transmission survives with probability prod (1 -
//! loss_s); with the thesis's losses of 0 and 1 a frame is lost exactly if the channel is BAD during a part of it.
//!
//! Deviation: sojourn times are truncated to nanoseconds, with a minimum of one. With a mean of zero the BAD state is
//! never entered (`stays`).

use engine::registry::{Fault, Settings};
use engine::{Span, Stream, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::stays::{self, Stays};
use super::timeline::FrameStates;
use super::{Channel, ChannelFrame, ChannelState, FrameDraws, FrameFate};

/// Sojourn times and loss probabilities.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Mean sojourn time in GOOD.
    pub mean_good: Span,
    /// Mean sojourn time in BAD; zero for a channel that is never BAD.
    pub mean_bad: Span,
    /// Probability that a frame is lost in GOOD, 0 to 1.
    #[serde(default, deserialize_with = "engine::share::read_share")]
    #[schemars(range(min = 0.0, max = 1.0))]
    #[schemars(schema_with = "engine::share::describe_share")]
    pub loss_good: f64,
    /// Probability that a frame is lost in BAD, 0 to 1.
    #[serde(default = "default_loss_in_bad", deserialize_with = "engine::share::read_share")]
    #[schemars(range(min = 0.0, max = 1.0))]
    #[schemars(schema_with = "engine::share::describe_share")]
    pub loss_bad: f64,
}

fn default_loss_in_bad() -> f64 {
    1.0
}

struct TwoState {
    config: Config,
    stays: Stays,
    draws: FrameDraws,
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let mut faults: Vec<Fault> = Fault::unless_probability("loss_good", self.loss_good).into_iter().collect();
        faults.extend(Fault::unless_probability("loss_bad", self.loss_bad));
        faults.extend(stays::check_sojourn_times(self.mean_good, self.mean_bad));
        faults
    }
}

impl Config {
    /// Creates the channel. Sojourn times are drawn in sequence from `stream`, frame losses as a function of the
    /// frame's start.
    pub fn build(&self, stream: Stream) -> Box<dyn Channel> {
        Box::new(TwoState {
            config: self.clone(),
            stays: Stays::new(self.mean_good, self.mean_bad, stream.draws()),
            draws: FrameDraws::new(stream.sub("frames")),
        })
    }
}

impl Channel for TwoState {
    fn fate(&mut self, frame: &ChannelFrame) -> FrameFate {
        let FrameStates { good, bad } = self.stays.states_during(frame.now, frame.start, frame.duration);
        let survives = (if good { 1.0 - self.config.loss_good } else { 1.0 })
            * (if bad { 1.0 - self.config.loss_bad } else { 1.0 });
        let arrives = survives >= 1.0 || (survives > 0.0 && self.draws.unit(frame) < survives);
        if arrives { FrameFate::Arrives } else { FrameFate::Corrupted }
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

    fn config(text: [&str; 2], loss_good: f64, loss_bad: f64) -> Config {
        Config { mean_good: text[0].parse().unwrap(), mean_bad: text[1].parse().unwrap(), loss_good, loss_bad }
    }

    fn frame(start: Time, duration: Span) -> ChannelFrame {
        ChannelFrame { now: start, start, duration, size: 1000, direction: LinkDirection::Forward, number: Some(0) }
    }

    /// Sojourn times are exponential: mean m, variance m^2 (with the error m^2 sqrt(8 / n), from the fourth moment 9
    /// m^4), and a share 1 - exp(-x) of them is at most x m, all within four standard errors.
    #[test]
    fn sojourn_times_are_exponential_with_the_configured_means() {
        let mut channel = config(["5 s", "100 ms"], 0.0, 1.0).build(Stream::named(3, 0, "air"));
        let (mut at, mut since, mut stays) = (Time::ZERO, Time::ZERO, [Vec::new(), Vec::new()]);
        while let Some((change, state)) = channel.next_change(at) {
            stays[usize::from(state == ChannelState::Good)].push(change.since(since).as_secs_f64());
            (at, since) = (change, change);
            if stays[1].len() == 20_000 {
                break;
            }
        }
        for (stays, mean) in stays.iter().zip([5.0, 0.1]) {
            let n = stays.len() as f64;
            let found = stays.iter().sum::<f64>() / n;
            assert!((found - mean).abs() < 4.0 * mean / n.sqrt(), "mean stay {found}, expected {mean}");
            let variance = stays.iter().map(|stay| (stay - found) * (stay - found)).sum::<f64>() / n;
            let error = mean * mean * (8.0 / n).sqrt();
            assert!((variance - mean * mean).abs() < 4.0 * error, "variance {variance} around {mean}");
            for x in [0.1, 0.7, 2.0, 4.0] {
                let share = stays.iter().filter(|stay| **stay <= x * mean).count() as f64 / n;
                let expected = 1.0 - libm::exp(-x);
                let error = (expected * (1.0 - expected) / n).sqrt();
                assert!((share - expected).abs() < 4.0 * error, "{share} up to {x} means, expected {expected}");
            }
        }
    }

    /// Closed form: a frame of length d survives if the chain is GOOD at its start, with probability G / (G + B), and
    /// remains GOOD for d, with probability exp(-d / G).
    #[test]
    fn frame_loss_matches_the_closed_form() {
        let mut channel = config(["1 s", "250 ms"], 0.0, 1.0).build(Stream::named(5, 0, "air"));
        // Frames ten mean cycles apart are practically independent.
        let n = 40_000u64;
        let lost = (1..=n)
            .filter(|i| {
                channel.fate(&frame(Time::from_millis(i * 12_500), Span::from_millis(8))) == FrameFate::Corrupted
            })
            .count() as f64;
        let expected = 1.0 - 1.0 / 1.25 * libm::exp(-0.008);
        let error = (expected * (1.0 - expected) / n as f64).sqrt();
        assert!((lost / n as f64 - expected).abs() < 4.0 * error, "{} expected {expected}", lost / n as f64);
    }

    /// Closed form: with loss probabilities g and b, a frame of length d that begins in GOOD survives with probability
    /// 1 - g if the state lasts for d, otherwise (1 - g) (1 - b); likewise for a frame that begins in BAD.
    #[test]
    fn loss_probabilities_of_overlapped_states_combine() {
        let (g, b) = (0.2, 0.7);
        let mut channel = config(["1 s", "250 ms"], g, b).build(Stream::named(6, 0, "air"));
        let n = 40_000u64;
        let lost = (1..=n)
            .filter(|i| {
                channel.fate(&frame(Time::from_millis(i * 12_500), Span::from_millis(100))) == FrameFate::Corrupted
            })
            .count() as f64;
        let meets = |alone: f64, stays: f64| alone * stays + (1.0 - g) * (1.0 - b) * (1.0 - stays);
        let survives = 0.8 * meets(1.0 - g, libm::exp(-0.1 / 1.0)) + 0.2 * meets(1.0 - b, libm::exp(-0.1 / 0.25));
        let expected = 1.0 - survives;
        let error = (expected * (1.0 - expected) / n as f64).sqrt();
        assert!((lost / n as f64 - expected).abs() < 4.0 * error, "{} expected {expected}", lost / n as f64);
    }

    /// Closed form: a BAD period of length b that begins at offset u within a frame overlaps 1 + floor((u + b) / d)
    /// back-to-back frames of length d, on average 1 + B / d for u uniform over a frame.
    #[test]
    fn burst_lengths_match_the_sojourn_time_in_bad() {
        let mut channel = config(["5 s", "100 ms"], 0.0, 1.0).build(Stream::named(11, 0, "air"));
        let d = Span::from_millis(8);
        let (mut bursts, mut current) = (Vec::new(), 0u32);
        let mut start = Time::ZERO;
        while bursts.len() < 4000 {
            match channel.fate(&frame(start, d)) {
                FrameFate::Corrupted => current += 1,
                FrameFate::Arrives if current > 0 => bursts.push(f64::from(std::mem::take(&mut current))),
                FrameFate::Arrives => {}
            }
            start += d;
        }
        let n = bursts.len() as f64;
        let mean = bursts.iter().sum::<f64>() / n;
        let deviation = (bursts.iter().map(|b| (b - mean) * (b - mean)).sum::<f64>() / n).sqrt();
        // Bursts less than one frame apart merge, once in G / d = 625: less than a tenth of the tolerance.
        let expected = 1.0 + 100.0 / 8.0;
        assert!((mean - expected).abs() < 4.0 * deviation / n.sqrt() + 0.03, "{mean}, expected {expected}");
    }

    #[test]
    fn losses_within_a_state_do_not_depend_on_traffic() {
        let make = || config(["1 s", "500 ms"], 0.1, 0.7).build(Stream::named(9, 0, "air"));
        let (mut busy, mut quiet) = (make(), make());
        let at = |i: u64| frame(Time::from_nanos(i * 1_234_567), Span::from_nanos(1_000));
        for i in 0..10_000 {
            let fate = busy.fate(&at(i));
            if i % 7 == 0 {
                assert_eq!(fate, quiet.fate(&at(i)));
            }
        }
    }

    #[test]
    fn mean_bad_of_zero_is_never_bad() {
        let mut channel = config(["5 s", "0 s"], 0.0, 1.0).build(Stream::named(3, 0, "air"));
        assert_eq!(channel.next_change(Time::ZERO), None);
        assert_eq!(channel.fate(&frame(Time::from_millis(1_000_000), Span::from_millis(8))), FrameFate::Arrives);
    }
}
