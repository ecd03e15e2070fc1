//! The event trace in the layout of the thesis [goel1997 B.4], with its periodic print of the state [B.3.1].

use std::fmt::Write as _;
use std::io::{self, Write};

use engine::{Span, Time};
use path::{HopId, LinkEvent, Way};
use sim::{Event, NodeEvent};
use tcp::Reason;
use wire::{Body, Packet};

use super::file::{Millis, NamedFile, TraceFile};
use super::{Output, Stage};

struct EventTrace {
    file: TraceFile,
    nodes: Vec<String>,
    links: Vec<[usize; 2]>,
    flows: Vec<FlowState>,
    print: Option<(Span, Time)>,
}

/// What the periodic print shows of a flow.
#[derive(Clone)]
struct FlowState {
    name: String,
    from: String,
    to: String,
    next: u64,
    acked: u64,
    flight: u64,
    cwnd: f64,
    ssthresh: f64,
    received: u64,
}

pub(super) fn open(stage: &Stage<'_>) -> Box<dyn Output> {
    let flow = |flow: &sim::FlowSpec| FlowState {
        name: flow.name.clone(),
        from: stage.node(flow.from).to_owned(),
        to: stage.node(flow.to).to_owned(),
        next: 0,
        acked: 0,
        flight: 0,
        cwnd: 0.0,
        ssthresh: f64::INFINITY,
        received: 0,
    };
    Box::new(EventTrace {
        file: TraceFile::new(stage.dir.join("event-trace.txt"), "all events".to_owned()),
        nodes: stage.network.nodes.iter().map(|node| node.name.clone()).collect(),
        links: stage.network.links.iter().map(|link| link.between).collect(),
        flows: stage.network.flows.iter().map(flow).collect(),
        print: stage.print_interval.map(|every| (every, Time::ZERO + every)),
    })
}

impl Output for EventTrace {
    fn event(&mut self, at: Time, event: &Event) -> io::Result<()> {
        self.print_until(at)?;
        let text = match event {
            Event::Link { hop, event } => self.link(at, *hop, event),
            Event::Sender { flow, event } => self.sender(at, *flow, event),
            Event::Receiver { flow, event: tcp::Event::SegmentReceived { seq, len, .. } } => {
                let flow = &mut self.flows[*flow as usize];
                flow.received = flow.received.max(seq + u64::from(*len));
                None
            }
            Event::Node { node, event: NodeEvent::BufferFull { packet } } => Some(format!(
                "***** PKT DROPPED ***** (IP)\n(CLOCK : {})\nThe buffers of node {} had no room for the following pkt\n{}",
                Millis(at),
                self.nodes[*node as usize],
                self.packet(packet)
            )),
            _ => None,
        };
        text.map_or(Ok(()), |text| writeln!(self.file, "{text}"))
    }

    fn finish(&mut self, at: Time) -> io::Result<()> {
        self.print_until(at)?;
        writeln!(self.file, "Processing SIMULATION_OVER event.\nTerminating the simulator.\nNormal Termination.")?;
        self.file.flush()
    }

    fn files(&self) -> Vec<NamedFile> {
        vec![self.file.named()]
    }
}

impl EventTrace {
    fn link(&self, at: Time, hop: HopId, event: &LinkEvent) -> Option<String> {
        let clock = Millis(at);
        match event {
            LinkEvent::FrameCorrupted { number, packet, .. } => Some(format!(
                "***** PKT CORRUPTED ***** (DLL)\n(CLOCK : {clock})\n\
                 The following pkt was corrupted due to BAD status of the link\n{}{}",
                self.frame(hop, *number, packet),
                self.packet(packet)
            )),
            LinkEvent::GivenUp { number, attempts, packet, .. } => {
                // The thesis counts the attempts after the first. A frame whose requests to send were all lost had none.
                let after = match attempts.checked_sub(1) {
                    Some(count) => format!("after {count} attempts"),
                    None => "as no request to send was answered".to_owned(),
                };
                Some(format!(
                    "Following frame could not be transmitted {after} :\n{}{}",
                    self.frame(hop, *number, packet),
                    self.packet(packet)
                ))
            }
            LinkEvent::Lost { packet } => Some(format!(
                "***** PKT LOST *****\n(CLOCK : {clock})\nThe following pkt was lost on the link\n{}",
                self.packet(packet)
            )),
            LinkEvent::QueueFull { packet } => Some(format!(
                "***** PKT DROPPED ***** (IP)\n(CLOCK : {clock})\nThe queue of the link had no room for the following pkt\n{}",
                self.packet(packet)
            )),
            _ => None,
        }
    }

    fn sender(&mut self, at: Time, flow: u32, event: &tcp::Event) -> Option<String> {
        let clock = Millis(at);
        let state = &mut self.flows[flow as usize];
        let node = &state.from;
        match event {
            tcp::Event::FastRetransmit { .. } => Some("TCP_SRC:: Fast Retransmit".to_owned()),
            tcp::Event::NotifiedRecovery { .. } => {
                Some(format!("TCP_SRC:: Fast Recovery of a segment lost on the wireless link(CLOCK : {clock})"))
            }
            tcp::Event::Timeout { .. } => Some(format!("TCP_SRC:: Retransmit Timeout(CLOCK : {clock})")),
            tcp::Event::NoticeReceived { kind, seq } => {
                Some(format!("TCP_SRC(Node-id - {node}):: {} RECEIVED(CLOCK : {clock}) for SEQ {seq}", kind.name()))
            }
            tcp::Event::SegmentSent { seq, len, reason } => {
                state.next = state.next.max(seq + u64::from(*len));
                (*reason != Reason::New).then(|| {
                    format!(
                        "TCP_SRC(Node-id - {node}):: following TCP segment RETRANSMITTED(CLOCK : {clock})\n\
                         The contents of TCP segment are :-\n<SEQ, ACK, Len, Type> : <{seq}, -1, {len}, DATA>\n"
                    )
                })
            }
            tcp::Event::AckReceived { ack, .. } => {
                state.acked = *ack;
                None
            }
            tcp::Event::Flight { bytes } => {
                state.flight = *bytes;
                None
            }
            tcp::Event::Window { cwnd, ssthresh } => {
                (state.cwnd, state.ssthresh) = (*cwnd, *ssthresh);
                None
            }
            _ => None,
        }
    }

    fn frame(&self, hop: HopId, number: u64, packet: &Packet) -> String {
        let [a, b] = self.links[hop.link as usize].map(|node| &self.nodes[node]);
        let (from, to) = match hop.way {
            Way::Forward => (a, b),
            Way::Backward => (b, a),
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
        }
        text
    }

    /// Prints the state of every flow at each interval that has passed.
    fn print_until(&mut self, at: Time) -> io::Result<()> {
        let Some((every, mut next)) = self.print else { return Ok(()) };
        while next <= at {
            writeln!(self.file, "***** STATE *****\n(CLOCK : {})", Millis(next))?;
            for flow in &self.flows {
                let ssthresh =
                    if flow.ssthresh.is_finite() { format!("{:.0}", flow.ssthresh) } else { "none".to_owned() };
                writeln!(
                    self.file,
                    "flow {} : source {} <NEXT, ACKED, UNACKED, CWND, SSTHRESH> : <{}, {}, {}, {:.0}, {ssthresh}> \
                     sink {} <HIGHEST> : <{}>",
                    flow.name, flow.from, flow.next, flow.acked, flow.flight, flow.cwnd, flow.to, flow.received
                )?;
            }
            writeln!(self.file)?;
            next += every;
        }
        self.print = Some((every, next));
        Ok(())
    }
}
