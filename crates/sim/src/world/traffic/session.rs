//! Sessions: an application and the flows that it uses.

use engine::{Slot, Time};

use super::Traffic;
use super::flow::Carrier;
use crate::app::{Access, AppCx, Application};
use crate::ids::FlowId;
use crate::world::agenda::Agenda;
use crate::world::endpoints::Endpoints;
use crate::world::ids::{FlowIndex, SessionId};

/// An application in a run.
pub(super) struct Session {
    pub(super) application: Box<dyn Application>,
    /// The application's wake-up.
    pub(super) slot: Slot,
    /// First flow of the application, which has one flow for each connection.
    pub(super) first_flow: FlowIndex,
    pub(super) connections: usize,
    pub(super) started: bool,
    /// Time at which the application stops; `NEVER` for none.
    pub(super) stop: Time,
    /// Whether the application has finished writing.
    pub(super) finished: bool,
}

impl Session {
    /// Returns the flows of the session.
    pub fn flows(&self) -> impl Iterator<Item = FlowIndex> + use<> {
        let first = self.first_flow.index();
        (first..first + self.connections).map(FlowIndex::from_index)
    }

    /// Creates an application for the flows from `first_flow` on, still without flows.
    pub fn new(application: Box<dyn Application>, slot: Slot, first_flow: FlowIndex, stop: Time) -> Self {
        Session { application, slot, first_flow, connections: 0, started: false, stop, finished: false }
    }
}

/// The actions of an application in a call.
pub(in crate::world) struct ApplicationOutcome {
    /// Transport of the application's first flow.
    pub carrier: Carrier,
    /// Number of the application's connections.
    pub connections: usize,
    /// Bit set of the connections whose sending ends have to act.
    pub written: u64,
    /// Connections whose receiving ends act, as bits.
    pub requested: u64,
}

/// The reason why an application wakes.
pub(in crate::world) enum ApplicationWakeup {
    /// The flows of the application start.
    Start,
    /// The deadline of the application is reached.
    Deadline,
    /// The stop time has been reached.
    Stop,
}

impl Traffic {
    /// Handles the wake-up of an application.
    pub fn wake_application(&mut self, session: SessionId, agenda: &mut Agenda) -> ApplicationWakeup {
        let session = &mut self.sessions[session];
        agenda.schedule().disarm(session.slot);
        if !std::mem::replace(&mut session.started, true) {
            ApplicationWakeup::Start
        } else if agenda.now() >= session.stop {
            ApplicationWakeup::Stop
        } else {
            ApplicationWakeup::Deadline
        }
    }

    /// The numbers of an application's flows in events.
    pub fn flow_numbers(&self, session: SessionId) -> impl Iterator<Item = FlowId> {
        self.sessions[session].flows().map(|flow| self.flows[flow].number)
    }

    /// Returns the application that observes a flow, and the flow's number among the connections of the application;
    /// `None` without an observing application.
    pub fn observer(&self, flow: FlowIndex) -> Option<(SessionId, usize)> {
        self.flows[flow].session.filter(|(session, _)| self.sessions[*session].application.observes())
    }

    /// Records that the application was notified of the close of a flow; returns whether this is the first
    /// notification.
    pub fn note_closed(&mut self, flow: FlowIndex) -> bool {
        !std::mem::replace(&mut self.flows[flow].closed, true)
    }

    /// Calls an application. Returns `None` if the application has already finished.
    pub fn call_application(
        &mut self,
        id: SessionId,
        endpoints: &mut Endpoints,
        agenda: &mut Agenda,
        act: impl FnOnce(&mut dyn Application, &mut AppCx<'_>),
    ) -> Option<ApplicationOutcome> {
        let session = &mut self.sessions[id];
        if session.finished {
            return None;
        }
        let (now, carrier) = (agenda.now(), self.flows[session.first_flow].carrier);
        let mut ends;
        let access = match carrier {
            Carrier::Connection { sender, .. } => {
                ends = endpoints.session_ends(sender, session.connections);
                Access::Connections(&mut ends)
            }
            Carrier::Datagrams(flow) => {
                Access::Datagrams(&mut self.datagram_sizes, endpoints.datagrams(flow).bytes_received())
            }
        };
        let mut cx = AppCx::new(now, access);
        act(&mut *session.application, &mut cx);
        let outcome = cx.outcome();
        session.finished = outcome.finished;
        let deadline = session.application.deadline().min(session.stop);
        // A call at the stop time, for example after an arrival, does not replace the stop.
        let is_due = deadline > now || session.stop <= now;
        if is_due && deadline != Time::NEVER && !outcome.finished {
            agenda.schedule().arm(session.slot, deadline.max(now));
        } else {
            agenda.schedule().disarm(session.slot);
        }
        let connections = session.connections;
        if outcome.finished {
            self.finish(id, endpoints, now);
        }
        // A finished transfer may already be complete.
        let written = if outcome.finished { u64::MAX } else { outcome.written };
        Some(ApplicationOutcome { carrier, connections, written, requested: outcome.requested })
    }

    /// Discards data that an application has not sent at either end when it stops.
    pub fn discard_unsent(&mut self, session: SessionId, endpoints: &mut Endpoints) {
        for flow in self.sessions[session].flows() {
            let flow = &mut self.flows[flow];
            if let Carrier::Connection { sender, .. } = flow.carrier {
                flow.bytes = None;
                endpoints.discard_unsent(sender);
                endpoints.discard_unsent(sender.peer());
            }
        }
    }

    /// Handles the end of writing at the sending ends of a session's flows: each flow is complete when all its data is
    /// acknowledged.
    fn finish(&mut self, session: SessionId, endpoints: &mut Endpoints, now: Time) {
        for flow in self.sessions[session].flows() {
            let flow = &mut self.flows[flow];
            match flow.carrier {
                Carrier::Connection { sender, close } => {
                    if close {
                        endpoints.shutdown_write(sender);
                    }
                    if flow.bytes.is_none() && flow.completed.is_none() {
                        flow.bytes = Some(endpoints.expect_written(sender));
                    }
                }
                Carrier::Datagrams(flow) => endpoints.finish_datagrams(flow, now),
            }
        }
    }

    /// Takes the sizes of the datagrams that an application has written;
    /// [`reuse_datagram_sizes`](Self::reuse_datagram_sizes) takes the list back.
    pub fn take_datagram_sizes(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.datagram_sizes)
    }

    /// Reuses the memory of sizes whose datagrams were all sent.
    pub fn reuse_datagram_sizes(&mut self, mut sizes: Vec<u32>) {
        sizes.clear();
        if self.datagram_sizes.is_empty() {
            self.datagram_sizes = sizes;
        }
    }
}
