//! Sessions: an application and the flows that it uses.

use engine::{Slot, Time};
use tcp::Connection;

use super::World;
use super::end::End;
use super::event_loop::Observed;
use super::flow::Carrier;
use crate::app::{Access, AppCx, Application, Ends};
use crate::event::Event;

/// An application in a run.
pub(super) struct Session {
    pub application: Box<dyn Application>,
    /// The application's wake-up.
    pub slot: Slot,
    /// The number of its first flow, and that of its flows: several for several connections.
    pub first_flow: usize,
    pub flows: usize,
    pub started: bool,
    /// The time at which it stops; `NEVER` for none.
    pub stop: Time,
    /// Whether it will write no more.
    pub finished: bool,
}

/// The ends of a session's connections.
struct SessionEnds<'a>(&'a mut [End]);

impl Ends for SessionEnds<'_> {
    fn end(&self, number: usize) -> &Connection {
        &self.0[number].connection
    }

    fn end_mut(&mut self, number: usize) -> &mut Connection {
        &mut self.0[number].connection
    }
}

impl Session {
    /// The application of the flows from `first_flow` on, of which there are none yet.
    pub fn new(application: Box<dyn Application>, slot: Slot, first_flow: usize, stop: Time) -> Self {
        Session { application, slot, first_flow, flows: 0, started: false, stop, finished: false }
    }
}

impl World {
    /// The application's wake-up: the flow's start, its deadline, or the time at which it stops.
    pub(super) fn application_wakes<S: Observed>(&mut self, number: usize, sink: &mut S) {
        let session = &mut self.sessions[number];
        self.agenda.schedule().disarm(session.slot);
        if !std::mem::replace(&mut session.started, true) {
            if S::ACTIVE {
                for flow in session.first_flow..session.first_flow + session.flows {
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
    pub(super) fn show_application<S: Observed>(&mut self, end: usize, sink: &mut S) {
        let (flow, sends) = (self.endpoints.ends[end].flow as usize, self.endpoints.ends[end].sends);
        let Some((session, connection)) = self.flows[flow].session else { return };
        let (session, connection) = (session as usize, connection as usize);
        if !self.sessions[session].application.observes() {
            return;
        }
        let there = &self.endpoints.ends[end].connection;
        let (received, acknowledged) = (there.bytes_received(), there.bytes_acknowledged());
        let closed = !sends && there.at_end();
        let shown = &mut self.endpoints.ends[end].shown;
        let (more_received, more_acknowledged) = (received > shown[0], acknowledged > shown[1]);
        *shown = [received, acknowledged];
        if more_received && sends {
            self.with_application(session, sink, |application, cx| application.requested(connection, cx));
        } else if more_received {
            self.with_application(session, sink, |application, cx| application.delivered(connection, cx));
        }
        if more_acknowledged && sends {
            self.with_application(session, sink, |application, cx| application.writable(connection, cx));
        }
        if closed && !std::mem::replace(&mut self.flows[flow].closed, true) {
            self.with_application(session, sink, |application, cx| application.closed(connection, cx));
        }
    }

    /// Lets an application act, and sends what it has written.
    pub(super) fn with_application<S: Observed>(
        &mut self,
        number: usize,
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
                ends = SessionEnds(&mut self.endpoints.ends[sender..sender + 2 * session.flows]);
                Access::Connections(&mut ends)
            }
            Carrier::Datagrams(flow) => {
                Access::Datagrams(&mut self.datagram_sizes, self.endpoints.datagrams[flow].bytes_received())
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
                self.ends_acted(sender + 1, outcome.requested, sink);
                // A finished transfer may be complete already.
                let written = if outcome.finished { u64::MAX } else { outcome.written };
                self.ends_acted(sender, written, sink);
            }
            Carrier::Datagrams(flow) => self.send_datagrams(flow, sink),
        }
    }

    /// The ends whose bits are set act: every second one from `first` on.
    fn ends_acted<S: Observed>(&mut self, first: usize, mut bits: u64, sink: &mut S) {
        let session = self.flows[self.endpoints.ends[first].flow as usize].session;
        let flows = session.map_or(1, |(session, _)| self.sessions[session as usize].flows);
        for connection in 0..flows {
            if bits & 1 == 1 {
                self.end_acted(first + 2 * connection, sink);
            }
            bits >>= 1;
        }
    }

    /// The time at which a session stops: data not yet sent is discarded.
    fn stop<S: Observed>(&mut self, number: usize, sink: &mut S) {
        let session = &self.sessions[number];
        let carrier = self.flows[session.first_flow].carrier;
        if let Carrier::Connection { sender, .. } = carrier {
            for flow in session.first_flow..session.first_flow + session.flows {
                self.flows[flow].bytes = None;
            }
            for connection in 0..session.flows {
                self.endpoints.ends[sender + 2 * connection].connection.discard_unsent();
            }
        }
        self.with_application(number, sink, |_, cx| cx.finish());
    }

    /// The sending end of a session's flows will write no more: each is complete when all its data is acknowledged.
    fn finish(&mut self, number: usize) {
        let session = &self.sessions[number];
        for number in session.first_flow..session.first_flow + session.flows {
            let flow = &mut self.flows[number];
            match flow.carrier {
                Carrier::Connection { sender, close } => {
                    let end = &mut self.endpoints.ends[sender];
                    if close {
                        end.connection.shutdown_write();
                    }
                    if flow.bytes.is_none() && flow.completed.is_none() {
                        let written = end.connection.bytes_written();
                        flow.bytes = Some(written);
                        end.goal = written;
                    }
                }
                Carrier::Datagrams(flow) => self.endpoints.datagrams[flow].finish(self.agenda.now()),
            }
        }
    }
}
