//! The components and their attributes [goel1997 B.3].

use engine::{Bytes, Rate, Span};
use path::agent::AgentConfig;
use path::scheduler::SchedulerConfig;
use sim::{NodeKind, Radio};

use super::fields::{Fields, LocatedValue};
use super::parser::{ComponentBlock, NAMES};
use super::quantities::{
    BANDWIDTH, BYTES, DURATION, FLAG, ID, INTERVAL, MILLISECONDS, PACKET_SIZE, PACKETS, PROBABILITY, RADIO, SCHEDULER,
    SCHEME, SECONDS, SEED, TRACE, TraceMode, WINDOW,
};
use super::report::Report;
use crate::problem::{Problem, sanitize_input};

/// A component whose attributes are all well-formed.
pub(super) enum Component<'a> {
    Simulator(SimulatorComponent),
    Node(NodeComponent<'a>),
    Link(LinkComponent<'a>),
    Shared(SharedLinks),
}

/// Settings of the whole network [goel1997 B.3.1].
pub(super) struct SimulatorComponent {
    pub(super) at: usize,
    pub(super) duration: Span,
    pub(super) print_interval: Option<Span>,
    pub(super) trace: Option<LocatedValue<TraceMode>>,
    /// The file with the states of the air, instead of `trace.dat`.
    pub(super) trace_file: Option<String>,
    pub(super) scheme: Option<AgentConfig>,
    pub(super) seed: Option<u64>,
    /// The traces to write, by name.
    pub(super) traces: Vec<&'static str>,
    /// The kinds of events that do not appear in the event trace, by name.
    pub(super) without_events: Vec<&'static str>,
}

/// The flag of each trace: its attribute, the trace, and the default. The thesis's program writes the trace of each
/// parameter unless its flag is off, and the event trace to standard output [goel1997 4.2 (7), B.4].
const TRACE_FLAGS: [(&str, &str, bool); 8] = [
    ("trace_seqno", "seqno", true),
    ("trace_ackno", "ackno", true),
    ("trace_congestion", "congestion", true),
    ("trace_threshold", "threshold", true),
    ("trace_wless_state", "wless_state", true),
    ("trace_router_pkt_arrival", "router_pkt_arrival", true),
    ("trace_swnd_size", "swnd_size", true),
    ("trace_events", "events", false),
];

/// The flag of each kind of event, 1 by default, and the name of the kind in scenarios.
const EVENT_FLAGS: [(&str, &str); 9] = [
    ("event_corrupted", "corrupted"),
    ("event_given_up", "given-up"),
    ("event_lost", "lost"),
    ("event_dropped", "dropped"),
    ("event_fast_retransmit", "fast-retransmit"),
    ("event_timeout", "timeout"),
    ("event_retransmitted", "retransmitted"),
    ("event_icmp", "icmp"),
    ("event_state", "state"),
];

/// A node [goel1997 B.3.2 to B.3.7].
pub(super) struct NodeComponent<'a> {
    /// The component's name.
    pub(super) component: &'a str,
    pub(super) at: usize,
    pub(super) id: LocatedValue<u64>,
    pub(super) kind: NodeKind,
    pub(super) transfer: Option<SourceTransfer>,
    pub(super) buffer: Option<Bytes>,
    pub(super) processing_delay: Option<Span>,
    pub(super) radio: Radio,
    pub(super) scheduler: Option<SchedulerConfig>,
    pub(super) scheme: Option<AgentConfig>,
}

/// Traffic of a source [goel1997 B.3.2].
pub(super) struct SourceTransfer {
    pub(super) to: LocatedValue<u64>,
    pub(super) packets: LocatedValue<u64>,
    pub(super) size: u64,
    pub(super) window: LocatedValue<Bytes>,
    pub(super) start: Span,
}

/// A link [goel1997 B.3.8, B.3.9].
pub(super) struct LinkComponent<'a> {
    /// The component's name.
    pub(super) component: &'a str,
    pub(super) at: usize,
    pub(super) id: LocatedValue<u64>,
    pub(super) rate: LocatedValue<Rate>,
    pub(super) delay: LocatedValue<Span>,
    pub(super) ends: [LocatedValue<u64>; 2],
    pub(super) seed: u64,
    pub(super) medium: Medium,
}

/// The physical medium of a link.
pub(super) enum Medium {
    /// A wire with a probability of packet loss.
    Wire { loss: f64 },
    /// A radio channel.
    Air(AirStates),
}

