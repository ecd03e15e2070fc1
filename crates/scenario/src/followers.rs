//! The nodes of a network at which a scheme needs an agent.

use std::collections::HashSet;

use indexmap::IndexSet;
use path::agent::{SchemeNode, Traits, TransferDirection};

use super::model::{LinkKind, Node, Scenario};

/// The requirements of a scheme for all flows of a network.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SchemeRequirements {
    /// The kinds of places, each once; empty if the scheme has no effect for these flows.
    pub places: Vec<SchemeNode>,
    /// Names of the nodes at these places.
    pub nodes: IndexSet<String>,
}

/// The requirements of schemes in one scenario. They are cached: one pass over the flows serves all schemes with the
/// same places.
pub struct Followers<'a> {
    /// The ends of each flow, and the directions in which the flow's data crosses radio links.
    flows: Vec<([&'a str; 2], &'static [TransferDirection])>,
    stations: Vec<&'a str>,
    /// Requirements by the places that a scheme needs for downloads, and for uploads.
    known: Vec<([&'static [SchemeNode]; 2], SchemeRequirements)>,
}

impl<'a> Followers<'a> {
    /// Creates the index of a scenario.
    pub fn new(scenario: &'a Scenario) -> Self {
        let air = scenario.links.values().filter(|link| link.kind == LinkKind::Wireless);
        let radios: HashSet<&str> = air.flat_map(|link| &link.between).map(String::as_str).collect();
        let flows = scenario.flows.values().map(|flow| {
            let ends = [flow.from.as_str(), flow.to.as_str()];
            (ends, radio_directions(ends.map(|end| radios.contains(end))))
        });
        let stations = scenario.nodes.iter().filter(|(_, node)| node.kind.is_base_station());
        Followers {
            flows: flows.collect(),
            stations: stations.map(|(name, _)| name.as_str()).collect(),
            known: Vec::new(),
        }
    }

    /// The requirements of a scheme with these traits.
    pub fn requirements(&mut self, traits: &Traits) -> &SchemeRequirements {
        let places = [traits.changes, traits.uploads];
        let known = self.known.iter().position(|(of, _)| *of == places).unwrap_or_else(|| {
            self.known.push((places, self.search(traits)));
            self.known.len() - 1
        });
        &self.known[known].1
    }

    fn search(&self, traits: &Traits) -> SchemeRequirements {
        let mut asked = SchemeRequirements::default();
        for ([from, to], directions) in &self.flows {
            for place in directions.iter().flat_map(|direction| traits.places(*direction)) {
                let first = !asked.places.contains(place);
                if first {
                    asked.places.push(*place);
                }
                match place {
                    SchemeNode::Sender => drop(asked.nodes.insert((*from).to_owned())),
                    SchemeNode::Receiver => drop(asked.nodes.insert((*to).to_owned())),
                    // Independent of the flow.
                    SchemeNode::BaseStation if first => {
                        asked.nodes.extend(self.stations.iter().map(|name| (*name).to_owned()));
                    }
                    SchemeNode::BaseStation => {}
                }
            }
        }
        asked
    }
}

/// Returns the directions in which a flow's data crosses radio links. `radio` states which ends of the flow have a
/// radio. Data leaves a sending host with a radio and arrives at a receiving host with a radio. If neither end has a
/// radio, data goes to the far station.
fn radio_directions(radio: [bool; 2]) -> &'static [TransferDirection] {
    match radio {
        [true, true] => &[TransferDirection::Download, TransferDirection::Upload],
        [true, false] => &[TransferDirection::Upload],
        [false, _] => &[TransferDirection::Download],
    }
}

/// The requirements of a scheme with these traits.
pub fn find_requirements(scenario: &Scenario, traits: &Traits) -> SchemeRequirements {
    Followers::new(scenario).requirements(traits).clone()
}

/// Kinds of nodes in words: "sender, base station".
pub fn name_places(places: &[SchemeNode]) -> String {
    places.iter().map(|place| place.name()).collect::<Vec<_>>().join(", ")
}

/// The key that sets the scheme of a node: at the node, or at the top of the scenario.
pub(crate) fn scheme_key(name: &str, node: &Node) -> String {
    if node.scheme.is_some() { format!("nodes.{name}.scheme") } else { "scheme".to_owned() }
}
