//! The components and their attributes [goel1997 B.3].

use engine::{Bytes, Rate, Span};
use path::agent::AgentConfig;
use path::scheduler::SchedulerConfig;
use sim::{NodeKind, Radio};

use super::fields::{Fields, Given};
use super::parser::{Block, NAMES};
use super::quantities::{
    BANDWIDTH, BYTES, DURATION, FLAG, ID, INTERVAL, MILLISECONDS, PACKET_SIZE, PACKETS, PROBABILITY, RADIO, SCHEDULER,
    SCHEME, SECONDS, SEED, TRACE, TraceMode, WINDOW,
};
use super::report::Report;
use crate::problem::{Problem, shown};

/// A component whose attributes are all well-formed.
pub(super) enum Component<'a> {
    Simulator(Simulator),
    Node(Node<'a>),
    Link(Link<'a>),
    Shared(Shared),
}

/// Settings of the whole network [goel1997 B.3.1].
pub(super) struct Simulator {
    pub(super) at: usize,
    pub(super) duration: Span,
    pub(super) print_interval: Option<Span>,
    pub(super) trace: Option<Given<TraceMode>>,
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
pub(super) struct Node<'a> {
    /// The component's name.
    pub(super) component: &'a str,
    pub(super) at: usize,
    pub(super) id: Given<u64>,
    pub(super) kind: NodeKind,
    pub(super) transfer: Option<Transfer>,
    pub(super) buffer: Option<Bytes>,
    pub(super) processing_delay: Option<Span>,
    pub(super) radio: Radio,
    pub(super) scheduler: Option<SchedulerConfig>,
    pub(super) scheme: Option<AgentConfig>,
}

/// What a source sends [goel1997 B.3.2].
pub(super) struct Transfer {
    pub(super) to: Given<u64>,
    pub(super) packets: Given<u64>,
    pub(super) size: u64,
    pub(super) window: Given<Bytes>,
    pub(super) start: Span,
}

/// A link [goel1997 B.3.8, B.3.9].
pub(super) struct Link<'a> {
    /// The component's name.
    pub(super) component: &'a str,
    pub(super) at: usize,
    pub(super) id: Given<u64>,
    pub(super) rate: Given<Rate>,
    pub(super) delay: Given<Span>,
    pub(super) ends: [Given<u64>; 2],
    pub(super) seed: u64,
    pub(super) medium: Medium,
}

/// The physical medium of a link.
pub(super) enum Medium {
    /// A wire with a probability of packet loss.
    Wire { loss: f64 },
    /// A radio channel.
    Air(Air),
}

/// The states of the air.
pub(super) struct Air {
    pub(super) mean_good: Given<Span>,
    pub(super) mean_bad: Given<Span>,
    pub(super) bad: Vec<Given<[Span; 2]>>,
}

/// Links that share one bandwidth [goel1997 B.3.10].
pub(super) struct Shared {
    pub(super) at: usize,
    pub(super) links: Vec<Given<u64>>,
}

impl Node<'_> {
    /// Whether the component implements the link layer of wireless links [goel1997 4.2, 4.3.1].
    pub(super) fn reliable(&self) -> bool {
        matches!(self.component, "base_station" | "wireless_source_node" | "wireless_sink_node")
    }

    /// The component that differs only in the link layer.
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
pub(super) fn read<'a>(block: &Block<'a>, report: &mut Report<'_>) -> Option<Component<'a>> {
    let mut fields = Fields::new(block, report);
    let (component, at) = (block.name.text, block.name.at);
    let read = match component {
        "simulator" => simulator(&mut fields, at).map(Component::Simulator),
        "wired_source_node" | "wireless_source_node" => source(&mut fields, component, at).map(Component::Node),
        "normal_router_node" | "base_station" => router(&mut fields, component, at).map(Component::Node),
        "wired_sink_node" | "wireless_sink_node" => host(&mut fields, component, at).map(Component::Node),
        "wired_link" | "wireless_link" => link(&mut fields, component, at).map(Component::Link),
        "shared_links" => Some(Component::Shared(Shared { at, links: fields.repeated("link_id", &ID) })),
        unknown => {
            let problem = Problem::new("no such component").key(shown(unknown));
            report.at(at, problem.nearest(&shown(unknown), NAMES));
            return None;
        }
    };
    fields.finish();
    read
}

fn value<T>(given: Option<Given<T>>) -> Option<T> {
    given.map(|given| given.value)
}

// All attributes are read before the first `?`, so that each error is reported.

