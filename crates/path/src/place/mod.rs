//! Positions of nodes, and the times at which pairs come into range or leave it: a plane, on which each node stands or
//! moves along straight lines.
//!
//! Positions are whole nanometres and distances are compared as whole squares of them, so whether a node is in range at
//! a given nanosecond is decided without rounding error and the same way everywhere. [`crossing`] finds the nanosecond
//! at which that changes. Equations and limits: docs/models/mobility.md.

pub mod crossing;

use engine::Time;
use serde::Serialize;

/// Nanometres in a millimetre.
const NANOMETRES: i128 = 1_000_000;
/// Nanoseconds in an hour.
const HOUR: i128 = 3_600_000_000_000;

/// A straight part of a way: `run` nanometres in each `over` nanoseconds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
struct Leg {
    from: Time,
    at: [i128; 2],
    run: [i128; 2],
    over: i128,
}

/// Where a node is at any time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Path {
    /// In order of time, the first from time zero.
    legs: Vec<Leg>,
}

impl Path {
    /// A node that stands at a place, in millimetres.
    pub fn still(at: [i128; 2]) -> Self {
        Path { legs: vec![Leg::still(Time::ZERO, at.map(|part| part * NANOMETRES))] }
    }

    /// A node that stands there until `from`, and then moves at `velocity`, in millimetres an hour along each axis.
    pub fn straight(at: [i128; 2], velocity: [i128; 2], from: Time) -> Self {
        let mut path = Path::still(at);
        let start = path.legs[0].at;
        path.legs.push(Leg { from, at: start, run: velocity.map(|part| part * NANOMETRES), over: HOUR });
        path
    }

    /// A node that is there at time zero and at each of these places at its time, moves straight between them, and
    /// stays at the last. Times rise, the first is after zero.
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
        Path { legs }
    }

    /// Whether it ever moves.
    pub fn moves(&self) -> bool {
        self.legs.iter().any(|leg| leg.run != [0, 0])
    }

    /// Where it is at a time, in nanometres.
    pub fn at(&self, now: Time) -> [i128; 2] {
        self.leg(now).at(now)
    }

    fn leg(&self, now: Time) -> &Leg {
        let begun = self.legs.partition_point(|leg| leg.from <= now);
        &self.legs[begun.saturating_sub(1)]
    }

    /// The first time after `now` at which another part of its way begins.
    fn turns(&self, now: Time) -> Option<Time> {
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

    /// Nanometres each nanosecond.
    fn velocity(&self) -> [f64; 2] {
        self.run.map(|run| run as f64 / self.over as f64)
    }
}

/// The square of the distance between two nodes, in square nanometres; of what is farther than any number, the largest
/// number.
pub fn square(a: &Path, b: &Path, now: Time) -> i128 {
    let (a, b) = (a.at(now), b.at(now));
    let part = |axis: usize| (a[axis] - b[axis]).saturating_mul(a[axis] - b[axis]);
    part(0).saturating_add(part(1))
}

/// The square of a length in millimetres, in square nanometres.
pub fn square_of(millimetres: u64) -> i128 {
    let nanometres = i128::from(millimetres) * NANOMETRES;
    nanometres.saturating_mul(nanometres)
}

/// The ratio of squared distances at which powers differ by `thousandths` of a decibel, if power falls with distance to
/// the power of `path_loss`: 10^(2 L / 10 n).
pub fn square_ratio(thousandths: u64, path_loss: f64) -> f64 {
    libm::pow(10.0, thousandths as f64 / (5_000.0 * path_loss))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_where_its_way_leads() {
        let path = Path::through(
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
        // 18 km/h, 5 m/s, from the second second on.
        let path = Path::straight([-5_000, 0], [18_000_000, 0], Time::from_millis(1000));
        let at = |millis| path.at(Time::from_millis(millis))[0] / NANOMETRES;
        assert_eq!([at(0), at(1000), at(2000), at(4000)], [-5_000, -5_000, 0, 10_000]);
    }

    #[test]
    fn ten_decibels_at_the_fourth_power_are_a_factor_of_1_78_in_distance() {
        // 10^(10 / 40) = 1.7783, its square 3.1623.
        assert!((square_ratio(10_000, 4.0) - 3.162_277_660_168_379_5).abs() < 1e-12);
    }
}
