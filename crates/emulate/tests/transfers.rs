//! Transfers between two TCP ends outside of the emulated network, which exchange real packets with real data, in
//! simulated time: under every scheme all bytes arrive, in packets with valid checksums.

use crate::common;

use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::ops::ControlFlow;

use common::{network, packet};
use emulate::{Counts, Emulator, EmulatorSettings, Host, drive_emulator};
use engine::{Bytes, Time};
use etherparse::{NetSlice, SlicedPacket, TransportSlice};
use path::agent::AgentConfig;
use sim::{Network, NullSink};
use tcp::config::WindowScaling;
use tcp::{Config, Connection};
use wire::{Ecn, Flags, Segment, SeqNum};

const BYTES: u64 = 300_000;

/// Initial sequence numbers; the sequence numbers of the data wrap around after 100,000 bytes.
const ISS: [SeqNum; 2] = [SeqNum(u32::MAX - 100_000), SeqNum(77)];

/// Offsets of the ends' timestamp clocks from simulated time.
const AHEAD: [u32; 2] = [3_000_000_000, u32::MAX - 500];

/// Shifts the timestamps of a segment from the end `from` by the clock offsets of both ends.
fn moved(segment: &mut Segment, from: usize, add: bool) {
    let Some(stamps) = &mut segment.options.timestamps else { return };
    let by = |value: u32, ahead: u32| if add { value.wrapping_add(ahead) } else { value.wrapping_sub(ahead) };
    stamps.value = by(stamps.value, AHEAD[from]);
    if segment.flags.has(Flags::ACK) {
        stamps.echo = by(stamps.echo, AHEAD[1 - from]);
    }
}

/// The byte at `offset` of the stream, a function without a short period.
fn byte(offset: u64) -> u8 {
    (offset * 31 + offset / 251) as u8
}

/// A TCP end and its device.
struct End {
    connection: Connection,
    side: usize,
    /// The first timestamp of the other end.
    first_stamp: Option<u32>,
    address: IpAddr,
    iss: SeqNum,
    outbox: VecDeque<Vec<u8>>,
    /// Window scale of the other end's SYN, and of this end's SYN.
    scales: [Option<u8>; 2],
}

impl End {
    fn poll(&mut self, to: IpAddr, now: Time) {
        while let Some((mut segment, ecn)) = self.connection.poll_transmit(now) {
            moved(&mut segment, self.side, true);
            if segment.flags.has(Flags::SYN) {
                self.scales[1] = segment.options.window_scale;
            }
            let first = u64::from(segment.seq.0.wrapping_sub(self.iss.0 + 1));
            let data: Vec<u8> = (first..first + u64::from(segment.len)).map(byte).collect();
            self.outbox.push_back(packet(&segment, [self.address, to], ecn.bits(), &data));
        }
    }
}

struct Ends {
    now: Time,
    ends: [End; 2],
    /// Which bytes have arrived.
    arrived: Vec<bool>,
    /// Acknowledgments without data that were sent.
    acknowledgments: u64,
}

impl Ends {
    /// An end at node 0 that sends `BYTES`, and one at node 2.
    fn new(ipv6: bool) -> Self {
        let config = Config {
            handshake: true,
            close: true,
            window: Bytes(200_000).into(),
            window_scaling: WindowScaling::Auto,
            sack: true,
            timestamps: true,
            ..Config::default()
        };
        let address =
            |node: usize| if ipv6 { emulate::ipv6_of_node(node).into() } else { emulate::ipv4_of_node(node).into() };
        let end = |connection, node: usize, iss| End {
            connection,
            side: node / 2,
            first_stamp: None,
            address: address(node),
            iss,
            outbox: VecDeque::new(),
            scales: [None; 2],
        };
        let mut sender = Connection::connect(&config, 50_000, 80, ISS[0]);
        sender.write(BYTES);
        sender.shutdown_write();
        let receiver = Connection::listen(&config, 80, ISS[1]);
        let mut ends = Ends {
            now: Time::ZERO,
            ends: [end(sender, 0, ISS[0]), end(receiver, 2, ISS[1])],
            arrived: vec![false; BYTES as usize],
            acknowledgments: 0,
        };
        ends.poll();
        ends
    }

    fn poll(&mut self) {
        let [a, b] = &mut self.ends;
        if b.connection.at_end() {
            b.connection.shutdown_write();
        }
        a.poll(b.address, self.now);
        b.poll(a.address, self.now);
    }
}

impl Host for Ends {
    fn devices(&self) -> usize {
        2
    }

    fn now(&mut self) -> Time {
        self.now
    }

    fn receive(&mut self, device: usize, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let Some(bytes) = self.ends[device].outbox.pop_front() else { return Ok(None) };
        if let Some(TransportSlice::Tcp(tcp)) = SlicedPacket::from_ip(&bytes).expect("a packet").transport {
            self.acknowledgments += u64::from(tcp.payload().is_empty() && !tcp.syn() && !tcp.fin() && !tcp.rst());
        }
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(Some(bytes.len()))
    }

