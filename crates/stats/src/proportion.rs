//! Confidence intervals of a probability, from counts of independent trials.
//!
//! Source: Wilson, *Probable Inference, the Law of Succession, and Statistical Inference*, JASA 22 (1927); recommended by
//! Brown, Cai and DasGupta, *Interval Estimation for a Binomial Proportion*, Statistical Science 16 (2001). With z the normal
//! quantile of the level, n trials and the share p of successes:
//!
//! ```text
//! (p + z^2 / 2n -+ z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n)
//! ```
//!
//! Limits: its coverage equals the level on average over p; for a p within a few successes of 0 or 1 it can be 2 %
//! below.

/// The normal quantile for 95 %, two-sided.
const Z: f64 = 1.959_963_984_540_054;

/// Returns the lower and the upper limit at 95 %; 0 and 1 without trials.
pub fn wilson(successes: u64, trials: u64) -> [f64; 2] {
    if trials == 0 {
        return [0.0, 1.0];
    }
    let (n, p) = (trials as f64, successes as f64 / trials as f64);
    let z2 = Z * Z;
    let (centre, half) = (p + z2 / (2.0 * n), Z * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt());
    // Rounding must not exclude 0 or 1.
    let low = if successes == 0 { 0.0 } else { ((centre - half) / (1.0 + z2 / n)).max(0.0) };
    let high = if successes >= trials { 1.0 } else { ((centre + half) / (1.0 + z2 / n)).min(1.0) };
    [low, high]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published values are those of Newcombe, *Two-sided Confidence Intervals for the Single Proportion*,
    /// Statistics in Medicine 17 (1998), Table I, method 3.
    #[test]
    fn limits_agree_with_published_values() {
        for (successes, trials, expected) in [
            (81, 263, [0.2553, 0.3662]),
            (15, 148, [0.0624, 0.1605]),
            (0, 20, [0.0, 0.1611]),
            (1, 29, [0.0061, 0.1718]),
        ] {
            let found = wilson(successes, trials);
            let close = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 5e-5);
            assert!(close, "{successes} of {trials}: {found:?}, expected {expected:?}");
        }
        assert_eq!(wilson(0, 0), [0.0, 1.0]);
    }
}
