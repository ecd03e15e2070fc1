//! The fields of each event, in the order in which traces of every event have them.

use std::borrow::Cow;
use std::io;
use std::net::Ipv4Addr;

use engine::Time;
use path::mac::dcf::FrameKind;
use path::{HopId, LinkDirection, LinkEvent, LinkId, MediumEvent, MediumId, MediumStationId};
use serde::Serialize;
use sim::{Event, NodeEvent, NodeId, PacketFlow};
use tcp::Reason;
use wire::{Body, Packet};

use super::names::EventNames;
use super::record::{List, Record};

/// Writes fields to a record; a first field `"event"` is the kind.
macro_rules! put {
    ($record:expr, { "event": $kind:expr $(, $key:literal: $value:expr)* $(,)? }) => {{
        $record.kind($kind)?;
        $($record.put($key, &$value)?;)*
    }};
    ($record:expr, { $($key:literal: $value:expr),* $(,)? }) => {{
        $($record.put($key, &$value)?;)*
    }};
}

/// Writes an event at a time to a record.
pub(super) fn write_event((at, event): (Time, &Event), names: &EventNames, record: &mut impl Record) -> io::Result<()> {
    match event {
        Event::Sender { flow, event: said } | Event::Receiver { flow, event: said } => {
            write_endpoint_event(said, record)?;
            if matches!(said, tcp::Event::State { .. } | tcp::Event::Blocked { .. }) {
                // Both ends report these events. Therefore the text includes the end.
                put!(record, { "end": if matches!(event, Event::Sender { .. }) { "sender" } else { "receiver" } });
            }
            put!(record, { "flow": names.flow(*flow) });
        }
        Event::FlowStarted { flow } => put!(record, { "event": "flow-started", "flow": names.flow(*flow) }),
        Event::FlowArrived { flow, bytes, .. } => {
            put!(record, { "event": "flow-arrived", "flow": names.flow(*flow), "bytes": bytes });
        }
        Event::FlowCompleted { flow } => put!(record, { "event": "flow-completed", "flow": names.flow(*flow) }),
        Event::Link { hop, event, of } => {
            write_link_event((at, event), find_flow_name(of, names).as_deref(), record)?;
            write_hop_names(*hop, names, record)?;
        }
        Event::Medium { medium, event } => write_medium_event(*medium, event, names, record)?,
        Event::Air { link, state } => {
            put!(record, { "event": "air", "link": names.links[*link].0, "state": state.name() });
        }
        Event::Node { node, event, of } => {
            let (name, about) = match event {
                NodeEvent::Sent { packet } => ("packet-sent", packet),
                NodeEvent::Received { packet } => ("packet-received", packet),
                NodeEvent::Transit { packet } => ("packet-in-transit", packet),
                NodeEvent::BufferFull { packet } => ("buffer-full", packet),
                NodeEvent::Taken { packet } => ("packet-taken", packet),
                NodeEvent::NoRoute { packet } => ("no-route", packet),
                NodeEvent::Associated { link } => return write_association("associated", *node, *link, names, record),
                NodeEvent::Left { link } => return write_association("left", *node, *link, names, record),
            };
            put!(record, { "event": name, "node": names.nodes[*node] });
            write_packet_fields(Some(about), find_flow_name(of, names).as_deref(), record)?;
        }
        Event::Agent { node, name, value, packet: about, of } => {
            put!(record, { "event": "agent", "node": names.nodes[*node], "name": name, "value": finite_or_none(*value) });
            write_packet_fields(about.as_ref(), find_flow_name(of, names).as_deref(), record)?;
        }
    }
    Ok(())
}

/// Name of the packet's flow, if it has one.
fn find_flow_name<'a>(of: &Option<PacketFlow>, names: &'a EventNames) -> Option<Cow<'a, str>> {
    of.map(|of| names.flow(of.flow))
}

/// Writes that a mobile starts or stops using a link.
fn write_association(
    event: &'static str,
    node: NodeId,
    link: LinkId,
    names: &EventNames,
    record: &mut impl Record,
) -> io::Result<()> {
    put!(record, { "event": event, "node": names.nodes[node], "link": names.links[link].0 });
    Ok(())
}

