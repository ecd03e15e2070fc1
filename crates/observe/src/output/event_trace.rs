//! The event trace in the layout of the thesis [goel1997 B.4], with its periodic print of the state [B.3.1].

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use engine::{IdVec, Time};
use observation::{ReceiverState, SenderState};
use path::{HopId, HopState, LinkDirection, LinkEvent, LinkId, LinkLayerState};
use scenario::{EventKind, EventKinds};
use sim::{Event, FlowId, NodeEvent, NodeState, World};
use tcp::Reason;
use wire::{Body, Packet};

use super::file::{FileError, Millis, NamedFile, TraceFile};
use super::{Output, PRINTER, Stage};

struct EventTrace {
    target: EventTraceTarget,
    kinds: EventKinds,
    nodes: Vec<String>,
    links: IdVec<LinkId, EventTraceLink>,
    flows: IdVec<FlowId, FlowState>,
}

struct EventTraceLink {
    name: String,
    between: [usize; 2],
}

/// The output of the trace.
enum EventTraceTarget {
    File(TraceFile),
    /// Standard output, or its replacement.
    Printer(Box<dyn Write>),
}

impl Write for EventTraceTarget {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            EventTraceTarget::File(file) => file.write(bytes),
            EventTraceTarget::Printer(printer) => printer.write(bytes).map_err(name_printer_error),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            EventTraceTarget::File(file) => file.flush(),
            EventTraceTarget::Printer(printer) => printer.flush().map_err(name_printer_error),
        }
    }
}

/// The error, with the name of the output that could not be written.
fn name_printer_error(source: io::Error) -> io::Error {
    io::Error::new(source.kind(), FileError { name: PRINTER.to_owned(), source })
}

/// A flow's part of the periodic print.
#[derive(Clone)]
struct FlowState {
    name: String,
    from: String,
    to: String,
    sender: SenderState,
    receiver: ReceiverState,
}

pub(super) fn open_event_trace(stage: &Stage<'_>) -> Box<dyn Output> {
    let file = stage.file("event-trace.txt".to_owned(), "all events".to_owned());
    Box::new(EventTrace::new(stage, EventTraceTarget::File(file)))
}

/// The trace written to `printer`.
pub(super) fn print_event_trace(stage: &Stage<'_>, printer: Box<dyn Write>) -> Box<dyn Output> {
    Box::new(EventTrace::new(stage, EventTraceTarget::Printer(printer)))
}

impl Output for EventTrace {
    fn event(&mut self, at: Time, event: &Event) -> io::Result<()> {
        self.apply(at, event);
        match classify_traced_event(event).filter(|kind| self.kinds.has(*kind)) {
            Some(_) => writeln!(self.target, "{}", self.text(Millis(at), event)),
            None => Ok(()),
        }
    }

    fn prints_state(&self) -> bool {
        self.kinds.has(EventKind::State)
    }

    /// Prints the state of every flow, every node and both directions of every link [goel1997 B.3.1].
    fn state(&mut self, at: Time, world: &World) -> io::Result<()> {
        if !self.prints_state() {
            return Ok(());
        }
        writeln!(self.target, "***** STATE *****\n(CLOCK : {})", Millis(at))?;
        for flow in &self.flows {
            writeln!(self.target, "{flow}")?;
        }
        for number in 0..self.nodes.len() {
            let text = self.node(number, world);
            write!(self.target, "{text}")?;
        }
        writeln!(self.target)
    }

    fn finish(&mut self, _: Time) -> io::Result<()> {
        writeln!(self.target, "Processing SIMULATION_OVER event.\nTerminating the simulator.\nNormal Termination.")?;
        self.target.flush()
    }

    fn files(&self) -> Vec<NamedFile> {
        match &self.target {
            EventTraceTarget::File(file) => vec![file.named_file()],
            EventTraceTarget::Printer(_) => Vec::new(),
        }
    }
}

/// Returns the kind of an event that has a separate entry.
fn classify_traced_event(event: &Event) -> Option<EventKind> {
    match event {
        Event::Link { event, .. } => match event {
            LinkEvent::FrameCorrupted { .. } => Some(EventKind::Corrupted),
            LinkEvent::GivenUp { .. } => Some(EventKind::GivenUp),
            LinkEvent::Lost { .. } => Some(EventKind::Lost),
            LinkEvent::QueueFull { .. } | LinkEvent::DroppedEarly { .. } => Some(EventKind::Dropped),
            _ => None,
        },
        Event::Sender { event, .. } => match event {
            tcp::Event::FastRetransmit { .. } | tcp::Event::NotifiedRecovery { .. } => Some(EventKind::FastRetransmit),
            tcp::Event::Timeout { .. } => Some(EventKind::Timeout),
            tcp::Event::NoticeReceived { .. } => Some(EventKind::Icmp),
            tcp::Event::Blocked { .. } => Some(EventKind::Blocked),
            tcp::Event::SegmentSent { reason, .. } if *reason != Reason::New => Some(EventKind::Retransmitted),
            _ => None,
        },
        Event::Node { event: NodeEvent::BufferFull { .. }, .. } => Some(EventKind::Dropped),
        _ => None,
    }
}

