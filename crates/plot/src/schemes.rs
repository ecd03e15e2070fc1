//! Actions of the nodes' schemes, while a run is recorded.

use std::collections::BTreeSet;

use engine::IdVec;
use path::agent::SchemeAction;
use sim::{LinkId, NodeId, PacketFlow};
use wire::{Body, Packet};

use crate::describe::{Description, LinkDescription};
use crate::history::{FlowHistory, SchemeAct};
use crate::mark::PacketRole;

/// The actions that are marked, and those recorded that are about no packet.
#[derive(Default)]
pub(crate) struct SchemeRecord {
    /// The marked actions of each node; empty if none are recorded.
    actions: IdVec<NodeId, &'static [SchemeAction]>,
    links: IdVec<LinkId, LinkDescription>,
    acts: Vec<NodeAction>,
}

/// An action that is about no packet.
struct NodeAction {
    at: f64,
    node: NodeId,
    action: &'static SchemeAction,
}

impl SchemeRecord {
    pub fn new(description: &Description) -> Self {
        SchemeRecord { actions: description.actions.clone(), links: description.links.clone(), acts: Vec::new() }
    }

    /// Returns true if any actions of the node's scheme are marked.
    pub fn has_actions(&self, node: NodeId) -> bool {
        self.actions.get(node).is_some_and(|actions| !actions.is_empty())
    }

    /// Returns the action of a node's scheme whose events have this name.
    pub fn find_action(&self, node: NodeId, event: &str) -> Option<&'static SchemeAction> {
        self.actions.get(node)?.iter().find(|action| action.event == event)
    }

    /// Records an action that is about no packet.
    pub fn record_action(&mut self, at: f64, node: NodeId, action: &'static SchemeAction) {
        self.acts.push(NodeAction { at, node, action });
    }

    /// Adds the actions about no packet of all nodes on a flow's path to its history; `links` are the path's links.
    pub fn add_to(&self, history: &mut FlowHistory, links: &BTreeSet<LinkId>) {
        let ends = |link: &LinkId| self.links.get(*link).map(|link| link.between);
        let crosses = |node: NodeId| links.iter().filter_map(ends).any(|ends| ends.contains(&node.index()));
        for NodeAction { at, action, .. } in self.acts.iter().filter(|act| crosses(act.node)) {
            let list = history.actions.entry((action.effect, action.label)).or_default();
            let place = list.partition_point(|act| act.at <= *at);
            list.insert(place, SchemeAct { at: *at, role: None });
        }
    }
}

/// Returns the position of an action about `packet`. Returns `Some(None)` if the packet has no position, such as a SYN,
/// and `None` for an acknowledgment of the other end's data, which no picture of the flow shows.
pub(crate) fn locate_packet(packet: &Packet, of: PacketFlow) -> Option<Option<PacketRole>> {
    match &packet.body {
        Body::Tcp(segment) if of.from_sender && segment.seq_len() == 0 => None,
        Body::Tcp(_) if !of.from_sender => Some(of.ack.map(PacketRole::Ack)),
        Body::Tcp(_) | Body::Icmp(_) | Body::Datagram(_) => Some(of.seq.map(PacketRole::Data)),
    }
}
