//! Multiple comparisons.
//!
//! Source: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6
//! (1979); Bonferroni's inequality as in Law, *Simulation Modeling and Analysis*, 5th ed. (2015) 10.3.
//!
//! With m comparisons at level 1 - a of systems that are equal, the probability of at least one false difference is up
//! to m a. For *intervals* that are to be valid jointly, each gets the level 1 - a/m: [`crate::Level::share_among`]. For
//! *decisions* Holm's procedure has more power at the same error: with p_(1) <= p_(2) <= ... the adjusted values are
//!
//! ```text
//! q_(1) = m p_(1)      q_(i) = max(q_(i-1), (m - i + 1) p_(i))      at most 1
//! ```
//!
//! and comparison i is significant if q_i <= a. Valid under any dependence. Limit: the probability of *at least one*
//! false difference is at most a, which is strict for hundreds of comparisons.

use crate::Error;

/// Returns Holm's adjusted p values, in the order of `p_values`. Comparisons with a value of at most alpha are
/// significant.
///
/// # Errors
/// [`Error::Probability`] for the first value outside of 0 to 1.
pub fn adjust_holm(p_values: &[f64]) -> Result<Vec<f64>, Error> {
    if let Some(&found) = p_values.iter().find(|p| !(0.0..=1.0).contains(*p)) {
        return Err(Error::Probability { found });
    }
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (place, &index) in order.iter().enumerate() {
        largest = largest.max((p_values.len() - place) as f64 * p_values[index]).min(1.0);
        adjusted[index] = largest;
    }
    Ok(adjusted)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hand calculation: 0.01, 0.04, 0.03 and 0.005 are multiplied by 3, 1, 2 and 4. Each result is at least the
    /// preceding adjusted value.
    #[test]
    fn adjusted_values_agree_with_a_hand_calculation() {
        let found = adjust_holm(&[0.01, 0.04, 0.03, 0.005]).unwrap();
        for (found, expected) in found.into_iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((found - expected).abs() < 1e-15, "{found} {expected}");
        }
        assert_eq!(adjust_holm(&[0.9, 0.8]), Ok(vec![1.0, 1.0]));
        assert_eq!(adjust_holm(&[]), Ok(vec![]));
    }

    #[test]
    fn p_value_outside_0_to_1_is_refused() {
        assert_eq!(adjust_holm(&[0.5, 1.5]), Err(Error::Probability { found: 1.5 }));
        assert!(adjust_holm(&[f64::NAN]).is_err());
    }
}
