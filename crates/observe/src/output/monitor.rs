//! A capture of a medium by an ideal monitor. The capture has every frame with its radiotap and IEEE 802.11 headers,
//! and damaged frames are marked as such. The packets of an aggregate are separate frames (MPDUs), which radiotap
//! assigns to their aggregate.

use std::collections::{HashMap, VecDeque};
use std::io;

use engine::{IdVec, Rate, Span, Time};
use path::mac::dcf::config::Preamble;
use path::mac::dcf::frame::{DELIMITER, LLC_OVERHEAD as LLC, MAC_OVERHEAD, QOS_OVERHEAD};
use path::mac::dcf::standard::Modulation;
use path::mac::dcf::{Config, FrameKind, Phy, Standard};
use path::{AirFrame, HopId, HopIndex, LinkId, MediumEvent, MediumStationId, Reception};
use sim::Network;
use wire::ieee80211::{DataPath, FrameHead, Mac, append_fcs, serialize_body, serialize_header};
use wire::pcapng::Writer;
use wire::radiotap::{AggregatePart, Radiotap, Speed, channel};
use wire::{Addr, Packet};

use super::file::TraceFile;

/// The model has no frequencies; captures show the first channel of each band, in MHz.
const CHANNEL_1: u16 = 2412;
const CHANNEL_36: u16 = 5180;

/// Sequence numbers of frames have twelve bits.
const SEQUENCES: u16 = 4096;

fn wrap_sequence_number(number: u64) -> u16 {
    (number % u64::from(SEQUENCES)) as u16
}

/// The capture of one medium.
pub(super) struct Monitor {
    /// `None` once finished.
    writer: Option<Writer<TraceFile>>,
    number: u32,
    config: Config,
    phy: Phy,
    /// By station number: the node of the station, and whether the node is an access point.
    stations: IdVec<MediumStationId, (Addr, bool)>,
    /// Frames that are not written yet, in the order of their start times.
    pending: VecDeque<Pending>,
    /// The packet of the last data frame, by sender and receiver.
    packets: HashMap<[MediumStationId; 2], InHand>,
    /// Number of packets sent, by station. This number is the next sequence number.
    sequences: IdVec<MediumStationId, u16>,
    /// Packets in the capture.
    identification: u16,
    /// By hop, its two stations.
    hops: HashMap<HopIndex, [MediumStationId; 2]>,
    /// Packets of frames that are not transmitted yet.
    carried: HashMap<CarriedKey, Carried>,
    /// Aggregates in the capture.
    aggregates: u32,
}

struct Pending {
    from: MediumStationId,
    start: Time,
    bytes: Vec<u8>,
    length: u32,
    /// For a frame in an aggregate, the number of the packet in the frame.
    packet: Option<u64>,
    /// Whether the frame arrived damaged, once this is known.
    bad: Option<bool>,
    radiotap: Radiotap,
}

/// Key by which the packets in data frames are distinguished: their stations, and their numbers on the hop.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct CarriedKey {
    from: MediumStationId,
    to: MediumStationId,
    number: u64,
}

/// A packet in a data frame.
struct Carried {
    packet: Packet,
    /// Whether the frame is a retransmission.
    again: bool,
}

/// A packet in transmission.
#[derive(Clone, Copy)]
struct InHand {
    number: u64,
    sequence: u16,
    identification: u16,
    fragment: u8,
    /// Bytes of the packet, with LLC and SNAP, in earlier fragments.
    before: u32,
    /// Bytes of the packet in this fragment.
    here: u32,
}

impl Monitor {
    pub fn new(network: &Network, medium: usize, file: TraceFile) -> Self {
        let spec = &network.media[medium];
        let members = network.stations(medium);
        let links = network.links.iter().enumerate().filter(|(_, link)| link.medium == Some(medium));
        let mut hops = HashMap::new();
        for (number, link) in links {
            let place = |node: usize| members.iter().position(|member| *member == node).unwrap_or(0);
            let [a, b] = link.between.map(|node| MediumStationId::from_index(place(node)));
            let [forward, backward] = LinkId::from_index(number).hops();
            hops.insert(forward, [a, b]);
            hops.insert(backward, [b, a]);
        }
        let stations = members.into_iter();
        let station = |node: usize| (Addr::of_node(node), network.nodes[node].kind.serves_mobiles());
        let stations: IdVec<_, (Addr, bool)> = stations.map(station).collect();
        Monitor {
            // The header stays in memory until the first flush, so that writing it cannot fail.
            writer: Writer::of_air(file, &spec.name).ok(),
            number: medium as u32,
            phy: Phy::new(&spec.config),
            config: spec.config.clone(),
            sequences: vec![0; stations.len()].into(),
            stations,
            pending: VecDeque::new(),
            packets: HashMap::new(),
            identification: 0,
            hops,
            carried: HashMap::new(),
            aggregates: 0,
        }
    }

