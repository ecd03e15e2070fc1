//! Every event as one JSON object per line: `t` in seconds, `event` the kind, the rest its contents.

use std::borrow::Cow;
use std::io::{self, Write};

use engine::Time;
use path::mac::dcf::FrameKind;
use path::{HopId, LinkDirection, LinkEvent, MediumEvent, MediumId};
use serde_json::{Map, Value, json};
use sim::{Event, Network, NodeEvent};
use tcp::Reason;
use wire::{Body, Packet};

use super::file::{NamedFile, TraceFile};
use super::{Output, Stage};

struct Lines {
    file: TraceFile,
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
    Box::new(Lines { file, names: Names::of(stage.network) })
}

impl Output for Lines {
    fn event(&mut self, at: Time, event: &Event) -> io::Result<()> {
        if let Event::FlowArrived { arrivals, .. } = event {
            self.names.arrived.push(*arrivals);
        }
        let mut record = Map::new();
        record.insert("t".into(), json!(at.as_secs_f64()));
        describe(event, &self.names, &mut record);
        serde_json::to_writer(&mut self.file, &record)?;
        self.file.write_all(b"\n")
    }

    fn finish(&mut self, _: Time) -> io::Result<()> {
        self.file.flush()
    }

    fn files(&self) -> Vec<NamedFile> {
        vec![self.file.named()]
    }
}

fn describe(event: &Event, names: &Names, record: &mut Map<String, Value>) {
    let mut put = |pairs: Value| {
        if let Value::Object(pairs) = pairs {
            record.extend(pairs);
        }
    };
    match event {
        Event::Sender { flow, event: said } | Event::Receiver { flow, event: said } => {
            put(endpoint(said));
            if matches!(said, tcp::Event::State { .. } | tcp::Event::Blocked { .. }) {
                // Both ends report these events, so the end is written too.
                let end = if matches!(event, Event::Sender { .. }) { "sender" } else { "receiver" };
                put(json!({ "end": end }));
            }
            put(json!({ "flow": names.flow(*flow) }));
        }
        Event::FlowStarted { flow } => put(json!({ "event": "flow-started", "flow": names.flow(*flow) })),
        Event::FlowArrived { flow, bytes, .. } => {
            put(json!({ "event": "flow-arrived", "flow": names.flow(*flow), "bytes": bytes }));
        }
        Event::FlowCompleted { flow } => put(json!({ "event": "flow-completed", "flow": names.flow(*flow) })),
        Event::Link { hop, event, .. } => {
            put(link(event));
            put(hop_of(*hop, names));
        }
        Event::Medium { medium, event } => put(medium_event(*medium, event, names)),
        Event::Air { link, state } => {
            put(json!({ "event": "air", "link": names.links[*link as usize].0, "state": state.name() }));
        }
        Event::Node { node, event, .. } => {
            let (name, about) = match event {
                NodeEvent::Sent { packet } => ("packet-sent", packet),
                NodeEvent::Received { packet } => ("packet-received", packet),
                NodeEvent::Transit { packet } => ("packet-in-transit", packet),
                NodeEvent::BufferFull { packet } => ("buffer-full", packet),
                NodeEvent::Taken { packet } => ("packet-taken", packet),
                NodeEvent::NoRoute { packet } => ("no-route", packet),
                NodeEvent::Associated { link } => return put(association("associated", *node, *link, names)),
                NodeEvent::Left { link } => return put(association("left", *node, *link, names)),
            };
            put(json!({ "event": name, "node": names.nodes[*node as usize] }));
            put(packet(about));
        }
        Event::Agent { node, name, value, packet: about, .. } => {
            put(json!({ "event": "agent", "node": names.nodes[*node as usize], "name": name, "value": value }));
            if let Some(about) = about {
                put(packet(about));
            }
        }
    }
}

