//! Effects of actions of applications, and of arriving flows.

use super::World;
use super::event_loop::LoopSink;
use super::traffic::{ApplicationWakeup, Carrier};
use crate::app::{AppCx, Application};
use crate::event::Event;
use crate::ids::ArrivalsId;
use crate::world::ids::EndId;
use crate::world::ids::SessionId;

impl World {
    /// Handles the wake-up of an application: the flow's start, the application's deadline, or its stop time.
    pub(super) fn application_wakes<S: LoopSink>(&mut self, session: SessionId, sink: &mut S) {
        match self.traffic.wake_application(session, &mut self.agenda) {
            ApplicationWakeup::Start => {
                if S::ACTIVE {
                    for flow in self.traffic.flow_numbers(session) {
                        sink.event(self.agenda.now(), &Event::FlowStarted { flow });
                    }
                }
                self.with_application(session, sink, |application, cx| application.start(cx));
            }
            ApplicationWakeup::Deadline => {
                self.with_application(session, sink, |application, cx| application.wake(cx));
            }
            ApplicationWakeup::Stop => {
                self.traffic.discard_unsent(session, &mut self.endpoints);
                self.with_application(session, sink, |_, cx| cx.finish());
            }
        }
    }

    /// Reports the progress of the transfer to an application that observes it, after an event at an end.
    pub(super) fn show_application<S: LoopSink>(&mut self, end: EndId, sink: &mut S) {
        let (flow, sends) = (self.endpoints.end(end).flow(), self.endpoints.end(end).sends());
        let Some((session, connection)) = self.traffic.observer(flow) else { return };
        let news = self.endpoints.take_news(end);
        if news.received && sends {
            self.with_application(session, sink, |application, cx| application.on_requested(connection, cx));
        } else if news.received {
            self.with_application(session, sink, |application, cx| application.on_delivered(connection, cx));
        }
        if news.acknowledged && sends {
            self.with_application(session, sink, |application, cx| application.writable(connection, cx));
        }
        if news.closed && self.traffic.note_closed(flow) {
            self.with_application(session, sink, |application, cx| application.on_closed(connection, cx));
        }
    }

    /// Calls an application, and sends the data that it has written.
    pub(super) fn with_application<S: LoopSink>(
        &mut self,
        session: SessionId,
        sink: &mut S,
        act: impl FnOnce(&mut dyn Application, &mut AppCx<'_>),
    ) {
        let outcome = self.traffic.call_application(session, &mut self.endpoints, &mut self.agenda, act);
        let Some(outcome) = outcome else { return };
        match outcome.carrier {
            Carrier::Connection { sender, .. } => {
                self.ends_acted((sender.peer(), outcome.connections), outcome.requested, sink);
                self.ends_acted((sender, outcome.connections), outcome.written, sink);
            }
            Carrier::Datagrams(flow) => self.send_datagrams(flow, sink),
        }
    }

    /// Lets those ends act whose bits are set. The ends of the session begin with `first` and belong to `connections`
    /// connections.
    fn ends_acted<S: LoopSink>(&mut self, (first, connections): (EndId, usize), mut bits: u64, sink: &mut S) {
        for connection in 0..connections {
            if bits & 1 == 1 {
                self.end_acted(first.after(connection), sink);
            }
            bits >>= 1;
        }
    }

    /// A flow arrives.
    pub(super) fn flow_arrives<S: LoopSink>(&mut self, arrivals: ArrivalsId, sink: &mut S) {
        let opened = self.traffic.open_arrival(arrivals, &mut self.endpoints, &mut self.agenda);
        let Some(flow) = opened.map(|flow| self.traffic.flow(flow)) else { return };
        let (Carrier::Connection { sender, close }, Some(bytes)) = (flow.carrier(), flow.bytes()) else { return };
        let window = self.traffic.arrival_window(arrivals);
        self.processors.announce_flow(self.endpoints.end(sender).sockets(), window);
        if S::ACTIVE {
            let (flow, ideal) = (flow.number(), flow.short().and_then(|short| short.ideal));
            let arrived = Event::FlowArrived { flow, arrivals, bytes, ideal };
            sink.event(self.agenda.now(), &arrived);
            sink.event(self.agenda.now(), &Event::FlowStarted { flow });
        }
        self.endpoints.write_all(sender, bytes, close);
        self.end_acted(sender, sink);
    }
}
