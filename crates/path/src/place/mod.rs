//! Positions of nodes on a plane, and the times at which pairs come into range or leave it. Each node stands still or
//! moves along straight lines.
//!
//! Positions are integers in nanometres, and distances are compared as integer squares, so whether a node is in range
//! at a given nanosecond is exact and the same on all platforms. [`crossing`] finds the nanosecond at which that
//! changes. Equations and limits: docs/models/mobility.md.

pub mod crossing;

use engine::Time;
use serde::Serialize;

/// Number of nanometres in a millimetre.
const NANOMETRES: i128 = 1_000_000;
/// Number of nanoseconds in an hour.
const HOUR: i128 = 3_600_000_000_000;

/// A straight part of a path: `run` nanometres in `over` nanoseconds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
struct Leg {
    from: Time,
    at: [i128; 2],
    run: [i128; 2],
    over: i128,
}

/// The position of a node as a function of time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NodePath {
    /// Parts of the path in chronological order, the first from time zero.
    legs: Vec<Leg>,
}

impl NodePath {
    /// Returns the path of a node that stands still at a position, in millimetres.
    pub fn still(at: [i128; 2]) -> Self {
        NodePath { legs: vec![Leg::still(Time::ZERO, at.map(|part| part * NANOMETRES))] }
    }

    /// Returns the path of a node that stands still at `at` until `from`, then moves at `velocity`, in millimetres per
    /// hour along each axis.
    pub fn straight(at: [i128; 2], velocity: [i128; 2], from: Time) -> Self {
        let mut path = NodePath::still(at);
        let start = path.legs[0].at;
        path.legs.push(Leg { from, at: start, run: velocity.map(|part| part * NANOMETRES), over: HOUR });
        path
    }

    /// Returns the path of a node that starts at `at`, moves in straight lines to each of the positions by its time,
    /// and stops at the last. Times must be positive and ascending.
    pub fn through(at: [i128; 2], places: &[(Time, [i128; 2])]) -> Self {
        let mut from = (Time::ZERO, at.map(|part| part * NANOMETRES));
        let mut legs = Vec::new();
        for (until, place) in places {
            let place = place.map(|part| part * NANOMETRES);
            let run = [place[0] - from.1[0], place[1] - from.1[1]];
            let over = i128::from(until.since(from.0).as_nanos()).max(1);
            legs.push(Leg { from: from.0, at: from.1, run, over });
            from = (*until, place);
        }
        legs.push(Leg::still(from.0, from.1));
        NodePath { legs }
    }

    /// Returns true if the node ever moves.
    pub fn moves(&self) -> bool {
        self.legs.iter().any(|leg| leg.run != [0, 0])
    }

    /// Returns the position at a time, in nanometres.
    pub fn at(&self, now: Time) -> [i128; 2] {
        self.leg(now).at(now)
    }

    fn leg(&self, now: Time) -> &Leg {
        let begun = self.legs.partition_point(|leg| leg.from <= now);
        &self.legs[begun.saturating_sub(1)]
    }

    /// Returns the first time after `now` at which another part of the path begins.
    pub fn next_turn(&self, now: Time) -> Option<Time> {
        let begun = self.legs.partition_point(|leg| leg.from <= now);
        self.legs.get(begun).map(|leg| leg.from)
    }
}

impl Leg {
    fn still(from: Time, at: [i128; 2]) -> Self {
        Leg { from, at, run: [0, 0], over: 1 }
    }

    fn at(&self, now: Time) -> [i128; 2] {
        let passed = i128::from(now.since(self.from).as_nanos());
        [0, 1].map(|axis| self.at[axis] + (self.run[axis] * passed).div_euclid(self.over))
    }

    /// Returns the velocity in nanometres per nanosecond.
    fn velocity(&self) -> [f64; 2] {
        self.run.map(|run| run as f64 / self.over as f64)
    }
}

/// Returns the square of the distance between two nodes, in square nanometres; saturates at the largest integer.
pub fn squared_distance(a: &NodePath, b: &NodePath, now: Time) -> i128 {
    let (a, b) = (a.at(now), b.at(now));
    let part = |axis: usize| (a[axis] - b[axis]).saturating_mul(a[axis] - b[axis]);
    part(0).saturating_add(part(1))
}

/// Returns the square of a length in millimetres, in square nanometres.
pub fn square_of(millimetres: u64) -> i128 {
    let nanometres = i128::from(millimetres) * NANOMETRES;
    nanometres.saturating_mul(nanometres)
}

/// Returns the ratio of squared distances at which received powers differ by `thousandths` of a decibel, with the path
/// loss exponent `path_loss`: 10^(2 L / 10 n).
pub fn square_ratio(thousandths: u64, path_loss: f64) -> f64 {
    libm::pow(10.0, thousandths as f64 / (5_000.0 * path_loss))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_follows_the_path() {
        let path = NodePath::through(
            [0, 0],
            &[
                (Time::from_millis(1000), [10_000, 0]),
                (Time::from_millis(2000), [10_000, 0]),
                (Time::from_millis(4000), [10_000, 4_000]),
            ],
        );
        let at = |millis| path.at(Time::from_millis(millis)).map(|part| part / NANOMETRES);
        assert_eq!(
            [at(0), at(500), at(1500), at(3000), at(9000)].concat(),
            [0, 0, 5000, 0, 10_000, 0, 10_000, 2000, 10_000, 4000]
        );
        // 18 km/h (5 m/s), starting at 1 s.
        let path = NodePath::straight([-5_000, 0], [18_000_000, 0], Time::from_millis(1000));
        let at = |millis| path.at(Time::from_millis(millis))[0] / NANOMETRES;
        assert_eq!([at(0), at(1000), at(2000), at(4000)], [-5_000, -5_000, 0, 10_000]);
    }

    #[test]
    fn ten_decibels_with_exponent_four_are_a_distance_ratio_of_1_78() {
        // 10^(10 / 40) = 1.7783, its square 3.1623.
        assert!((square_ratio(10_000, 4.0) - 3.162_277_660_168_379_5).abs() < 1e-12);
    }
}
