//! Names of nodes, links and flows, because events carry only their numbers.

use engine::IdVec;
use observation::CapturedConnection;
use observation::hop_timing::HopTimings;
use path::agent::SchemeAction;
use sim::{FlowId, LinkId, Network, NodeId};

/// Names and settings that belong to the numbers in events.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// Names of nodes; the index is the node's number.
    pub nodes: Vec<String>,
    /// The actions that pictures mark of each node's scheme.
    pub actions: IdVec<NodeId, &'static [SchemeAction]>,
    /// Links.
    pub links: IdVec<LinkId, LinkDescription>,
    /// Transmission times and delays of the links' directions.
    pub hops: HopTimings,
    /// Flows.
    pub flows: IdVec<FlowId, FlowDescription>,
}

/// Name and ends of a link.
#[derive(Clone, PartialEq, Debug)]
pub struct LinkDescription {
    /// The link's name.
    pub name: String,
    /// Numbers of the nodes that the link joins. The forward direction is from the first to the second.
    pub between: [usize; 2],
}

/// Name, end points and segment size of a flow.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowDescription {
    /// The flow's name.
    pub name: String,
    /// Number of the sending node.
    pub from: usize,
    /// Number of the receiving node.
    pub to: usize,
    /// Bytes of data in a full segment.
    pub segment: u32,
    /// The advertised receive window in bytes; `None` if it varies or is unknown.
    pub receiver_window: Option<u64>,
}

impl Description {
    /// Returns the description of a network.
    pub fn of(network: &Network) -> Self {
        let flow = |flow: &sim::FlowSpec| FlowDescription {
            name: flow.name.clone(),
            from: flow.from,
            to: flow.to,
            segment: flow.tcp.segment,
            receiver_window: flow.tcp.window.fixed(),
        };
        let link = |link: &sim::LinkSpec| LinkDescription { name: link.name.clone(), between: link.between };
        Description {
            nodes: network.nodes.iter().map(|node| node.name.clone()).collect(),
            actions: network.nodes.iter().map(|node| node.agent.traits().actions).collect(),
            links: network.links.iter().map(link).collect(),
            hops: HopTimings::of(network),
            flows: network.flows.iter().map(flow).collect(),
        }
    }

    /// Returns the description of a captured connection, with one link between both ends.
    pub fn of_capture(connection: &CapturedConnection) -> Self {
        let [from, to] = [0, 1];
        Description {
            nodes: connection.ends.to_vec(),
            actions: vec![[].as_slice(), &[]].into(),
            links: vec![LinkDescription { name: "path".to_owned(), between: [from, to] }].into(),
            hops: HopTimings::of_capture(connection),
            flows: vec![FlowDescription {
                name: connection.name.clone(),
                from,
                to,
                segment: connection.segment,
                receiver_window: connection.receive_window.value(),
            }]
            .into(),
        }
    }

    /// Returns the description of a flow; for an unknown flow a name made from its number and a segment size of 1 byte.
    pub(crate) fn flow(&self, flow: FlowId) -> FlowDescription {
        let unknown = || FlowDescription {
            name: format!("flow {}", flow.number()),
            from: usize::MAX,
            to: usize::MAX,
            segment: 1,
            receiver_window: None,
        };
        self.flows.get(flow).cloned().unwrap_or_else(unknown)
    }

    /// Returns a node's name; "?" if the node is unknown.
    pub(crate) fn node(&self, number: usize) -> &str {
        self.nodes.get(number).map_or("?", String::as_str)
    }
}
