//! Flows that arrive and end during the run.
//!
//! A later flow reuses the memory of a flow that has ended. The ports of the ended flow are reused once all other ports
//! have been used.

use engine::{Draws, Slot, Span, Stream, Time};
use tcp::config::ReceiveWindow;
use wire::{Packet, Segment};

use super::Traffic;
use super::flow::{Carrier, TrafficFlow};
use crate::ids::{ArrivalsId, NodeId};
use crate::network::ArrivalSpec;
use crate::results::ShortFlow;
use crate::size::SizeDistribution;
use crate::world::agenda::Agenda;
use crate::world::endpoints::{ConnectionPlan, Endpoints};
use crate::world::ids::FlowIndex;

/// A Poisson process of flows.
pub(super) struct Arrivals {
    spec: ArrivalSpec,
    slot: Slot,
    sizes: Box<dyn SizeDistribution>,
    /// Times between arrivals, with a random stream of their own, so that other sizes do not change the times.
    times: Draws,
    /// Sizes, with a random stream of their own.
    lengths: Draws,
    /// Random stream of the flows' ends.
    stream: Stream,
    /// Flows so far.
    arrived: u64,
    /// The time of the next arrival in nanoseconds.
    next: f64,
    /// Empty path between the flow's nodes; `None` without a route.
    path: Option<EmptyPath>,
}

/// Path of a flow at time zero, for computing the time of a transfer without other traffic and without slow start.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EmptyPath {
    /// Propagation delays of both directions, in nanoseconds.
    pub delay: f64,
    /// Nanoseconds per byte of data, summed over the links.
    pub pace: f64,
    /// Nanoseconds per byte of data at the slowest link.
    pub slowest: f64,
    /// Nanoseconds per byte of an acknowledgment, summed over the links in the reverse direction.
    pub pace_back: f64,
}

impl EmptyPath {
    /// Returns the time of a transfer. The first packet crosses each link, the others follow at the rate of the slowest
    /// link, and the acknowledgment of the last packet returns. A handshake adds one exchange of empty segments.
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

    /// Draws the time of the next arrival; `None` after the last.
    fn draw_next(&mut self) -> Option<Time> {
        if self.spec.count.is_some_and(|count| self.arrived >= count) {
            return None;
        }
        self.next += self.times.exponential(self.spec.rate.mean_interval_s() * 1e9);
        let at = Time::from_nanos(self.next as u64);
        (at <= self.spec.stop).then_some(at)
    }

    /// Schedules the next arrival; returns false after the last.
    pub fn schedule_next(&mut self, agenda: &mut Agenda) -> bool {
        let next = self.draw_next();
        match next {
            Some(at) => agenda.schedule().arm(self.slot, at),
            None => agenda.schedule().disarm(self.slot),
        }
        next.is_some()
    }
}

impl Traffic {
    /// The receive window of the flows of a process.
    pub fn arrival_window(&self, id: ArrivalsId) -> ReceiveWindow {
        let spec = &self.arrivals[id].spec;
        spec.peer.as_deref().unwrap_or(&spec.tcp).window
    }

    /// Adds an arriving flow, and schedules the next arrival. Returns the new flow; `None` if its nodes have no free
    /// port.
    pub fn open_arrival(
        &mut self,
        id: ArrivalsId,
        endpoints: &mut Endpoints,
        agenda: &mut Agenda,
    ) -> Option<FlowIndex> {
        let arrivals = &mut self.arrivals[id];
        let bytes = arrivals.sizes.draw(&mut arrivals.lengths);
        arrivals.arrived += 1;
        if !arrivals.schedule_next(agenda) {
            self.unfinished -= usize::from(self.awaits_arrivals);
        }
        let Arrivals { spec, stream, arrived, path, .. } = &self.arrivals[id];
        // An arriving flow is opened by its sender.
        let agreed = spec.peer.as_deref().map(|peer| spec.tcp.negotiate(peer, true));
        let (now, ideal) =
            (agenda.now(), path.as_ref().map(|path| path.time(bytes, agreed.as_ref().unwrap_or(&spec.tcp))));
        let short = ShortFlow { arrivals: id, bytes, start: now, completed: None, ideal };
        let stream = stream.sub(&format!("flow {arrived}"));
        let reused = self.free_flows.pop();
        let plan = ConnectionPlan {
            flow: (reused.unwrap_or_else(|| self.flows.next_id()), self.next_flow),
            nodes: [spec.from, spec.to].map(NodeId::from_index),
            class: spec.class,
            start: now,
            tcp: &spec.tcp,
            peer: spec.peer.as_deref(),
            streams: ["end 0", "end 1"].map(|name| stream.sub(name)),
            receiver_opens: false,
            bytes: Some(bytes),
            application_observes: false,
            reader: spec.reader,
        };
        let closed = reused.and_then(|flow| self.flows[flow].sender());
        let Some(sender) = endpoints.open(&plan, closed, agenda) else {
            self.free_flows.extend(reused);
            self.short_flows.push(short);
            return None;
        };
        let (flow, number) = plan.flow;
        self.next_flow = number.next();
        let carrier = Carrier::Connection { sender, close: spec.tcp.close };
        let awaited = self.awaits_arrivals;
        let opened =
            TrafficFlow { short: Some(short), awaited, ..TrafficFlow::new(number, None, Some(bytes), now, carrier) };
        match reused {
            Some(flow) => self.flows[flow] = opened,
            None => _ = self.flows.push(opened),
        }
        self.unfinished += usize::from(self.awaits_arrivals);
        Some(flow)
    }
}
