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
//! The first 5 d* values are the warm-up. The last five means may not be the start: few means can be alike by accident
//! (Hoad, Robinson and Davies, "Automating warm-up length estimation", JORS 61, 2010). A minimum beyond the first half
//! means that the series is too short to tell.
//!
//! Limits: a heuristic without a level. It finds a bias that decays, not one that is there all the time, and not a
//! cycle of the length of the series. Up to four values at the end are not looked at. Means
//! near the end that are alike by accident make it refuse a steady series now and then: 1 of 1500 at worst in the table of
//! `docs/models/statistics.md`.

use crate::sample::checked;
use crate::{Error, Moments};

const FIVE: usize = 5;

/// Below ten means the last five reach into the first half.
const LEAST: usize = 2 * FIVE * FIVE;

/// Where a series is cut.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Warmup {
    /// How many values to leave out at the beginning, a multiple of five.
    pub values: usize,
    /// The least value of the rule: the square of the standard error of the rest, as if its means were independent.
    pub mser: f64,
}

/// The warm-up of a series of values at equal distances.
///
/// # Errors
/// [`Error::Value`] for NaN, infinities and values beyond [`crate::sample::LARGEST`]; [`Error::Short`] below 50 values;
/// [`Error::Transient`] if the best cut lies beyond the first half.
pub fn mser5(series: &[f64]) -> Result<Warmup, Error> {
    series.iter().try_for_each(|&value| checked(value).map(drop))?;
    if series.len() < LEAST {
        return Err(Error::Short { found: series.len(), expected: LEAST });
    }
    let means: Vec<f64> =
        series.chunks_exact(FIVE).map(|chunk| chunk.iter().map(|value| value / FIVE as f64).sum()).collect();
    // From the end, so that each start costs one step. Equal values go to the longer rest.
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

    /// By hand: 15 values of 10, then 0 and 1 in turn by fives. The rest without the tens is 17 means of variance about
    /// a quarter; one ten more adds 100 to the sum of squares.
    #[test]
    fn a_step_is_cut_where_it_is() {
        let series: Vec<f64> = (0..100).map(|i| if i < 15 { 10.0 } else { f64::from(i / 5 % 2) }).collect();
        let warmup = mser5(&series).unwrap();
        assert_eq!(warmup.values, 15);
        // 17 means, 9 of them 1 and 8 of them 0: 9 x 8 / 17 over 17^2.
        assert!((warmup.mser - 9.0 * 8.0 / 17.0 / 289.0).abs() < 1e-14, "{warmup:?}");
    }

    /// 50 tens of 100 values end with the first half, 55 behind it. The rest is 10 means, 5 of them 1 and 5 of them 0: 2.5 over 10^2.
    #[test]
    fn a_cut_at_the_half_is_allowed_and_one_behind_it_is_not() {
        let step = |at: u32| (0..100).map(|i| if i < at { 10.0 } else { f64::from(i / 5 % 2) }).collect::<Vec<f64>>();
        let warmup = mser5(&step(50)).unwrap();
        assert_eq!(warmup.values, 50);
        assert!((warmup.mser - 0.025).abs() < 1e-14, "{warmup:?}");
        assert_eq!(mser5(&step(55)), Err(Error::Transient { found: 55, of: 100 }));
    }

    /// Every start, by the formula as it is printed.
    #[test]
    fn the_pass_from_the_end_agrees_with_the_formula() {
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
    fn what_does_not_settle_or_is_short_is_refused() {
        let ramp: Vec<f64> = (0..100).map(f64::from).collect();
        assert!(matches!(mser5(&ramp), Err(Error::Transient { .. })));
        assert_eq!(mser5(&ramp[..49]), Err(Error::Short { found: 49, expected: 50 }));
        assert!(mser5(&[f64::NAN; 60]).is_err());
        assert_eq!(mser5(&[3.0; 60]).unwrap().values, 0);
    }
}
