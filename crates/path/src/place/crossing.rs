//! Times at which a relation between the positions of nodes changes.
//!
//! While nodes move in straight lines, the square of their distance is a quadratic function of time, and so is the
//! weighted difference of two such squares. On each side of its extremum such a function is monotonic, so a comparison
//! changes at most once there, and bisection finds the nanosecond.

use engine::Time;

use super::{Leg, NodePath, squared_distance};

/// Returns true if two nodes are within a distance, given as its square.
pub fn is_within(a: &NodePath, b: &NodePath, max: i128, now: Time) -> bool {
    squared_distance(a, b, now) <= max
}

/// Returns the first time after `after` and not after `until` at which the distance of two nodes crosses one of the
/// `distances`, given as squares.
pub fn next_within(a: &NodePath, b: &NodePath, distances: &[i128], after: Time, until: Time) -> Option<Time> {
    let extremum = |now: Time| {
        let (apart, velocity) = compute_relative_motion(a, b, now);
        (dot_product(apart, velocity), dot_product(velocity, velocity))
    };
    find_next_change(&[a, b], after, until, extremum, |now| {
        let square = squared_distance(a, b, now);
        distances.iter().filter(|max| square <= **max).count()
    })
}

/// Returns true if `x` is nearer to a node than `y` by a factor: the squared distance of `x` multiplied by `factor` is
/// less than the squared distance of `y`.
pub fn is_nearer(node: &NodePath, [x, y]: [&NodePath; 2], factor: f64, now: Time) -> bool {
    squared_distance(node, x, now) as f64 * factor < squared_distance(node, y, now) as f64
}

/// Returns the first time after `after` and not after `until` at which the result of [`is_nearer`] changes.
pub fn next_nearer(node: &NodePath, [x, y]: [&NodePath; 2], factor: f64, after: Time, until: Time) -> Option<Time> {
    let extremum = |now: Time| {
        let ((to_x, x_moves), (to_y, y_moves)) =
            (compute_relative_motion(node, x, now), compute_relative_motion(node, y, now));
        (
            factor * dot_product(to_x, x_moves) - dot_product(to_y, y_moves),
            factor * dot_product(x_moves, x_moves) - dot_product(y_moves, y_moves),
        )
    };
    find_next_change(&[node, x, y], after, until, extremum, |now| is_nearer(node, [x, y], factor, now))
}

/// Returns the position of `b` relative to `a`, in nanometres, and its velocity, in nanometres per nanosecond.
fn compute_relative_motion(a: &NodePath, b: &NodePath, now: Time) -> ([f64; 2], [f64; 2]) {
    let (leg_a, leg_b): (&Leg, &Leg) = (a.leg(now), b.leg(now));
    let (at_a, at_b) = (leg_a.at(now), leg_b.at(now));
    let (by_a, by_b) = (leg_a.velocity(), leg_b.velocity());
    ([0, 1].map(|axis| (at_b[axis] - at_a[axis]) as f64), [0, 1].map(|axis| by_b[axis] - by_a[axis]))
}

