//! Schemes at the node that faces the air: base stations, and hosts with a radio of their own.

pub mod ack_decimation;
pub mod delayed_duplicates;
pub mod eln;
mod flow_table;
pub mod freeze_tcp;
pub mod icmp;
pub mod link_loss;
pub mod m_tcp;
pub mod packet_control;
mod reach;
pub mod refined_icmp;
pub mod simple_icmp;
pub mod snoop;
pub mod snoop_ns2;
pub mod split;
mod table;
pub mod tack;
mod thinning;
mod traits;
pub mod unmodified;

use engine::{Span, Time};
use wire::{Addr, Packet};

use crate::channel::State;
use crate::queue::Limit;
use crate::station::RadioNotice;
pub use traits::{Place, Semantics, Traits, Transfer};

engine::registry! {
    /// The schemes a node can follow. A sender's part in a scheme, where it has one, is registered in `tcp` by the
    /// same name.
    pub enum AgentConfig: "scheme" => build() -> Option<Box<dyn Agent>>, traits() -> Traits {
        Unmodified => unmodified, "unmodified", "The node forwards and says nothing", no settings;
        SimpleIcmp => simple_icmp, "simple-icmp", "ICMP-DEFER when the first local attempt fails [goel1997 5.4]", no settings;
        RefinedIcmp => refined_icmp, "refined-icmp", "ICMP-DEFER, and ICMP-RETRANSMIT when the last local attempt fails [goel1997 5.5]", no settings;
        Snoop => snoop, "snoop", "The base station keeps packets, resends the lost ones and hides their duplicate acknowledgments (balakrishnan1995)";
        SnoopNs2 => snoop_ns2, "snoop-ns2", "Snoop as ns-2's agent does it, which differs from its papers";
        DelayedDuplicates => delayed_duplicates, "delayed-duplicates", "The third and later duplicate acknowledgments wait while the link layer resends (vaidya1999)";
        Eln => eln, "eln", "The base station marks acknowledgments that ask for what was lost in the air on its way from the mobile (balakrishnan1998)";
        LinkLoss => link_loss, "link-loss", "The sender's own link layer says that it gave a packet up, and recovery then cuts nothing (disconnections2012)", no settings;
        PacketControl => packet_control, "packet-control", "Old acknowledgments are dropped and duplicate ones thinned, data that has arrived is dropped (packetcontrol2014)";
        AckDecimation => ack_decimation, "ack-decimation", "Of successive acknowledgments every n-th goes into the air [RFC3449 s5.2.2]";
        Tack => tack, "tack", "Acknowledgments go into the air a few times in a round trip, losses are reported at once (Li2020)";
        FreezeTcp => freeze_tcp, "freeze-tcp", "A mobile that sees a disconnection coming closes its window (Goff2000)";
        MTcp => m_tcp, "m-tcp", "The base station closes the window of a mobile that is gone (Brown1997)";
        Split => split, "split", "Two connections back to back in the node: I-TCP (Bakre1995)";
    }
}

/// The context of an agent's calls.
pub struct AgentCx<'a> {
    /// Now.
    pub now: Time,
    /// The address of the node it lives in.
    pub here: Addr,
    /// Packets for the node to send, in order.
    pub send: &'a mut Vec<Departure>,
}

impl AgentCx<'_> {
    /// The node sends a packet, routed from here. The agent does not see it again.
    pub fn send(&mut self, packet: Packet) {
        self.send.push(Departure { packet, expedited: false });
    }

    /// The same, before everything that waits for its link, but for what was sent urgently before.
    pub fn send_urgently(&mut self, packet: Packet) {
        self.send.push(Departure { packet, expedited: true });
    }
}

/// A packet that an agent sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Departure {
    /// The packet.
    pub packet: Packet,
    /// Whether it goes before everything that waits for its link.
    pub expedited: bool,
}

/// The fate of a packet that an agent was shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It goes on as it now is, before anything that the agent sends in the same call.
    Pass,
    /// It ends here: the scheme took it.
    Take,
}

/// A scheme in a node with a radio: a base station, or a host. It sees what crosses the node to and from the air, at a
/// host also what is made and what ends there, and what the node's link layer learns; packets it sends are routed from
/// the node. After each call `deadline` is asked.
pub trait Agent: Send {
    /// A packet is about to be queued for the air. The agent may change it.
    fn before_air(&mut self, _: &mut Packet, _: &mut AgentCx<'_>) -> Verdict {
        Verdict::Pass
    }
    /// Before `before_air`, if `looks_at_queue`: how many packets wait for the link that its packet takes, and how many
    /// may.
    fn on_queue(&mut self, _waiting: usize, _limit: Limit) {}
    /// A packet that `before_air` let pass found the queue full and is gone. Called right after that.
    fn on_queue_full(&mut self, _: &Packet, _: &mut AgentCx<'_>) {}
    /// A packet has come over the air. The agent may change it.
    fn after_air(&mut self, _: &mut Packet, _: &mut AgentCx<'_>) -> Verdict {
        Verdict::Pass
    }
    /// A local attempt to send a packet failed. Called at the time the link layer learns of it, once for each attempt.
    fn on_radio(&mut self, _: &RadioNotice, _: &mut AgentCx<'_>) {}
    /// When `on_wake` is to be called; NEVER if not.
    fn deadline(&self) -> Time {
        Time::NEVER
    }
    /// `deadline` has come.
    fn on_wake(&mut self, _: &mut AgentCx<'_>) {}
    /// How long before the air of one of the node's links changes it wants to be told, if at all: what a radio learns
    /// from a signal that fades. That does not change.
    fn foresight(&self) -> Option<Span> {
        None
    }
    /// The air of one of the node's links is about to become `state`, in `foresight`.
    fn on_forecast(&mut self, _: State, _: &mut AgentCx<'_>) {}
    /// Whether it ever sends urgently; that does not change.
    fn sends_urgently(&self) -> bool {
        false
    }
    /// Whether it wants to know how full the queue is; that does not change.
    fn looks_at_queue(&self) -> bool {
        false
    }
    /// Its counters, by names for results: lower case, words joined by `_`. In the same order each time. One
    /// that remembers anything of flows has among them `flows`, how many it remembers, `state_bytes`, what that takes,
    /// and `state_bytes_most`, the most it ever took.
    fn counters(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}
