//! Actions of the nodes' schemes, while a run is recorded.

use std::collections::BTreeSet;

use path::agent::SchemeAction;
use sim::PacketFlow;
use wire::{Body, Packet};

use crate::describe::{Description, LinkDescription};
use crate::history::{Act, History, Role};

/// The actions that are marked, and those recorded that are about no packet.
#[derive(Default)]
pub(crate) struct Schemes {
    /// The marked actions of each node; empty if none are recorded.
    actions: Vec<&'static [SchemeAction]>,
    links: Vec<LinkDescription>,
    acts: Vec<NodeAct>,
}

/// An action that is about no packet.
struct NodeAct {
    at: f64,
    node: usize,
    action: &'static SchemeAction,
}

impl Schemes {
    pub fn new(description: &Description) -> Self {
        Schemes { actions: description.actions.clone(), links: description.links.clone(), acts: Vec::new() }
    }

    /// Returns true if any actions of the node's scheme are marked.
    pub fn has_actions(&self, node: u32) -> bool {
        self.actions.get(node as usize).is_some_and(|actions| !actions.is_empty())
    }

    /// Returns the action of a node's scheme whose events have this name.
    pub fn action(&self, node: u32, event: &str) -> Option<&'static SchemeAction> {
        self.actions.get(node as usize)?.iter().find(|action| action.event == event)
    }

    /// Records an action that is about no packet.
    pub fn keep(&mut self, at: f64, node: u32, action: &'static SchemeAction) {
        self.acts.push(NodeAct { at, node: node as usize, action });
    }

    /// Adds the actions about no packet to the history of a flow that crosses these links: those of all nodes on its way.
    pub fn add_to(&self, history: &mut History, links: &BTreeSet<u32>) {
        let ends = |link: &u32| self.links.get(*link as usize).map(|link| link.between);
        let crosses = |node: usize| links.iter().filter_map(ends).any(|ends| ends.contains(&node));
        for NodeAct { at, action, .. } in self.acts.iter().filter(|act| crosses(act.node)) {
            let list = history.actions.entry((action.effect, action.label)).or_default();
            let place = list.partition_point(|act| act.at <= *at);
            list.insert(place, Act { at: *at, role: None });
        }
    }
}

/// Returns the position of an action about `packet`, or `Some(None)` if the packet has none, such as a SYN; `None` for an
/// acknowledgment of the other end's data, which no picture of the flow shows.
pub(crate) fn role(packet: &Packet, of: PacketFlow) -> Option<Option<Role>> {
    match &packet.body {
        Body::Tcp(segment) if of.from_sender && segment.seq_len() == 0 => None,
        Body::Tcp(_) if !of.from_sender => Some(of.ack.map(Role::Ack)),
        Body::Tcp(_) | Body::Icmp(_) | Body::Datagram(_) => Some(of.seq.map(Role::Data)),
    }
}
