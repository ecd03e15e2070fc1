//! Every event as one JSON object per line: `t` in seconds, `event` the kind, the rest its contents.

use std::borrow::Cow;
use std::io::{self, Write};

use engine::Time;
use path::mac::dcf::FrameKind;
use path::{HopId, LinkDirection, LinkEvent, MediumEvent, MediumId};
use serde::ser::{SerializeMap, Serializer};
use sim::{Event, Network, NodeEvent, PacketFlow};
use tcp::Reason;
use wire::{Body, Packet};

use super::file::{NamedFile, TraceFile};
use super::{Output, Stage};

/// Writes the entries of an object, as `json!` would. An event is written as it is read: building a value for each costs
/// several times as much as writing it.
macro_rules! put {
    ($object:expr, { $($key:literal: $value:expr),* $(,)? }) => {{
        $($object.serialize_entry($key, &$value)?;)*
    }};
}

struct Lines {
    file: TraceFile,
    /// The line being written.
    line: Vec<u8>,
    names: Names,
}

/// Names by number.
struct Names {
    nodes: Vec<String>,
    flows: Vec<String>,
    arrivals: Vec<String>,
    /// The arrival process of each flow that has arrived, in the order of their numbers, which follow those of `flows`.
    arrived: Vec<u32>,
    links: Vec<(String, [usize; 2])>,
    /// The name of each medium, and those of its stations.
    media: Vec<(String, Vec<String>)>,
}

impl Names {
    fn of(network: &Network) -> Self {
        Names {
            nodes: network.nodes.iter().map(|node| node.name.clone()).collect(),
            flows: network.flows.iter().map(|flow| flow.name.clone()).collect(),
            arrivals: network.arrivals.iter().map(|arrivals| arrivals.name.clone()).collect(),
            arrived: Vec::new(),
            links: network.links.iter().map(|link| (link.name.clone(), link.between)).collect(),
            media: (0..network.media.len()).map(|medium| stations(network, medium)).collect(),
        }
    }
}

impl Names {
    /// The name of a flow; that of one that arrived has its number.
    fn flow(&self, number: u32) -> Cow<'_, str> {
        let arrived = (number as usize).checked_sub(self.flows.len());
        match arrived {
            None => Cow::Borrowed(&self.flows[number as usize]),
            Some(at) => {
                let name = self.arrived.get(at).and_then(|process| self.arrivals.get(*process as usize));
                Cow::Owned(format!("{}#{number}", name.map_or("flow", String::as_str)))
            }
        }
    }
}

/// The name of a medium, and those of its stations.
fn stations(network: &Network, medium: usize) -> (String, Vec<String>) {
    let stations = network.stations(medium).into_iter().map(|node| network.nodes[node].name.clone());
    (network.media[medium].name.clone(), stations.collect())
}

pub(super) fn open(stage: &Stage<'_>) -> Box<dyn Output> {
    let file = stage.file("events.jsonl".to_owned(), "all events".to_owned());
    Box::new(Lines { file, line: Vec::new(), names: Names::of(stage.network) })
}

impl Output for Lines {
    fn event(&mut self, at: Time, event: &Event) -> io::Result<()> {
        if let Event::FlowArrived { arrivals, .. } = event {
            self.names.arrived.push(*arrivals);
        }
        self.line.clear();
        let mut serializer = serde_json::Serializer::new(&mut self.line);
        let mut object = serializer.serialize_map(None)?;
        put!(object, { "t": at.as_secs_f64() });
        describe(event, &self.names, &mut object)?;
        object.end()?;
        self.line.push(b'\n');
        self.file.write_all(&self.line)
    }

    fn finish(&mut self, _: Time) -> io::Result<()> {
        self.file.flush()
    }

    fn files(&self) -> Vec<NamedFile> {
        vec![self.file.named()]
    }
}

fn describe<M: SerializeMap>(event: &Event, names: &Names, object: &mut M) -> Result<(), M::Error> {
    match event {
        Event::Sender { flow, event: said } | Event::Receiver { flow, event: said } => {
            endpoint(said, object)?;
            if matches!(said, tcp::Event::State { .. } | tcp::Event::Blocked { .. }) {
                // Both ends report these events, so the end is written too.
                put!(object, { "end": if matches!(event, Event::Sender { .. }) { "sender" } else { "receiver" } });
            }
            put!(object, { "flow": names.flow(*flow) });
        }
        Event::FlowStarted { flow } => put!(object, { "event": "flow-started", "flow": names.flow(*flow) }),
        Event::FlowArrived { flow, bytes, .. } => {
            put!(object, { "event": "flow-arrived", "flow": names.flow(*flow), "bytes": bytes });
        }
        Event::FlowCompleted { flow } => put!(object, { "event": "flow-completed", "flow": names.flow(*flow) }),
        Event::Link { hop, event, of } => {
            link(event, flow_of(of, names).as_deref(), object)?;
            hop_of(*hop, names, object)?;
        }
        Event::Medium { medium, event } => medium_event(*medium, event, names, object)?,
        Event::Air { link, state } => {
            put!(object, { "event": "air", "link": names.links[*link as usize].0, "state": state.name() });
        }
        Event::Node { node, event, of } => {
            let (name, about) = match event {
                NodeEvent::Sent { packet } => ("packet-sent", packet),
                NodeEvent::Received { packet } => ("packet-received", packet),
                NodeEvent::Transit { packet } => ("packet-in-transit", packet),
                NodeEvent::BufferFull { packet } => ("buffer-full", packet),
                NodeEvent::Taken { packet } => ("packet-taken", packet),
                NodeEvent::NoRoute { packet } => ("no-route", packet),
                NodeEvent::Associated { link } => return association("associated", *node, *link, names, object),
                NodeEvent::Left { link } => return association("left", *node, *link, names, object),
            };
            put!(object, { "event": name, "node": names.nodes[*node as usize] });
            packet(about, flow_of(of, names).as_deref(), object)?;
        }
        Event::Agent { node, name, value, packet: about, of } => {
            put!(object, { "event": "agent", "node": names.nodes[*node as usize], "name": name, "value": value });
            if let Some(about) = about {
                packet(about, flow_of(of, names).as_deref(), object)?;
            }
        }
    }
    Ok(())
}