fn write_medium_event(
    medium: MediumId,
    event: &MediumEvent,
    names: &EventNames,
    record: &mut impl Record,
) -> io::Result<()> {
    let (medium, stations) = &names.media[medium];
    let name = |station: MediumStationId| &stations[station];
    // A beacon is a broadcast.
    let far = |from: MediumStationId, to: MediumStationId| (from != to).then(|| name(to));
    match event {
        MediumEvent::Sent { from, to, frame, .. } => {
            put!(record, {
                "event": "air-sent", "medium": medium, "from": name(*from), "to": far(*from, *to),
                "frame": frame.kind.name(), "start_s": frame.start.as_secs_f64(),
                "duration_s": frame.duration.as_secs_f64(), "size": frame.size, "rate_bps": frame.rate.bits_per_sec(),
                "reserves_s": frame.reserves.as_secs_f64(), "number": frame.packets.first(), "again": frame.again,
            });
            let several = matches!(frame.kind, FrameKind::Aggregate | FrameKind::BlockAck);
            record.put_some("packets", several.then(|| collect_list(frame.packets.iter())))?;
        }
        MediumEvent::Ended { from, to, kind, reception, damaged } => {
            put!(record, {
                "event": "air-ended", "medium": medium, "from": name(*from), "to": far(*from, *to),
                "frame": kind.name(), "reception": far(*from, *to).map(|_| reception.name()),
            });
            let aggregate = *kind == FrameKind::Aggregate;
            record.put_some("damaged", aggregate.then(|| collect_list(damaged.iter())))?;
        }
        MediumEvent::Reaches { a, b, reach } => put!(record, {
            "event": "reach", "medium": medium, "between": collect_list([name(*a), name(*b)]), "reach": reach.name(),
        }),
        MediumEvent::BackOff { station, slots, window } => put!(record, {
            "event": "back-off", "medium": medium, "station": name(*station), "slots": slots, "window": window,
        }),
    }
    Ok(())
}

fn write_endpoint_event(event: &tcp::Event, record: &mut impl Record) -> io::Result<()> {
    match *event {
        tcp::Event::State { state } => put!(record, { "event": "state", "state": state.name() }),
        tcp::Event::SegmentSent { seq, len, reason } => {
            let reason = match reason {
                Reason::New => "new",
                Reason::FastRetransmit => "fast-retransmit",
                Reason::Timeout => "timeout",
                Reason::Notice => "notice",
                Reason::Probe => "probe",
                Reason::Reopened => "reopened",
            };
            put!(record, { "event": "segment-sent", "seq": seq, "len": len, "reason": reason });
        }
        tcp::Event::Blocked { reason } => put!(record, { "event": "blocked", "reason": reason.name() }),
        tcp::Event::AckReceived { ack, duplicate } => {
            put!(record, { "event": "ack-received", "ack": ack, "duplicate": duplicate });
        }
        // An ssthresh that is not set is infinite.
        tcp::Event::Window { cwnd, ssthresh } => {
            put!(record, { "event": "window", "cwnd": cwnd, "ssthresh": finite_or_none(ssthresh) });
        }
        tcp::Event::Flight { bytes } => put!(record, { "event": "flight", "bytes": bytes }),
        tcp::Event::FastRetransmit { seq } => put!(record, { "event": "fast-retransmit", "seq": seq }),
        tcp::Event::NotifiedRecovery { seq } => put!(record, { "event": "notified-recovery", "seq": seq }),
        tcp::Event::RecoveryEnd => put!(record, { "event": "recovery-end" }),
        tcp::Event::Undone => put!(record, { "event": "undone" }),
        tcp::Event::MarkAnswered => put!(record, { "event": "mark-answered" }),
        tcp::Event::Timeout { seq, nth, rto } => {
            put!(record, { "event": "timeout", "seq": seq, "nth": nth, "rto_s": rto.as_secs_f64() });
        }
        tcp::Event::NoticeReceived { kind, seq } => {
            put!(record, { "event": "notice-received", "kind": kind.name(), "seq": seq });
        }
        tcp::Event::RttSample { rtt, srtt, rto } => put!(record, {
            "event": "rtt-sample",
            "rtt_s": rtt.as_secs_f64(),
            "srtt_s": srtt.as_secs_f64(),
            "rto_s": rto.as_secs_f64(),
        }),
        tcp::Event::SegmentReceived { seq, len, in_order } => {
            put!(record, { "event": "segment-received", "seq": seq, "len": len, "in_order": in_order });
        }
        tcp::Event::SegmentDiscarded { seq, len } => {
            put!(record, { "event": "segment-discarded", "seq": seq, "len": len });
        }
    }
    Ok(())
}

