//! The ends of flows in nodes, and the ports by which packets find them.

mod connect;
mod datagrams;
mod end;
mod ports;
mod progress;
mod reading;

use std::collections::BTreeMap;

use engine::{IdVec, Slot, Time};
use tcp::{Connection, Polled, State};
use wire::{Body, CompactSegment, Ecn, Flags, Notice, Packet, Segment};

use super::agenda::{Agenda, Wakeup};
use crate::app::ConnectionEnds;
use crate::delay::Delays;
use crate::event::{Event, PacketFlow};
use crate::ids::NodeId;
use crate::timer::Due;
use crate::world::ids::EndId;
pub(super) use connect::ConnectionPlan;
pub(super) use datagrams::{ArrivedDatagram, DatagramFlow, DatagramPlan};
pub(super) use end::End;
pub use ports::MAX_PORTS;
use ports::Ports;
use reading::EndReader;

/// Effects of an action of a connection.
pub(super) enum ActionOutcome {
    /// Nothing but its packets.
    Nothing,
    /// The flow may have ended, or its application may have to be called.
    Watched,
    /// Everything is acknowledged that the flow sends, for the first time.
    Complete,
}

/// Events at an end since the last notification of its application.
pub(super) struct EndNews {
    /// Its application has read more.
    pub received: bool,
    /// More of the end's data was acknowledged.
    pub acknowledged: bool,
    /// The other end has closed.
    pub closed: bool,
}

/// The ends of all connections. The two ends of a connection are adjacent, and each open port of a node refers to the
/// end that uses it.
pub(super) struct Endpoints {
    ends: IdVec<EndId, End>,
    ports: Ports<EndId>,
    datagrams: datagrams::DatagramFlows,
    /// A packet buffer for connections to write to, reused because initializing a buffer costs as much as filling it.
    spare: Option<Box<Packet>>,
    /// Whether connections report events.
    observed: bool,
    /// Slots of the readers of ends. A later connection in the place of a closed one reuses the slot.
    reader_slots: BTreeMap<EndId, Slot>,
}

/// The ends of the connections of an application.
pub(super) struct SessionEnds<'a>(&'a mut [End]);

impl ConnectionEnds for SessionEnds<'_> {
    fn end(&self, number: usize) -> &Connection {
        &self.0[number].connection
    }

    fn end_mut(&mut self, number: usize) -> &mut Connection {
        &mut self.0[number].connection
    }
}

impl Endpoints {
    /// Creates the state without ends, for `nodes` nodes; `observed` if connections report events.
    pub fn new(nodes: usize, observed: bool) -> Self {
        Endpoints {
            ends: IdVec::default(),
            ports: Ports::of(nodes),
            datagrams: datagrams::DatagramFlows::of(nodes),
            spare: None,
            observed,
            reader_slots: BTreeMap::new(),
        }
    }

    /// Opens the two ends of a connection, with `reused` in the place of a closed connection; returns the sending end.
    /// `None`, without any change, if a node has no free port.
    pub fn open(&mut self, plan: &ConnectionPlan<'_>, reused: Option<EndId>, agenda: &mut Agenda) -> Option<EndId> {
        let sender = reused.unwrap_or_else(|| self.ends.next_id());
        let both = [sender, sender.peer()];
        let ports = self.ports.open_pair(plan.nodes, both)?;
        let slots = both.map(|end| self.slot(end, agenda));
        for (end, opened) in both.into_iter().zip(plan.ends(ports, slots, self.observed)) {
            match self.ends.get_mut(end) {
                Some(closed) => *closed = opened,
                None => _ = self.ends.push(opened),
            }
        }
        if let Some(config) = plan.reader {
            let id = sender.peer();
            let slot = *self.reader_slots.entry(id).or_insert_with(|| agenda.slot(Wakeup::Reader(id)));
            let end = &mut self.ends[id];
            let at = (slot, agenda.schedule());
            let reader = EndReader::new(config, plan.tcp.segment_data(), plan.start, at, &mut end.connection);
            end.reader = Some(Box::new(reader));
            end.is_attentive = true;
        }
        Some(sender)
    }

    /// Slot of an existing or future end.
    fn slot(&self, end: EndId, agenda: &mut Agenda) -> Slot {
        self.ends.get(end).map(End::slot).unwrap_or_else(|| agenda.slot(Wakeup::End(end)))
    }

    /// Closes the ports of both ends of a connection after the end of its flow.
    pub fn close_pair(&mut self, sender: EndId, agenda: &mut Agenda) {
        for end in [sender, sender.peer()] {
            let end = &mut self.ends[end];
            self.ports.close(end.node, end.connection.ports().0);
            end.stop_timer(agenda.schedule());
            if let Some(reader) = end.reader.take() {
                reader.stop(agenda.schedule());
            }
            end.goal = u64::MAX;
        }
    }

