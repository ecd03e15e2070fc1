//! Quantiles of Student's t distribution and of the normal distribution.
//!
//! The survival function of t is a regularized incomplete beta function (DLMF 8.17), by its continued fraction (8.17.22)
//! with the method of Lentz. Logarithms and exponentials come from `libm`: results do not depend on the machine, and a
//! page in a browser has the numbers of the command. Quantiles:
//!
//! - normal: Newton's method from a rational approximation (Abramowitz and Stegun, *Handbook of Mathematical Functions*,
//!   26.2.23) that is exact to 4.5e-4;
//! - t up to 1000 degrees of freedom: Newton's method for sf(t) = p, started at the normal quantile. For p < 1/2 the
//!   start lies below the root, and sf is convex above 0, so each step increases t and none passes the root;
//! - t beyond 1000: four terms of the expansion in 1 / degrees (26.7.5), which agrees with the survival function to 1e-8
//!   for every probability above 1e-9.

use std::f64::consts::{PI, SQRT_2};

use libm::{erfc, exp, lgamma, log, log1p};

/// Degrees of freedom above which the expansion is used. There it is at least as exact as the survival function.
const MANY: f64 = 1000.0;

/// Returns the z with P(Z > z) = `tail` for the standard normal Z; `tail` in (0, 1).
pub fn normal_above(tail: f64) -> f64 {
    if tail > 0.5 {
        return -normal_above(1.0 - tail);
    }
    let root = (-2.0 * log(tail)).sqrt();
    let above = 2.515517 + (0.802853 + 0.010328 * root) * root;
    let below = 1.0 + (1.432788 + (0.189269 + 0.001308 * root) * root) * root;
    let mut z = root - above / below;
    // Each step squares the error.
    for _ in 0..4 {
        let density = exp(-z * z / 2.0) / (2.0 * PI).sqrt();
        z += (erfc(z / SQRT_2) / 2.0 - tail) / density;
    }
    z
}

/// Student's t distribution with this number of degrees of freedom, at least 1.
#[derive(Clone, Copy)]
struct StudentsT {
    degrees: f64,
    /// The logarithm of the beta function of degrees / 2 and 1 / 2.
    log_beta: f64,
}

impl StudentsT {
    fn new(degrees: f64) -> Self {
        let half = degrees / 2.0;
        StudentsT { degrees, log_beta: lgamma(half) + lgamma(0.5) - lgamma(half + 0.5) }
    }

    /// The density.
    fn pdf(&self, t: f64) -> f64 {
        let log_kernel = -(self.degrees + 1.0) / 2.0 * log1p(t * t / self.degrees);
        exp(log_kernel - self.log_beta) / self.degrees.sqrt()
    }

    /// P(T > `t`) for `t` of at least 0: half of I_x(degrees / 2, 1 / 2) with x = degrees / (degrees + t^2).
    fn above(&self, t: f64) -> f64 {
        let (a, b) = (self.degrees / 2.0, 0.5);
        // Both shares are computed without cancellation.
        let x = self.degrees / (self.degrees + t * t);
        let rest = t * t / (self.degrees + t * t);
        let factor = if rest == 0.0 || x == 0.0 { 0.0 } else { exp(a * log(x) + b * log(rest) - self.log_beta) };
        // The fraction converges fast below (a + 1) / (a + b + 2). Above this value the other side converges fast.
        if x < (a + 1.0) / (a + b + 2.0) {
            factor * continued_fraction(a, b, x) / a / 2.0
        } else {
            (1.0 - factor * continued_fraction(b, a, rest) / b) / 2.0
        }
    }
}

/// The continued fraction of the incomplete beta function.
fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    /// Replaces 0 in a denominator.
    const TINY: f64 = 1e-300;
    /// More terms than any argument needs.
    const MAX_TERMS: u32 = 10_000;
    let not_0 = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / not_0(1.0 - (a + b) * x / (a + 1.0));
    let mut product = d;
    for m in (1..=MAX_TERMS).map(f64::from) {
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            d = 1.0 / not_0(1.0 + term * d);
            c = not_0(1.0 + term / c);
            change = c * d;
            product *= change;
        }
        if (change - 1.0).abs() <= f64::EPSILON {
            break;
        }
    }
    product
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
    let law = StudentsT::new(degrees);
    let mut t = z;
    // The slowest case is one degree of freedom: far from the root t doubles at each step, from 8 to 10^20 in 65 steps.
    for _ in 0..100 {
        let step = (law.above(t) - tail) / law.pdf(t);
        t += step;
        if step <= 1e-15 * t {
            break;
        }
    }
    t
}

/// Returns P(|T| > |t|) for `degrees` (at least 1) degrees of freedom.
pub fn t_beyond(t: f64, degrees: f64) -> f64 {
    (2.0 * StudentsT::new(degrees).above(t.abs())).min(1.0)
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{Continuous, ContinuousCDF, Normal};

    use super::*;

    /// The values are published in tables of t (Law 2015, table T.1; Abramowitz and Stegun, table 26.10), to three
    /// digits.
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
            let t = t_above(tail, 1001.0);
            let ratio = StudentsT::new(1001.0).above(t) / tail;
            assert!((ratio - 1.0).abs() < 1e-8, "{tail}: {ratio}");
            assert!(t_above(tail, 1000.0) > t, "{tail}");
        }
    }

    #[test]
    fn survival_functions_and_densities_agree_with_statrs() {
        for degrees in [1.0, 2.0, 3.0, 9.0, 30.0, 120.0, 999.0] {
            let (law, reference) =
                (StudentsT::new(degrees), statrs::distribution::StudentsT::new(0.0, 1.0, degrees).unwrap());
            for t in [0.0, 0.1, 0.5, 1.0, 2.0, 5.0, 30.0] {
                let (found, expected) = (law.above(t), reference.sf(t));
                assert!((found / expected - 1.0).abs() < 1e-10, "{degrees} {t}: {found}, expected {expected}");
                let (found, expected) = (law.pdf(t), reference.pdf(t));
                assert!((found / expected - 1.0).abs() < 1e-10, "{degrees} {t}: {found}, expected {expected}");
            }
        }
    }

    #[test]
    fn normal_quantiles_agree_with_statrs() {
        for tail in [1e-300, 1e-20, 1e-6, 0.025, 0.3, 0.499, 0.5, 0.7, 0.975, 1.0 - 1e-12] {
            let (found, expected) = (normal_above(tail), -Normal::standard().inverse_cdf(tail));
            assert!((found - expected).abs() < 1e-11 * (1.0 + expected.abs()), "{tail}: {found}, expected {expected}");
        }
    }
}
