//! Text of packets and arrows in ladders.

use std::fmt::Write as _;

use engine::Time;
use path::agent::Departure;
use wire::{Body, Ecn, Flags, Packet, Segment, SeqNum};

use super::flow_ports;

/// Width of one side of the ladder, in characters.
const WIDTH: usize = 40;

pub fn head(lines: &mut String) {
    line(lines, "ms", "fixed host", " ", &format!("{:>1$}", "mobile", WIDTH), "");
}

/// Draws a packet that reaches the agent, and the packet that the agent passes on.
pub fn crossing(lines: &mut String, at: Time, to_air: bool, came: &Packet, goes: Option<&Packet>) {
    let came_as = arrow(&of(came), to_air);
    let goes_as = goes.map(|packet| arrow(&of(packet), to_air)).unwrap_or_default();
    let (left, right) = if to_air { (came_as, goes_as) } else { (goes_as, came_as) };
    match goes {
        None => line(lines, &time(at), &left, "x", &right, "taken"),
        Some(packet) => {
            let mark = if packet == came { "" } else { "changed" };
            line(lines, &time(at), &left, "|", &right, mark);
        }
    }
}

/// Draws a packet that the agent sends.
pub fn departure(lines: &mut String, at: Time, departure: &Departure, to_air: bool) {
    let arrow = arrow(&of(&departure.packet), to_air);
    let (left, right) = if to_air { ("", arrow.as_str()) } else { (arrow.as_str(), "") };
    line(lines, &time(at), left, "o", right, if departure.expedited { "sent urgently" } else { "sent" });
}

/// Draws a remark.
pub fn remark(lines: &mut String, at: Time, remark: &str) {
    line(lines, &time(at), "", ".", "", remark);
}

fn line(lines: &mut String, at: &str, left: &str, agent: &str, right: &str, remark: &str) {
    let line = format!("{at:>10} {left:WIDTH$} {agent} {right:WIDTH$}  {remark}");
    writeln!(lines, "{}", line.trim_end()).expect("writing to memory");
}

fn time(at: Time) -> String {
    let micros = at.as_nanos() / 1000;
    format!("{}.{:03}", micros / 1000, micros % 1000)
}

fn arrow(packet: &str, to_air: bool) -> String {
    // The shaft shows the direction even if the text leaves little space.
    let shaft = "-".repeat(WIDTH.saturating_sub(packet.chars().count() + 2).max(2));
    if to_air { format!("{packet} {shaft}>") } else { format!("<{shaft} {packet}") }
}

/// Returns a short text of a packet: flow if not the first, flags, bytes, acknowledgment, window, options.
pub fn of(packet: &Packet) -> String {
    let mut words = match &packet.body {
        Body::Icmp(notice) => vec![format!("{} {}", notice.kind.name(), notice.seq.0)],
        Body::Datagram(datagram) => vec![format!("{} {}", datagram.protocol.name(), datagram.number)],
        Body::Tcp(segment) => words(segment),
    };
    if packet.ecn == Ecn::Ce {
        words.push("CE".into());
    }
    words.join(" ")
}

fn words(segment: &Segment) -> Vec<String> {
    let mut words = Vec::new();
    // The end at the fixed host has the lower port.
    let flow = segment.src_port.min(segment.dst_port).wrapping_sub(flow_ports(0)[0]);
    if flow > 0 {
        words.push(format!("#{flow}"));
    }
    let flags = [
        (Flags::SYN, "SYN"),
        (Flags::FIN, "FIN"),
        (Flags::RST, "RST"),
        (Flags::ECE, "ECE"),
        (Flags::CWR, "CWR"),
        (Flags::ELN, "ELN"),
    ];
    words.extend(flags.iter().filter(|(flag, _)| segment.flags.has(*flag)).map(|(_, name)| (*name).to_owned()));
    let end = segment.seq + segment.len;
    if segment.len > 0 {
        words.push(range((segment.seq, end)));
    } else if segment.seq.0 > 0 || segment.seq_len() > 0 {
        words.push(format!("at {}", segment.seq.0));
    }
    if segment.flags.has(Flags::ACK) && (segment.len == 0 || segment.ack.0 > 0) {
        words.push(format!("ack {}", segment.ack.0));
    }
    if segment.len == 0 {
        words.push(format!("win {}", segment.window));
    }
    if let Some(mss) = segment.options.mss {
        words.push(format!("mss {mss}"));
    }
    if let Some(stamps) = segment.options.timestamps {
        words.push(format!("ts {}/{}", stamps.value, stamps.echo));
    }
    if !segment.options.sack.is_empty() {
        let blocks = segment.options.sack.as_slice().iter().map(|block| range(*block));
        words.push(format!("sack {}", blocks.collect::<Vec<_>>().join(",")));
    }
    words
}

fn range((from, to): (SeqNum, SeqNum)) -> String {
    format!("{}..{}", from.0, to.0)
}
