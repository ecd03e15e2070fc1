//! Jain's fairness index.
//!
//! Source: Jain, Chiu and Hawe, "A quantitative measure of fairness and discrimination for resource allocation in
//! shared computer systems", DEC-TR-301 (1984); Jain, *The Art of Computer Systems Performance Analysis* (1991) 3.
//!
//! ```text
//! f = (sum x_i)^2 / (n sum x_i^2)         1/n to 1; k equal shares among n give k/n
//! ```
//!
//! Cases of 0/0: the index of no shares is undefined (`None`); shares that are all zero, hence equal, have 1.
//! The index measures equality, not success. Limits: no unit and no weights (divide each share by its due share first);
//! a value far above 1/n may hide one starved flow among many.

use crate::Error;
use crate::sample::require_finite;

/// Returns the index of these shares, given in any common unit; `None` for an empty slice, 1 if all are zero.
///
/// # Errors
/// [`Error::Value`] for NaN, infinities and values beyond [`crate::sample::MAX_MAGNITUDE`]; [`Error::Allocation`] below 0.
pub fn jain(allocations: &[f64]) -> Result<Option<f64>, Error> {
    for &found in allocations {
        if require_finite(found)? < 0.0 {
            return Err(Error::Allocation { found });
        }
    }
    if allocations.is_empty() {
        return Ok(None);
    }
    let largest = allocations.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return Ok(Some(1.0));
    }
    // The index is independent of scale. Shares relative to the largest one do not underflow or overflow when squared.
    let shares = || allocations.iter().map(|x| x / largest);
    let (sum, squares) = (shares().sum::<f64>(), shares().map(|x| x * x).sum::<f64>());
    Ok(Some((sum * sum / (allocations.len() as f64 * squares)).min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Example of DEC-TR-301: for 20 dollars and 100 people the index is 1 if each gets 20 cents, and 0.1 if 10 of them
    /// get 2 dollars.
    #[test]
    fn example_of_dec_tr_301_is_reproduced() {
        assert!((jain(&[0.2; 100]).unwrap().unwrap() - 1.0).abs() < 1e-12);
        let mut few = [0.0; 100];
        few[..10].fill(2.0);
        assert!((jain(&few).unwrap().unwrap() - 0.1).abs() < 1e-12);
    }

    /// Hand calculation: shares of 1, 3 and 5 have the index 81 / (3 x 35).
    #[test]
    fn fairness_index_agrees_with_a_hand_calculation() {
        assert!((jain(&[1.0, 3.0, 5.0]).unwrap().unwrap() - 81.0 / 105.0).abs() < 1e-15);
    }

    #[test]
    fn empty_shares_have_no_index_and_negative_ones_are_refused() {
        assert_eq!(jain(&[]), Ok(None));
        assert_eq!(jain(&[0.0, 0.0]), Ok(Some(1.0)));
        assert_eq!(jain(&[1e-320, 0.0]), Ok(Some(0.5)));
        assert_eq!(jain(&[1.0, -1.0]), Err(Error::Allocation { found: -1.0 }));
        assert!(jain(&[f64::NAN]).is_err());
    }
}
