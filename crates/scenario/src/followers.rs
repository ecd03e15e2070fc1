//! Which nodes of a network a scheme asks to follow it.

use std::collections::HashSet;

use indexmap::IndexSet;
use path::agent::{Place, Traits, Transfer};

use super::model::{LinkKind, Node, Scenario};

/// What a scheme asks of a network, for all its flows together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Asked {
    /// The places, each once; none if the scheme does nothing for these flows.
    pub places: Vec<Place>,
    /// The nodes in them, by name.
    pub nodes: IndexSet<String>,
}

/// Answers for one scenario: a pass over its flows for each answer that differs, however many nodes ask.
pub struct Followers<'a> {
    /// Of each flow its ends, and the ways in which its data crosses the air.
    flows: Vec<([&'a str; 2], &'static [Transfer])>,
    stations: Vec<&'a str>,
    /// By the places that a scheme asks for downloads, and for uploads.
    known: Vec<([&'static [Place]; 2], Asked)>,
}

impl<'a> Followers<'a> {
    /// Of a scenario.
    pub fn new(scenario: &'a Scenario) -> Self {
        let air = scenario.links.values().filter(|link| link.kind == LinkKind::Wireless);
        let radios: HashSet<&str> = air.flat_map(|link| &link.between).map(String::as_str).collect();
        let flows = scenario.flows.values().map(|flow| {
            let ends = [flow.from.as_str(), flow.to.as_str()];
            (ends, directions(ends.map(|end| radios.contains(end))))
        });
        let stations = scenario.nodes.iter().filter(|(_, node)| node.kind.is_base_station());
        Followers {
            flows: flows.collect(),
            stations: stations.map(|(name, _)| name.as_str()).collect(),
            known: Vec::new(),
        }
    }

    /// What a scheme with these traits asks.
    pub fn asked(&mut self, traits: &Traits) -> &Asked {
        let places = [traits.changes, traits.uploads];
        let known = self.known.iter().position(|(of, _)| *of == places).unwrap_or_else(|| {
            self.known.push((places, self.search(traits)));
            self.known.len() - 1
        });
        &self.known[known].1
    }

    fn search(&self, traits: &Traits) -> Asked {
        let mut asked = Asked::default();
        for ([from, to], directions) in &self.flows {
            for place in directions.iter().flat_map(|direction| traits.places(*direction)) {
                let first = !asked.places.contains(place);
                if first {
                    asked.places.push(*place);
                }
                match place {
                    Place::Sender => drop(asked.nodes.insert((*from).to_owned())),
                    Place::Receiver => drop(asked.nodes.insert((*to).to_owned())),
                    // The same for every flow.
                    Place::BaseStation if first => {
                        asked.nodes.extend(self.stations.iter().map(|name| (*name).to_owned()));
                    }
                    Place::BaseStation => {}
                }
            }
        }
        asked
    }
}

/// The ways in which a flow's data crosses the air, by whether its ends have a radio: from a host with one, and to one; to
/// the far station if neither has one.
fn directions(radio: [bool; 2]) -> &'static [Transfer] {
    match radio {
        [true, true] => &[Transfer::Download, Transfer::Upload],
        [true, false] => &[Transfer::Upload],
        [false, _] => &[Transfer::Download],
    }
}

/// What a scheme with these traits asks.
pub fn asked(scenario: &Scenario, traits: &Traits) -> Asked {
    Followers::new(scenario).asked(traits).clone()
}

/// Kinds of nodes in words: "sender, base station".
pub fn in_words(places: &[Place]) -> String {
    places.iter().map(|place| place.name()).collect::<Vec<_>>().join(", ")
}

/// The key that gives a node its scheme: its own, or that of the scenario.
pub(crate) fn scheme_key(name: &str, node: &Node) -> String {
    if node.scheme.is_some() { format!("nodes.{name}.scheme") } else { "scheme".to_owned() }
}
