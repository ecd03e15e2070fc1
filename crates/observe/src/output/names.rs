//! The names of the objects to which events refer by number.

use std::borrow::Cow;

use engine::IdVec;
use sim::{Event, LinkId, Network};

/// Names by number.
pub(super) struct EventNames {
    pub nodes: Vec<String>,
    flows: Vec<String>,
    arrivals: Vec<String>,
    /// The arrival process of each flow that has arrived, in the order of their numbers, which follow the numbers of
    /// `flows`.
    arrived: Vec<u32>,
    pub links: IdVec<LinkId, (String, [usize; 2])>,
    /// The name of each medium, and the names of its stations.
    pub media: Vec<(String, Vec<String>)>,
}

impl EventNames {
    /// The names of a network.
    pub fn of(network: &Network) -> Self {
        EventNames {
            nodes: network.nodes.iter().map(|node| node.name.clone()).collect(),
            flows: network.flows.iter().map(|flow| flow.name.clone()).collect(),
            arrivals: network.arrivals.iter().map(|arrivals| arrivals.name.clone()).collect(),
            arrived: Vec::new(),
            links: network.links.iter().map(|link| (link.name.clone(), link.between)).collect(),
            media: (0..network.media.len()).map(|medium| name_stations(network, medium)).collect(),
        }
    }

    /// Follows the flows that arrive during the run; every event is to be passed.
    pub fn observe(&mut self, event: &Event) {
        if let Event::FlowArrived { arrivals, .. } = event {
            self.arrived.push(*arrivals);
        }
    }

    /// Returns the name of a flow. For a flow that arrived it consists of the process and the flow's number.
    pub fn flow(&self, number: u32) -> Cow<'_, str> {
        let arrived = (number as usize).checked_sub(self.flows.len());
        match arrived {
            None => Cow::Borrowed(&self.flows[number as usize]),
            Some(at) => {
                let name = self.arrived.get(at).and_then(|process| self.arrivals.get(*process as usize));
                Cow::Owned(format!("{}#{number}", name.map_or("flow", String::as_str)))
            }
        }
    }
}

/// Returns the name of a medium, and the names of its stations.
fn name_stations(network: &Network, medium: usize) -> (String, Vec<String>) {
    let stations = network.stations(medium).into_iter().map(|node| network.nodes[node].name.clone());
    (network.media[medium].name.clone(), stations.collect())
}