/// A mobile starts or stops using a link.
fn association(event: &str, node: u32, link: u32, names: &Names) -> Value {
    json!({ "event": event, "node": names.nodes[node as usize], "link": names.links[link as usize].0 })
}

fn medium_event(medium: MediumId, event: &MediumEvent, names: &Names) -> Value {
    let (medium, stations) = &names.media[medium.index()];
    let name = |station: u32| &stations[station as usize];
    // A beacon is a broadcast.
    let far = |from: u32, to: u32| (from != to).then(|| name(to));
    match event {
        MediumEvent::Sent { from, to, frame, .. } => {
            let mut record = json!({
                "event": "air-sent", "medium": medium, "from": name(*from), "to": far(*from, *to),
                "frame": frame.kind.name(), "start_s": frame.start.as_secs_f64(),
                "duration_s": frame.duration.as_secs_f64(), "size": frame.size, "rate_bps": frame.rate.bits_per_sec(),
                "reserves_s": frame.reserves.as_secs_f64(), "number": frame.packets.first(), "again": frame.again,
            });
            if matches!(frame.kind, FrameKind::Aggregate | FrameKind::BlockAck) {
                record["packets"] = frame.packets.iter().collect();
            }
            record
        }
        MediumEvent::Ended { from, to, kind, reception, damaged } => {
            let mut record = json!({
                "event": "air-ended", "medium": medium, "from": name(*from), "to": far(*from, *to),
                "frame": kind.name(), "reception": far(*from, *to).map(|_| reception.name()),
            });
            if *kind == FrameKind::Aggregate {
                record["damaged"] = damaged.iter().collect();
            }
            record
        }
        MediumEvent::Reaches { a, b, reach } => json!({
            "event": "reach", "medium": medium, "between": [name(*a), name(*b)], "reach": reach.name(),
        }),
        MediumEvent::BackOff { station, slots, window } => json!({
            "event": "back-off", "medium": medium, "station": name(*station), "slots": slots, "window": window,
        }),
    }
}

fn endpoint(event: &tcp::Event) -> Value {
    match *event {
        tcp::Event::State { state } => json!({ "event": "state", "state": state.name() }),
        tcp::Event::SegmentSent { seq, len, reason } => {
            let reason = match reason {
                Reason::New => "new",
                Reason::FastRetransmit => "fast-retransmit",
                Reason::Timeout => "timeout",
                Reason::Notice => "notice",
                Reason::Probe => "probe",
                Reason::Reopened => "reopened",
            };
            json!({ "event": "segment-sent", "seq": seq, "len": len, "reason": reason })
        }
        tcp::Event::Blocked { reason } => json!({ "event": "blocked", "reason": reason.name() }),
        tcp::Event::AckReceived { ack, duplicate } => {
            json!({ "event": "ack-received", "ack": ack, "duplicate": duplicate })
        }
        // JSON has no infinity: an ssthresh that is not set is null.
        tcp::Event::Window { cwnd, ssthresh } => json!({ "event": "window", "cwnd": cwnd, "ssthresh": ssthresh }),
        tcp::Event::Flight { bytes } => json!({ "event": "flight", "bytes": bytes }),
        tcp::Event::FastRetransmit { seq } => json!({ "event": "fast-retransmit", "seq": seq }),
        tcp::Event::NotifiedRecovery { seq } => json!({ "event": "notified-recovery", "seq": seq }),
        tcp::Event::RecoveryEnd => json!({ "event": "recovery-end" }),
        tcp::Event::Undone => json!({ "event": "undone" }),
        tcp::Event::MarkAnswered => json!({ "event": "mark-answered" }),
        tcp::Event::Timeout { seq, nth, rto } => {
            json!({ "event": "timeout", "seq": seq, "nth": nth, "rto_s": rto.as_secs_f64() })
        }
        tcp::Event::NoticeReceived { kind, seq } => {
            json!({ "event": "notice-received", "kind": kind.name(), "seq": seq })
        }
        tcp::Event::RttSample { rtt, srtt, rto } => json!({
            "event": "rtt-sample",
            "rtt_s": rtt.as_secs_f64(),
            "srtt_s": srtt.as_secs_f64(),
            "rto_s": rto.as_secs_f64(),
        }),
        tcp::Event::SegmentReceived { seq, len, in_order } => {
            json!({ "event": "segment-received", "seq": seq, "len": len, "in_order": in_order })
        }
        tcp::Event::SegmentDiscarded { seq, len } => {
            json!({ "event": "segment-discarded", "seq": seq, "len": len })
        }
    }
}

