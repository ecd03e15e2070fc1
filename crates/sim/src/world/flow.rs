//! Flows: what follows when a connection at one of their ends was told something.

use engine::Time;
use tcp::State;
use wire::Packet;

use super::World;
use crate::event::{Event, Sink};
use crate::timer::Due;

/// A transfer, and how far it is.
pub(super) struct Flow {
    pub bytes: Option<u64>,
    pub start: Time,
    /// Whether both ends close.
    pub close: bool,
    pub sender: usize,
    pub receiver: usize,
    pub completed: Option<Time>,
    /// Whether nothing more is to be waited for.
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

    /// After a connection was told something: send what it wants sent, and keep its timer.
    #[inline]
    pub(super) fn end_acted<S: Sink>(&mut self, number: usize, sink: &mut S) {
        if self.ends[number].closes_at_end && self.ends[number].connection.at_end() {
            // That the other end has closed is told of before this one does.
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
        } else if watched {
            self.look_over(flow as usize);
        }
    }

    /// Notes whether a flow is over: completed, and closed if its ends close, or failed. A sender in TIME-WAIT only waits
    /// for strays, and nobody waits for it.
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

    /// Passes on what a connection has to say.
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
