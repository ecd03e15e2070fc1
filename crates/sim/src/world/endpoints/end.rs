//! The attachment of a connection to the world: its node, its peer, and its timer.

use engine::{Schedule, Slot, Time};
use tcp::Connection;
use wire::{Addr, Dscp, Packet};

use super::progress::ReceiverProgress;
use super::reading::EndReader;
use crate::ids::{FlowId, NodeId};
use crate::timer::{Due, Timer};
use crate::world::ids::FlowIndex;

/// One end of one flow.
pub(in crate::world) struct End {
    pub(super) connection: Connection,
    pub(super) node: NodeId,
    pub(super) addr: Addr,
    pub(super) peer: Addr,
    /// Index of the flow in the world's list.
    pub(super) flow: FlowIndex,
    /// Number of the flow in events.
    pub(super) number: FlowId,
    /// Class of the end's packets.
    pub(super) dscp: Dscp,
    /// Whether this end sends the data.
    pub(super) sends: bool,
    /// Number of acknowledged bytes at which the flow is complete; `u64::MAX` if it is unknown or already reached.
    pub(super) goal: u64,
    /// Whether the application closes after the other end has closed.
    pub(super) closes_at_end: bool,
    /// Whether the application acts after events at the end: it has a `reader`, or closes after the other end.
    pub(super) is_attentive: bool,
    /// The reading of received data; `None` if the application reads on arrival.
    pub(super) reader: Option<Box<EndReader>>,
    /// Whether the state of the connection matters: the flow can end other than by completion, or its application
    /// observes the transfer.
    pub(super) watched: bool,
    /// Read and acknowledged bytes already reported to the application.
    pub(super) shown: [u64; 2],
    /// The progress of the received data.
    pub(super) progress: ReceiverProgress,
    timer: Timer,
}

impl End {
    /// An end of flow number `number`, the `flow`-th of the world, which wakes at `slot`.
    pub fn new(
        connection: Connection,
        [node, there]: [NodeId; 2],
        (flow, number): (FlowIndex, FlowId),
        slot: Slot,
    ) -> Self {
        End {
            connection,
            node,
            addr: node.addr(),
            peer: there.addr(),
            flow,
            number,
            dscp: Dscp::DEFAULT,
            sends: false,
            goal: u64::MAX,
            closes_at_end: false,
            is_attentive: false,
            reader: None,
            watched: false,
            shown: [0; 2],
            progress: ReceiverProgress::from(Time::ZERO),
            timer: Timer::new(slot),
        }
    }

    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Index of the flow in the world's list of flows.
    pub fn flow(&self) -> FlowIndex {
        self.flow
    }

    /// Addresses of this end and of the other.
    pub fn addresses(&self) -> [Addr; 2] {
        [self.addr, self.peer]
    }

    /// Class of the end's packets.
    pub fn dscp(&self) -> Dscp {
        self.dscp
    }

    /// Address and port of this end and of the other.
    pub fn sockets(&self) -> [(Addr, u16); 2] {
        let (own, other) = self.connection.ports();
        [(self.addr, own), (self.peer, other)]
    }

    /// Whether this end sends the data.
    pub fn sends(&self) -> bool {
        self.sends
    }

    /// Returns the longest time without a new byte. An end that has received all of `wanted` no longer waits.
    pub fn longest_pause(&self, wanted: Option<u64>, now: Time) -> engine::Span {
        self.progress.longest_pause(wanted, now)
    }

    /// Writes the next packet of the connection to `packet`; returns whether there was one.
    #[inline(always)]
    pub(super) fn poll(&mut self, now: Time, packet: &mut Packet) -> bool {
        match self.connection.poll_into(now, packet.segment_to_write()) {
            Some(ecn) => {
                packet.src = self.addr;
                packet.dst = self.peer;
                (packet.ecn, packet.dscp) = (ecn, self.dscp);
                true
            }
            None => false,
        }
    }

    /// Slot of the end's wake-up.
    pub(super) fn slot(&self) -> Slot {
        self.timer.slot()
    }

    /// Cancels the wake-up.
    pub(super) fn stop_timer(&mut self, schedule: &mut Schedule) {
        schedule.disarm(self.timer.slot());
        self.timer = Timer::new(self.timer.slot());
    }

    /// Updates the connection's wake-up.
    #[inline]
    pub(super) fn keep_timer(&mut self, schedule: &mut Schedule) {
        self.timer.want(self.connection.poll_timeout(), schedule);
    }

    /// Handles a scheduled wake-up that has been reached.
    pub(super) fn due(&mut self, now: Time, schedule: &mut Schedule) -> Due {
        self.timer.due(now, schedule)
    }
}