    /// Returns an end, read-only.
    #[inline(always)]
    pub fn end(&self, end: EndId) -> &End {
        &self.ends[end]
    }

    /// The states of both ends of a connection.
    pub fn states(&self, sender: EndId) -> [State; 2] {
        [sender, sender.peer()].map(|end| self.ends[end].connection.state())
    }

    /// Passes an arrived segment to its end. Returns `None` if no end matches.
    #[inline(always)]
    pub fn take_segment(&mut self, node: NodeId, segment: &Segment, ecn: Ecn, now: Time) -> Option<EndId> {
        let id = self.ports.end(node, segment.dst_port)?;
        let end = &mut self.ends[id];
        if !end.connection.owns([segment.src_port, segment.dst_port]) {
            return None;
        }
        end.connection.handle_segment(now, segment, ecn);
        end.progress.has(end.connection.bytes_received(), now);
        Some(id)
    }

    /// Passes an arrived segment to its end if header prediction applies. Otherwise returns `None`, without any change.
    #[inline(always)]
    pub fn take_predicted(&mut self, node: NodeId, segment: &CompactSegment, ecn: Ecn, now: Time) -> Option<EndId> {
        let id = self.ports.end(node, segment.dst_port)?;
        let end = &mut self.ends[id];
        end.connection.handle_predicted(now, segment, ecn).ok()?;
        end.progress.has(end.connection.bytes_received(), now);
        Some(id)
    }

    /// Passes an ICMP message about a segment to the end that has sent the segment; `None` if no end matches.
    pub fn take_notice(&mut self, packet: &Packet, notice: &Notice, now: Time) -> Option<EndId> {
        let id = self.ports.end(NodeId::of(packet.dst), notice.src_port)?;
        let connection = &mut self.ends[id].connection;
        if !connection.owns(packet.ports()) {
            return None;
        }
        connection.handle_icmp(now, notice);
        Some(id)
    }

    /// Handles the wake-up of an end; returns whether its timer has expired.
    pub fn handle_timer(&mut self, end: EndId, agenda: &mut Agenda) -> bool {
        let end = &mut self.ends[end];
        match end.due(agenda.now(), agenda.schedule()) {
            Due::Later => false,
            Due::Now => {
                end.connection.handle_timeout(agenda.now());
                true
            }
        }
    }

    /// Whether the application of an end acts after events at the end: it reads, or it closes after the other end.
    #[inline]
    pub fn has_attentive_application(&self, end: EndId) -> bool {
        self.ends[end].is_attentive
    }

    /// Lets the application of an end read, if it does not read on arrival.
    pub fn read(&mut self, end: EndId, agenda: &mut Agenda) {
        let End { reader, connection, .. } = &mut self.ends[end];
        if let Some(reader) = reader {
            reader.act(agenda.now(), connection, agenda.schedule());
        }
    }

    /// Whether the application of an end closes now, because the other end has closed.
    #[inline]
    pub fn is_to_close(&self, end: EndId) -> bool {
        let end = &self.ends[end];
        end.closes_at_end && end.connection.at_end()
    }

    /// Closes an end if its application closes in response to the close of the other end.
    pub fn close(&mut self, end: EndId) {
        let end = &mut self.ends[end];
        end.closes_at_end = false;
        end.is_attentive = end.reader.is_some();
        end.connection.close();
    }

    /// Takes the next segment without options that an end sends.
    #[inline(always)]
    pub fn poll_compact(&mut self, end: EndId, now: Time) -> Polled {
        self.ends[end].connection.poll_compact(now)
    }

    /// Writes the next packet of an end to `packet`; returns whether there was one.
    #[inline(always)]
    pub fn poll(&mut self, end: EndId, now: Time, packet: &mut Packet) -> bool {
        self.ends[end].poll(now, packet)
    }

    /// Takes a buffer for the packets of an end; [`reuse_buffer`](Self::reuse_buffer) returns it.
    #[inline]
    pub fn take_buffer(&mut self, end: EndId) -> Box<Packet> {
        let [here, there] = self.ends[end].addresses();
        self.spare.take().unwrap_or_else(|| Box::new(Packet::blank(here, there)))
    }

    /// Gives back a buffer for packets.
    #[inline]
    pub fn reuse_buffer(&mut self, buffer: Box<Packet>) {
        self.spare = Some(buffer);
    }

    /// Takes the next event of an end.
    #[inline]
    pub fn poll_event(&mut self, end: EndId) -> Option<Event> {
        let end = &mut self.ends[end];
        let (flow, event) = (end.number, end.connection.poll_event()?);
        Some(if end.sends { Event::Sender { flow, event } } else { Event::Receiver { flow, event } })
    }

