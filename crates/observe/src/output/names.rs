//! The names of the objects to which events refer by number.

use std::borrow::Cow;

use engine::IdVec;
use sim::{ArrivalsId, Event, FlowId, LinkId, MediumId, MediumStationId, Network, NodeId};

/// Names by number.
pub(super) struct EventNames {
    pub nodes: IdVec<NodeId, String>,
    flows: IdVec<FlowId, String>,
    arrivals: IdVec<ArrivalsId, String>,
    /// The arrival process of each flow that has arrived, in the order of the flows' numbers, which follow the numbers
    /// of `flows`.
    arrived: Vec<ArrivalsId>,
    pub links: IdVec<LinkId, (String, [NodeId; 2])>,
    /// The name of each medium, and the names of its stations.
    pub media: IdVec<MediumId, (String, IdVec<MediumStationId, String>)>,
}

impl EventNames {
    /// The names of a network.
    pub fn of(network: &Network) -> Self {
        EventNames {
            nodes: network.nodes.iter().map(|node| node.name.clone()).collect(),
            flows: network.flows.iter().map(|flow| flow.name.clone()).collect(),
            arrivals: network.arrivals.iter().map(|arrivals| arrivals.name.clone()).collect(),
            arrived: Vec::new(),
            links: network.links.iter().map(|link| (link.name.clone(), link.between.map(NodeId::from_index))).collect(),
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
    pub fn flow(&self, flow: FlowId) -> Cow<'_, str> {
        if let Some(name) = self.flows.get(flow) {
            return Cow::Borrowed(name);
        }
        let process = self.arrived.get(flow.index() - self.flows.len());
        let name = process.and_then(|process| self.arrivals.get(*process)).map_or("flow", String::as_str);
        Cow::Owned(format!("{name}#{}", flow.number()))
    }
}

/// Returns the name of a medium, and the names of its stations.
fn name_stations(network: &Network, medium: usize) -> (String, IdVec<MediumStationId, String>) {
    let stations = network.stations(medium).into_iter().map(|node| network.nodes[node].name.clone());
    (network.media[medium].name.clone(), stations.collect())
}
