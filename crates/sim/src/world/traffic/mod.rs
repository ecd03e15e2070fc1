//! Flows, the applications that use them, and the processes by which flows arrive.

mod arrivals;
mod build;
mod flow;
mod session;

use engine::{IdVec, Span, Time};

use super::agenda::Agenda;
use super::endpoints::{DatagramFlow, Endpoints};
use crate::ids::{ArrivalsId, FlowId};
use crate::results::{FlowResult, ShortFlow};
use crate::world::ids::EndId;
use crate::world::ids::{FlowIndex, SessionId};
use arrivals::Arrivals;
pub(super) use flow::{Carrier, TrafficFlow};
pub(super) use session::ApplicationWakeup;
use session::Session;

/// The run waits for `unfinished` flows and processes: awaited flows that have not ended, and arrival processes with
/// further arrivals. An arrived flow is in the list until its end, and in the results afterwards.
pub(super) struct Traffic {
    /// Flows of the network, followed by flows that arrived during the run.
    flows: IdVec<FlowIndex, TrafficFlow>,
    /// The number of flows of the network.
    planned: usize,
    sessions: IdVec<SessionId, Session>,
    /// Sizes of datagrams sent by an application during a call.
    datagram_sizes: Vec<u32>,
    arrivals: IdVec<ArrivalsId, Arrivals>,
    /// The number in events of the next flow that arrives.
    next_flow: FlowId,
    /// Flows that arrived and have ended, whose memory is reused.
    free_flows: Vec<FlowIndex>,
    /// The results of flows that arrived and have ended.
    short_flows: Vec<ShortFlow>,
    /// Number of awaited flows that have not ended, and of arrival processes with further arrivals.
    unfinished: usize,
    /// Whether the run waits for arriving flows to end.
    awaits_arrivals: bool,
}

impl Traffic {
    /// Whether the run waits for no further flow or arrival process.
    #[inline(always)]
    pub fn is_over(&self) -> bool {
        self.unfinished == 0
    }

    /// Waits only for the end of these flows, given by their numbers in the network, and not for arriving flows.
    pub fn await_only(&mut self, flows: &[usize]) {
        for (index, flow) in self.flows.iter_mut().enumerate() {
            flow.awaited = flows.contains(&index);
        }
        self.awaits_arrivals = false;
        self.unfinished = self.flows.iter().filter(|flow| flow.awaited && !flow.over).count();
    }

    /// The flows of the network.
    pub fn network_flows(&self) -> &[TrafficFlow] {
        &self.flows.as_slice()[..self.planned]
    }

    /// The flow with this index.
    pub fn flow(&self, flow: FlowIndex) -> &TrafficFlow {
        &self.flows[flow]
    }

    /// Records that all bytes of a flow are acknowledged.
    pub fn complete(&mut self, flow: FlowIndex, now: Time) {
        self.flows[flow].completed = Some(now);
    }

    /// Ends a flow, so that the run no longer waits for it. Returns false if the flow had already ended.
    fn end(&mut self, flow: FlowIndex) -> bool {
        let flow = &mut self.flows[flow];
        if std::mem::replace(&mut flow.over, true) {
            return false;
        }
        self.unfinished -= usize::from(flow.awaited);
        true
    }

    /// Ends a flow over TCP that has failed, or is complete; if its ends close, it must also be closed. A sender in
    /// TIME-WAIT only absorbs late segments, and the run does not wait for it.
    pub fn end_if_over(&mut self, id: FlowIndex, endpoints: &mut Endpoints, agenda: &mut Agenda) {
        let flow = &self.flows[id];
        let Carrier::Connection { sender, close } = flow.carrier else { return };
        let [here, there] = endpoints.states(sender);
        let closed = here == tcp::State::TimeWait && there == tcp::State::Closed;
        let over = here == tcp::State::Closed || closed || (flow.completed.is_some() && !close);
        if over && self.end(id) && self.flows[id].short.is_some() {
            self.release(id, sender, endpoints, agenda);
        }
    }

