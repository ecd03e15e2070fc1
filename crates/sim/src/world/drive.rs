//! Control of a world from outside: advancing to chosen times, and exchanging packets with it. Emulation, training and
//! interactive pages are loops over these calls.

use std::fmt;
use std::net::Ipv4Addr;

use engine::Time;
use tcp::Info;
use wire::Packet;

use super::World;
use super::event_loop::Stop;
use crate::event::Sink;
use crate::ids::NodeId;

/// A packet that arrived at its destination where no connection accepted it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delivered {
    /// Arrival time of the packet.
    pub at: Time,
    /// The node's number.
    pub node: usize,
    /// The received packet.
    pub packet: Packet,
}

/// The state of both ends of a flow: all of Linux's TCP_INFO that the model has, with units in [`Info`].
#[derive(Clone, PartialEq, Debug)]
pub struct FlowInfo {
    /// Start time of the flow's application.
    pub start: Time,
    /// Time at which the last byte of the flow was acknowledged at its sender; `None` before that time, and for an
    /// endless flow.
    pub completed: Option<Time>,
    /// Bytes to deliver; `None` for an endless flow.
    pub bytes: Option<u64>,
    /// The end that sends data.
    pub sender: Info,
    /// The end that receives data.
    pub receiver: Info,
}

/// The reason why a packet cannot be injected into a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InjectError {
    /// The node does not exist.
    NoSuchNode {
        /// The number given.
        node: usize,
        /// The number of nodes, which are numbered from 0.
        nodes: usize,
    },
    /// No node has the destination address.
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
                write!(f, "no node has the address {address}: node number n has the address `Addr::of_node(n)`")
            }
        }
    }
}

impl std::error::Error for InjectError {}

impl World {
    /// Handles all events up to and including `at`, which becomes the current time; returns whether the network's
    /// duration extends beyond it. Unlike [`run`](World::run) it continues after the end of all flows, because packets
    /// may still be injected. A time in the past has no effect, and one beyond the network's duration is limited to it.
    pub fn run_until<S: Sink>(&mut self, at: Time, sink: &mut S) -> bool {
        let at = at.min(self.agenda.until());
        if at >= self.agenda.now() {
            self.handle(Stop { at, when_over: false }, u64::MAX, sink);
        }
        self.agenda.now() < self.agenda.until()
    }

    /// The time of the next event, to be passed to [`run_until`](World::run_until) for a single step. `None` without an
    /// event within the network's duration.
    pub fn next_wakeup(&self) -> Option<Time> {
        self.agenda.next_time()
    }

    /// Injects a packet at `node` now, as if the node had created it; it crosses the network like any other. Its
    /// addresses are [`Addr::of_node`](wire::Addr::of_node) of the nodes between which it travels.
    ///
    /// # Errors
    ///
    /// If the network has no such node, or no node with the packet's destination.
    pub fn inject<S: Sink>(&mut self, node: usize, mut packet: Packet, sink: &mut S) -> Result<(), InjectError> {
        let nodes = self.topology.nodes();
        if node >= nodes {
            return Err(InjectError::NoSuchNode { node, nodes });
        }
        if packet.dst.checked_node().is_none_or(|there| there >= nodes) {
            return Err(InjectError::NoSuchAddress { address: packet.dst.into() });
        }
        self.probes.collect_delivered();
        self.create(NodeId::from_index(node), &mut packet, sink);
        Ok(())
    }

    /// Returns the packets that arrived since the last call at nodes where no connection accepted them, oldest first.
    /// Packets are collected from the first call of this function or of [`inject`](World::inject) on; packets lost on
    /// the path are reported as events.
    pub fn take_delivered(&mut self) -> Vec<Delivered> {
        std::mem::take(self.probes.collect_delivered())
    }

    /// State of both ends of flow number `flow`; `None` if the flow does not exist, or consists of datagrams.
    pub fn flow(&self, flow: usize) -> Option<FlowInfo> {
        let flow = self.traffic.network_flows().get(flow)?;
        let sender = flow.sender()?;
        let [sender, receiver] = [sender, sender.peer()].map(|end| self.endpoints.end(end).connection().info());
        Some(FlowInfo { start: flow.start(), completed: flow.completion_time(), bytes: flow.bytes(), sender, receiver })
    }

    /// Handles a packet that belongs to no connection of the node.
    #[cold]
    pub(super) fn deliver_outside(&mut self, node: NodeId, packet: &Packet) {
        self.probes.keep_delivered(Delivered { at: self.agenda.now(), node: node.index(), packet: *packet });
    }
}
