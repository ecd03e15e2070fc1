//! A world driven from outside: step by step to chosen times, with packets that come from outside and go there. What emulation, training
//! and pages that show a run are loops over.

use std::fmt;
use std::net::Ipv4Addr;

use engine::Time;
use tcp::Info;
use wire::{Addr, Packet};

use super::World;
use crate::event::Sink;

/// A packet that came to the node it was for, where no connection took it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delivered {
    /// When it came.
    pub at: Time,
    /// The node's number.
    pub node: usize,
    /// The packet, as it came.
    pub packet: Packet,
}

/// What both ends of a flow know at the moment: all of Linux's TCP_INFO that the model has, with units in [`Info`].
#[derive(Clone, PartialEq, Debug)]
pub struct FlowInfo {
    /// When its application begins.
    pub start: Time,
    /// When its last byte was acknowledged at the sender; none before, and of a flow without end.
    pub completed: Option<Time>,
    /// Bytes to deliver; none of a flow without end.
    pub bytes: Option<u64>,
    /// The end that sends data.
    pub sender: Info,
    /// The end that receives it.
    pub receiver: Info,
}

/// Why a packet from outside cannot enter a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InjectError {
    /// It was to enter at a node that the network does not have.
    NoSuchNode {
        /// The number that is none of a node.
        node: usize,
        /// How many nodes there are, numbered from 0.
        nodes: usize,
    },
    /// No node has the address it goes to.
    NoSuchAddress {
        /// The address.
        address: Ipv4Addr,
    },
}

impl fmt::Display for InjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InjectError::NoSuchNode { node, nodes } => {
                write!(f, "no node has the number {node}: the network has {nodes}, numbered from 0")
            }
            InjectError::NoSuchAddress { address } => {
                write!(f, "no node has the address {address}: node number n has that of `Addr::of_node(n)`")
            }
        }
    }
}

impl std::error::Error for InjectError {}

impl World {
    /// Handles everything up to and including `at`, where the clock stands then; whether the network's duration goes on beyond it. Unlike
    /// [`run`](World::run) it goes on when all flows are over: packets from outside may still come. A time that has passed does nothing, and one
    /// beyond the network's duration is its end.
    pub fn run_until<S: Sink>(&mut self, at: Time, sink: &mut S) -> bool {
        let at = at.min(self.until);
        if at >= self.now {
            let nobody = Addr::of_node(0);
            let mut arriving = Packet::blank(nobody, nobody);
            while self.step(at, &mut arriving, sink) {}
        }
        self.now < self.until
    }

    /// When something happens next: the time to give to [`run_until`](World::run_until) for one step. None if nothing will, or not within the
    /// network's duration.
    pub fn next_wakeup(&self) -> Option<Time> {
        self.schedule.peek().filter(|at| *at <= self.until)
    }

    /// A packet from outside begins its way at `node` now, as if the node had made it; it crosses the network like any other. Its addresses are
    /// [`Addr::of_node`] of the nodes between which it goes.
    ///
    /// # Errors
    /// If the network has no such node, or none with the packet's destination.
    pub fn inject<S: Sink>(&mut self, node: usize, mut packet: Packet, sink: &mut S) -> Result<(), InjectError> {
        let nodes = self.nodes.len();
        if node >= nodes {
            return Err(InjectError::NoSuchNode { node, nodes });
        }
        if packet.dst.checked_node().is_none_or(|there| there >= nodes) {
            return Err(InjectError::NoSuchAddress { address: packet.dst.into() });
        }
        self.delivered.get_or_insert_default();
        self.originate(node, &mut packet, sink);
        Ok(())
    }

    /// The packets that have come, since the last call, to nodes where no connection took them: oldest first. Packets are kept from the first
    /// call of this or of [`inject`](World::inject) on; what is lost on the way is told of as an event.
    pub fn take_delivered(&mut self) -> Vec<Delivered> {
        std::mem::take(self.delivered.get_or_insert_default())
    }

    /// What both ends of flow number `flow` know now; none if there is no such flow.
    pub fn flow(&self, flow: usize) -> Option<FlowInfo> {
        let flow = self.flows.get(flow)?;
        let [sender, receiver] = [flow.sender, flow.receiver].map(|end| self.ends[end].connection.info());
        Some(FlowInfo { start: flow.start, completed: flow.completed, bytes: flow.bytes, sender, receiver })
    }

    /// A packet has come that belongs to no connection of the node.
    #[cold]
    pub(super) fn deliver_outside(&mut self, node: usize, packet: &Packet) {
        let at = self.now;
        if let Some(delivered) = &mut self.delivered {
            delivered.push(Delivered { at, node, packet: *packet });
        }
    }
}
