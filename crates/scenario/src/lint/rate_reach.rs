//! Links with a fixed rate whose ends are in range, but never close enough for that rate.

use engine::{Length, Rate};
use path::place::square_of;
use sim::LinkSpec;

use super::Context;
use crate::geometry::{ends_with_range, ever_within, in_three_digits, minimum_distance};
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let network = context.network;
    let directions = network.links.iter().flat_map(|link| link.distinct().map(move |direction| (link, direction)));
    directions.filter_map(|(link, direction)| too_fast(context, link, direction)).collect()
}

fn too_fast(context: &Context<'_>, link: &LinkSpec, direction: usize) -> Option<Problem> {
    let (network, spec) = (context.network, link.direction(direction));
    let medium = &network.media[link.medium?];
    let (standard, ranges) = (medium.config.standard, medium.config.ranges()?);
    let fixed = medium.config.rate_control().traits().fixed;
    let rate = spec.medium_rate.unwrap_or(medium.config.data_rate());
    let (ends, range) = ends_with_range(network, link)?;
    let arrives = |rate: Rate| ever_within(ends, ranges.square_at(rate) as i128, network);
    // Links out of range at every rate are reported by another lint.
    if !fixed || arrives(rate) || !ever_within(ends, square_of(range.0), network) {
        return None;
    }
    let reach = |rate: Rate| Length((ranges.square_at(rate).sqrt() / NANOMETRES) as u64);
    let nearest = minimum_distance(ends, network);
    let about = |length: Length| in_three_digits(length)[0];
    // Lengths that are equal in three digits are shown in full.
    let [near, far] = match [about(nearest), about(reach(rate))] {
        [near, far] if near > far => [near, far],
        _ => [nearest, reach(rate)],
    };
    let [a, b] = link.between.map(|node| &network.nodes[node].name);
    let expected = format!(
        "a slower one: at {rate} the range is {far}, and the distance of {a} and {b} is at least {near}: nothing arrives"
    );
    let key =
        if spec.medium_rate.is_some() { context.key(link, direction, "rate") } else { format!("links.{}", link.name) };
    let found = spec.medium_rate.map(|rate| rate.to_string());
    let slower = standard.modes().iter().rev().map(|mode| mode.rate).find(|slower| arrives(*slower));
    let expected = if found.is_some() { expected } else { format!("its rate should be {expected}") };
    let problem = Problem { found, ..Problem::new(expected).key(key) };
    let control = format!("rate_control = \"minstrel\" in [media.{}]", medium.name);
    Some(problem.hint(match slower {
        Some(slower) => format!("write rate = \"{slower}\", which reaches {}, or {control}", about(reach(slower))),
        None => format!("write {control}"),
    }))
}

/// Nanometres in a millimetre.
const NANOMETRES: f64 = 1e6;

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{HERE, assert_no_warnings, assert_only_warning, cell_network};

    /// A cell of 802.11a whose lowest rate reaches 100 m.
    fn reach(media: &str, laptop: &str, air: &str) -> String {
        let media = format!("standard = \"802.11a\", range = \"100 m\", range_of = \"lowest-rate\", {media}");
        cell_network(&media, HERE, laptop, air)
    }

    fn at(metres: &str) -> String {
        format!("position = [\"{metres} m\", \"0 m\"]")
    }

    pub fn examples() -> [String; 2] {
        ["60", "37.58"].map(|metres| reach("", &at(metres), ""))
    }

    /// By hand: 54 Mbps need 17 dB more than 6 Mbps, 36 Mbps need 12 dB more, and 24 Mbps need 8 dB more. With the
    /// fourth power of the distance the ranges are 100 m x 10^(-17/40) = 37.58 m, 50.12 m and 63.10 m.
    #[test]
    fn fixed_rate_that_does_not_reach_is_reported() {
        assert_only_warning(
            &reach("", &at("60"), ""),
            &[
                "links.air: ",
                "at 54 Mbps the range is 37.6 m, and the distance of ap and laptop is at least 60 m: nothing arrives",
                "write rate = \"24 Mbps\", which reaches 63.1 m, or rate_control = \"minstrel\" in [media.cell]",
            ],
        );
        let slower = "links.air.rate: found 48 Mbps, expected a slower one: at 48 Mbps the range is 39.8 m";
        assert_only_warning(&reach("", &at("60"), "rate = \"48 Mbps\""), &[slower]);
        // 37.58 m and 37.59 m are equal in three digits.
        assert_only_warning(&reach("", &at("37.59"), ""), &["range is 37.583 m", "at least 37.59 m"]);
        for (media, metres) in [("", "37.58"), ("rate_control = \"arf\"", "60"), ("rate = \"6 Mbps\"", "100")] {
            assert_no_warnings(&reach(media, &at(metres), ""));
        }
        assert_no_warnings(&cell_network("standard = \"802.11a\", range = \"100 m\"", HERE, &at("60"), ""));
    }

    /// In ten seconds the mobile comes 30 m nearer and then receives 54 Mbps; with 23 m it does not.
    #[test]
    fn smallest_distance_during_the_run_counts() {
        let walks = |speed: &str| {
            let motion = format!("motion = {{ velocity = [\"-{speed} m/s\", \"0 m/s\"] }}");
            reach("", &format!("{}, {motion}", at("61")), "")
        };
        assert_no_warnings(&walks("3"));
        assert_only_warning(&walks("2.3"), &["is at least 38 m"]);
    }
}
