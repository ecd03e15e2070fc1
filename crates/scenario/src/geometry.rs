//! Distances between the ends of links during a whole run.

use engine::{Length, Time};
use path::place::crossing::{is_within, next_within};
use path::place::{NodePath, square_of};
use sim::{LinkSpec, Network};

/// Farther than around the earth, in millimetres.
pub(crate) const FARTHEST: i128 = 100_000_000_000;

/// Paths of a link's ends, and the range of its medium, if any.
pub(crate) fn ends_with_range<'a>(network: &'a Network, link: &LinkSpec) -> Option<([&'a NodePath; 2], Length)> {
    let range = network.media[link.medium?].config.range?;
    let [a, b] = link.between.map(|node| network.nodes[node].place.as_ref());
    Some(([a?, b?], range))
}

/// Whether the ends of a link are in range of each other at the start of the run.
pub(crate) fn in_range_at_first(([a, b], range): ([&NodePath; 2], Length)) -> bool {
    is_within(a, b, square_of(range.0), Time::ZERO)
}

/// Whether the ends of a link are in range of each other at any time.
pub(crate) fn ever_in_range((ends, range): ([&NodePath; 2], Length), network: &Network) -> bool {
    ever_within(ends, square_of(range.0), network)
}

/// Whether the ends of a link are within a distance at any time; the distance is given as its square.
pub(crate) fn ever_within([a, b]: [&NodePath; 2], most: i128, network: &Network) -> bool {
    let end = Time::ZERO + network.duration;
    is_within(a, b, most, Time::ZERO) || next_within(a, b, &[most], Time::ZERO, end).is_some()
}

/// The minimum distance of a link's ends, rounded up to a millimetre.
pub(crate) fn minimum_distance(ends: [&NodePath; 2], network: &Network) -> Length {
    let comes = |distance: u64| ever_in_range((ends, Length(distance)), network);
    // Their initial distance is at most the diagonal of the plane.
    let (mut too_near, mut near_enough) = (0, 3 * FARTHEST as u64);
    while near_enough - too_near > 1 {
        let middle = too_near + (near_enough - too_near) / 2;
        if comes(middle) { near_enough = middle } else { too_near = middle }
    }
    Length(near_enough)
}

/// A length rounded up to three digits.
pub(crate) fn in_three_digits(length: Length) -> [Length; 2] {
    let step = 10u64.pow(length.0.max(1).ilog10().saturating_sub(2));
    [(length.0 + step / 2) / step, length.0.div_ceil(step)].map(|steps| Length(steps * step))
}
