//! Flows over TCP: the consequences of an event at a connection.

use engine::Time;
use tcp::State;

use super::World;
use super::endpoints::{ActionOutcome, DatagramFlowId, EndId};
use super::event_loop::Observed;
use super::session::SessionId;
use crate::event::Event;
use crate::results::ShortFlow;

engine::define_ids! {
    /// The index of a flow in the world's list; a flow that arrives takes the place of one that is over.
    pub(super) struct FlowIndex;
}

/// A flow: one TCP connection, or datagrams, and the progress of the transfer.
pub(super) struct Flow {
    /// Its number in events. Flows that arrive during the run take the numbers after those of the network.
    pub number: u32,
    /// Its session, and its number among the connections of it; a flow that arrived during the run has none.
    pub session: Option<(SessionId, usize)>,
    /// The result of a flow that arrived during the run.
    pub short: Option<ShortFlow>,
    /// Whether the application was notified that the sending end has closed.
    pub closed: bool,
    /// The total bytes of the transfer, once known.
    pub bytes: Option<u64>,
    pub start: Time,
    pub carrier: Carrier,
    pub completed: Option<Time>,
    /// Whether the flow is over.
    pub over: bool,
    /// Whether the run waits for its end.
    pub awaited: bool,
}

/// The transport of a flow.
#[derive(Clone, Copy)]
pub(super) enum Carrier {
    /// Its sending end. `close`: both ends close.
    Connection {
        sender: EndId,
        close: bool,
    },
    Datagrams(DatagramFlowId),
}

impl Flow {
    /// A flow that starts at `start`.
    pub fn new(
        number: u32,
        session: Option<(SessionId, usize)>,
        bytes: Option<u64>,
        start: Time,
        carrier: Carrier,
    ) -> Self {
        let (short, closed, completed, over, awaited) = (None, false, None, false, true);
        Flow { number, session, short, closed, bytes, start, carrier, completed, over, awaited }
    }
}

impl World {
    pub(super) fn end_wakes<S: Observed>(&mut self, end: EndId, sink: &mut S) {
        if self.endpoints.handle_timer(end, &mut self.agenda) {
            self.end_acted(end, sink);
        }
    }

    /// After an event at a connection: sends its packets and updates its timer.
    #[inline]
    pub(super) fn end_acted<S: Observed>(&mut self, end: EndId, sink: &mut S) {
        if S::TIMES
            && let Some(delays) = &mut self.delays
        {
            self.endpoints.report_round_trip(end, delays);
        }
        if self.endpoints.is_to_close(end) {
            // The other end's close is reported before this end's.
            self.notify_end(end, sink);
            self.endpoints.close(end);
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
                self.flows[flow].completed = Some(self.agenda.now());
                if S::ACTIVE {
                    sink.event(self.agenda.now(), &Event::FlowCompleted { flow: self.flows[flow].number });
                }
                self.look_over(end, sink);
            }
        }
    }

    /// Sends the packets of a connection.
    fn send<S: Observed>(&mut self, end: EndId, sink: &mut S) {
        let node = self.endpoints.end(end).node();
        let mut packet = self.endpoints.take_buffer(end);
        while self.endpoints.poll(end, self.agenda.now(), &mut packet) {
            self.notify_end(end, sink);
            self.originate(node, &mut packet, sink);
        }
        self.endpoints.reuse_buffer(packet);
    }

    /// Checks whether the flow of an end is over, and tells its application what is new.
    fn look_over<S: Observed>(&mut self, end: EndId, sink: &mut S) {
        self.look_over_connection(self.endpoints.end(end).flow());
        self.show_application(end, sink);
    }

    /// Checks whether a flow is over: completed, and closed if its ends close, or failed. A sender in TIME-WAIT only
    /// absorbs late segments, and the run does not wait for it.
    fn look_over_connection(&mut self, number: FlowIndex) {
        let flow = &mut self.flows[number];
        let Carrier::Connection { sender, close } = flow.carrier else { return };
        let states = self.endpoints.states(sender);
        let closed = states == [State::TimeWait, State::Closed];
        let over = states[0] == State::Closed || closed || (flow.completed.is_some() && !close);
        if over && !flow.over {
            flow.over = true;
            self.unfinished -= usize::from(flow.awaited);
            if flow.short.is_some() {
                self.flow_left(number);
            }
        }
    }

    /// Emits the events of a connection.
    #[inline]
    pub(super) fn notify_end<S: Observed>(&mut self, end: EndId, sink: &mut S) {
        if S::ACTIVE {
            while let Some(event) = self.endpoints.poll_event(end) {
                sink.event(self.agenda.now(), &event);
            }
        }
    }
}
