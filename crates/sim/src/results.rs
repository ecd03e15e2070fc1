//! How a run ended.

use engine::{Span, Time};
use path::link::Counters;
use path::medium::{AirCounters, StationCounters};

/// Everything counted in a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Results {
    /// When it ended.
    pub ended: Time,
    /// Wake-ups handled.
    pub events: u64,
    /// Packets that found a node's buffers full, by node number.
    pub buffer_full: Vec<u64>,
    /// Packets for which no way led on from a node, by node number.
    pub no_route: Vec<u64>,
    /// How each mobile that associates fared, by node number; of other nodes nothing.
    pub roaming: Vec<Option<RoamingResult>>,
    /// What each node's scheme counted, by node number.
    pub agents: Vec<Vec<(&'static str, u64)>>,
    /// By flow number.
    pub flows: Vec<FlowResult>,
    /// By link number.
    pub links: Vec<LinkResult>,
    /// By medium number.
    pub media: Vec<MediumResult>,
}

/// How a mobile that associates fared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RoamingResult {
    /// How often it associated with another base station than the last.
    pub handovers: u64,
    /// How long it was without any.
    pub alone: Span,
}

/// How a transfer went.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowResult {
    /// When its last byte was acknowledged at the sender.
    pub completed: Option<Time>,
    /// Why the connection failed, if it did: at the sender, or at the receiver before everything was acknowledged.
    pub failure: Option<tcp::Failure>,
    /// From its start to its completion, or to the end of the run.
    pub elapsed: Span,
    /// Bytes received in order.
    pub bytes_delivered: u64,
    /// The longest time without a new byte in order at the receiver, from the start until it had everything, or to the end of
    /// the run; none of no time.
    pub longest_pause: Option<Span>,
    /// Segments that brought the receiver no byte it did not have.
    pub segments_duplicate: u64,
    /// Segments with data that the receiver did not look at: not acceptable, or too old by their timestamps.
    pub segments_discarded: u64,
    /// What the sender counted.
    pub sender: tcp::Counters,
}

impl FlowResult {
    /// Bits received in order per second of `elapsed`; of no time there is no such number.
    pub fn goodput_bps(&self) -> Option<f64> {
        let seconds = self.elapsed.as_secs_f64();
        (seconds > 0.0).then(|| self.bytes_delivered as f64 * 8.0 / seconds)
    }
}

/// What a link counted, forward and backward.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkResult {
    /// By way.
    pub ways: [Counters; 2],
}

/// What a medium counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MediumResult {
    /// How its air was used.
    pub air: AirCounters,
    /// By the station's number in the medium.
    pub stations: Vec<StationCounters>,
}
