//! Flows: the consequences of an event at a connection.

use engine::{Slot, Time};
use tcp::State;
use wire::Packet;

use super::World;
use crate::app::{AppCx, Application};
use crate::event::{Event, Sink};
use crate::timer::Due;

/// A flow: its application, and the progress of the transfer.
pub(super) struct Flow {
    pub application: Box<dyn Application>,
    /// The application's wake-up.
    pub slot: Slot,
    pub started: bool,
    /// Bytes written by the application at the sending end.
    pub written: u64,
    /// Whether the application was notified that the sending end has closed.
    pub closed: bool,
    /// The total bytes of the transfer, once known.
    pub bytes: Option<u64>,
    pub start: Time,
    /// Whether both ends close.
    pub close: bool,
    pub sender: usize,
    pub receiver: usize,
    pub completed: Option<Time>,
    /// Whether the flow is over.
    pub over: bool,
}

impl World {
    pub(super) fn end_wakes<S: Sink>(&mut self, end: usize, sink: &mut S) {
        match self.ends[end].due(self.now, &mut self.schedule) {
            Due::Later => {}
            Due::Now => {
                self.ends[end].connection.handle_timeout(self.now);
                self.end_acted(end, sink);
            }
        }
    }

    /// After an event at a connection: sends its packets and updates its timer.
    #[inline]
    pub(super) fn end_acted<S: Sink>(&mut self, number: usize, sink: &mut S) {
        if self.ends[number].closes_at_end && self.ends[number].connection.at_end() {
            // The other end's close is reported before this end's.
            self.notify_end(number, sink);
            self.ends[number].closes_at_end = false;
            self.ends[number].connection.close();
        }
        let end = &self.ends[number];
        let mut packet = self.spare.take().unwrap_or_else(|| Box::new(Packet::blank(end.addr, end.peer)));
        while self.ends[number].poll(self.now, &mut packet) {
            let node = self.ends[number].node;
            self.notify_end(number, sink);
            self.originate(node, &mut packet, sink);
        }
        self.spare = Some(packet);
        self.notify_end(number, sink);
        let end = &mut self.ends[number];
        end.keep_timer(&mut self.schedule);
        let (flow, watched) = (end.flow, end.watched);
        if end.connection.bytes_acknowledged() >= end.goal {
            end.goal = u64::MAX;
            self.flows[flow as usize].completed = Some(self.now);
            if S::ACTIVE {
                sink.event(self.now, &Event::FlowCompleted { flow });
            }
            self.look_over(flow as usize);
            self.show_application(number, sink);
        } else if watched {
            self.look_over(flow as usize);
            self.show_application(number, sink);
        }
    }

    /// The application's wake-up: the flow's start, or its deadline.
    pub(super) fn application_wakes<S: Sink>(&mut self, number: usize, sink: &mut S) {
        let flow = &mut self.flows[number];
        self.schedule.disarm(flow.slot);
        if std::mem::replace(&mut flow.started, true) {
            self.with_application(number, sink, |application, cx| application.wake(cx));
        } else {
            if S::ACTIVE {
                sink.event(self.now, &Event::FlowStarted { flow: number as u32 });
            }
            self.with_application(number, sink, |application, cx| application.start(cx));
        }
    }

    /// Reports the progress of the transfer to an application that observes it, after an event at the connection with
    /// this number.
    fn show_application<S: Sink>(&mut self, end: usize, sink: &mut S) {
        let (number, sends) = (self.ends[end].flow as usize, self.ends[end].sends);
        if !self.flows[number].application.observes() {
            return;
        }
        let connection = &self.ends[end].connection;
        let (received, acknowledged) = (connection.bytes_received(), connection.bytes_acknowledged());
        let closed = !sends && connection.at_end();
        let shown = &mut self.ends[end].shown;
        let (more_received, more_acknowledged) = (received > shown[0], acknowledged > shown[1]);
        *shown = [received, acknowledged];
        if more_received {
            self.with_application(number, sink, |application, cx| application.delivered(cx));
        }
        if more_acknowledged {
            self.with_application(number, sink, |application, cx| application.writable(cx));
        }
        if closed && !std::mem::replace(&mut self.flows[number].closed, true) {
            self.with_application(number, sink, |application, cx| application.closed(cx));
        }
    }

    /// Lets an application act, and sends what it has written.
    fn with_application<S: Sink>(
        &mut self,
        number: usize,
        sink: &mut S,
        act: impl FnOnce(&mut dyn Application, &mut AppCx<'_>),
    ) {
        let flow = &mut self.flows[number];
        let (sender, receiver) = (flow.sender, flow.receiver);
        let (before, after) = self.ends.split_at_mut(receiver);
        let mut cx = AppCx::new(self.now, &mut before[sender].connection, &mut after[0].connection);
        act(&mut *flow.application, &mut cx);
        let outcome = cx.outcome();
        let deadline = flow.application.deadline();
        if deadline > self.now && deadline != Time::NEVER {
            self.schedule.arm(flow.slot, deadline);
        } else {
            self.schedule.disarm(flow.slot);
        }
        flow.written = flow.written.saturating_add(outcome.written);
        if outcome.finished {
            self.finish(number);
        }
        if outcome.responded {
            self.end_acted(receiver, sink);
        }
        self.end_acted(sender, sink);
    }

    /// The sending end of a flow will write no more: the flow is complete when all data is acknowledged.
    fn finish(&mut self, number: usize) {
        let flow = &mut self.flows[number];
        let end = &mut self.ends[flow.sender];
        if flow.close {
            end.connection.shutdown_write();
        }
        if flow.bytes.is_none() {
            flow.bytes = Some(flow.written);
            end.goal = flow.written;
        }
    }

    /// Checks whether a flow is over: completed, and closed if its ends close, or failed. A sender in TIME-WAIT only
    /// absorbs late segments, and the run does not wait for it.
    fn look_over(&mut self, flow: usize) {
        let flow = &mut self.flows[flow];
        let [sender, receiver] = [flow.sender, flow.receiver].map(|end| self.ends[end].connection.state());
        let closed = sender == State::TimeWait && receiver == State::Closed;
        let over = sender == State::Closed || closed || (flow.completed.is_some() && !flow.close);
        if over && !flow.over {
            flow.over = true;
            self.unfinished -= 1;
        }
    }

    /// Emits the events of a connection.
    #[inline]
    fn notify_end<S: Sink>(&mut self, number: usize, sink: &mut S) {
        if S::ACTIVE {
            let end = &mut self.ends[number];
            let (flow, sends) = (end.flow, end.sends);
            while let Some(event) = end.connection.poll_event() {
                let event = if sends { Event::Sender { flow, event } } else { Event::Receiver { flow, event } };
                sink.event(self.now, &event);
            }
        }
    }
}
