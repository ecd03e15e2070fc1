//! Flows of datagrams: effects of writes by an application and of arrivals.

use wire::{Body, Packet};

use super::World;
use super::endpoints::ArrivedDatagram;
use super::event_loop::LoopSink;
use crate::event::Event;
use crate::ids::NodeId;
use crate::world::ids::DatagramFlowId;

impl World {
    /// Sends the datagrams that the application of a flow has written.
    pub(super) fn send_datagrams<S: LoopSink>(&mut self, flow: DatagramFlowId, sink: &mut S) {
        let mut sizes = self.traffic.take_datagram_sizes();
        for size in sizes.drain(..) {
            let (from, mut packet) = self.endpoints.next_datagram(flow, size, self.agenda.now());
            self.originate(from, &mut packet, sink);
        }
        self.traffic.reuse_datagram_sizes(sizes);
        self.look_over_datagrams(flow, sink);
    }

    /// Handles a datagram that has arrived at its destination.
    #[inline(never)]
    pub(super) fn receive_datagram<S: LoopSink>(&mut self, node: NodeId, packet: &Packet, sink: &mut S) {
        let Body::Datagram(datagram) = &packet.body else { return };
        let (number, arrival) = match self.endpoints.take_datagram(packet, datagram, self.agenda.now()) {
            ArrivedDatagram::Foreign => return self.deliver_outside(node, packet),
            ArrivedDatagram::Answered(mut reply) => return self.originate(node, &mut reply, sink),
            ArrivedDatagram::Counted(flow, arrival) => (flow, arrival),
        };
        let flow = self.endpoints.datagrams(number).flow();
        if let Some((session, _)) = self.traffic.observer(flow) {
            self.with_application(session, sink, |application, cx| application.on_datagram(&arrival, cx));
        }
        self.look_over_datagrams(number, sink);
    }

    /// Checks whether a flow of datagrams has ended.
    fn look_over_datagrams<S: LoopSink>(&mut self, number: DatagramFlowId, sink: &mut S) {
        let datagrams = self.endpoints.datagrams(number);
        if self.traffic.end_if_delivered(datagrams, self.agenda.now()) && S::ACTIVE {
            let flow = self.traffic.flow(datagrams.flow()).number();
            sink.event(self.agenda.now(), &Event::FlowCompleted { flow });
        }
    }
}