    /// Frees the ports and the memory of a flow that arrived during the run and has ended.
    #[cold]
    fn release(&mut self, id: FlowIndex, sender: EndId, endpoints: &mut Endpoints, agenda: &mut Agenda) {
        let flow = &mut self.flows[id];
        let completed = flow.completed;
        self.short_flows.extend(flow.short.take().map(|short| ShortFlow { completed, ..short }));
        endpoints.close_pair(sender, agenda);
        self.free_flows.push(id);
    }

    /// Ends a flow of datagrams that is complete: its application has finished, and all datagrams have arrived. After a
    /// loss the flow ends with the run. Returns whether it ends now.
    pub fn end_if_delivered(&mut self, datagrams: &DatagramFlow, now: Time) -> bool {
        let ends = datagrams.is_complete() && self.end(datagrams.flow());
        if ends {
            self.complete(datagrams.flow(), now);
        }
        ends
    }

    /// Returns the minimum over the flows of the acknowledged share of their bytes, which is 0 while flows arrive.
    pub fn progress(&self, endpoints: &Endpoints) -> f64 {
        let share = |flow: &TrafficFlow| {
            let acknowledged = endpoints.end(flow.sender()?).connection().bytes_acknowledged();
            Some(acknowledged as f64 / (flow.bytes? as f64).max(1.0))
        };
        let more = if self.arrivals.is_empty() { 1.0 } else { 0.0 };
        self.network_flows().iter().map(|flow| share(flow).unwrap_or(0.0)).fold(more, f64::min)
    }

    /// The results of the flows of the network.
    pub fn results(&self, endpoints: &Endpoints, now: Time) -> Vec<FlowResult> {
        self.network_flows().iter().map(|flow| self.result(flow, endpoints, now)).collect()
    }

    /// The results of flows that arrived, in the order of their end, followed by the flows that have not ended.
    pub fn short_flows(&self) -> Vec<ShortFlow> {
        self.short_flows.iter().copied().chain(self.flows.iter().filter_map(TrafficFlow::short)).collect()
    }

    fn result(&self, flow: &TrafficFlow, endpoints: &Endpoints, now: Time) -> FlowResult {
        let application = match flow.session {
            Some((session, 0)) => self.sessions[session].application.results(now),
            _ => Vec::new(),
        };
        match flow.carrier {
            Carrier::Connection { sender, .. } => {
                let elapsed = flow.completed.unwrap_or(now).since(flow.start);
                let pause = endpoints.end(sender.peer()).longest_pause(flow.bytes, now);
                let [sender, receiver] = [sender, sender.peer()].map(|end| endpoints.end(end).connection());
                FlowResult {
                    completed: flow.completed,
                    failure: sender.failure().or(receiver.failure().filter(|_| flow.completed.is_none())),
                    elapsed,
                    bytes_delivered: receiver.bytes_received(),
                    bytes_back: (receiver.bytes_written() > 0).then(|| sender.bytes_received()),
                    longest_pause: (elapsed > Span::ZERO).then_some(pause),
                    segments_duplicate: receiver.segments_duplicate(),
                    segments_discarded: receiver.segments_discarded(),
                    sender: sender.counters(),
                    datagrams: None,
                    application,
                }
            }
            Carrier::Datagrams(datagrams) => {
                let datagrams = endpoints.datagrams(datagrams);
                let elapsed = flow.completed.or(datagrams.finish_time()).unwrap_or(now).since(flow.start);
                let pause = datagrams.longest_pause(flow.completed.map(|_| 0), now);
                FlowResult {
                    completed: flow.completed,
                    failure: None,
                    elapsed,
                    bytes_delivered: datagrams.bytes_received(),
                    bytes_back: None,
                    longest_pause: (elapsed > Span::ZERO).then_some(pause),
                    segments_duplicate: 0,
                    segments_discarded: 0,
                    sender: tcp::Counters::default(),
                    datagrams: Some(datagrams.result()),
                    application,
                }
            }
        }
    }
}
