//! MSER-5: the end of a series' warm-up.
//!
//! Source: White, "An effective truncation heuristic for bias reduction in simulation output", Simulation 69 (1997); in
//! fives: White, Cobb and Spratt, "A comparison of five steady-state truncation heuristics for simulation", WSC 2000;
//! Franklin and White, "Stationarity tests and MSER-5", WSC 2008.
//!
//! ```text
//! z_j   the means of five values each, j = 1 .. k
//! d*  = argmin over d of   sum_(j > d) (z_j - mean of z_(d+1..k))^2 / (k - d)^2      the least d if several
//! ```
//!
//! The first 5 d* values are the warm-up. The cut must leave at least five means, because few means can be alike by
//! accident (Hoad, Robinson and Davies, "Automating warm-up length estimation", JORS 61, 2010). A minimum in the second
//! half means that the series is too short.
//!
//! Limits: a heuristic without a confidence level. It detects a bias that decays, not a constant one, and not a cycle
//! as long as the series. Up to four values at the end are ignored. Means near the end that are alike by accident can
//! make it refuse a steady series: at worst 1 of 1500 in the table of `docs/models/statistics.md`.

use crate::sample::require_finite;
use crate::{Error, Moments};

const FIVE: usize = 5;

/// Minimum length of a series: with fewer than ten means, the last five would reach into the first half.
const MIN_LENGTH: usize = 2 * FIVE * FIVE;

/// The truncation of a series.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Warmup {
    /// Number of values to leave out at the beginning, a multiple of five.
    pub values: usize,
    /// Minimum of the MSER statistic: the squared standard error of the remaining means, as if they were independent.
    pub mser: f64,
}

/// Returns the warm-up of a series of equidistant values.
///
/// # Errors
/// [`Error::Value`] for NaN, infinities and values beyond [`crate::sample::MAX_MAGNITUDE`]; [`Error::Short`] below 50 values;
/// [`Error::Transient`] if the best cut lies beyond the first half.
pub fn mser5(series: &[f64]) -> Result<Warmup, Error> {
    series.iter().try_for_each(|&value| require_finite(value).map(drop))?;
    if series.len() < MIN_LENGTH {
        return Err(Error::Short { found: series.len(), expected: MIN_LENGTH });
    }
    let means: Vec<f64> =
        series.chunks_exact(FIVE).map(|chunk| chunk.iter().map(|value| value / FIVE as f64).sum()).collect();
    // The points are evaluated from the end of the series, so that each point costs one step. Of equal points the
    // smallest d is chosen.
    let mut rest = Moments::default();
    let mut best = Warmup { values: 0, mser: f64::INFINITY };
    for (start, &mean) in means.iter().enumerate().rev() {
        rest.add(mean);
        let Some(variance) = rest.variance() else { continue };
        let n = rest.n() as f64;
        let mser = variance * (n - 1.0) / (n * n);
        if rest.n() >= FIVE as u64 && mser <= best.mser {
            best = Warmup { values: FIVE * start, mser };
        }
    }
    if best.values > FIVE * (means.len() / 2) {
        return Err(Error::Transient { found: best.values, of: series.len() });
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hand calculation: the series has 15 values of 10, then five 0 and five 1 in turn. Without the tens there are 17
    /// means with a variance of about a quarter. One more mean of ten would add 100 to the sum of squares.
    #[test]
    fn warm_up_ends_at_a_step() {
        let series: Vec<f64> = (0..100).map(|i| if i < 15 { 10.0 } else { f64::from(i / 5 % 2) }).collect();
        let warmup = mser5(&series).unwrap();
        assert_eq!(warmup.values, 15);
        // Of 17 means 9 are 1 and 8 are 0: 9 x 8 / 17 over 17^2.
        assert!((warmup.mser - 9.0 * 8.0 / 17.0 / 289.0).abs() < 1e-14, "{warmup:?}");
    }

    /// A step after 50 of 100 values ends with the first half. A step after 55 values lies beyond the first half. The
    /// rest of the first series is 10 means, 5 of them 1 and 5 of them 0: 2.5 over 10^2.
    #[test]
    fn cut_beyond_the_first_half_is_refused() {
        let step = |at: u32| (0..100).map(|i| if i < at { 10.0 } else { f64::from(i / 5 % 2) }).collect::<Vec<f64>>();
        let warmup = mser5(&step(50)).unwrap();
        assert_eq!(warmup.values, 50);
        assert!((warmup.mser - 0.025).abs() < 1e-14, "{warmup:?}");
        assert_eq!(mser5(&step(55)), Err(Error::Transient { found: 55, of: 100 }));
    }

    /// In the reference every truncation point is evaluated by the printed formula.
    #[test]
    fn backward_pass_agrees_with_the_formula() {
        let mut draws = engine::Stream::named(5, 0, "mser").draws();
        let series: Vec<f64> =
            (0..203).map(|i| draws.exponential(1.0) + 8.0 * libm::exp(-f64::from(i) / 20.0)).collect();
        let means: Vec<f64> = series.chunks_exact(5).map(|c| c.iter().sum::<f64>() / 5.0).collect();
        let at = |d: usize| {
            let rest = &means[d..];
            let mean = rest.iter().sum::<f64>() / rest.len() as f64;
            rest.iter().map(|z| (z - mean) * (z - mean)).sum::<f64>() / (rest.len() * rest.len()) as f64
        };
        let best = (0..=means.len() - 5).min_by(|&a, &b| at(a).total_cmp(&at(b))).unwrap();
        let found = mser5(&series).unwrap();
        assert_eq!(found.values, 5 * best);
        assert!((found.mser / at(best) - 1.0).abs() < 1e-12 && best > 0);
    }

    #[test]
    fn trend_and_short_series_are_refused() {
        let ramp: Vec<f64> = (0..100).map(f64::from).collect();
        assert!(matches!(mser5(&ramp), Err(Error::Transient { .. })));
        assert_eq!(mser5(&ramp[..49]), Err(Error::Short { found: 49, expected: 50 }));
        assert!(mser5(&[f64::NAN; 60]).is_err());
        assert_eq!(mser5(&[3.0; 60]).unwrap().values, 0);
    }
}
