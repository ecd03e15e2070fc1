//! An observation as lines of text. Each line is a change with the states after it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher};

use engine::{Span, Time};
use observe::observation::losses::LossPlace;
use observe::observation::media::ObservedExchange;
use observe::observation::transmitters::{Before, OnHop};
use observe::observation::{Evidence, Fact, FlowObservation, PathObservation, ReceiverState, Subscriber};
use path::{HopId, LinkEvent, LinkId, MediumId};
use sim::FlowId;
use tcp::Blocked;

/// Passes each line to a function.
pub struct FactLines<F> {
    line: String,
    flows: BTreeMap<FlowId, FlowLine>,
    each: F,
}

/// The states of a flow.
#[derive(PartialEq, Debug)]
struct FlowLine {
    una: u64,
    max: u64,
    cwnd: Evidence<f64>,
    ssthresh: Evidence<f64>,
    rto: Evidence<Span>,
    receive_window: Evidence<u64>,
    blocked: Evidence<Blocked>,
    /// Whether the connection is opened, and in slow start.
    phase: [bool; 2],
    in_fast_recovery: Evidence<bool>,
    least_rtt: Evidence<Span>,
    acted: Time,
    oldest_sent: Option<Time>,
    /// Bytes in order that the receiver has handled, and that arrived at its node.
    in_order: (Option<u64>, u64),
    /// The place where the first lost segment was lost, and the place of the loss that is repaired.
    losses: (Option<Evidence<LossPlace>>, Option<Option<Evidence<LossPlace>>>),
    has_hole: bool,
    congested_at: Option<Time>,
    slowest: Option<(HopId, Evidence<Span>, Option<MediumId>)>,
    /// About the packets in the network: the time since which there is none, the time of the next change, and whether a
    /// packet has failed.
    packets: (Option<Time>, Option<Time>, bool),
}

impl FlowLine {
    fn of(flow: &FlowObservation) -> Self {
        let (sender, packets) = (&flow.sender, &flow.packets);
        FlowLine {
            una: sender.una,
            max: sender.max,
            cwnd: sender.cwnd,
            ssthresh: sender.ssthresh,
            rto: sender.rto,
            receive_window: sender.receive_window,
            blocked: sender.blocked,
            phase: [sender.opening, sender.is_in_slow_start()],
            in_fast_recovery: sender.in_fast_recovery,
            least_rtt: sender.least_rtt,
            acted: sender.acted,
            oldest_sent: sender.oldest_sent(),
            in_order: (flow.receiver_state.as_ref().map(ReceiverState::in_order), flow.received.in_order()),
            losses: (flow.losses.first(), flow.losses.recovery()),
            has_hole: flow.has_hole(),
            congested_at: flow.congested_at,
            slowest: flow.slowest.as_ref().map(|slowest| (slowest.id, slowest.cycle, slowest.medium)),
            packets: (packets.empty_since(), packets.next_change(), packets.has_failed()),
        }
    }
}

impl<F: FnMut(&str)> FactLines<F> {
    pub fn new(each: F) -> Self {
        FactLines { line: String::new(), flows: BTreeMap::new(), each }
    }

    fn write(&mut self, at: Time, contents: std::fmt::Arguments<'_>) {
        self.line.clear();
        write!(self.line, "{} {contents}", at.as_nanos()).expect("memory");
        (self.each)(&self.line);
    }

    /// Writes the states of a flow, if they have changed.
    fn write_flow(&mut self, at: Time, number: FlowId, flow: &FlowObservation) {
        let state = FlowLine::of(flow);
        if self.flows.get(&number) != Some(&state) {
            self.write(at, format_args!("{number:?} {state:?}"));
            self.flows.insert(number, state);
        }
    }
}

impl<F: FnMut(&str)> Subscriber for FactLines<F> {
    fn on_hop(
        &mut self,
        on: &OnHop<'_>,
        event: &LinkEvent,
        number: FlowId,
        (_, path): (&FlowObservation, &PathObservation),
        before: Before,
    ) {
        let transmitters = path.transmitters();
        let line = transmitters.line(on.number).map(|line| (line.kind, line.books, line.free_at, line.in_vain));
        let serving = (before.free, before.serves, transmitters.serving(on.number));
        self.write(on.at, format_args!("{number:?} hop {} {event:?} {line:?} {serving:?}", on.number.number()));
    }

    fn on_exchange(&mut self, exchange: &ObservedExchange, number: FlowId, _: &FlowObservation, _: &PathObservation) {
        let ObservedExchange { medium, hop, began, tried, silent, free, data, spoilt, heard_by, .. } = exchange;
        let times = (began, tried, silent, free, data);
        let carried = exchange.carried.iter().map(|carried| (carried.flow, carried.attempt, carried.damaged));
        let carried: Vec<_> = carried.collect();
        self.write(
            *silent,
            format_args!("{number:?} exchange {medium:?} {hop:?} {times:?} {spoilt:?} {heard_by:?} {carried:?}"),
        );
    }

    fn on_channel(&mut self, at: Time, link: LinkId, path: &PathObservation) {
        self.write(at, format_args!("channel {} {:?}", link.number(), path.channel(link)));
    }

    fn on_facts(&mut self, at: Time, number: FlowId, facts: &[Fact], flow: &FlowObservation, _: &PathObservation) {
        for fact in facts {
            self.write(at, format_args!("{number:?} fact {fact:?}"));
        }
        self.write_flow(at, number, flow);
    }

    fn on_end(&mut self, at: Time, number: FlowId, flow: &FlowObservation, _: &PathObservation) {
        self.write(at, format_args!("{number:?} ends"));
        self.write_flow(at, number, flow);
    }
}

/// A number that stands for the line.
pub fn hash_line(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(line.as_bytes());
    hasher.finish()
}

/// Counts the facts of a run by kind.
#[derive(Default)]
pub struct FactCounts(pub BTreeMap<String, u64>);

impl Subscriber for FactCounts {
    fn on_facts(&mut self, _: Time, _: FlowId, facts: &[Fact], _: &FlowObservation, _: &PathObservation) {
        for fact in facts {
            let text = format!("{fact:?}");
            let kind = text.split(['(', ' ']).next().unwrap_or_default().to_owned();
            *self.0.entry(kind).or_default() += 1;
        }
    }
}
