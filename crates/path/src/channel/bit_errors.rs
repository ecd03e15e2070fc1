//! Independent bit errors: each bit is wrong with probability b (BER), and a frame is lost if any of its bits is wrong.
//!
//! A frame of n bits is lost with probability 1 - (1 - b)^n: the binary symmetric channel with a receiver that detects
//! every error and corrects none [LinCostello2004 ch. 22]. A packet counts with the bits of its headers, as for its
//! transmission time; a link acknowledgment has the bits of its size.
//!
//! Limits: no coding, no preamble, no link header. Errors are not bursty; bursts are modelled by `two-state`.

use engine::Stream;
use engine::registry::{Fault, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Channel, ChannelFrame, ChannelTraits, FrameDraws, FrameFate, Keyed, SteadyLoss};

/// The bit error rate.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Probability that a bit is wrong, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    #[serde(deserialize_with = "engine::share::read_share")]
    #[schemars(schema_with = "engine::share::describe_share")]
    pub rate: f64,
}

struct BitErrors {
    rate: f64,
    /// Size and loss probability of the last frame in each direction; most frames of a direction have the same size.
    last: [(u32, f64); 2],
    draws: FrameDraws,
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        Fault::unless_probability("rate", self.rate).into_iter().collect()
    }
}

impl Config {
    /// Returns the properties of the channel.
    pub fn traits(&self) -> ChannelTraits {
        let steady_loss = Some(Keyed { key: "rate", value: SteadyLoss::OfBit(self.rate) });
        ChannelTraits { steady_loss, ..ChannelTraits::default() }
    }

    /// Creates the channel.
    pub fn build(&self, stream: Stream) -> Box<dyn Channel> {
        Box::new(BitErrors { rate: self.rate, last: [(0, 0.0); 2], draws: FrameDraws::new(stream) })
    }
}

/// Returns 1 - (1 - rate)^bits by repeated squaring. The recursion uses the probability of at least one error, not its
/// complement, which would lose the digits of small rates; unlike library power functions, products give the same
/// result on all platforms.
fn some_bit_is_wrong(rate: f64, bits: u64) -> f64 {
    let either = |one: f64, other: f64| one + other - one * other;
    let (mut all, mut square) = (0.0, rate);
    let mut left = bits;
    while left > 0 {
        if left & 1 == 1 {
            all = either(all, square);
        }
        square = either(square, square);
        left >>= 1;
    }
    all
}

impl Channel for BitErrors {
    fn fate(&mut self, frame: &ChannelFrame) -> FrameFate {
        let last = &mut self.last[frame.direction.index()];
        if last.0 != frame.size {
            *last = (frame.size, some_bit_is_wrong(self.rate, 8 * u64::from(frame.size)));
        }
        let loss = last.1;
        if self.draws.unit(frame) < loss { FrameFate::Corrupted } else { FrameFate::Arrives }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::LinkDirection;
    use engine::{Span, Time};

    /// By hand: 1 - 0.999^8 is 0.007972055930055972, 1 - (1 - 1e-12)^12000 is 1.2e-8 less 12000 * 11999 / 2 * 1e-24.
    #[test]
    fn loss_probability_matches_the_closed_form() {
        assert_eq!(some_bit_is_wrong(0.3, 0), 0.0);
        assert_eq!(some_bit_is_wrong(0.3, 1), 0.3);
        assert_eq!(some_bit_is_wrong(1.0, 8000), 1.0);
        assert!((some_bit_is_wrong(1e-3, 8) - 7.972_055_930_055_972e-3).abs() < 1e-17);
        assert!((some_bit_is_wrong(1e-12, 12_000) - (1.2e-8 - 7.1994e-17)).abs() < 1e-22);
        for (rate, bits) in [(1e-6, 8320), (1e-5, 12_000), (2.5e-4, 320), (1e-3, 8000)] {
            let expected = -libm::expm1(bits as f64 * libm::log1p(-rate));
            let found = some_bit_is_wrong(rate, bits);
            assert!((found - expected).abs() <= 1e-13 * expected, "{rate} {bits}: {found}, expected {expected}");
        }
    }

    /// The loss ratio of frames of two sizes matches the closed form within four standard errors.
    #[test]
    fn longer_frames_are_lost_more_often() {
        for (size, number) in [(40, Some(0)), (1000, Some(0)), (14, None)] {
            let mut channel = Config { rate: 1e-4 }.build(Stream::named(5, 0, "air"));
            const N: u64 = 100_000;
            let lost = (0..N).filter(|index| {
                let start = Time::from_millis(20 * index);
                let duration = Span::from_millis(8);
                channel.fate(&ChannelFrame {
                    now: start,
                    start,
                    duration,
                    size,
                    direction: LinkDirection::Forward,
                    number,
                }) == FrameFate::Corrupted
            });
            let found = lost.count() as f64 / N as f64;
            let expected = 1.0 - (1.0 - 1e-4_f64).powi(8 * size as i32);
            let error = (expected * (1.0 - expected) / N as f64).sqrt();
            assert!((found - expected).abs() < 4.0 * error, "{size} bytes: {found}, expected {expected}");
        }
    }

    #[test]
    fn rate_outside_0_to_1_is_refused() {
        assert_eq!(Config { rate: 1.5 }.check()[0].key, "rate");
        assert_eq!(Config { rate: f64::NAN }.check()[0].key, "rate");
        assert!(Config { rate: 1e-3 }.check().is_empty());
    }
}