fn write_link_event((at, event): (Time, &LinkEvent), flow: Option<&str>, record: &mut impl Record) -> io::Result<()> {
    let mut frame = |name: &'static str, number: u64, attempt: u32, about: &Packet| {
        put!(record, { "event": name, "frame": number, "attempt": attempt });
        write_packet_fields(Some(about), flow, record)
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
            put!(record, { "event": "parity-sent", "frame": number, "bytes": size });
            return Ok(());
        }
        LinkEvent::ParityCorrupted { number } => {
            put!(record, { "event": "parity-corrupted", "frame": number });
            return Ok(());
        }
        LinkEvent::AckCorrupted { number } => {
            put!(record, { "event": "link-ack-corrupted", "frame": number });
            return Ok(());
        }
        LinkEvent::Recovered { packet } => ("recovered", packet),
        LinkEvent::Lost { packet } => ("lost", packet),
        LinkEvent::QueueFull { packet, .. } => ("queue-full", packet),
        LinkEvent::DroppedEarly { packet, .. } => ("dropped-early", packet),
        LinkEvent::Marked { packet } => ("marked", packet),
        LinkEvent::Joined { packet } => ("joined", packet),
        LinkEvent::Dequeued { packet, .. } => ("dequeued", packet),
        LinkEvent::Arrived { packet } => ("arrived", packet),
    };
    put!(record, { "event": name });
    write_packet_fields(Some(about), flow, record)?;
    let waited = match event {
        LinkEvent::Dequeued { arrived, starts, .. } => Some(starts.since(*arrived)),
        LinkEvent::QueueFull { arrived, .. } | LinkEvent::DroppedEarly { arrived, .. } => Some(at.since(*arrived)),
        _ => None,
    };
    if let Some(waited) = waited {
        put!(record, { "waited_s": waited.as_secs_f64() });
    }
    Ok(())
}

fn write_hop_names(hop: HopId, names: &EventNames, record: &mut impl Record) -> io::Result<()> {
    let (name, between) = &names.links[hop.link];
    let [from, to] = match hop.direction {
        LinkDirection::Forward => *between,
        LinkDirection::Backward => [between[1], between[0]],
    };
    put!(record, { "link": name, "from": names.nodes[from], "to": names.nodes[to] });
    Ok(())
}

/// Writes the fields of a packet. A packet of a flow has the name of the flow, any other packet has addresses and
/// ports. All fields of all packets are declared, even for an event without a packet.
fn write_packet_fields(packet: Option<&Packet>, flow: Option<&str>, record: &mut impl Record) -> io::Result<()> {
    let unnamed = packet.filter(|_| flow.is_none());
    let ports = unnamed.map(Packet::ports);
    record.put_some("flow", packet.and(flow))?;
    record.put_some("src", unnamed.map(|packet| Ipv4Addr::from(packet.src)))?;
    record.put_some("dst", unnamed.map(|packet| Ipv4Addr::from(packet.dst)))?;
    record.put_some("src_port", ports.map(|[src, _]| src))?;
    record.put_some("dst_port", ports.map(|[_, dst]| dst))?;
    record.put_some("bytes", packet.map(Packet::size))?;
    let Contents { icmp, protocol, number, seq, ack, len } = packet.map(Contents::of).unwrap_or_default();
    record.put_some("icmp", icmp)?;
    record.put_some("protocol", protocol)?;
    record.put_some("number", number)?;
    record.put_some("seq", seq)?;
    record.put_some("ack", ack)?;
    record.put_some("len", len)
}

/// The fields by which segments, ICMP messages and datagrams differ.
#[derive(Default)]
struct Contents {
    icmp: Option<&'static str>,
    protocol: Option<&'static str>,
    number: Option<u32>,
    seq: Option<u32>,
    ack: Option<u32>,
    len: Option<u32>,
}

impl Contents {
    fn of(packet: &Packet) -> Self {
        let nothing = Contents::default();
        match &packet.body {
            Body::Tcp(segment) => {
                let (seq, ack) = (Some(segment.seq.0), Some(segment.ack.0));
                Contents { seq, ack, len: Some(segment.len), ..nothing }
            }
            Body::Icmp(notice) => Contents { icmp: Some(notice.kind.name()), seq: Some(notice.seq.0), ..nothing },
            Body::Datagram(datagram) => {
                let (number, len) = (Some(datagram.number), Some(datagram.len));
                Contents { protocol: Some(datagram.protocol.name()), number, len, ..nothing }
            }
        }
    }
}

/// Returns a number, unless it is infinite or NaN.
fn finite_or_none(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

fn collect_list<T: Serialize>(items: impl IntoIterator<Item = T>) -> List<T> {
    List(items.into_iter().collect())
}
