//! Flows over TCP: the consequences of an event at a connection.

use engine::Time;
use tcp::State;
use wire::Packet;

use super::World;
use super::event_loop::Observed;
use crate::event::Event;
use crate::results::ShortFlow;
use crate::timer::Due;

/// A flow: one TCP connection, or datagrams, and the progress of the transfer.
pub(super) struct Flow {
    /// Its number in events. Flows that arrive during the run take the numbers after those of the network.
    pub number: u32,
    /// Its session, and its number among the connections of it; a flow that arrived during the run has none.
    pub session: Option<(u32, u32)>,
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
    /// The number of the sending end; the receiving one follows. `close`: both ends close.
    Connection { sender: usize, close: bool },
    /// The number among the flows of datagrams.
    Datagrams(usize),
}

impl Flow {
    /// A flow that starts at `start`.
    pub fn new(number: u32, session: Option<(u32, u32)>, bytes: Option<u64>, start: Time, carrier: Carrier) -> Self {
        let (short, closed, completed, over, awaited) = (None, false, None, false, true);
        Flow { number, session, short, closed, bytes, start, carrier, completed, over, awaited }
    }
}

impl World {
    pub(super) fn end_wakes<S: Observed>(&mut self, end: usize, sink: &mut S) {
        match self.endpoints.ends[end].due(self.agenda.now(), self.agenda.schedule()) {
            Due::Later => {}
            Due::Now => {
                self.endpoints.ends[end].connection.handle_timeout(self.agenda.now());
                self.end_acted(end, sink);
            }
        }
    }

    /// After an event at a connection: sends its packets and updates its timer.
    #[inline]
    pub(super) fn end_acted<S: Observed>(&mut self, number: usize, sink: &mut S) {
        if S::TIMES
            && let Some(delays) = &mut self.delays
            && self.endpoints.ends[number].sends
        {
            let end = &mut self.endpoints.ends[number];
            delays.acted(end.number, end.connection.take_rtt(), end.connection.bytes_acknowledged());
        }
        if self.endpoints.ends[number].closes_at_end && self.endpoints.ends[number].connection.at_end() {
            // The other end's close is reported before this end's.
            self.notify_end(number, sink);
            self.endpoints.ends[number].closes_at_end = false;
            self.endpoints.ends[number].connection.close();
        }
        if !self.send_compact(number, sink) {
            self.send(number, sink);
        }
        self.notify_end(number, sink);
        let end = &mut self.endpoints.ends[number];
        end.keep_timer(self.agenda.schedule());
        let (flow, watched) = (end.flow as usize, end.watched);
        if end.connection.bytes_acknowledged() >= end.goal {
            end.goal = u64::MAX;
            self.flows[flow].completed = Some(self.agenda.now());
            if S::ACTIVE {
                sink.event(self.agenda.now(), &Event::FlowCompleted { flow: self.flows[flow].number });
            }
            self.look_over(flow);
            self.show_application(number, sink);
        } else if watched {
            self.look_over(flow);
            self.show_application(number, sink);
        }
    }

    /// Sends the packets of a connection.
    fn send<S: Observed>(&mut self, number: usize, sink: &mut S) {
        let end = &self.endpoints.ends[number];
        let node = end.node;
        let mut packet = self.spare.take().unwrap_or_else(|| Box::new(Packet::blank(end.addr, end.peer)));
        while self.endpoints.ends[number].poll(self.agenda.now(), &mut packet) {
            self.notify_end(number, sink);
            self.originate(node, &mut packet, sink);
        }
        self.spare = Some(packet);
    }

    /// Checks whether a flow is over: completed, and closed if its ends close, or failed. A sender in TIME-WAIT only
    /// absorbs late segments, and the run does not wait for it.
    fn look_over(&mut self, number: usize) {
        let flow = &mut self.flows[number];
        let Carrier::Connection { sender, close } = flow.carrier else { return };
        let states = [sender, sender + 1].map(|end| self.endpoints.ends[end].connection.state());
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
    pub(super) fn notify_end<S: Observed>(&mut self, number: usize, sink: &mut S) {
        if S::ACTIVE {
            let end = &mut self.endpoints.ends[number];
            let (flow, sends) = (end.number, end.sends);
            while let Some(event) = end.connection.poll_event() {
                let event = if sends { Event::Sender { flow, event } } else { Event::Receiver { flow, event } };
                sink.event(self.agenda.now(), &event);
            }
        }
    }
}
