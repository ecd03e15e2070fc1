//! Names and numbers that events do not carry.

use sim::Network;

/// What the numbers in events stand for.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Description {
    /// Names of nodes, by number.
    pub nodes: Vec<String>,
    /// Names of links, by number.
    pub links: Vec<String>,
    /// Flows, by number.
    pub flows: Vec<FlowDescription>,
}

/// A flow.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowDescription {
    /// Its name.
    pub name: String,
    /// The number of the node that sends.
    pub from: usize,
    /// The number of the node that receives.
    pub to: usize,
    /// Bytes of data in a full segment.
    pub segment: u32,
    /// The window the receiver advertises, in bytes, if it is always the same.
    pub receiver_window: Option<u64>,
}

impl Description {
    /// The description of a network.
    pub fn of(network: &Network) -> Self {
        let flow = |flow: &sim::FlowSpec| FlowDescription {
            name: flow.name.clone(),
            from: flow.from,
            to: flow.to,
            segment: flow.tcp.segment,
            receiver_window: Some(flow.tcp.window.0),
        };
        Description {
            nodes: network.nodes.iter().map(|node| node.name.clone()).collect(),
            links: network.links.iter().map(|link| link.name.clone()).collect(),
            flows: network.flows.iter().map(flow).collect(),
        }
    }

    /// The flow of that number; one that was not described gets plain names and no guess at its segments.
    pub(crate) fn flow(&self, number: u32) -> FlowDescription {
        let unknown = || FlowDescription {
            name: format!("flow {number}"),
            from: usize::MAX,
            to: usize::MAX,
            segment: 1,
            receiver_window: None,
        };
        self.flows.get(number as usize).cloned().unwrap_or_else(unknown)
    }

    /// A node's name.
    pub(crate) fn node(&self, number: usize) -> &str {
        self.nodes.get(number).map_or("?", String::as_str)
    }
}
