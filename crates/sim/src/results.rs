//! The results of a run.

use engine::{Span, Time};
use path::link::Counters;
use path::medium::{AirCounters, StationCounters};

/// All counters of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Results {
    /// The end of the run.
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
    /// By link number.
    pub links: Vec<LinkResult>,
    /// By medium number.
    pub media: Vec<MediumResult>,
}

/// The handovers of a mobile that associates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RoamingResult {
    /// The number of associations with another base station than the last.
    pub handovers: u64,
    /// The total time without a base station.
    pub alone: Span,
}

/// The results of a transfer.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowResult {
    /// When its last byte was acknowledged at the sender.
    pub completed: Option<Time>,
    /// Why the connection failed, if it did: at the sender, or at the receiver before everything was acknowledged.
    pub failure: Option<tcp::Failure>,
    /// The time from its start to its completion, or to the end of the run.
    pub elapsed: Span,
    /// Bytes received in order.
    pub bytes_delivered: u64,
    /// The longest time without a new byte in order at the receiver, from the start until it had received everything,
    /// or to the end of the run; `None` if no time elapsed.
    pub longest_pause: Option<Span>,
    /// Segments that contained no new data.
    pub segments_duplicate: u64,
    /// Segments with data that the receiver discarded: not acceptable, or too old by their timestamps.
    pub segments_discarded: u64,
    /// The counters of the sender.
    pub sender: tcp::Counters,
}

impl FlowResult {
    /// Bits received in order per second of `elapsed`; `None` if no time elapsed.
    pub fn goodput_bps(&self) -> Option<f64> {
        let seconds = self.elapsed.as_secs_f64();
        (seconds > 0.0).then(|| self.bytes_delivered as f64 * 8.0 / seconds)
    }
}

/// The counters of a link, forward and backward.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkResult {
    /// By direction.
    pub directions: [Counters; 2],
}

/// The counters of a medium.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MediumResult {
    /// How the medium was used.
    pub air: AirCounters,
    /// By the station's number in the medium.
    pub stations: Vec<StationCounters>,
}
