//! Positions and motions without effect, as no medium of the node's links has a range. There is one warning per medium.

use sim::network::MediumSpec;

use super::Context;
use crate::problem::{Problem, join_names};

pub(super) fn check(context: &Context<'_>) -> Vec<Problem> {
    let Context { scenario, network, incidence, .. } = *context;
    let mut warnings = Vec::new();
    let mut idle: Vec<(&MediumSpec, Vec<&str>)> = network.media.iter().map(|medium| (medium, Vec::new())).collect();
    for (number, node) in network.nodes.iter().enumerate().filter(|(_, node)| node.place.is_some()) {
        let mut media = incidence.links(network, number).filter_map(|link| link.medium);
        if media.clone().any(|medium| network.media[medium].config.range.is_some()) {
            continue;
        }
        if let Some(medium) = media.next() {
            idle[medium].1.push(&node.name);
            continue;
        }
        let moves = scenario.nodes.get(&node.name).is_some_and(|node| node.motion.is_some());
        let key = format!("nodes.{}.{}", node.name, if moves { "motion" } else { "position" });
        let text = format!(
            "no effect: {} has no link in a medium, and positions matter only within a medium's `range`",
            node.name
        );
        warnings.push(Problem::new(text).key(key).hint("leave it out, or write medium = \"NAME\" in a wireless link"));
    }
    for (medium, stations) in idle.iter().filter(|(_, stations)| !stations.is_empty()) {
        let text = format!(
            "no `range`: all stations receive each other at any distance, so positions and motion of {} have no effect",
            join_names(stations)
        );
        let hint = format!("write range = \"250 m\" in [media.{}], or leave out the positions", medium.name);
        warnings.push(Problem::new(text).key(format!("media.{}", medium.name)).hint(hint));
    }
    warnings
}

#[cfg(test)]
pub(super) mod tests {
    use crate::lint::testing::{HERE, NEAR, assert_no_warnings, assert_only_warning, cell_network, list_warnings};

    pub fn examples() -> [String; 2] {
        [cell_network("", HERE, NEAR, ""), cell_network("range = \"100 m\"", HERE, NEAR, "")]
    }

    #[test]
    fn positions_without_a_range_are_reported_once_for_a_medium() {
        let leaves = format!("{NEAR}, motion = {{ velocity = [\"500 m/s\", \"0 m/s\"] }}");
        let parts =
            ["media.cell: no `range`", "of ap and laptop have no effect", "write range = \"250 m\" in [media.cell]"];
        assert_only_warning(&cell_network("", HERE, &leaves, ""), &parts);
        assert_only_warning(&cell_network("", "", NEAR, ""), &["media.cell", "of laptop have no effect"]);
        assert_no_warnings(&cell_network("range = \"100 m\"", HERE, NEAR, ""));
        assert_no_warnings(&cell_network("", "", "", ""));
    }

    #[test]
    fn positions_of_nodes_without_a_medium_are_reported() {
        let text = r#"
            duration = "10 s"
            nodes.a = { kind = "host", position = ["0 m", "0 m"] }
            nodes.b = { kind = "host", position = ["0 m", "0 m"], motion = { velocity = ["1 m/s", "0 m/s"] } }
            links.wire = { kind = "wired", between = ["a", "b"], rate = "1 Mbps", delay = "5 ms" }
            flows.down = { from = "a", to = "b", bytes = "1 kB" }
        "#;
        let warnings = list_warnings(text);
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        assert!(warnings[0].starts_with("nodes.a.position: no effect: a has no link in a medium"), "{warnings:?}");
        assert!(warnings[1].starts_with("nodes.b.motion: no effect"), "{warnings:?}");
    }
}
