//! Flows that arrive during the run, and end.
//!
//! The memory of a flow that has ended is used again by later ones; its ports are used again when all others have been.

use engine::{Draws, Slot, Span, Stream, Time};
use wire::{Packet, Segment};

use super::World;
use super::agenda::Wakeup;
use super::connect::EndParts;
use super::event_loop::Observed;
use super::flow::{Carrier, Flow};
use crate::event::Event;
use crate::ids::NodeId;
use crate::network::ArrivalSpec;
use crate::results::ShortFlow;
use crate::size::SizeDistribution;

/// A Poisson process of flows.
pub(super) struct Arrivals {
    pub spec: ArrivalSpec,
    pub slot: Slot,
    sizes: Box<dyn SizeDistribution>,
    /// Times between arrivals, and sizes: streams of their own, so that other sizes leave the times as they are.
    times: Draws,
    lengths: Draws,
    /// The random stream of the flows' ends.
    stream: Stream,
    /// Flows so far.
    arrived: u64,
    /// The time of the next arrival in nanoseconds.
    next: f64,
    /// The time on the empty path.
    path: Option<EmptyPath>,
}

/// The path of a flow at time zero, to compute the time that a transfer takes on it without other traffic and without
/// slow start.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EmptyPath {
    /// Propagation delays of both directions, in nanoseconds.
    pub delay: f64,
    /// Nanoseconds per byte of data, added over the links.
    pub pace: f64,
    /// The same at the slowest link.
    pub slowest: f64,
    /// Nanoseconds per byte of an acknowledgment, added over the links back.
    pub pace_back: f64,
}

impl EmptyPath {
    /// The time of a transfer: the first packet crosses each link, the others follow at the pace of the slowest, and
    /// the acknowledgment of the last returns. A handshake adds one exchange of empty segments.
    fn time(&self, bytes: u64, tcp: &tcp::Config) -> Span {
        let options = tcp.data_options();
        let headers = f64::from(Packet::HEADER + Segment::HEADER + options);
        // After a handshake options reduce the data of a segment (RFC 6691).
        let mss = f64::from(if tcp.handshake { tcp.segment.saturating_sub(options).max(1) } else { tcp.segment });
        let packets = libm::ceil(bytes as f64 / mss);
        let total = bytes as f64 + packets * headers;
        let first = (bytes as f64).min(mss) + headers;
        let exchange = self.delay + (self.pace + self.pace_back) * headers;
        let handshake = if tcp.handshake { exchange } else { 0.0 };
        let nanos =
            handshake + self.delay + self.pace * first + self.slowest * (total - first) + self.pace_back * headers;
        Span::from_nanos(nanos as u64)
    }
}

impl Arrivals {
    pub fn new(spec: &ArrivalSpec, stream: Stream, slot: Slot, path: Option<EmptyPath>) -> Self {
        Arrivals {
            spec: spec.clone(),
            slot,
            sizes: spec.sizes.build(),
            times: stream.sub("times").draws(),
            lengths: stream.sub("sizes").draws(),
            stream,
            arrived: 0,
            next: spec.start.as_nanos() as f64,
            path,
        }
    }

    /// Draws the time of the next arrival; `None` if there is none.
    pub fn draw_next(&mut self) -> Option<Time> {
        if self.spec.count.is_some_and(|count| self.arrived >= count) {
            return None;
        }
        self.next += self.times.exponential(self.spec.rate.mean_interval_s() * 1e9);
        let at = Time::from_nanos(self.next as u64);
        (at <= self.spec.stop).then_some(at)
    }
}

