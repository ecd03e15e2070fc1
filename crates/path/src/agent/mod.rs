//! Schemes at the node that faces the air: base stations, and hosts with a radio of their own.

pub mod icmp;
pub mod refined_icmp;
pub mod simple_icmp;
pub mod unmodified;

use engine::Time;
use wire::{Addr, Packet};

use crate::station::RadioNotice;

engine::registry! {
    /// The schemes a node can follow. A sender's part in a scheme, where it has one, is registered in `tcp` by the
    /// same name.
    pub enum AgentConfig: "scheme" => build() -> Option<Box<dyn Agent>> {
        Unmodified => unmodified, "unmodified", "The node forwards and says nothing", no settings;
        SimpleIcmp => simple_icmp, "simple-icmp", "ICMP-DEFER when the first local attempt fails [goel1997 5.4]", no settings;
        RefinedIcmp => refined_icmp, "refined-icmp", "ICMP-DEFER, and ICMP-RETRANSMIT when the last local attempt fails [goel1997 5.5]", no settings;
    }
}

/// What an agent may use while it acts.
pub struct AgentCx<'a> {
    /// Now.
    pub now: Time,
    /// The address of the node it lives in.
    pub here: Addr,
    /// Packets for the node to send, in order.
    pub send: &'a mut Vec<Packet>,
}

/// A scheme in a node. It sees what the node's link layer learns; packets it sends are routed from the node.
pub trait Agent: Send {
    /// A local attempt to send a packet failed. Called at the time the link layer learns of it, once for each attempt.
    fn on_radio(&mut self, notice: &RadioNotice, cx: &mut AgentCx<'_>);
}