/// The name of the flow of a packet, if it has one.
fn flow_of<'a>(of: &Option<PacketFlow>, names: &'a Names) -> Option<Cow<'a, str>> {
    of.map(|of| names.flow(of.flow))
}

/// A mobile starts or stops using a link.
fn association<M: SerializeMap>(
    event: &str,
    node: u32,
    link: u32,
    names: &Names,
    object: &mut M,
) -> Result<(), M::Error> {
    put!(object, { "event": event, "node": names.nodes[node as usize], "link": names.links[link as usize].0 });
    Ok(())
}

fn medium_event<M: SerializeMap>(
    medium: MediumId,
    event: &MediumEvent,
    names: &Names,
    object: &mut M,
) -> Result<(), M::Error> {
    let (medium, stations) = &names.media[medium.index()];
    let name = |station: u32| &stations[station as usize];
    // A beacon is a broadcast.
    let far = |from: u32, to: u32| (from != to).then(|| name(to));
    match event {
        MediumEvent::Sent { from, to, frame, .. } => {
            put!(object, {
                "event": "air-sent", "medium": medium, "from": name(*from), "to": far(*from, *to),
                "frame": frame.kind.name(), "start_s": frame.start.as_secs_f64(),
                "duration_s": frame.duration.as_secs_f64(), "size": frame.size, "rate_bps": frame.rate.bits_per_sec(),
                "reserves_s": frame.reserves.as_secs_f64(), "number": frame.packets.first(), "again": frame.again,
            });
            if matches!(frame.kind, FrameKind::Aggregate | FrameKind::BlockAck) {
                put!(object, { "packets": frame.packets.iter().collect::<Vec<_>>() });
            }
        }
        MediumEvent::Ended { from, to, kind, reception, damaged } => {
            put!(object, {
                "event": "air-ended", "medium": medium, "from": name(*from), "to": far(*from, *to),
                "frame": kind.name(), "reception": far(*from, *to).map(|_| reception.name()),
            });
            if *kind == FrameKind::Aggregate {
                put!(object, { "damaged": damaged.iter().collect::<Vec<_>>() });
            }
        }
        MediumEvent::Reaches { a, b, reach } => put!(object, {
            "event": "reach", "medium": medium, "between": [name(*a), name(*b)], "reach": reach.name(),
        }),
        MediumEvent::BackOff { station, slots, window } => put!(object, {
            "event": "back-off", "medium": medium, "station": name(*station), "slots": slots, "window": window,
        }),
    }
    Ok(())
}

