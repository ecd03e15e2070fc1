//! `radio = "shared"` without effect: a station has one transmitter in each of its media in any case.

use sim::LinkSpec;

use super::Context;
use crate::problem::Problem;

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let Context { scenario, network, incidence, .. } = *context;
    let mut warnings = Vec::new();
    for (number, (name, _)) in scenario.nodes.iter().enumerate().filter(|(_, (_, node))| node.radio.is_shared()) {
        let air: Vec<&LinkSpec> = incidence.links(network, number).filter(|link| link.wireless).collect();
        if !air.is_empty() && air.iter().all(|link| link.medium.is_some()) {
            let text = format!(
                "no value: all wireless links of {name} are in media, where a station has one transmitter in any case"
            );
            let problem = Problem::new(text).key(format!("nodes.{name}.radio")).found("\"shared\"");
            warnings.push(problem.hint("leave it out"));
        }
    }
    warnings
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{assert_no_warnings, assert_only_warning, at_node, cell_network, modify_network};

    pub fn examples() -> [String; 2] {
        [cell_network("", "radio = \"shared\"", "", ""), at_node(&modify_network(&[]), "x", ", radio = \"shared\"")]
    }

    #[test]
    fn shared_radio_of_a_station_is_reported() {
        let [station, base_station] = examples();
        let parts = ["nodes.ap.radio: found \"shared\"", "all wireless links of ap are in media", "leave it out"];
        assert_only_warning(&station, &parts);
        assert_no_warnings(&base_station);
    }
}