/// The states of the air.
pub(super) struct AirStates {
    pub(super) mean_good: LocatedValue<Span>,
    pub(super) mean_bad: LocatedValue<Span>,
    pub(super) bad: Vec<LocatedValue<[Span; 2]>>,
}

/// Links that share one bandwidth [goel1997 B.3.10].
pub(super) struct SharedLinks {
    pub(super) at: usize,
    pub(super) links: Vec<LocatedValue<u64>>,
}

impl NodeComponent<'_> {
    /// Whether the component implements the link layer of wireless links [goel1997 4.2, 4.3.1].
    pub(super) fn implements_link_layer(&self) -> bool {
        matches!(self.component, "base_station" | "wireless_source_node" | "wireless_sink_node")
    }

    /// The component that differs from this one only in the link layer.
    pub(super) fn counterpart(&self) -> &'static str {
        match self.component {
            "base_station" => "normal_router_node",
            "normal_router_node" => "base_station",
            "wireless_source_node" => "wired_source_node",
            "wired_source_node" => "wireless_source_node",
            "wireless_sink_node" => "wired_sink_node",
            _ => "wireless_sink_node",
        }
    }

    /// Whether a flow can end here.
    pub(super) fn is_sink(&self) -> bool {
        self.kind.ends_flows() && self.transfer.is_none()
    }
}

/// The component described by `block`; `None` after reporting errors.
pub(super) fn read_component<'a>(block: &ComponentBlock<'a>, report: &mut Report<'_>) -> Option<Component<'a>> {
    let mut fields = Fields::new(block, report);
    let (component, at) = (block.name.text, block.name.at);
    let read = match component {
        "simulator" => read_simulator(&mut fields, at).map(Component::Simulator),
        "wired_source_node" | "wireless_source_node" => read_source(&mut fields, component, at).map(Component::Node),
        "normal_router_node" | "base_station" => read_router(&mut fields, component, at).map(Component::Node),
        "wired_sink_node" | "wireless_sink_node" => read_host(&mut fields, component, at).map(Component::Node),
        "wired_link" | "wireless_link" => read_link(&mut fields, component, at).map(Component::Link),
        "shared_links" => Some(Component::Shared(SharedLinks { at, links: fields.read_repeated("link_id", &ID) })),
        unknown => {
            let problem = Problem::new("no such component").key(sanitize_input(unknown));
            report.at(at, problem.nearest(&sanitize_input(unknown), NAMES));
            return None;
        }
    };
    fields.finish();
    read
}

fn take_value<T>(given: Option<LocatedValue<T>>) -> Option<T> {
    given.map(|given| given.value)
}

// All attributes are read before the first `?`, so that each error is reported.

fn read_simulator(fields: &mut Fields<'_, '_, '_, '_>, at: usize) -> Option<SimulatorComponent> {
    let duration = fields.read_required("system_simulation_time", &DURATION);
    let print_interval = fields.read_optional("print_interval", &MILLISECONDS);
    let trace = fields.read_optional("read_from_trace", &TRACE);
    let mode = trace.as_ref().map(|given| LocatedValue { value: given.value.mode, at: given.at });
    let scheme = fields.read_optional("scheme", &SCHEME);
    let seed = fields.read_optional("seed", &SEED);
    let mut flag = |name, otherwise| take_value(fields.read_optional(name, &FLAG)).unwrap_or(otherwise);
    let traces = TRACE_FLAGS.into_iter().filter(|(name, _, otherwise)| flag(name, *otherwise));
    let traces = traces.map(|(_, trace, _)| trace).collect();
    let without_events = EVENT_FLAGS.into_iter().filter(|(name, _)| !flag(name, true));
    let without_events = without_events.map(|(_, kind)| kind).collect();
    Some(SimulatorComponent {
        at,
        duration: duration?.value,
        print_interval: take_value(print_interval),
        trace: mode,
        trace_file: trace.and_then(|given| given.value.file),
        scheme: take_value(scheme),
        seed: take_value(seed),
        traces,
        without_events,
    })
}

