//! Schemes in the nodes with radio links: base stations and hosts.

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

use engine::{Rate, Span, Time};
use tcp::config::ReceiveWindow;
use wire::{Addr, Packet};

use crate::channel::ChannelState;
use crate::ids::HopId;
use crate::outcome::{DeliveryNotice, RadioNotice};
use crate::queue::Limit;
pub use traits::{Effect, SchemeAction, SchemeNode, Semantics, Traits, TransferDirection};

engine::registry! {
    /// The schemes of a node. The sender's part of a scheme, if there is one, is registered in `tcp` under the same
    /// name.
    pub enum AgentConfig: "scheme" => build() -> Option<Box<dyn Agent>>, traits() -> Traits {
        Unmodified => unmodified, "unmodified", "The node forwards packets without a scheme", no settings;
        SimpleIcmp => simple_icmp, "simple-icmp", "ICMP-DEFER when the first local attempt fails [goel1997 5.4]", no settings;
        RefinedIcmp => refined_icmp, "refined-icmp", "ICMP-DEFER, and ICMP-RETRANSMIT when the last local attempt fails [goel1997 5.5]", no settings;
        Snoop => snoop, "snoop", "The base station caches packets, retransmits lost ones and suppresses their duplicate acknowledgments (balakrishnan1995)";
        SnoopNs2 => snoop_ns2, "snoop-ns2", "Snoop with the rules of ns-2's agent, which differ from the papers";
        DelayedDuplicates => delayed_duplicates, "delayed-duplicates", "The third and later duplicate acknowledgments are held while the link layer retransmits (vaidya1999)";
        Eln => eln, "eln", "The base station marks acknowledgments that request data lost on the radio link from the mobile (balakrishnan1998)";
        LinkLoss => link_loss, "link-loss", "Recovery keeps cwnd after the sender's own link layer has given up a packet (disconnections2012)", no settings;
        PacketControl => packet_control, "packet-control", "Old acknowledgments are dropped and duplicate ones thinned, retransmissions of arrived data are dropped (packetcontrol2014)";
        AckDecimation => ack_decimation, "ack-decimation", "Of successive acknowledgments every n-th is forwarded to the radio link [RFC3449 s5.2.2]";
        Tack => tack, "tack", "A few acknowledgments per round trip are forwarded to the radio link, losses are reported at once (Li2020)";
        FreezeTcp => freeze_tcp, "freeze-tcp", "A mobile that predicts a disconnection closes its receive window (Goff2000)";
        MTcp => m_tcp, "m-tcp", "The base station closes the window of a disconnected mobile (Brown1997)";
        Split => split, "split", "The connection is split in two at the node: I-TCP (Bakre1995)";
    }
}

impl Default for AgentConfig {
    fn default() -> Self {
        AgentConfig::Unmodified(unmodified::Config::default())
    }
}

/// Context of the calls of an agent.
pub struct AgentCx<'a> {
    /// Current time.
    pub now: Time,
    /// Address of the agent's node.
    pub here: Addr,
    /// Packets to be sent by the node, in order.
    pub send: &'a mut Vec<Departure>,
    /// Events emitted by the agent, in order; `None` in a run without observers.
    pub events: Option<&'a mut Vec<AgentEvent>>,
}

impl AgentCx<'_> {
    /// Sends a packet from the node, routed normally; the agent's methods are not called for it.
    pub fn send(&mut self, packet: Packet) {
        self.send.push(Departure { packet, expedited: false });
    }

    /// Sends a packet as [`send`](Self::send) does, but ahead of all packets that wait for the link, except earlier
    /// expedited ones.
    pub fn send_expedited(&mut self, packet: Packet) {
        self.send.push(Departure { packet, expedited: true });
    }

    /// Emits an event: `name` is constant, lower case, its words joined by `_`; the scheme documents the unit of
    /// `value`. An event about a packet names the packet, from which its flow follows. Without observers, no effect.
    /// Counts need no separate event: in an observed run each increase of a [counter](Agent::counters) is reported as
    /// an event with the counter's name, about the packet of the call. If the agent counts a packet other than the
    /// packet of the call, it emits the event with the counter's name here, with the value 1 for each such packet.
    #[inline]
    pub fn emit(&mut self, name: &'static str, value: f64, packet: Option<&Packet>) {
        if let Some(events) = &mut self.events {
            events.push(AgentEvent { name, value, packet: packet.copied() });
        }
    }
}

/// An event that an agent emits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AgentEvent {
    /// The name.
    pub name: &'static str,
    /// The value, in a unit that depends on the event.
    pub value: f64,
    /// The packet that the event is about, if any.
    pub packet: Option<Packet>,
}

/// State of the sending side of a link, as an agent sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkView {
    /// The link and the direction in which the node sends.
    pub hop: HopId,
    /// Number of packets that wait: their transmission has not begun.
    pub waiting: usize,
    /// Size of the waiting packets in bytes.
    pub waiting_bytes: u64,
    /// Number of packets in transmission, or with a link layer not yet acknowledged.
    pub outstanding: usize,
    /// Limit of the queue.
    pub limit: Limit,
    /// Bits per second: of a link in a medium the highest rate that is used.
    pub rate: Rate,
    /// Time for which the link has transmitted so far: its share of the airtime in a medium.
    pub busy: Span,
}

