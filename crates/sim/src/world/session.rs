//! Sessions: an application and the flows that it uses.

use engine::{Slot, Time};

use super::World;
use super::endpoints::EndId;
use super::event_loop::Observed;
use super::flow::{Carrier, FlowIndex};
use crate::app::{Access, AppCx, Application};
use crate::event::Event;

engine::define_ids! {
    /// The number of an application.
    pub(super) struct SessionId;
}

/// An application in a run.
pub(super) struct Session {
    pub application: Box<dyn Application>,
    /// The application's wake-up.
    pub slot: Slot,
    /// Its first flow, and the number of its flows: several for several connections.
    pub first_flow: FlowIndex,
    pub connections: usize,
    pub started: bool,
    /// The time at which it stops; `NEVER` for none.
    pub stop: Time,
    /// Whether it will write no more.
    pub finished: bool,
}

impl Session {
    /// Its flows.
    pub fn flows(&self) -> impl Iterator<Item = FlowIndex> + use<> {
        let first = self.first_flow.index();
        (first..first + self.connections).map(FlowIndex::from_index)
    }

    /// The application of the flows from `first_flow` on, of which there are none yet.
    pub fn new(application: Box<dyn Application>, slot: Slot, first_flow: FlowIndex, stop: Time) -> Self {
        Session { application, slot, first_flow, connections: 0, started: false, stop, finished: false }
    }
}

impl World {
    /// The application's wake-up: the flow's start, its deadline, or the time at which it stops.
    pub(super) fn application_wakes<S: Observed>(&mut self, number: SessionId, sink: &mut S) {
        let session = &mut self.sessions[number];
        self.agenda.schedule().disarm(session.slot);
        if !std::mem::replace(&mut session.started, true) {
            if S::ACTIVE {
                for flow in session.flows() {
                    sink.event(self.agenda.now(), &Event::FlowStarted { flow: self.flows[flow].number });
                }
            }
            self.with_application(number, sink, |application, cx| application.start(cx));
        } else if self.agenda.now() >= session.stop {
            self.stop(number, sink);
        } else {
            self.with_application(number, sink, |application, cx| application.wake(cx));
        }
    }

    /// Reports the progress of the transfer to an application that observes it, after an event at the connection end
    /// with this number.
    pub(super) fn show_application<S: Observed>(&mut self, end: EndId, sink: &mut S) {
        let (flow, sends) = (self.endpoints.end(end).flow(), self.endpoints.end(end).sends());
        let Some((session, connection)) = self.flows[flow].session else { return };
        if !self.sessions[session].application.observes() {
            return;
        }
        let news = self.endpoints.take_news(end);
        if news.received && sends {
            self.with_application(session, sink, |application, cx| application.requested(connection, cx));
        } else if news.received {
            self.with_application(session, sink, |application, cx| application.delivered(connection, cx));
        }
        if news.acknowledged && sends {
            self.with_application(session, sink, |application, cx| application.writable(connection, cx));
        }
        if news.closed && !std::mem::replace(&mut self.flows[flow].closed, true) {
            self.with_application(session, sink, |application, cx| application.closed(connection, cx));
        }
    }

    /// Lets an application act, and sends what it has written.
    pub(super) fn with_application<S: Observed>(
        &mut self,
        number: SessionId,
        sink: &mut S,
        act: impl FnOnce(&mut dyn Application, &mut AppCx<'_>),
    ) {
        let session = &mut self.sessions[number];
        if session.finished {
            return;
        }
        let carrier = self.flows[session.first_flow].carrier;
        let mut ends;
        let access = match carrier {
            Carrier::Connection { sender, .. } => {
                ends = self.endpoints.session_ends(sender, session.connections);
                Access::Connections(&mut ends)
            }
            Carrier::Datagrams(flow) => {
                Access::Datagrams(&mut self.datagram_sizes, self.endpoints.datagrams(flow).bytes_received())
            }
        };
        let mut cx = AppCx::new(self.agenda.now(), access);
        act(&mut *session.application, &mut cx);
        let outcome = cx.outcome();
        session.finished = outcome.finished;
        let deadline = session.application.deadline().min(session.stop);
        if deadline > self.agenda.now() && deadline != Time::NEVER && !outcome.finished {
            self.agenda.schedule().arm(session.slot, deadline);
        } else {
            self.agenda.schedule().disarm(session.slot);
        }
        if outcome.finished {
            self.finish(number);
        }
        match carrier {
            Carrier::Connection { sender, .. } => {
                self.ends_acted(sender.peer(), outcome.requested, sink);
                // A finished transfer may be complete already.
                let written = if outcome.finished { u64::MAX } else { outcome.written };
                self.ends_acted(sender, written, sink);
            }
            Carrier::Datagrams(flow) => self.send_datagrams(flow, sink),
        }
    }

    /// The ends whose bits are set act: every second one from `first` on.
    fn ends_acted<S: Observed>(&mut self, first: EndId, mut bits: u64, sink: &mut S) {
        let session = self.flows[self.endpoints.end(first).flow()].session;
        let connections = session.map_or(1, |(session, _)| self.sessions[session].connections);
        for connection in 0..connections {
            if bits & 1 == 1 {
                self.end_acted(first.after(connection), sink);
            }
            bits >>= 1;
        }
    }

    /// The time at which a session stops: data not yet sent is discarded.
    fn stop<S: Observed>(&mut self, number: SessionId, sink: &mut S) {
        let session = &self.sessions[number];
        let carrier = self.flows[session.first_flow].carrier;
        if let Carrier::Connection { sender, .. } = carrier {
            for flow in session.flows() {
                self.flows[flow].bytes = None;
            }
            for connection in 0..session.connections {
                self.endpoints.discard_unsent(sender.after(connection));
            }
        }
        self.with_application(number, sink, |_, cx| cx.finish());
    }

    /// The sending end of a session's flows will write no more: each is complete when all its data is acknowledged.
    fn finish(&mut self, number: SessionId) {
        for number in self.sessions[number].flows() {
            let flow = &mut self.flows[number];
            match flow.carrier {
                Carrier::Connection { sender, close } => {
                    if close {
                        self.endpoints.shutdown_write(sender);
                    }
                    if flow.bytes.is_none() && flow.completed.is_none() {
                        flow.bytes = Some(self.endpoints.expect_written(sender));
                    }
                }
                Carrier::Datagrams(flow) => self.endpoints.finish_datagrams(flow, self.agenda.now()),
            }
        }
    }
}
