//! Links whose ends are out of range of each other at the start, or throughout the run.

use super::Context;
use crate::geometry::{ends_with_range, ever_in_range, in_range_at_first};
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let network = context.network;
    let mut warnings = Vec::new();
    for link in &network.links {
        let Some(ends) = ends_with_range(network, link) else { continue };
        let mobile = link.between.iter().any(|node| network.nodes[*node].association.is_some());
        let text = match (ever_in_range(ends, network), in_range_at_first(ends)) {
            (false, _) => "its ends are out of range of each other for the whole run: it carries nothing",
            (true, false) if !mobile => "its ends are out of range of each other at the start",
            _ => continue,
        };
        warnings.push(Problem::new(text).key(format!("links.{}", link.name)));
    }
    warnings
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{HERE, NEAR, assert_no_warnings, assert_only_warning, cell_network};

    /// The laptop approaches the access point from this distance, at 5 m/s for 10 s.
    fn comes_from(metres: u32) -> String {
        let motion = "motion = { velocity = [\"-5 m/s\", \"0 m/s\"] }";
        cell_network("range = \"100 m\"", HERE, &format!("position = [\"{metres} m\", \"0 m\"], {motion}"), "")
    }

    pub fn examples() -> [String; 2] {
        [comes_from(120), comes_from(80)]
    }

    #[test]
    fn link_out_of_range_at_first_is_reported() {
        assert_only_warning(&comes_from(120), &["links.air: ", "out of range of each other at the start"]);
        assert_no_warnings(&comes_from(100));
    }

    /// The laptop has two access points and is in the range of one.
    #[test]
    fn link_out_of_range_all_the_time_is_reported() {
        let far = "far = { kind = \"base-station\", position = [\"900 m\", \"0 m\"] }";
        let link = "second = { kind = \"wireless\", between = [\"far\", \"laptop\"], medium = \"cell\" }";
        let text = cell_network("range = \"100 m\"", HERE, NEAR, "");
        let text = text.replace("[media]", &format!("{far}\n[media]")).replace("[flows]", &format!("{link}\n[flows]"));
        assert_only_warning(&text, &["links.second: ", "for the whole run: it carries nothing"]);
    }
}
