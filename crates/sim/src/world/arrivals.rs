//! Flows that arrive during the run, and end.
//!
//! The memory of a flow that has ended is used again by later ones; its ports are used again when all others have been.

use engine::{Draws, Slot, Span, Stream, Time};
use wire::{Packet, Segment};

use super::World;
use super::endpoints::ConnectionPlan;
use super::event_loop::Observed;
use super::flow::{Carrier, Flow, FlowIndex};
use crate::event::Event;
use crate::ids::NodeId;
use crate::network::ArrivalSpec;
use crate::results::ShortFlow;
use crate::size::SizeDistribution;

engine::define_ids! {
    /// The number of a process by which flows arrive.
    pub(super) struct ArrivalsId;
}

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
    pub(super) fn flow_arrives<S: Observed>(&mut self, number: ArrivalsId, sink: &mut S) {
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
            let (flow, arrivals) = (self.flows[flow].number, number.number());
            sink.event(self.agenda.now(), &Event::FlowArrived { flow, arrivals, bytes, ideal });
            sink.event(self.agenda.now(), &Event::FlowStarted { flow });
        }
        let Carrier::Connection { sender, close } = self.flows[flow].carrier else { return };
        self.endpoints.write_all(sender, bytes, close);
        self.end_acted(sender, sink);
    }

    /// Opens a connection for a flow that arrives now; `None` if its nodes have no port left.
    fn open_flow(&mut self, arrivals: ArrivalsId, bytes: u64) -> Option<FlowIndex> {
        let Arrivals { spec, stream, arrived, path, .. } = &self.arrivals[arrivals];
        let ideal = path.as_ref().map(|path| path.time(bytes, &spec.tcp));
        let short = ShortFlow { arrivals: arrivals.number(), bytes, start: self.agenda.now(), completed: None, ideal };
        let nodes = [spec.from, spec.to].map(NodeId::from_index);
        let stream = stream.sub(&format!("flow {arrived}"));
        let reused = self.free_flows.pop();
        let plan = ConnectionPlan {
            flow: (reused.unwrap_or_else(|| self.flows.next_id()), self.next_flow),
            nodes,
            class: spec.class,
            start: self.agenda.now(),
            tcp: &spec.tcp,
            streams: ["end 0", "end 1"].map(|name| stream.sub(name)),
            receiver_opens: false,
            bytes: Some(bytes),
            application_observes: false,
        };
        let closed = reused.and_then(|flow| match self.flows[flow].carrier {
            Carrier::Connection { sender, .. } => Some(sender),
            Carrier::Datagrams(_) => None,
        });
        let Some(sender) = self.endpoints.open(&plan, closed, &mut self.agenda) else {
            self.free_flows.extend(reused);
            self.short_flows.push(short);
            return None;
        };
        let (flow, number) = plan.flow;
        self.next_flow += 1;
        let carrier = Carrier::Connection { sender, close: spec.tcp.close };
        let awaited = self.awaits_arrivals;
        let opened =
            Flow { short: Some(short), awaited, ..Flow::new(number, None, Some(bytes), self.agenda.now(), carrier) };
        match reused {
            Some(flow) => self.flows[flow] = opened,
            None => _ = self.flows.push(opened),
        }
        self.unfinished += usize::from(self.awaits_arrivals);
        Some(flow)
    }

    /// A flow that arrived during the run is over: its ports and its memory are free.
    #[cold]
    pub(super) fn flow_left(&mut self, flow: FlowIndex) {
        let left = &mut self.flows[flow];
        let Carrier::Connection { sender, .. } = left.carrier else { return };
        let completed = left.completed;
        self.short_flows.extend(left.short.take().map(|short| ShortFlow { completed, ..short }));
        self.endpoints.close_pair(sender, &mut self.agenda);
        self.free_flows.push(flow);
    }
}
