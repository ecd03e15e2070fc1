//! Hosts in memory, whose clock is simulated time.

use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::ops::ControlFlow;

use emulate::{Emulator, EmulatorSettings, Host, Lateness, drive_emulator};
use engine::{Span, Time};
use etherparse::{IpNumber, Ipv4Header, Ipv6FlowLabel, Ipv6Header, PacketBuilder};
use sim::{Network, NullSink};
use wire::Segment;

/// A packet that passed a device.
pub type Passed = (Time, usize, Vec<u8>);

/// A network of a wired link and a wireless one between `server` and `mobile`, nodes 0 and 2, with further lines.
pub fn network(more: &str, wire: &str, air: &str) -> Network {
    let text = format!(
        "duration = \"10 s\"\n{more}\n[nodes]\nserver = {{ kind = \"host\" }}\nstation = {{ kind = \"base-station\" }}\n\
         mobile = {{ kind = \"host\" }}\n\
         [links.wire]\nkind = \"wired\"\nbetween = [\"server\", \"station\"]\n{wire}\n\
         [links.air]\nkind = \"wireless\"\nbetween = [\"station\", \"mobile\"]\n{air}\n\
         [flows.download]\nfrom = \"server\"\nto = \"mobile\"\n"
    );
    let loaded = scenario::load::from_toml("test", &text);
    loaded.unwrap_or_else(|problems| panic!("{problems:?}\n{text}")).network
}

/// A host that sends packets at given times, and records the packets that pass.
#[derive(Default)]
pub struct Script {
    now: Time,
    /// Packets to send, in order of time.
    pub to_send: VecDeque<Passed>,
    /// Packets from the network.
    pub received: Vec<Passed>,
    /// Time at which the emulation ends.
    pub until: Time,
}

impl Host for Script {
    fn devices(&self) -> usize {
        2
    }

    fn now(&mut self) -> Time {
        self.now
    }

    fn receive(&mut self, device: usize, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let due = self.to_send.front().is_some_and(|(at, from, _)| *at <= self.now && *from == device);
        let Some((_, _, bytes)) = due.then(|| self.to_send.pop_front()).flatten() else { return Ok(None) };
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(Some(bytes.len()))
    }

    fn send(&mut self, device: usize, bytes: &[u8]) -> io::Result<()> {
        self.received.push((self.now, device, bytes.to_vec()));
        Ok(())
    }

    fn wait(&mut self, until: Time) -> io::Result<ControlFlow<()>> {
        let next = self.to_send.front().map_or(Time::NEVER, |(at, ..)| *at);
        self.now = self.now.max(until.min(next).min(self.until));
        Ok(if self.now >= self.until { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}

/// Sends packets through a network between nodes 0 and 2 until `until`.
pub fn run(network: &Network, packets: Vec<Passed>, until: Time) -> (Vec<Passed>, Emulator, Lateness) {
    let mut emulator = Emulator::new(network, EmulatorSettings::of(vec![0, 2]));
    let mut host = Script { to_send: packets.into(), until, ..Script::default() };
    let (lateness, ended) = drive_emulator(&mut emulator, &mut host, &mut NullSink, &mut |_, _| {});
    ended.unwrap();
    (host.received, emulator, lateness)
}

/// Returns a UDP datagram from node `from` to node `to`, in a packet of `size` bytes. The payload begins with `number`.
pub fn udp([from, to]: [usize; 2], size: usize, number: u32) -> Vec<u8> {
    let mut payload = number.to_be_bytes().to_vec();
    payload.resize(size - 28, number as u8);
    let builder = PacketBuilder::ipv4(emulate::ipv4_of_node(from).octets(), emulate::ipv4_of_node(to).octets(), 64);
    let mut bytes = Vec::new();
    builder.udp(4000, 5000).write(&mut bytes, &payload).unwrap();
    bytes
}

/// A time in microseconds.
pub fn us(micros: u64) -> Time {
    Time::ZERO + Span::from_nanos(1000 * micros)
}

/// A segment with its data as an IP packet.
pub fn packet(segment: &Segment, [from, to]: [IpAddr; 2], ecn: u8, payload: &[u8]) -> Vec<u8> {
    let mut tcp = wire::bytes::tcp_header(segment);
    let length = (tcp.header_len() + payload.len()) as u16;
    let mut out = Vec::new();
    match (from, to) {
        (IpAddr::V4(from), IpAddr::V4(to)) => {
            let mut ip = Ipv4Header::new(length, 61, IpNumber::TCP, from.octets(), to.octets()).unwrap();
            ip.identification = segment.seq.0 as u16;
            ip.ecn = ecn.try_into().unwrap();
            ip.header_checksum = ip.calc_header_checksum();
            tcp.checksum = tcp.calc_checksum_ipv4(&ip, payload).unwrap();
            ip.write(&mut out).unwrap();
        }
        (IpAddr::V6(from), IpAddr::V6(to)) => {
            let ip = Ipv6Header {
                traffic_class: ecn,
                flow_label: Ipv6FlowLabel::ZERO,
                payload_length: length,
                next_header: IpNumber::TCP,
                hop_limit: 61,
                source: from.octets(),
                destination: to.octets(),
            };
            tcp.checksum = tcp.calc_checksum_ipv6(&ip, payload).unwrap();
            ip.write(&mut out).unwrap();
        }
        _ => panic!("addresses of two families"),
    }
    tcp.write(&mut out).unwrap();
    out.extend_from_slice(payload);
    out
}