fn endpoint<M: SerializeMap>(event: &tcp::Event, object: &mut M) -> Result<(), M::Error> {
    match *event {
        tcp::Event::State { state } => put!(object, { "event": "state", "state": state.name() }),
        tcp::Event::SegmentSent { seq, len, reason } => {
            let reason = match reason {
                Reason::New => "new",
                Reason::FastRetransmit => "fast-retransmit",
                Reason::Timeout => "timeout",
                Reason::Notice => "notice",
                Reason::Probe => "probe",
                Reason::Reopened => "reopened",
            };
            put!(object, { "event": "segment-sent", "seq": seq, "len": len, "reason": reason });
        }
        tcp::Event::Blocked { reason } => put!(object, { "event": "blocked", "reason": reason.name() }),
        tcp::Event::AckReceived { ack, duplicate } => {
            put!(object, { "event": "ack-received", "ack": ack, "duplicate": duplicate });
        }
        // JSON has no infinity: an ssthresh that is not set is null.
        tcp::Event::Window { cwnd, ssthresh } => {
            put!(object, { "event": "window", "cwnd": cwnd, "ssthresh": ssthresh });
        }
        tcp::Event::Flight { bytes } => put!(object, { "event": "flight", "bytes": bytes }),
        tcp::Event::FastRetransmit { seq } => put!(object, { "event": "fast-retransmit", "seq": seq }),
        tcp::Event::NotifiedRecovery { seq } => put!(object, { "event": "notified-recovery", "seq": seq }),
        tcp::Event::RecoveryEnd => put!(object, { "event": "recovery-end" }),
        tcp::Event::Undone => put!(object, { "event": "undone" }),
        tcp::Event::MarkAnswered => put!(object, { "event": "mark-answered" }),
        tcp::Event::Timeout { seq, nth, rto } => {
            put!(object, { "event": "timeout", "seq": seq, "nth": nth, "rto_s": rto.as_secs_f64() });
        }
        tcp::Event::NoticeReceived { kind, seq } => {
            put!(object, { "event": "notice-received", "kind": kind.name(), "seq": seq });
        }
        tcp::Event::RttSample { rtt, srtt, rto } => put!(object, {
            "event": "rtt-sample",
            "rtt_s": rtt.as_secs_f64(),
            "srtt_s": srtt.as_secs_f64(),
            "rto_s": rto.as_secs_f64(),
        }),
        tcp::Event::SegmentReceived { seq, len, in_order } => {
            put!(object, { "event": "segment-received", "seq": seq, "len": len, "in_order": in_order });
        }
        tcp::Event::SegmentDiscarded { seq, len } => {
            put!(object, { "event": "segment-discarded", "seq": seq, "len": len });
        }
    }
    Ok(())
}

fn link<M: SerializeMap>(event: &LinkEvent, flow: Option<&str>, object: &mut M) -> Result<(), M::Error> {
    let mut frame = |name: &str, number: u64, attempt: u32, about: &Packet| {
        put!(object, { "event": name, "frame": number, "attempt": attempt });
        packet(about, flow, object)
    };
    let (name, about) = match event {
        LinkEvent::FrameSent { number, attempt, packet } => return frame("frame-sent", *number, *attempt, packet),
        LinkEvent::FrameCorrupted { number, attempt, packet } => {
            return frame("frame-corrupted", *number, *attempt, packet);
        }
        LinkEvent::FrameDuplicate { number, packet } => return frame("frame-duplicate", *number, 0, packet),
        LinkEvent::FrameDiscarded { number, packet } => return frame("frame-discarded", *number, 0, packet),
        LinkEvent::GivenUp { number, attempts, packet, .. } => return frame("given-up", *number, *attempts, packet),
        LinkEvent::ParitySent { number, size } => {
            put!(object, { "event": "parity-sent", "frame": number, "bytes": size });
            return Ok(());
        }
        LinkEvent::ParityCorrupted { number } => {
            put!(object, { "event": "parity-corrupted", "frame": number });
            return Ok(());
        }
        LinkEvent::AckCorrupted { number } => {
            put!(object, { "event": "link-ack-corrupted", "frame": number });
            return Ok(());
        }
        LinkEvent::Recovered { packet } => ("recovered", packet),
        LinkEvent::Lost { packet } => ("lost", packet),
        LinkEvent::QueueFull { packet } => ("queue-full", packet),
        LinkEvent::DroppedEarly { packet } => ("dropped-early", packet),
        LinkEvent::Marked { packet } => ("marked", packet),
        LinkEvent::Dequeued { packet, .. } => ("dequeued", packet),
        LinkEvent::Arrived { packet } => ("arrived", packet),
    };
    put!(object, { "event": name });
    packet(about, flow, object)?;
    if let LinkEvent::Dequeued { arrived, starts, .. } = event {
        put!(object, { "waited_s": starts.since(*arrived).as_secs_f64() });
    }
    Ok(())
}

fn hop_of<M: SerializeMap>(hop: HopId, names: &Names, object: &mut M) -> Result<(), M::Error> {
    let (name, between) = &names.links[hop.link as usize];
    let [from, to] = match hop.direction {
        LinkDirection::Forward => *between,
        LinkDirection::Backward => [between[1], between[0]],
    };
    put!(object, { "link": name, "from": names.nodes[from], "to": names.nodes[to] });
    Ok(())
}

/// A packet of a flow has its name, any other its addresses and ports.
fn packet<M: SerializeMap>(packet: &Packet, flow: Option<&str>, object: &mut M) -> Result<(), M::Error> {
    match flow {
        Some(flow) => put!(object, { "flow": flow }),
        None => {
            let [src, dst] = [packet.src, packet.dst].map(std::net::Ipv4Addr::from);
            let [src_port, dst_port] = packet.ports();
            put!(object, { "src": src, "dst": dst, "src_port": src_port, "dst_port": dst_port });
        }
    }
    put!(object, { "bytes": packet.size() });
    match &packet.body {
        Body::Tcp(segment) => put!(object, { "seq": segment.seq.0, "ack": segment.ack.0, "len": segment.len }),
        Body::Icmp(notice) => put!(object, { "icmp": notice.kind.name(), "seq": notice.seq.0 }),
        Body::Datagram(datagram) => put!(object, {
            "protocol": datagram.protocol.name(), "number": datagram.number, "len": datagram.len,
        }),
    }
    Ok(())
}
