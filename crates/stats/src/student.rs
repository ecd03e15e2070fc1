//! Quantiles of Student's t distribution and of the normal distribution.
//!
//! Survival function and density come from `statrs`. Its quantile function of t is not used: it does not return for
//! some arguments (10^9 degrees of freedom, probability 0.6) and loses its digits beyond 10^5 degrees. Instead:
//!
//! - up to 1000 degrees of freedom, Newton's method for sf(t) = p, started at the normal quantile. For p < 1/2 the
//!   start lies below the root, and sf is convex above 0, so each step increases t and none passes the root;
//! - beyond 1000, four terms of the expansion in 1 / degrees (Abramowitz and Stegun, *Handbook of Mathematical
//!   Functions*, 26.7.5), which agrees with the survival function to 1e-8 for every probability above 1e-9.

use statrs::distribution::{Continuous, ContinuousCDF, Normal, StudentsT};

/// Degrees of freedom above which the expansion is used, which is then at least as exact as the survival function.
const MANY: f64 = 1000.0;

/// Returns the z with P(Z > z) = `tail` for the standard normal Z; `tail` in (0, 1).
pub fn normal_above(tail: f64) -> f64 {
    -Normal::standard().inverse_cdf(tail)
}

/// Returns the t with P(T > t) = `tail` for `degrees` (at least 1) degrees of freedom; `tail` in (0, 1/2).
pub fn t_above(tail: f64, degrees: f64) -> f64 {
    let z = normal_above(tail);
    if degrees > MANY {
        let y = z * z;
        let terms = [
            (y + 1.0) / 4.0,
            ((5.0 * y + 16.0) * y + 3.0) / 96.0,
            (((3.0 * y + 19.0) * y + 17.0) * y - 15.0) / 384.0,
            ((((79.0 * y + 776.0) * y + 1482.0) * y - 1920.0) * y - 945.0) / 92160.0,
        ];
        let series = terms.iter().rev().fold(0.0, |sum, term| (sum + term) / degrees);
        return z + z * series;
    }
    let Ok(law) = StudentsT::new(0.0, 1.0, degrees) else { return f64::NAN };
    let mut t = z;
    // The slowest case: with one degree of freedom t doubles at each step far from the root, from 8 to 10^20 in 65
    // steps.
    for _ in 0..100 {
        let step = (law.sf(t) - tail) / law.pdf(t);
        t += step;
        if step <= 1e-15 * t {
            break;
        }
    }
    t
}

/// Returns P(|T| > |t|) for `degrees` (at least 1) degrees of freedom.
pub fn t_beyond(t: f64, degrees: f64) -> f64 {
    StudentsT::new(0.0, 1.0, degrees).map_or(f64::NAN, |law| 2.0 * law.sf(t.abs())).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published tables of t (Law 2015, table T.1; Abramowitz and Stegun, table 26.10), to three digits.
    #[test]
    fn quantiles_agree_with_published_tables() {
        let table = [
            (1.0, [3.078, 6.314, 12.706, 63.657]),
            (2.0, [1.886, 2.920, 4.303, 9.925]),
            (4.0, [1.533, 2.132, 2.776, 4.604]),
            (9.0, [1.383, 1.833, 2.262, 3.250]),
            (29.0, [1.311, 1.699, 2.045, 2.756]),
            (120.0, [1.289, 1.658, 1.980, 2.617]),
            (1e9, [1.282, 1.645, 1.960, 2.576]),
        ];
        for (degrees, row) in table {
            for (tail, expected) in [0.1, 0.05, 0.025, 0.005].into_iter().zip(row) {
                let found = t_above(tail, degrees);
                assert!((found - expected).abs() <= 0.0005001, "{degrees} {tail}: {found}");
            }
        }
    }

    /// One and two degrees of freedom have closed forms: 1 / tan(pi p) and (1 - 2p) / sqrt(2 p (1 - p)).
    #[test]
    fn small_tails_agree_with_the_closed_forms() {
        for exponent in 1..=20 {
            let tail = 0.4 * libm::pow(10.0, -f64::from(exponent));
            let one = 1.0 / libm::tan(std::f64::consts::PI * tail);
            let two = (1.0 - 2.0 * tail) / (2.0 * tail * (1.0 - tail)).sqrt();
            assert!((t_above(tail, 1.0) / one - 1.0).abs() < 1e-10, "{tail}");
            assert!((t_above(tail, 2.0) / two - 1.0).abs() < 1e-10, "{tail}");
        }
    }

    /// Expansion and Newton's method agree at the border between them.
    #[test]
    fn expansion_agrees_with_newtons_method_where_the_method_switches() {
        for tail in [0.4, 0.1, 0.025, 1e-3, 1e-6, 1e-9] {
            let law = StudentsT::new(0.0, 1.0, 1001.0).unwrap();
            let t = t_above(tail, 1001.0);
            assert!((law.sf(t) / tail - 1.0).abs() < 1e-8, "{tail}: {}", law.sf(t) / tail);
            assert!(t_above(tail, 1000.0) > t, "{tail}");
        }
    }
}