impl EventTrace {
    fn new(stage: &Stage<'_>, target: EventTraceTarget) -> Self {
        let flow = |flow: &sim::FlowSpec| FlowState {
            name: flow.name.clone(),
            from: stage.node(flow.from).to_owned(),
            to: stage.node(flow.to).to_owned(),
            sender: SenderState::new(flow.start),
            receiver: ReceiverState::default(),
        };
        let link = |link: &sim::LinkSpec| EventTraceLink { name: link.name.clone(), between: link.between };
        EventTrace {
            target,
            kinds: stage.event_kinds,
            nodes: stage.network.nodes.iter().map(|node| node.name.clone()).collect(),
            links: stage.network.links.iter().map(link).collect(),
            flows: stage.network.flows.iter().map(flow).collect(),
        }
    }

    /// Updates the flows' part of the periodic print.
    fn apply(&mut self, at: Time, event: &Event) {
        match event {
            Event::Sender { flow, event } => {
                if let Some(flow) = self.flows.get_mut(*flow) {
                    flow.sender.apply(at, event);
                }
            }
            Event::Receiver { flow, event } => {
                if let Some(flow) = self.flows.get_mut(*flow) {
                    flow.receiver.apply(event);
                }
            }
            _ => {}
        }
    }

    /// The entry of an event, if the event has one.
    fn text(&self, clock: Millis, event: &Event) -> String {
        match event {
            Event::Link { hop, event, .. } => self.on_link(clock, *hop, event),
            Event::Sender { flow, event } => match self.flows.get(*flow) {
                Some(flow) => on_sender(clock, &flow.from, event),
                // A flow that arrived during the run.
                None => String::new(),
            },
            Event::Node { node, event: NodeEvent::BufferFull { packet }, .. } => format!(
                "***** PKT DROPPED ***** (IP)\n(CLOCK : {clock})\nThe buffers of node {} had no room for the following pkt\n{}",
                self.nodes[node.index()],
                self.packet(packet)
            ),
            _ => String::new(),
        }
    }

    fn on_link(&self, clock: Millis, hop: HopId, event: &LinkEvent) -> String {
        match event {
            LinkEvent::FrameCorrupted { number, packet, .. } => format!(
                "***** PKT CORRUPTED ***** (DLL)\n(CLOCK : {clock})\n\
                 The following pkt was corrupted due to BAD status of the link\n{}{}",
                self.frame(hop, *number, packet),
                self.packet(packet)
            ),
            LinkEvent::GivenUp { number, attempts, packet, .. } => {
                // The thesis counts attempts after the first. A frame whose RTS frames were all lost had no attempt.
                let after = match attempts.checked_sub(1) {
                    Some(count) => format!("after {count} attempts"),
                    None => "as no request to send was answered".to_owned(),
                };
                format!(
                    "Following frame could not be transmitted {after} :\n{}{}",
                    self.frame(hop, *number, packet),
                    self.packet(packet)
                )
            }
            LinkEvent::Lost { packet } => format!(
                "***** PKT LOST *****\n(CLOCK : {clock})\nThe following pkt was lost on the link\n{}",
                self.packet(packet)
            ),
            LinkEvent::QueueFull { packet, .. } => format!(
                "***** PKT DROPPED ***** (IP)\n(CLOCK : {clock})\nThe queue of the link had no room for the following pkt\n{}",
                self.packet(packet)
            ),
            LinkEvent::DroppedEarly { packet, .. } => format!(
                "***** PKT DROPPED ***** (IP)\n(CLOCK : {clock})\nThe queue of the link dropped the following pkt early\n{}",
                self.packet(packet)
            ),
            _ => String::new(),
        }
    }

    /// Formats the state of a node, and of the link directions on which the node sends and receives.
    fn node(&self, number: usize, world: &World) -> String {
        let (name, NodeState { buffer, processing }) = (&self.nodes[number], world.node_state(number));
        let (used, size) =
            buffer.map_or(("-".to_owned(), "none".to_owned()), |(used, size)| (used.to_string(), size.to_string()));
        let mut text = format!("node {name} <BUFFERED, BUFFERS, PROCESSING> : <{used}, {size}, {processing}>\n");
        for (hop, EventTraceLink { name: over, between: [a, b] }) in self.hops() {
            let (from, to) = if hop.direction == LinkDirection::Forward { (*a, *b) } else { (*b, *a) };
            let HopState { waiting, waiting_bytes, outstanding, link_layer } = world.hop_state(hop);
            if from == number {
                let to = &self.nodes[to];
                text += &format!(
                    "node {name} to {to} over link {over} <WAITING, BYTES, OUTSTANDING> : \
                     <{waiting}, {waiting_bytes}, {outstanding}>\n"
                );
                if let Some(LinkLayerState { attempts, next_number, .. }) = link_layer {
                    text += &format!(
                        "node {name} to {to} over link {over} (DLL) <ATTEMPTS, NEXT SEQ> : <{attempts}, {next_number}>\n"
                    );
                }
            } else if let (true, Some(LinkLayerState { expected, .. })) = (to == number, link_layer) {
                let from = &self.nodes[from];
                text += &format!("node {name} from {from} over link {over} (DLL) <SEQ EXPECTED> : <{expected}>\n");
            }
        }
        text
    }