fn dot_product(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// Returns the first time at which `state` changes, where `state` compares a function with constants. While all `paths`
/// are straight, the function's derivative t ns after a time is 2 (m + n t), with (m, n) = `extremum` of that time.
fn find_next_change<S: PartialEq>(
    paths: &[&NodePath],
    after: Time,
    until: Time,
    extremum: impl Fn(Time) -> (f64, f64),
    state: impl Fn(Time) -> S,
) -> Option<Time> {
    let mut start = after;
    let before = state(start);
    while start < until {
        let turn = paths.iter().filter_map(|path| path.next_turn(start)).min();
        let end = turn.unwrap_or(until).min(until);
        let (slope, bend) = extremum(start);
        let middle = match -slope / bend {
            // If the quotient is NaN or not in the future, this part has no extremum. The conversion saturates at the
            // largest integer.
            wait if wait >= 1.0 => Time::from_nanos(start.as_nanos().saturating_add(wait as u64)).min(end),
            _ => end,
        };
        for (from, to) in [(start, middle), (middle, end)] {
            if state(to) != before {
                return Some(bisect_change(from, to, |now| state(now) == before));
            }
        }
        start = end;
    }
    None
}

/// Returns the first nanosecond at which `holds` is false. `holds` is true at `from` and false at `to`.
fn bisect_change(from: Time, to: Time, holds: impl Fn(Time) -> bool) -> Time {
    let (mut from, mut to) = (from.as_nanos(), to.as_nanos());
    while to - from > 1 {
        let middle = from + (to - from) / 2;
        if holds(Time::from_nanos(middle)) { from = middle } else { to = middle }
    }
    Time::from_nanos(to)
}

#[cfg(test)]
mod tests {
    use engine::Stream;

    use super::super::square_of;
    use super::*;

    type Holds<'a> = &'a dyn Fn(Time) -> bool;
    type Next<'a> = &'a dyn Fn(Time) -> Option<Time>;

    const END: Time = Time::from_millis(100_000);

    #[test]
    fn passing_node_enters_and_leaves_the_range() {
        // From (-100, 30) at 10 m/s past the origin: within 50 m for x from -40 to 40, from 6 s to 14 s.
        let walker = NodePath::straight([-100_000, 30_000], [36_000_000, 0], Time::ZERO);
        let station = NodePath::still([0, 0]);
        let next = |after| next_within(&walker, &station, &[square_of(50_000)], after, END);
        let enters = next(Time::ZERO).unwrap();
        assert_eq!(enters, Time::from_millis(6000));
        let leaves = next(enters).unwrap();
        // At 14 s the distance is exactly 50 m, which is within range.
        assert_eq!(leaves, Time::from_nanos(14_000_000_001));
        assert_eq!(next(leaves), None);
        // A range that the path only touches counts as entered for one nanosecond.
        let touches = |after| next_within(&walker, &station, &[square_of(30_000)], after, END);
        assert_eq!(touches(Time::ZERO), Some(Time::from_millis(10_000)));
    }

    #[test]
    fn first_crossing_of_several_distances_is_found() {
        let walker = NodePath::straight([-100_000, 0], [36_000_000, 0], Time::ZERO);
        let station = NodePath::still([0, 0]);
        let distances = [60_000, 20_000].map(square_of);
        let mut times = vec![Time::ZERO];
        while let Some(at) = next_within(&walker, &station, &distances, times[times.len() - 1], END) {
            times.push(at);
        }
        // The node enters the ranges of 60 m and 20 m at 4 and 8 s, and leaves them one nanosecond after 12 and 16 s.
        let expected = [4_000_000_000, 8_000_000_000, 12_000_000_001, 16_000_000_001].map(Time::from_nanos);
        assert_eq!(times[1..], expected);
    }

    #[test]
    fn nearest_node_changes_at_the_hysteresis_ratio_of_distances() {
        let walker = NodePath::straight([0, 0], [3_600_000, 0], Time::ZERO);
        let (left, right) = (NodePath::still([0, 0]), NodePath::still([90_000, 0]));
        let change = |factor| next_nearer(&walker, [&right, &left], factor, Time::ZERO, END);
        assert_eq!(change(1.0), Some(Time::from_nanos(45_000_000_001)));
        // The factor is 4 for squares of distances: the change occurs at 60 m from one node and 30 m from the other.
        assert_eq!(change(4.0), Some(Time::from_nanos(60_000_000_001)));
    }

    /// Each change on random paths that sampling every 50 ms finds is predicted, and no other change is.
    #[test]
    fn predictions_agree_with_sampling() {
        let mut draws = Stream::named(3, 0, "crossing test").draws();
        let mut place = |most: u64| [0, 1].map(|_| i128::from(draws.next_u64() % most) - i128::from(most / 2));
        let mut changes = 0;
        for case in 0..40u64 {
            let mut path = || {
                let mut places = Vec::new();
                for leg in 1..6 {
                    places.push((Time::from_millis(leg * (1500 + 100 * (case % 7))), place(200_000)));
                }
                NodePath::through(place(200_000), &places)
            };
            let (a, b, c) = (path(), path(), path());
            let until = Time::from_millis(12_000);
            let relations: [(Holds<'_>, Next<'_>); 2] = [
                (&|now| is_within(&a, &b, square_of(60_000), now), &|after| {
                    next_within(&a, &b, &[square_of(60_000)], after, until)
                }),
                (&|now| is_nearer(&a, [&b, &c], 1.5, now), &|after| next_nearer(&a, [&b, &c], 1.5, after, until)),
            ];
            for (holds, next) in relations {
                let mut crossing = next(Time::ZERO);
                let mut holding = holds(Time::ZERO);
                for tick in 1..=240 {
                    let now = Time::from_millis(50 * tick);
                    while let Some(at) = crossing.filter(|at| *at <= now) {
                        let before = Time::from_nanos(at.as_nanos() - 1);
                        assert_eq!((holds(before), holds(at)), (holding, !holding), "case {case} at {at:?}");
                        (holding, crossing) = (!holding, next(at));
                        changes += 1;
                    }
                    assert_eq!(holds(now), holding, "case {case} at {now:?}");
                }
            }
        }
        assert!(changes > 100, "{changes}");
    }
}