/// A packet that an agent sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Departure {
    /// The packet.
    pub packet: Packet,
    /// True if the packet is sent ahead of all packets that wait for its link.
    pub expedited: bool,
}

/// Result of an agent's inspection of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgentVerdict {
    /// The packet is forwarded with the agent's changes, ahead of all packets that the agent sends in the same call.
    Pass,
    /// The packet is not forwarded.
    Take,
}

/// The two connections into which an agent splits a flow.
#[derive(Clone, PartialEq, Debug)]
pub struct SplitLegs {
    /// The receive window of both connections; `None` for the window of the flow. A constant size is also the number of
    /// bytes that the node stores for each flow and direction until the far end has acknowledged them: the window toward
    /// the sender is what is left.
    pub window: Option<ReceiveWindow>,
    /// Settings of the connection away from the radio link.
    pub wired: tcp::Config,
    /// Settings of the connection over the radio link.
    pub wireless: tcp::Config,
    /// True if ends whose handshake was not seen are assumed to support SACK.
    pub assume_sack: bool,
}

/// A scheme in a node with a radio link: a base station or a host. Its methods are called for packets that cross the
/// node to and from the radio link, at a host also for packets that originate or end there, and for reports of the
/// node's link layer. Packets that the agent sends are routed from the node. `deadline` is queried at the beginning of the
/// run and after each call.
pub trait Agent: Send {
    /// Called when a flow over TCP begins, before its first packet, at each node that splits connections, with the
    /// endpoints of the flow and its receive window. The endpoints of a flow that has ended can be used again. Flows from
    /// outside of a simulation are not announced.
    fn on_flow(&mut self, _: [(Addr, u16); 2], _: ReceiveWindow) {}
    /// Called before a packet is queued for the radio link. The agent may change the packet.
    fn before_air(&mut self, _: &mut Packet, _: &mut AgentCx<'_>) -> AgentVerdict {
        AgentVerdict::Pass
    }
    /// Called before `before_air` if `looks_at_link`, with the link that the packet is to cross.
    fn on_link(&mut self, _: &LinkView, _: &mut AgentCx<'_>) {}
    /// Called after `before_air` if the passed packet is dropped because the queue is full.
    fn on_queue_full(&mut self, _: &Packet, _: &mut AgentCx<'_>) {}
    /// Called for a packet that has arrived over the radio link. The agent may change the packet.
    fn after_air(&mut self, _: &mut Packet, _: &mut AgentCx<'_>) -> AgentVerdict {
        AgentVerdict::Pass
    }
    /// Called once for each failed local attempt to send a packet, at the time at which the link layer detects the
    /// failure.
    fn on_radio(&mut self, _: &RadioNotice, _: &mut AgentCx<'_>) {}
    /// Called, if `looks_at_deliveries`, once for each packet whose acknowledgment has reached the node's link layer, at
    /// that time: its delay since it was queued is `cx.now.since(notice.queued)`. A link without link acknowledgments reports
    /// none.
    fn on_delivered(&mut self, _: &DeliveryNotice, _: &mut AgentCx<'_>) {}
    /// Returns the time at which `on_wake` is to be called; `NEVER` for none.
    fn deadline(&self) -> Time {
        Time::NEVER
    }
    /// Called at the time that `deadline` returned; afterwards that time is later, or `NEVER`.
    fn on_wake(&mut self, _: &mut AgentCx<'_>) {}
    /// Returns how long before a channel change of one of the node's links `on_forecast` is to be called, as by a radio
    /// that predicts a fading signal; `Span::ZERO` for a radio that only measures the signal, which reports each change
    /// when it happens; `None` for no reports. The value is constant.
    fn foresight(&self) -> Option<Span> {
        None
    }
    /// Called `foresight` before the channel of one of the node's links changes to `state`. A channel begins GOOD.
    fn on_forecast(&mut self, _: ChannelState, _: &mut AgentCx<'_>) {}
    /// Returns true if the agent may call `send_expedited`; the value is constant.
    fn sends_expedited(&self) -> bool {
        false
    }
    /// Returns true if `on_link` is to be called; the value is constant.
    fn looks_at_link(&self) -> bool {
        false
    }
    /// Returns true if `on_delivered` is to be called; the value is constant.
    fn looks_at_deliveries(&self) -> bool {
        false
    }
    /// Returns true if the agent acts only when packets are lost on the radio link, or frames there; the value is
    /// constant.
    fn acts_on_losses(&self) -> bool {
        false
    }
    /// Returns the two connections into which the agent splits each flow over TCP, if it does; the value is constant.
    fn split_legs(&self) -> Option<SplitLegs> {
        None
    }
    /// Returns the agent's counters by their names in results: lower case, words joined by `_`, in the same order each
    /// time. An agent with per-flow state includes `flows` (number of flows with state), `state_bytes` (size of the
    /// state) and `state_bytes_most` (maximum size so far).
    fn counters(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}
