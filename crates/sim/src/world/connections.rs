//! Flows over TCP: effects of an event at a connection.

use super::World;
use super::endpoints::ActionOutcome;
use super::event_loop::LoopSink;
use crate::event::Event;
use crate::world::ids::EndId;

impl World {
    pub(super) fn end_wakes<S: LoopSink>(&mut self, end: EndId, sink: &mut S) {
        if self.endpoints.handle_timer(end, &mut self.agenda) {
            self.end_acted(end, sink);
        }
    }

    /// Sends the packets of a connection after an event at one of its ends, and updates the timer of the end.
    #[inline]
    pub(super) fn end_acted<S: LoopSink>(&mut self, end: EndId, sink: &mut S) {
        if S::TIMES {
            self.probes.end_acted(end, &mut self.endpoints);
        }
        if self.endpoints.has_attentive_application(end) {
            self.endpoints.read(end, &mut self.agenda);
            if self.endpoints.is_to_close(end) {
                // The close of the other end is reported before the close of this end.
                self.notify_end(end, sink);
                self.endpoints.close(end);
            }
        }
        if !self.send_compact(end, sink) {
            self.send(end, sink);
        }
        self.notify_end(end, sink);
        match self.endpoints.settle(end, &mut self.agenda) {
            ActionOutcome::Nothing => {}
            ActionOutcome::Watched => self.look_over(end, sink),
            ActionOutcome::Complete => {
                let flow = self.endpoints.end(end).flow();
                self.traffic.complete(flow, self.agenda.now());
                if S::ACTIVE {
                    let flow = self.traffic.flow(flow).number();
                    sink.event(self.agenda.now(), &Event::FlowCompleted { flow });
                }
                self.look_over(end, sink);
            }
        }
    }

    /// Sends the packets of a connection.
    fn send<S: LoopSink>(&mut self, end: EndId, sink: &mut S) {
        let node = self.endpoints.end(end).node();
        let mut packet = self.endpoints.take_buffer(end);
        while self.endpoints.poll(end, self.agenda.now(), &mut packet) {
            self.notify_end(end, sink);
            self.originate(node, &mut packet, sink);
        }
        self.endpoints.reuse_buffer(packet);
    }

    /// Checks whether the flow of an end has ended, and reports the end's progress to its application.
    fn look_over<S: LoopSink>(&mut self, end: EndId, sink: &mut S) {
        let flow = self.endpoints.end(end).flow();
        self.traffic.end_if_over(flow, &mut self.endpoints, &mut self.agenda);
        self.show_application(end, sink);
    }

    /// Emits the events of a connection.
    #[inline]
    pub(super) fn notify_end<S: LoopSink>(&mut self, end: EndId, sink: &mut S) {
        if S::ACTIVE {
            while let Some(event) = self.endpoints.poll_event(end) {
                sink.event(self.agenda.now(), &event);
            }
        }
    }
}