    /// Records that a data frame on a hop of this medium carries packet number `number` of the hop.
    pub fn carries(&mut self, hop: HopId, number: u64, attempt: u32, packet: Packet) {
        if let Some([from, to]) = self.hops.get(&hop.into()) {
            self.carried.insert(CarriedKey { from: *from, to: *to, number }, Carried { packet, again: attempt > 1 });
        }
    }

    pub fn event(&mut self, event: &MediumEvent) -> io::Result<()> {
        match *event {
            MediumEvent::Sent { from, to, frame, packet } => self.begins([from, to], &frame, packet.as_ref()),
            MediumEvent::Ended { from, reception, damaged, .. } => {
                let bad = matches!(reception, Reception::Collided | Reception::Corrupted);
                // A station transmits one frame, or one aggregate of several, at a time.
                let open = |pending: &&mut Pending| pending.from == from && pending.bad.is_none();
                for pending in self.pending.iter_mut().filter(open) {
                    pending.bad = Some(pending.packet.map_or(bad, |number| damaged.contains(number)));
                }
                return self.write();
            }
            MediumEvent::BackOff { .. } | MediumEvent::Reaches { .. } => {}
        }
        Ok(())
    }

    /// Writes the frames that have ended, unless an earlier one is still in transmission.
    fn write(&mut self) -> io::Result<()> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        while let Some(Pending { start, bytes, length, bad: Some(bad), radiotap, .. }) = self.pending.front_mut() {
            if bytes.len() as u32 + 4 == *length {
                append_fcs(bytes, *bad);
            }
            let mut whole = Radiotap { bad_fcs: *bad, ..*radiotap }.bytes();
            let length = whole.len() as u32 + *length;
            whole.append(bytes);
            writer.frame(*start, &whole, length)?;
            self.pending.pop_front();
        }
        Ok(())
    }

    fn begins(&mut self, [from, to]: [MediumStationId; 2], frame: &AirFrame, packet: Option<&Packet>) {
        let [sender, receiver] = [from, to].map(|station| Mac::of_node(self.stations[station].0));
        // Whole microseconds, rounded up [802.11-2007 s7.1.3.2].
        let duration = frame.reserves.as_nanos().div_ceil(1000).min(0x7FFF) as u16;
        let first = frame.packets.first();
        let bytes = match frame.kind {
            FrameKind::Ack => serialize_header(&FrameHead::Ack { to: receiver }, duration),
            FrameKind::Rts => serialize_header(&FrameHead::Rts { to: receiver, from: sender }, duration),
            FrameKind::Cts => serialize_header(&FrameHead::Cts { to: receiver }, duration),
            FrameKind::Beacon => {
                serialize_header(&FrameHead::Beacon { from: sender, sequence: first as u16 }, duration)
            }
            FrameKind::BlockAck => {
                let (first, come) = (wrap_sequence_number(first), frame.packets.bits());
                serialize_header(&FrameHead::BlockAck { to: receiver, from: sender, first, come }, duration)
            }
            FrameKind::Data | FrameKind::Aggregate if self.config.aggregation.is_some() => {
                return self.aggregate([from, to], frame, duration);
            }
            FrameKind::Data | FrameKind::Aggregate => {
                self.carried.remove(&CarriedKey { from, to, number: first });
                self.data([from, to], frame, packet, duration)
            }
        };
        let radiotap = self.radiotap(frame.rate, frame.start + self.preamble(frame.rate));
        self.insert(Pending { from, start: frame.start, bytes, length: frame.size, packet: None, bad: None, radiotap });
    }

    fn insert(&mut self, pending: Pending) {
        let place = self.pending.partition_point(|other| other.start <= pending.start);
        self.pending.insert(place, pending);
    }

    /// Writes data in a cell with aggregation. Each packet is a frame, and frames are numbered per receiver
    /// [802.11-2012 s8.3.2.1, s9.3.2.10].
    fn aggregate(&mut self, [from, to]: [MediumStationId; 2], frame: &AirFrame, duration: u16) {
        let carried = &mut self.carried;
        let take = |number| Some((number, carried.remove(&CarriedKey { from, to, number })?));
        let packets: Vec<(u64, Carried)> = frame.packets.iter().filter_map(take).collect();
        let together = frame.kind == FrameKind::Aggregate;
        let begin = frame.start + self.preamble(frame.rate);
        let mut before = 0;
        for (place, (number, Carried { packet, again })) in packets.iter().enumerate() {
            let (path, addresses) = self.path_and_addresses([from, to], Some(packet));
            let (sequence, retry) = (wrap_sequence_number(*number), *again);
            let head =
                FrameHead::Data { path, addresses, sequence, fragment: 0, more_fragments: false, retry, qos: true };
            let mut bytes = serialize_header(&head, duration);
            bytes.extend(serialize_body(packet, *number as u16));
            let length = packet.size() + LLC + QOS_OVERHEAD;
            // The preamble belongs to the first packet.
            let start = if before == 0 { frame.start } else { begin + frame.rate.transmission_time(before) };
            let first_bit = if together { before + DELIMITER } else { 0 };
            let part = AggregatePart { reference: self.aggregates, last: place + 1 == packets.len() };
            let radiotap = Radiotap {
                aggregate: together.then_some(part),
                ..self.radiotap(frame.rate, begin + frame.rate.transmission_time(first_bit))
            };
            let packet = together.then_some(*number);
            self.insert(Pending { from, start, bytes, length, packet, bad: None, radiotap });
            before = (before + DELIMITER + length).next_multiple_of(4);
        }
        self.aggregates += u32::from(together);
    }

    fn data(
        &mut self,
        [from, to]: [MediumStationId; 2],
        frame: &AirFrame,
        packet: Option<&Packet>,
        duration: u16,
    ) -> Vec<u8> {
        let (number, here) = (frame.packets.first(), frame.size.saturating_sub(MAC_OVERHEAD));
        let hand = match self.packets.get(&[from, to]).copied() {
            Some(hand) if hand.number == number && frame.again => hand,
            Some(hand) if hand.number == number => {
                InHand { fragment: hand.fragment + 1, before: hand.before + hand.here, here, ..hand }
            }
            _ => {
                // One counter for all receivers [802.11-2007 s7.1.3.4.1].
                let next = &mut self.sequences[from];
                let sequence = *next;
                *next = (sequence + 1) % SEQUENCES;
                let identification = self.identification;
                self.identification = identification.wrapping_add(1);
                InHand { number, sequence, identification, fragment: 0, before: 0, here }
            }
        };
        self.packets.insert([from, to], hand);
        let whole = packet.map_or(here, |packet| packet.size() + LLC);
        let (path, addresses) = self.path_and_addresses([from, to], packet);
        let head = FrameHead::Data {
            path,
            addresses,
            sequence: hand.sequence,
            fragment: hand.fragment,
            more_fragments: hand.before + here < whole,
            retry: frame.again,
            qos: false,
        };
        let mut bytes = serialize_header(&head, duration);
        if let Some(packet) = packet.filter(|_| hand.before == 0) {
            let mut body = serialize_body(packet, hand.identification);
            body.truncate(here as usize);
            bytes.extend(body);
        }
        bytes
    }

    /// The body of a data frame after the receiver's address, and its three addresses.
    fn path_and_addresses(&self, [from, to]: [MediumStationId; 2], packet: Option<&Packet>) -> (DataPath, [Mac; 3]) {
        let (sender, receiver) = (self.stations[from], self.stations[to]);
        let [from_mac, to_mac] = [sender, receiver].map(|(node, _)| Mac::of_node(node));
        let end = |node: Option<Addr>| node.map_or(to_mac, Mac::of_node);
        let (path, third) = match (sender.1, receiver.1) {
            (false, true) => (DataPath::ToAccessPoint, end(packet.map(|packet| packet.dst))),
            (true, false) => (DataPath::FromAccessPoint, end(packet.map(|packet| packet.src))),
            _ => (DataPath::AdHoc, Mac::of_medium(self.number)),
        };
        (path, [to_mac, from_mac, third])
    }

    fn preamble(&self, rate: Rate) -> Span {
        self.phy.preamble(self.phy.mode(rate).0)
    }

    /// The record of a frame whose first bit arrives at this time.
    fn radiotap(&self, rate: Rate, first_bit: Time) -> Radiotap {
        let (index, modulation) = self.phy.mode(rate);
        let channel = match (self.config.standard, modulation) {
            (Standard::A | Standard::N, _) => (CHANNEL_36, channel::GHZ_5 | channel::OFDM),
            (Standard::Fhss, _) => (CHANNEL_1, channel::GHZ_2 | channel::GFSK),
            (_, Modulation::Ofdm { .. }) => (CHANNEL_1, channel::GHZ_2 | channel::OFDM),
            _ => (CHANNEL_1, channel::GHZ_2 | channel::CCK),
        };
        Radiotap {
            first_bit_us: first_bit.as_nanos() / 1000,
            bad_fcs: false,
            short_preamble: self.config.preamble == Preamble::Short && index > 0,
            rate: match modulation {
                Modulation::HighThroughput { .. } => Speed::Mcs(index as u8),
                _ => u8::try_from(rate.bits_per_sec() / 500_000).map_or(Speed::Other, Speed::Rate),
            },
            channel,
            aggregate: None,
        }
    }

    /// Ends the capture. A frame still in transmission is not captured.
    pub fn finish(&mut self) -> io::Result<()> {
        self.pending.retain(|pending| pending.bad.is_some());
        self.write()?;
        self.writer.take().map_or(Ok(()), |writer| writer.finish().map(drop))
    }
}
