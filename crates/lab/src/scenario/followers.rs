//! Which nodes of a network a scheme asks to follow it.

use path::agent::{Direction, Place, Traits};

use super::model::{LinkKind, NodeKind, Scenario};

/// What a scheme asks of a network, for all its flows together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Asked {
    /// The places, each once; none if the scheme does nothing for these flows.
    pub places: Vec<Place>,
    /// The nodes in them, by name, each once.
    pub nodes: Vec<String>,
}

/// The ways in which a flow's data crosses the air: from a host with a radio, and to one; to the far station if neither
/// has one.
fn directions(scenario: &Scenario, from: &str, to: &str) -> Vec<Direction> {
    let radio = |node: &str| {
        let mut links = scenario.links.values();
        links.any(|link| link.kind == LinkKind::Wireless && link.between.iter().any(|end| end == node))
    };
    match (radio(from), radio(to)) {
        (true, true) => vec![Direction::Download, Direction::Upload],
        (true, false) => vec![Direction::Upload],
        (false, _) => vec![Direction::Download],
    }
}

/// What a scheme with these traits asks.
pub fn asked(scenario: &Scenario, traits: &Traits) -> Asked {
    let mut asked = Asked::default();
    let stations = || scenario.nodes.iter().filter(|(_, node)| node.kind == NodeKind::BaseStation);
    for flow in scenario.flows.values() {
        for direction in directions(scenario, &flow.from, &flow.to) {
            for &place in traits.places(direction) {
                push(&mut asked.places, place);
                match place {
                    Place::Sender => push(&mut asked.nodes, flow.from.clone()),
                    Place::Receiver => push(&mut asked.nodes, flow.to.clone()),
                    Place::BaseStation => stations().for_each(|(name, _)| push(&mut asked.nodes, name.clone())),
                }
            }
        }
    }
    asked
}

fn push<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

#[cfg(test)]
mod tests {
    use path::agent::AgentConfig;

    use super::*;
    use crate::compare::paths;
    use crate::scenario::Document;
    use crate::scenario::document::by_name;

    #[test]
    fn who_follows_a_scheme_depends_on_the_direction() {
        let nodes = |path: &str, scheme: &str| {
            let path = paths::named(&[path.to_owned()]).unwrap().remove(0);
            let scenario = Document::parse("p", path.text.as_bytes()).unwrap().read().unwrap();
            let config: AgentConfig = by_name(scheme).unwrap();
            asked(&scenario, &config.traits()).nodes.join(" ")
        };
        for (scheme, download, upload) in [
            ("unmodified", "", ""),
            ("refined-icmp", "server station", "mobile"),
            ("snoop", "station", ""),
            ("eln", "", "mobile station"),
            ("packet-control", "station", "mobile"),
            ("tack", "mobile", "station"),
            ("freeze-tcp", "mobile", ""),
            ("split", "station", "station"),
        ] {
            assert_eq!(
                (nodes("lan-bursts", scheme), nodes("lan-upload", scheme)),
                (download.into(), upload.into()),
                "{scheme}"
            );
        }
    }
}