fn simulator(fields: &mut Fields<'_, '_, '_, '_>, at: usize) -> Option<Simulator> {
    let duration = fields.required("system_simulation_time", &DURATION);
    let print_interval = fields.optional("print_interval", &MILLISECONDS);
    let trace = fields.optional("read_from_trace", &TRACE);
    let mode = trace.as_ref().map(|given| Given { value: given.value.mode, at: given.at });
    let scheme = fields.optional("scheme", &SCHEME);
    let seed = fields.optional("seed", &SEED);
    let mut flag = |name, otherwise| value(fields.optional(name, &FLAG)).unwrap_or(otherwise);
    let traces = TRACE_FLAGS.into_iter().filter(|(name, _, otherwise)| flag(name, *otherwise));
    let traces = traces.map(|(_, trace, _)| trace).collect();
    let without_events = EVENT_FLAGS.into_iter().filter(|(name, _)| !flag(name, true));
    let without_events = without_events.map(|(_, kind)| kind).collect();
    Some(Simulator {
        at,
        duration: duration?.value,
        print_interval: value(print_interval),
        trace: mode,
        trace_file: trace.and_then(|given| given.value.file),
        scheme: value(scheme),
        seed: value(seed),
        traces,
        without_events,
    })
}

fn source<'a>(fields: &mut Fields<'_, '_, '_, '_>, component: &'a str, at: usize) -> Option<Node<'a>> {
    let node = host(fields, component, at);
    let to = fields.required("dest_id", &ID);
    let packets = fields.required("num_of_pkts_to_send", &PACKETS);
    let size = fields.required("pkt_size", &PACKET_SIZE);
    let window = fields.required("recv_wnd_size", &WINDOW);
    let start = fields.optional("start_time", &MILLISECONDS);
    let scheme = fields.optional("scheme", &SCHEME);
    let start = value(start).unwrap_or_default();
    let transfer = Transfer { to: to?, packets: packets?, size: size?.value, window: window?, start };
    Some(Node { transfer: Some(transfer), scheme: value(scheme), ..node? })
}

fn router<'a>(fields: &mut Fields<'_, '_, '_, '_>, component: &'a str, at: usize) -> Option<Node<'a>> {
    let node = host(fields, component, at);
    let buffer = fields.required("buffer_size", &BYTES);
    let delay = fields.required("processing_delay", &MILLISECONDS);
    let (mut kind, mut scheme, mut scheduler, mut radio) = (NodeKind::Router, None, None, None);
    if component == "base_station" {
        kind = NodeKind::BaseStation;
        scheme = value(fields.optional("scheme", &SCHEME));
        scheduler = value(fields.optional("scheduler", &SCHEDULER));
        radio = value(fields.optional("radio", &RADIO));
    }
    Some(Node {
        kind,
        buffer: Some(Bytes(buffer?.value)),
        processing_delay: Some(delay?.value).filter(|delay| *delay > Span::ZERO),
        radio: radio.unwrap_or_default(),
        scheduler,
        scheme,
        ..node?
    })
}

fn host<'a>(fields: &mut Fields<'_, '_, '_, '_>, component: &'a str, at: usize) -> Option<Node<'a>> {
    Some(Node {
        component,
        at,
        id: fields.required("node_id", &ID)?,
        kind: NodeKind::Host,
        transfer: None,
        buffer: None,
        processing_delay: None,
        radio: Radio::default(),
        scheduler: None,
        scheme: None,
    })
}

fn link<'a>(fields: &mut Fields<'_, '_, '_, '_>, component: &'a str, at: usize) -> Option<Link<'a>> {
    let id = fields.required("link_id", &ID);
    let rate = fields.required("bandwidth", &BANDWIDTH);
    let delay = fields.required("latency", &MILLISECONDS);
    let ends = [fields.required("node_id1", &ID), fields.required("node_id2", &ID)];
    let seed = fields.required("random_seed", &SEED);
    let medium = if component == "wired_link" { wire(fields) } else { air(fields) };
    let [Some(one), Some(other)] = ends else { return None };
    Some(Link {
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

fn wire(fields: &mut Fields<'_, '_, '_, '_>) -> Option<Medium> {
    let loss = fields.required("loss_probability", &PROBABILITY)?.value;
    Some(Medium::Wire { loss })
}

fn air(fields: &mut Fields<'_, '_, '_, '_>) -> Option<Medium> {
    let mean_good = fields.required("mean_exp_distrib_good_state", &SECONDS);
    let mean_bad = fields.required("mean_exp_distrib_bad_state", &SECONDS);
    let bad = fields.repeated("bad_interval", &INTERVAL);
    Some(Medium::Air(Air { mean_good: mean_good?, mean_bad: mean_bad?, bad }))
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
