//! The results of a run.

use engine::{Histogram, Span, Time};
use path::link::HopCounters;
use path::medium::{AirCounters, StationCounters};

use crate::app::AppResult;
use crate::ids::ArrivalsId;

/// All counters of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Results {
    /// End of the run.
    pub ended: Time,
    /// Wake-ups handled.
    pub events: u64,
    /// Packets dropped because a node's buffers were full, by node number.
    pub buffer_full: Vec<u64>,
    /// Packets dropped because a node had no route, by node number.
    pub no_route: Vec<u64>,
    /// The handovers of each mobile that associates, by node number; `None` for other nodes.
    pub roaming: Vec<Option<RoamingResult>>,
    /// The counters of each node's scheme, by node number.
    pub agents: Vec<Vec<(&'static str, u64)>>,
    /// By flow number.
    pub flows: Vec<FlowResult>,
    /// Flows that arrived during the run, in the order of their end, followed by the flows that had not ended.
    pub short_flows: Vec<ShortFlow>,
    /// By link number.
    pub links: Vec<LinkResult>,
    /// By medium number.
    pub media: Vec<MediumResult>,
}

/// Handovers of an associating mobile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RoamingResult {
    /// Number of associations with a base station other than the previous one.
    pub handovers: u64,
    /// The total time without a base station.
    pub alone: Span,
}

/// The results of a transfer.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowResult {
    /// Time at which the last byte of the flow was acknowledged at its sender.
    pub completed: Option<Time>,
    /// Reason of a failed connection: at the sender, or at the receiver before all data was acknowledged.
    pub failure: Option<tcp::Failure>,
    /// Time from the flow's start to its completion, or to the end of the run.
    pub elapsed: Span,
    /// Bytes received in order.
    pub bytes_delivered: u64,
    /// Bytes received in order at the sending end; `None` if the receiving end has no data to send.
    pub bytes_back: Option<u64>,
    /// The longest time without a new byte in order at the receiver, until the receiver has all bytes, or to the end of
    /// the run; `None` if no time elapsed.
    pub longest_pause: Option<Span>,
    /// Segments that contained no new data.
    pub segments_duplicate: u64,
    /// Segments with data that the receiver discarded: not acceptable, or too old by their timestamps.
    pub segments_discarded: u64,
    /// The counters of the sender; all zero for datagrams.
    pub sender: tcp::Counters,
    /// The counters of a flow of datagrams; `None` over TCP.
    pub datagrams: Option<DatagramResult>,
    /// Results of the flow's application; empty for most.
    pub application: Vec<AppResult>,
}

/// The results of a flow of datagrams.
#[derive(Clone, PartialEq, Debug)]
pub struct DatagramResult {
    /// Datagrams sent.
    pub sent: u64,
    /// Bytes of payload sent.
    pub bytes_sent: u64,
    /// Datagrams that arrived; of echo requests, replies that arrived.
    pub received: u64,
    /// Datagrams that arrived after one with a higher number.
    pub reordered: u64,
    /// Datagrams, or replies, that arrived with a congestion mark.
    pub marked: u64,
    /// Whether delay and jitter are measured over round trips: requests and replies.
    pub round_trip: bool,
    /// Times in nanoseconds from sending to arrival, of the datagrams that arrived.
    pub delay: Histogram,
    /// Interarrival jitter at the end of the run [RFC3550 6.4.1]; `None` with fewer than two arrivals.
    pub jitter: Option<Span>,
}

/// A flow that arrived during the run, at its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShortFlow {
    /// Number of the flow's arrival process in the network.
    pub arrivals: ArrivalsId,
    /// Bytes to deliver.
    pub bytes: u64,
    /// Start time.
    pub start: Time,
    /// Time at which the last byte of the flow was acknowledged at the sender; `None` if the flow failed, or was not
    /// complete at the end.
    pub completed: Option<Time>,
    /// Completion time on the empty path without slow start; `None` without a route at time zero.
    pub ideal: Option<Span>,
}

impl ShortFlow {
    /// Returns the flow completion time; `None` if the flow is not complete.
    pub fn completion_time(&self) -> Option<Span> {
        self.completed.map(|at| at.since(self.start))
    }

    /// Returns the completion time divided by the time on the empty path, at least 1 up to rounding.
    pub fn slowdown(&self) -> Option<f64> {
        let ideal = self.ideal?.as_secs_f64();
        Some(self.completion_time()?.as_secs_f64() / ideal)
    }
}

impl FlowResult {
    /// Bits received in order per second of `elapsed`; `None` if no time elapsed.
    pub fn goodput_bps(&self) -> Option<f64> {
        self.compute_rate(self.bytes_delivered)
    }

    /// Bits received in order at the sending end per second of `elapsed`; `None` if the receiving end has no data to send,
    /// or no time elapsed.
    pub fn goodput_back_bps(&self) -> Option<f64> {
        self.compute_rate(self.bytes_back?)
    }

    fn compute_rate(&self, bytes: u64) -> Option<f64> {
        let seconds = self.elapsed.as_secs_f64();
        (seconds > 0.0).then(|| bytes as f64 * 8.0 / seconds)
    }
}

/// The counters of a link, forward and backward.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkResult {
    /// By direction.
    pub directions: [HopCounters; 2],
}

/// The counters of a medium.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MediumResult {
    /// How the medium was used.
    pub air: AirCounters,
    /// Counters by the station's number in the medium.
    pub stations: Vec<StationCounters>,
}
