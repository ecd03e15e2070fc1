//! Actions of the nodes' schemes, while a run is recorded.

use std::collections::BTreeSet;

use path::agent::SchemeAction;
use sim::PacketFlow;
use wire::{Body, Packet};

use crate::describe::{Description, LinkDescription};
use crate::history::{FlowHistory, SchemeAct};
use crate::mark::PacketRole;

/// The actions that are marked, and those recorded that are about no packet.
#[derive(Default)]
pub(crate) struct SchemeRecord {
    /// The marked actions of each node; empty if none are recorded.
    actions: Vec<&'static [SchemeAction]>,
    links: Vec<LinkDescription>,
    acts: Vec<NodeAction>,
}

/// An action that is about no packet.
struct NodeAction {
    at: f64,
    node: usize,
    action: &'static SchemeAction,
}

impl SchemeRecord {
    pub fn new(description: &Description) -> Self {
        SchemeRecord { actions: description.actions.clone(), links: description.links.clone(), acts: Vec::new() }
    }

    /// Returns true if any actions of the node's scheme are marked.
    pub fn has_actions(&self, node: u32) -> bool {
        self.actions.get(node as usize).is_some_and(|actions| !actions.is_empty())
    }

    /// Returns the action of a node's scheme whose events have this name.
    pub fn find_action(&self, node: u32, event: &str) -> Option<&'static SchemeAction> {
        self.actions.get(node as usize)?.iter().find(|action| action.event == event)
    }

    /// Records an action that is about no packet.
    pub fn record_action(&mut self, at: f64, node: u32, action: &'static SchemeAction) {
        self.acts.push(NodeAction { at, node: node as usize, action });
    }

    /// Adds the actions about no packet of all nodes on a flow's path to its history; `links` are the path's links.
    pub fn add_to(&self, history: &mut FlowHistory, links: &BTreeSet<u32>) {
        let ends = |link: &u32| self.links.get(*link as usize).map(|link| link.between);
        let crosses = |node: usize| links.iter().filter_map(ends).any(|ends| ends.contains(&node));
        for NodeAction { at, action, .. } in self.acts.iter().filter(|act| crosses(act.node)) {
            let list = history.actions.entry((action.effect, action.label)).or_default();
            let place = list.partition_point(|act| act.at <= *at);
            list.insert(place, SchemeAct { at: *at, role: None });
        }
    }
}

/// Returns the position of an action about `packet`, or `Some(None)` if the packet has none, such as a SYN; `None` for an
/// acknowledgment of the other end's data, which no picture of the flow shows.
pub(crate) fn locate_packet(packet: &Packet, of: PacketFlow) -> Option<Option<PacketRole>> {
    match &packet.body {
        Body::Tcp(segment) if of.from_sender && segment.seq_len() == 0 => None,
        Body::Tcp(_) if !of.from_sender => Some(of.ack.map(PacketRole::Ack)),
        Body::Tcp(_) | Body::Icmp(_) | Body::Datagram(_) => Some(of.seq.map(PacketRole::Data)),
    }
}