    /// Both directions of every link.
    fn hops(&self) -> impl Iterator<Item = (HopId, &EventTraceLink)> {
        self.links.enumerate().flat_map(|(id, link)| LinkDirection::BOTH.map(|direction| (id.hop(direction), link)))
    }

    fn frame(&self, hop: HopId, number: u64, packet: &Packet) -> String {
        let [a, b] = self.links[hop.link].between.map(|node| &self.nodes[node]);
        let (from, to) = match hop.direction {
            LinkDirection::Forward => (a, b),
            LinkDirection::Backward => (b, a),
        };
        let kind = if packet.data().is_some() { "DATA" } else { "ACK" };
        format!("The contents of DLL frame are :-\n<SRC, DST, SEQ, ACK, Type>:- <{from}, {to}, {number}, -1, {kind}>\n")
    }

    fn packet(&self, packet: &Packet) -> String {
        let [from, to] = [packet.src, packet.dst].map(|addr| &self.nodes[addr.node()]);
        let mut text = format!("The contents of IP pkt are :-\n<SRC ID, DST ID> : <{from}, {to}>\n");
        match &packet.body {
            Body::Tcp(segment) => {
                text.push_str("The contents of TCP segment are :-\n<SEQ, ACK, Len, Type> : ");
                let rest = if segment.len > 0 {
                    writeln!(text, "<{}, -1, {}, DATA>", segment.seq.0, segment.len)
                } else {
                    writeln!(text, "<-1, {}, 0, ACK>", segment.ack.0)
                };
                rest.expect("writing to a string");
            }
            Body::Icmp(notice) => {
                let (kind, seq) = (notice.kind.name(), notice.seq.0);
                writeln!(text, "The contents of ICMP message are :-\n<SEQ, Type> : <{seq}, {kind}>").expect("as above");
            }
            Body::Datagram(datagram) => {
                let (kind, number, len) = (datagram.protocol.name(), datagram.number, datagram.len);
                writeln!(text, "The contents of datagram are :-\n<SEQ, Len, Type> : <{number}, {len}, {kind}>")
                    .expect("as above");
            }
        }
        text
    }
}

/// The entry of an event at the source on node `node`.
fn on_sender(clock: Millis, node: &str, event: &tcp::Event) -> String {
    match event {
        tcp::Event::FastRetransmit { .. } => "TCP_SRC:: Fast Retransmit".to_owned(),
        tcp::Event::NotifiedRecovery { .. } => {
            format!("TCP_SRC:: Fast Recovery of a segment lost on the wireless link(CLOCK : {clock})")
        }
        tcp::Event::Timeout { .. } => format!("TCP_SRC:: Retransmit Timeout(CLOCK : {clock})"),
        tcp::Event::NoticeReceived { kind, seq } => {
            format!("TCP_SRC(Node-id - {node}):: {} RECEIVED(CLOCK : {clock}) for SEQ {seq}", kind.name())
        }
        tcp::Event::Blocked { reason } => {
            format!("TCP_SRC(Node-id - {node}):: NOTHING SENT because of {}(CLOCK : {clock})", reason.name())
        }
        tcp::Event::SegmentSent { seq, len, .. } => format!(
            "TCP_SRC(Node-id - {node}):: following TCP segment RETRANSMITTED(CLOCK : {clock})\n\
             The contents of TCP segment are :-\n<SEQ, ACK, Len, Type> : <{seq}, -1, {len}, DATA>\n"
        ),
        _ => String::new(),
    }
}

impl fmt::Display for FlowState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FlowState { name, from, to, sender, receiver } = self;
        let SenderState { una, max, cwnd, ssthresh, .. } = sender;
        let (flight, highest, cwnd) = (max - una, receiver.received().end(), cwnd.known().unwrap_or(0.0));
        let ssthresh = ssthresh.known().filter(|ssthresh| ssthresh.is_finite());
        let ssthresh = ssthresh.map_or_else(|| "none".to_owned(), |ssthresh| format!("{ssthresh:.0}"));
        write!(
            f,
            "flow {name} : source {from} <NEXT, ACKED, UNACKED, CWND, SSTHRESH> : \
             <{max}, {una}, {flight}, {cwnd:.0}, {ssthresh}> sink {to} <HIGHEST> : <{highest}>"
        )
    }
}