    fn send(&mut self, device: usize, bytes: &[u8]) -> io::Result<()> {
        let sliced = SlicedPacket::from_ip(bytes).expect("a packet");
        let Some(TransportSlice::Tcp(tcp)) = &sliced.transport else { panic!("not TCP: {bytes:?}") };
        let ecn = match sliced.net.as_ref().expect("an IP header") {
            NetSlice::Ipv4(ip) => {
                let header = ip.header().to_header();
                assert_eq!(header.header_checksum, header.calc_header_checksum());
                let checksum = tcp.to_header().calc_checksum_ipv4(&header, tcp.payload()).unwrap();
                assert_eq!(tcp.checksum(), checksum, "{:?}", tcp.to_header());
                header.ecn.value()
            }
            NetSlice::Ipv6(ip) => {
                let header = ip.header().to_header();
                let checksum = tcp.to_header().calc_checksum_ipv6(&header, tcp.payload()).unwrap();
                assert_eq!(tcp.checksum(), checksum, "{:?}", tcp.to_header());
                header.ecn().value()
            }
            NetSlice::Arp(_) => panic!("ARP"),
        };
        let mut segment = wire::read::read_segment(tcp);
        if device == 1 {
            let first = segment.seq.0.wrapping_sub(ISS[0].0 + 1) as usize;
            for (at, data) in tcp.payload().iter().enumerate() {
                assert_eq!(*data, byte((first + at) as u64), "byte {}", first + at);
                self.arrived[first + at] = true;
            }
        }
        let end = &mut self.ends[device];
        if let Some(stamps) = segment.options.timestamps {
            let first = *end.first_stamp.get_or_insert(stamps.value);
            // A segment with an older timestamp would be discarded [RFC7323 s5.3].
            assert!(stamps.value.wrapping_sub(first) < 1 << 31, "{} after {first}", stamps.value);
        }
        moved(&mut segment, 1 - device, false);
        if segment.flags.has(Flags::SYN) {
            end.scales[0] = segment.options.window_scale;
        } else {
            segment.window <<= end.scales[0].filter(|_| end.scales[1].is_some()).unwrap_or(0);
        }
        end.connection.handle_segment(self.now, &segment, Ecn::from_bits(ecn));
        self.poll();
        Ok(())
    }

    fn wait(&mut self, until: Time) -> io::Result<ControlFlow<()>> {
        let timeouts = self.ends.iter().map(|end| end.connection.poll_timeout());
        let next = timeouts.fold(until, Time::min);
        let done = self.ends[1].connection.bytes_received() == BYTES && self.ends[0].connection.done();
        if done || next == Time::NEVER || next > Time::from_millis(600_000) {
            return Ok(ControlFlow::Break(()));
        }
        self.now = self.now.max(next);
        for end in &mut self.ends {
            if end.connection.poll_timeout() <= self.now {
                end.connection.handle_timeout(self.now);
            }
        }
        self.poll();
        Ok(ControlFlow::Continue(()))
    }
}

/// Transfers all bytes through a network and returns the numbers of packets.
fn transfer(network: &Network, ipv6: bool, what: &str) -> Counts {
    let mut emulator = Emulator::new(network, EmulatorSettings::of(vec![0, 2]));
    let mut ends = Ends::new(ipv6);
    let (lateness, ended) = drive_emulator(&mut emulator, &mut ends, &mut NullSink, &mut |_, _| {});
    ended.unwrap();
    let counts = emulator.counts();
    assert_eq!(ends.ends[1].connection.bytes_received(), BYTES, "{what}: {counts:?}");
    assert!(ends.arrived.iter().all(|arrived| *arrived), "{what}");
    assert_eq!((lateness.all().max(), counts.forgotten), (Some(0), 0), "{what}: {counts:?}");
    assert_eq!(counts.acknowledgments, ends.acknowledgments, "{what}: {counts:?}");
    counts
}

const LOSSY: &str = "rate = \"2 Mbps\"\ndelay = \"1 ms\"\nqueue = \"50 packets\"\n\
                     channel = { kind = \"uniform\", loss = 0.02 }";
const WIRE: &str = "rate = \"10 Mbps\"\ndelay = \"20 ms\"";

#[test]
fn every_scheme_delivers_all_bytes() {
    for scheme in AgentConfig::MEMBERS.iter().map(|(name, _)| *name) {
        for ipv6 in [false, true] {
            let network = network(&format!("scheme = \"{scheme}\""), WIRE, LOSSY);
            let counts = transfer(&network, ipv6, scheme);
            // Changed or created on the path: segments of the proxy, shortened acknowledgments.
            if scheme == "split" {
                assert!(counts.rebuilt > 200, "{scheme}: {counts:?}");
            }
            if ["unmodified", "snoop", "ack-decimation"].contains(&scheme) {
                assert_eq!(counts.rebuilt, 0, "{scheme}: {counts:?}");
            }
        }
    }
}

/// The mobile announces a window of zero before the disconnection: a changed acknowledgment.
#[test]
fn disconnection_with_freeze_tcp_delivers_all_bytes() {
    let air = "rate = \"2 Mbps\"\ndelay = \"1 ms\"\nchannel = { kind = \"scripted\", bad = [[\"500 ms\", \"3 s\"]] }";
    let network = network("scheme = { kind = \"freeze-tcp\", warning = \"300 ms\" }", WIRE, air);
    let counts = transfer(&network, false, "freeze-tcp");
    assert!(counts.rebuilt > 0, "{counts:?}");
}