fn read_source<'a>(fields: &mut Fields<'_, '_, '_, '_>, component: &'a str, at: usize) -> Option<NodeComponent<'a>> {
    let node = read_host(fields, component, at);
    let to = fields.read_required("dest_id", &ID);
    let packets = fields.read_required("num_of_pkts_to_send", &PACKETS);
    let size = fields.read_required("pkt_size", &PACKET_SIZE);
    let window = fields.read_required("recv_wnd_size", &WINDOW);
    let start = fields.read_optional("start_time", &MILLISECONDS);
    let scheme = fields.read_optional("scheme", &SCHEME);
    let start = take_value(start).unwrap_or_default();
    let transfer = SourceTransfer { to: to?, packets: packets?, size: size?.value, window: window?, start };
    Some(NodeComponent { transfer: Some(transfer), scheme: take_value(scheme), ..node? })
}

fn read_router<'a>(fields: &mut Fields<'_, '_, '_, '_>, component: &'a str, at: usize) -> Option<NodeComponent<'a>> {
    let node = read_host(fields, component, at);
    let buffer = fields.read_required("buffer_size", &BYTES);
    let delay = fields.read_required("processing_delay", &MILLISECONDS);
    let (mut kind, mut scheme, mut scheduler, mut radio) = (NodeKind::Router, None, None, None);
    if component == "base_station" {
        kind = NodeKind::BaseStation;
        scheme = take_value(fields.read_optional("scheme", &SCHEME));
        scheduler = take_value(fields.read_optional("scheduler", &SCHEDULER));
        radio = take_value(fields.read_optional("radio", &RADIO));
    }
    Some(NodeComponent {
        kind,
        buffer: Some(Bytes(buffer?.value)),
        processing_delay: Some(delay?.value).filter(|delay| *delay > Span::ZERO),
        radio: radio.unwrap_or_default(),
        scheduler,
        scheme,
        ..node?
    })
}

fn read_host<'a>(fields: &mut Fields<'_, '_, '_, '_>, component: &'a str, at: usize) -> Option<NodeComponent<'a>> {
    Some(NodeComponent {
        component,
        at,
        id: fields.read_required("node_id", &ID)?,
        kind: NodeKind::Host,
        transfer: None,
        buffer: None,
        processing_delay: None,
        radio: Radio::default(),
        scheduler: None,
        scheme: None,
    })
}

fn read_link<'a>(fields: &mut Fields<'_, '_, '_, '_>, component: &'a str, at: usize) -> Option<LinkComponent<'a>> {
    let id = fields.read_required("link_id", &ID);
    let rate = fields.read_required("bandwidth", &BANDWIDTH);
    let delay = fields.read_required("latency", &MILLISECONDS);
    let ends = [fields.read_required("node_id1", &ID), fields.read_required("node_id2", &ID)];
    let seed = fields.read_required("random_seed", &SEED);
    let medium = if component == "wired_link" { read_wire(fields) } else { read_air(fields) };
    let [Some(one), Some(other)] = ends else { return None };
    Some(LinkComponent {
        component,
        at,
        id: id?,
        rate: rate?,
        delay: delay?,
        ends: [one, other],
        seed: seed?.value,
        medium: medium?,
    })
}

fn read_wire(fields: &mut Fields<'_, '_, '_, '_>) -> Option<Medium> {
    let loss = fields.read_required("loss_probability", &PROBABILITY)?.value;
    Some(Medium::Wire { loss })
}

fn read_air(fields: &mut Fields<'_, '_, '_, '_>) -> Option<Medium> {
    let mean_good = fields.read_required("mean_exp_distrib_good_state", &SECONDS);
    let mean_bad = fields.read_required("mean_exp_distrib_bad_state", &SECONDS);
    let bad = fields.read_repeated("bad_interval", &INTERVAL);
    Some(Medium::Air(AirStates { mean_good: mean_good?, mean_bad: mean_bad?, bad }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traces::TRACES;
    use crate::{DEFAULT_EVENT_KINDS, EVENT_KINDS};

    /// Every kind of event that is not opt-in has a flag, and every flag belongs to a trace or a kind.
    #[test]
    fn flags_have_the_same_names_as_their_rules() {
        assert_eq!(EVENT_FLAGS.map(|(_, kind)| kind), EVENT_KINDS.map(|(name, _)| name)[..DEFAULT_EVENT_KINDS]);
        assert!(EVENT_FLAGS.iter().all(|(flag, kind)| *flag == format!("event_{}", kind.replace('-', "_"))));
        assert!(TRACE_FLAGS.iter().all(|(flag, trace, _)| *flag == format!("trace_{trace}")));
        assert!(TRACE_FLAGS.iter().all(|(_, trace, _)| TRACES.iter().any(|known| known.name == *trace)));
    }
}