impl World {
    /// A flow arrives, and the next arrival is scheduled.
    pub(super) fn flow_arrives<S: Observed>(&mut self, number: usize, sink: &mut S) {
        let arrivals = &mut self.arrivals[number];
        let bytes = arrivals.sizes.draw(&mut arrivals.lengths);
        arrivals.arrived += 1;
        match arrivals.draw_next() {
            Some(at) => self.agenda.schedule().arm(arrivals.slot, at),
            None => {
                self.agenda.schedule().disarm(arrivals.slot);
                self.unfinished -= usize::from(self.awaits_arrivals);
            }
        }
        let Some(flow) = self.open_flow(number, bytes) else { return };
        if S::ACTIVE {
            let ideal = self.flows[flow].short.and_then(|short| short.ideal);
            let (flow, arrivals) = (self.flows[flow].number, number as u32);
            sink.event(self.agenda.now(), &Event::FlowArrived { flow, arrivals, bytes, ideal });
            sink.event(self.agenda.now(), &Event::FlowStarted { flow });
        }
        let Carrier::Connection { sender, close } = self.flows[flow].carrier else { return };
        let connection = &mut self.endpoints.ends[sender].connection;
        connection.write(bytes);
        if close {
            connection.shutdown_write();
        }
        self.end_acted(sender, sink);
    }

    /// Opens a connection for a flow that arrives now; `None` if its nodes have no port left.
    fn open_flow(&mut self, arrivals: usize, bytes: u64) -> Option<usize> {
        let Arrivals { spec, stream, arrived, path, .. } = &self.arrivals[arrivals];
        let ideal = path.as_ref().map(|path| path.time(bytes, &spec.tcp));
        let short = ShortFlow { arrivals: arrivals as u32, bytes, start: self.agenda.now(), completed: None, ideal };
        let nodes = [spec.from, spec.to].map(NodeId::from_index);
        let stream = stream.sub(&format!("flow {arrived}"));
        let reused = self.free_flows.pop();
        let flow = reused.unwrap_or(self.flows.len());
        let sender = match self.flows.get(flow).map(|flow| flow.carrier) {
            Some(Carrier::Connection { sender, .. }) => sender,
            _ => self.endpoints.ends.len(),
        };
        let Some(ports) = self.endpoints.ports.open_pair(nodes, sender) else {
            self.free_flows.extend(reused);
            self.short_flows.push(short);
            return None;
        };
        let number = self.next_flow;
        self.next_flow += 1;
        let slots = [sender, sender + 1].map(|end| match self.endpoints.ends.get(end) {
            Some(old) => old.slot(),
            None => self.agenda.slot(Wakeup::End(end as u32)),
        });
        let parts = EndParts {
            flow: [flow as u32, number],
            nodes,
            ports,
            class: spec.class,
            start: self.agenda.now(),
            observed: self.observed,
        };
        let ends = ["end 0", "end 1"].map(|name| stream.sub(name));
        let mut ends = parts.ends(&spec.tcp, ends, slots, false);
        ends[0].goal = bytes;
        for (number, end) in (sender..).zip(ends) {
            match self.endpoints.ends.get_mut(number) {
                Some(old) => *old = end,
                None => self.endpoints.ends.push(end),
            }
        }
        let carrier = Carrier::Connection { sender, close: spec.tcp.close };
        let awaited = self.awaits_arrivals;
        let opened =
            Flow { short: Some(short), awaited, ..Flow::new(number, None, Some(bytes), self.agenda.now(), carrier) };
        match reused {
            Some(flow) => self.flows[flow] = opened,
            None => self.flows.push(opened),
        }
        self.unfinished += usize::from(self.awaits_arrivals);
        Some(flow)
    }

    /// A flow that arrived during the run is over: its ports and its memory are free.
    #[cold]
    pub(super) fn flow_left(&mut self, flow: usize) {
        let left = &mut self.flows[flow];
        let Carrier::Connection { sender, .. } = left.carrier else { return };
        let completed = left.completed;
        self.short_flows.extend(left.short.take().map(|short| ShortFlow { completed, ..short }));
        for end in [sender, sender + 1] {
            let end = &mut self.endpoints.ends[end];
            self.endpoints.ports.close(end.node, end.connection.ports().0);
            end.stop_timer(self.agenda.schedule());
            end.goal = u64::MAX;
        }
        self.free_flows.push(flow);
    }
}
