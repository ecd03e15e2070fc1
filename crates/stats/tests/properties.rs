//! Properties for arbitrary values: scale and shift, merging, order.

use proptest::prelude::*;
use stats::fairness::jain;
use stats::paired::Pairs;
use stats::quantile::Ordered;
use stats::steady::mser5;
use stats::{Interval, Level, Moments, Sample};

fn values() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1e3..1e3_f64, 2..60)
}

/// True if the values are equal apart from rounding, at the given scale.
fn near(found: f64, expected: f64, scale: f64) -> bool {
    (found - expected).abs() <= 1e-9 * (1.0 + scale)
}

proptest! {
    #[test]
    fn merged_moments_equal_the_moments_of_all_values(values in values(), cut in 0.0..1.0_f64) {
        let (left, right) = values.split_at((cut * values.len() as f64) as usize);
        let part = |values: &[f64]| Moments::of(values.iter().copied()).unwrap();
        let (merged, expected) = (part(left).merge(&part(right)), part(&values));
        prop_assert_eq!((merged.n(), merged.min(), merged.max()), (expected.n(), expected.min(), expected.max()));
        prop_assert!(near(merged.mean().unwrap(), expected.mean().unwrap(), 1e3));
        prop_assert!(near(merged.variance().unwrap(), expected.variance().unwrap(), 1e6));
    }

    #[test]
    fn intervals_scale_and_shift_with_the_values(values in values(), scale in 0.1..10.0_f64, shift in -1e3..1e3_f64) {
        let moments = Moments::of(values.iter().copied()).unwrap();
        let moved = Moments::of(values.iter().map(|x| scale * x + shift)).unwrap();
        for interval in [Interval::of_mean, Interval::of_next] {
            let (from, to) = (interval(&moments, Level::default()).unwrap(), interval(&moved, Level::default()).unwrap());
            prop_assert!(near(to.low, scale * from.low + shift, 1e7), "{from:?} {to:?}");
            prop_assert!(near(to.high, scale * from.high + shift, 1e7), "{from:?} {to:?}");
            prop_assert!(from.contains(moments.mean().unwrap()));
        }
    }

    #[test]
    fn quantiles_scale_and_shift_with_the_values_and_increase(values in values(), scale in 0.1..10.0_f64, shift in -1e3..1e3_f64, p in 0.0..1.0_f64, q in 0.0..1.0_f64) {
        let ordered = Ordered::of(values.iter().copied()).unwrap();
        let moved = Ordered::of(values.iter().map(|x| scale * x + shift)).unwrap();
        let at = |p| ordered.quantile(p).unwrap().unwrap();
        prop_assert!(near(moved.quantile(p).unwrap().unwrap(), scale * at(p) + shift, 1e4));
        prop_assert!(at(p.min(q)) <= at(p.max(q)) + 1e-9);
        if let Some(found) = ordered.interval(p, Level::default()).unwrap() {
            prop_assert!((0.95 - 1e-12..=1.0).contains(&found.coverage), "{found:?}");
            prop_assert!(found.interval.low <= found.interval.high);
        }
    }

    #[test]
    fn swapped_systems_have_opposite_differences(a in values(), b in values()) {
        let (a, b) = (Sample::of(a).unwrap(), Sample::of(b).unwrap());
        let (there, back) = (Pairs::of(&a, &b), Pairs::of(&b, &a));
        let (x, y) = (there.interval(Level::default()).unwrap(), back.interval(Level::default()).unwrap());
        prop_assert!(near(x.low, -y.high, 1e4) && near(x.high, -y.low, 1e4));
        prop_assert_eq!(there.left_out(), a.len().abs_diff(b.len()));
    }

    #[test]
    fn fairness_index_is_independent_of_scale_and_order(mut got in prop::collection::vec(0.0..1e6_f64, 1..20), scale in 0.001..1e3_f64) {
        let index = jain(&got).unwrap().unwrap();
        prop_assert!((1.0 / got.len() as f64 - 1e-12..=1.0).contains(&index));
        got.reverse();
        got.iter_mut().for_each(|x| *x *= scale);
        prop_assert!(near(jain(&got).unwrap().unwrap(), index, 0.0));
    }

    #[test]
    fn warm_up_is_independent_of_the_unit(values in prop::collection::vec(0..1000_i32, 50..200)) {
        // Scaling by powers of two changes only the exponent.
        let cut = |scale: f64| mser5(&values.iter().map(|x| f64::from(*x) * scale).collect::<Vec<_>>()).map(|warmup| warmup.values).ok();
        prop_assert_eq!(cut(1.0), cut(0.125));
        prop_assert!(cut(1.0).is_none_or(|values_cut| values_cut <= values.len() / 2 + 5));
    }
}