    /// Updates the wake-up of an end after its action and transmissions; returns the effects.
    #[inline(always)]
    pub fn settle(&mut self, end: EndId, agenda: &mut Agenda) -> ActionOutcome {
        let end = &mut self.ends[end];
        end.keep_timer(agenda.schedule());
        if end.connection.bytes_acknowledged() >= end.goal {
            end.goal = u64::MAX;
            ActionOutcome::Complete
        } else if end.watched {
            ActionOutcome::Watched
        } else {
            ActionOutcome::Nothing
        }
    }

    /// Reports a round trip measured by a sending end, and the number of acknowledged bytes.
    #[inline]
    pub fn report_round_trip(&mut self, end: EndId, delays: &mut Delays) {
        let end = &mut self.ends[end];
        if end.sends {
            delays.record_action(end.number, end.connection.take_rtt(), end.connection.bytes_acknowledged());
        }
    }

    /// Writes the `bytes` of a flow at its sending end, and finishes the stream if `closes`.
    pub fn write_all(&mut self, sender: EndId, bytes: u64, closes: bool) {
        let connection = &mut self.ends[sender].connection;
        connection.write(bytes);
        if closes {
            connection.shutdown_write();
        }
    }

    /// Ends the writing of an end, and notifies the other end.
    pub fn shutdown_write(&mut self, sender: EndId) {
        self.ends[sender].connection.shutdown_write();
    }

    /// Makes the flow of a sending end complete when all written data is acknowledged. Returns the number of these
    /// bytes.
    pub fn expect_written(&mut self, sender: EndId) -> u64 {
        let end = &mut self.ends[sender];
        end.goal = end.connection.bytes_written();
        end.goal
    }

    /// Discards the unsent data of an end.
    pub fn discard_unsent(&mut self, sender: EndId) {
        self.ends[sender].connection.discard_unsent();
    }

    /// Access of an application to the ends of its connections, beginning with the connection of the sending end
    /// `sender`.
    pub fn session_ends(&mut self, sender: EndId, connections: usize) -> SessionEnds<'_> {
        SessionEnds(self.ends.range_mut(sender..sender.after(connections)))
    }

    /// Returns the progress of an end since the last call.
    pub fn take_news(&mut self, end: EndId) -> EndNews {
        let end = &mut self.ends[end];
        let now = [end.connection.bytes_read(), end.connection.bytes_acknowledged()];
        let before = std::mem::replace(&mut end.shown, now);
        let closed = !end.sends && end.connection.at_end();
        EndNews { received: now[0] > before[0], acknowledged: now[1] > before[1], closed }
    }

    /// The flow of a packet; `None` if addresses and ports match no flow.
    pub fn flow_of(&self, packet: &Packet) -> Option<PacketFlow> {
        let port = match &packet.body {
            Body::Tcp(segment) => segment.dst_port,
            Body::Icmp(notice) => notice.src_port,
            Body::Datagram(datagram) => return self.datagrams.flow_of(packet, datagram),
        };
        let to = self.ports.end(NodeId::of(packet.dst), port)?;
        let (there, here) = (&self.ends[to], &self.ends[to.peer()]);
        match &packet.body {
            Body::Tcp(segment) => {
                let ours = packet.src == there.peer && segment.src_port == here.connection.ports().0;
                ours.then(|| self.flow_of_segment(to, &CompactSegment::of(segment)))
            }
            Body::Icmp(notice) => {
                let ours = notice.segment_dst == there.peer && notice.dst_port == here.connection.ports().0;
                let seq = notice.seq.offset_from(there.connection.origin(), there.connection.bytes_acknowledged());
                ours.then_some(PacketFlow { flow: there.number, from_sender: there.sends, seq, ack: None })
            }
            Body::Datagram(_) => None,
        }
    }

    /// The flow of a segment between the ends of a connection; the segment is addressed to the end `to`.
    #[inline]
    pub fn flow_of_segment(&self, to: EndId, segment: &CompactSegment) -> PacketFlow {
        let (here, there) = (&self.ends[to.peer()], &self.ends[to]);
        let seq = segment.seq.offset_from(here.connection.origin(), here.connection.bytes_acknowledged());
        let ack = segment.ack.offset_from(there.connection.origin(), there.connection.bytes_acknowledged());
        PacketFlow {
            flow: there.number,
            from_sender: here.sends,
            seq: seq.filter(|_| !segment.flags.has(Flags::SYN)),
            ack: ack.filter(|_| segment.flags.has(Flags::ACK)),
        }
    }
}