fn link(event: &LinkEvent) -> Value {
    let frame = |name: &str, number: u64, attempt: u32, about: &Packet| {
        let mut record = json!({ "event": name, "frame": number, "attempt": attempt });
        merge(&mut record, packet(about));
        record
    };
    let simple = |name: &str, about: &Packet| {
        let mut record = json!({ "event": name });
        merge(&mut record, packet(about));
        record
    };
    match event {
        LinkEvent::FrameSent { number, attempt, packet } => frame("frame-sent", *number, *attempt, packet),
        LinkEvent::FrameCorrupted { number, attempt, packet } => frame("frame-corrupted", *number, *attempt, packet),
        LinkEvent::FrameDuplicate { number, packet } => frame("frame-duplicate", *number, 0, packet),
        LinkEvent::FrameDiscarded { number, packet } => frame("frame-discarded", *number, 0, packet),
        LinkEvent::ParitySent { number, size } => json!({ "event": "parity-sent", "frame": number, "bytes": size }),
        LinkEvent::ParityCorrupted { number } => json!({ "event": "parity-corrupted", "frame": number }),
        LinkEvent::Recovered { packet } => simple("recovered", packet),
        LinkEvent::AckCorrupted { number } => json!({ "event": "link-ack-corrupted", "frame": number }),
        LinkEvent::GivenUp { number, attempts, packet, .. } => frame("given-up", *number, *attempts, packet),
        LinkEvent::Lost { packet } => simple("lost", packet),
        LinkEvent::QueueFull { packet } => simple("queue-full", packet),
        LinkEvent::DroppedEarly { packet } => simple("dropped-early", packet),
        LinkEvent::Marked { packet } => simple("marked", packet),
        LinkEvent::Dequeued { packet, arrived, starts, .. } => {
            let mut record = simple("dequeued", packet);
            merge(&mut record, json!({ "waited_s": starts.since(*arrived).as_secs_f64() }));
            record
        }
        LinkEvent::Arrived { packet } => simple("arrived", packet),
    }
}

fn hop_of(hop: HopId, names: &Names) -> Value {
    let (name, between) = &names.links[hop.link as usize];
    let [from, to] = match hop.direction {
        LinkDirection::Forward => *between,
        LinkDirection::Backward => [between[1], between[0]],
    };
    json!({ "link": name, "from": names.nodes[from], "to": names.nodes[to] })
}

fn packet(packet: &Packet) -> Value {
    let address = |addr: wire::Addr| std::net::Ipv4Addr::from(addr).to_string();
    let mut record = json!({ "src": address(packet.src), "dst": address(packet.dst), "bytes": packet.size() });
    merge(
        &mut record,
        match &packet.body {
            Body::Tcp(segment) => json!({
                "src_port": segment.src_port,
                "dst_port": segment.dst_port,
                "seq": segment.seq.0,
                "ack": segment.ack.0,
                "len": segment.len,
            }),
            Body::Icmp(notice) => json!({ "icmp": notice.kind.name(), "seq": notice.seq.0 }),
            Body::Datagram(datagram) => json!({
                "protocol": datagram.protocol.name(),
                "src_port": datagram.src_port,
                "dst_port": datagram.dst_port,
                "number": datagram.number,
                "len": datagram.len,
            }),
        },
    );
    record
}

fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}
