//! A capture of a medium's air, as if a monitor stood in the middle of the cell: every frame with its radiotap and IEEE
//! 802.11 headers, those that were damaged marked as such.

use std::collections::{HashMap, VecDeque};
use std::io;

use engine::{Rate, Time};
use path::mac::dcf::config::Preamble;
use path::mac::dcf::standard::Modulation;
use path::mac::dcf::{Config, FrameKind, Phy, Standard};
use path::{AirFrame, MediumEvent, Reception};
use sim::{Network, NodeKind};
use wire::Addr;
use wire::ieee80211::{DataPath, Head, Mac, body, close, header};
use wire::pcapng::Writer;
use wire::radiotap::{Radiotap, channel};

use super::file::TraceFile;

/// The model has no channels; captures show the first of each band, in MHz.
const CHANNEL_1: u16 = 2412;
const CHANNEL_36: u16 = 5180;

/// The capture of one medium.
pub(super) struct Monitor {
    /// Gone once finished.
    writer: Option<Writer<TraceFile>>,
    number: u32,
    config: Config,
    phy: Phy,
    /// By the station's number: its node, and whether it is an access point.
    stations: Vec<(Addr, bool)>,
    /// Frames that are not written yet, in the order of their beginnings.
    pending: VecDeque<Pending>,
    /// By sender and receiver: the packet that the last data frame was about.
    packets: HashMap<(u32, u32), InHand>,
    /// By station: how many packets it has sent; the sequence number of the next.
    sequences: Vec<u16>,
    /// Packets in the capture.
    identification: u16,
}

struct Pending {
    from: u32,
    start: Time,
    bytes: Vec<u8>,
    length: u32,
    /// How it came, once that is known.
    reception: Option<Reception>,
    radiotap: Radiotap,
}

/// A packet that is being sent.
#[derive(Clone, Copy)]
struct InHand {
    number: u64,
    sequence: u16,
    identification: u16,
    fragment: u8,
    /// Bytes of the packet, with LLC and SNAP, in fragments before this one.
    before: u32,
    /// Bytes of it in this one.
    here: u32,
}

/// Bytes around what a data frame carries.
const AROUND: u32 = path::mac::dcf::frame::MAC_OVERHEAD;
const LLC: u32 = path::mac::dcf::frame::LLC_OVERHEAD;

impl Monitor {
    pub fn new(network: &Network, medium: usize, file: TraceFile) -> Self {
        let spec = &network.media[medium];
        let stations = network.stations(medium).into_iter();
        let station = |node: usize| (Addr::of_node(node), network.nodes[node].kind == NodeKind::Router);
        let stations: Vec<(Addr, bool)> = stations.map(station).collect();
        Monitor {
            // The head stays in memory until the first flush, so it cannot fail.
            writer: Writer::of_air(file, &spec.name).ok(),
            number: medium as u32,
            phy: Phy::new(&spec.config),
            config: spec.config.clone(),
            sequences: vec![0; stations.len()],
            stations,
            pending: VecDeque::new(),
            packets: HashMap::new(),
            identification: 0,
        }
    }

    pub fn event(&mut self, event: &MediumEvent) -> io::Result<()> {
        match *event {
            MediumEvent::Sent { from, to, frame } => self.begins([from, to], &frame),
            MediumEvent::Ended { from, reception, .. } => {
                let open = |pending: &&mut Pending| pending.from == from && pending.reception.is_none();
                if let Some(pending) = self.pending.iter_mut().find(open) {
                    pending.reception = Some(reception);
                }
                return self.write();
            }
            MediumEvent::BackOff { .. } | MediumEvent::Reaches { .. } => {}
        }
        Ok(())
    }

    /// Writes what has ended, if nothing that began before it is still in the air.
    fn write(&mut self) -> io::Result<()> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        while let Some(Pending { start, bytes, length, reception: Some(reception), radiotap, .. }) =
            self.pending.front_mut()
        {
            let bad = matches!(reception, Reception::Collided | Reception::Corrupted);
            if bytes.len() as u32 + 4 == *length {
                close(bytes, bad);
            }
            let mut whole = Radiotap { bad_fcs: bad, ..*radiotap }.bytes();
            let length = whole.len() as u32 + *length;
            whole.append(bytes);
            writer.frame(*start, &whole, length)?;
            self.pending.pop_front();
        }
        Ok(())
    }

    fn begins(&mut self, [from, to]: [u32; 2], frame: &AirFrame) {
        let [sender, receiver] = [from, to].map(|station| Mac::of_node(self.stations[station as usize].0));
        // Whole microseconds, rounded up [802.11-2007 s7.1.3.2].
        let duration = frame.reserves.as_nanos().div_ceil(1000).min(0x7FFF) as u16;
        let bytes = match frame.kind {
            FrameKind::Ack => header(&Head::Ack { to: receiver }, duration),
            FrameKind::Rts => header(&Head::Rts { to: receiver, from: sender }, duration),
            FrameKind::Cts => header(&Head::Cts { to: receiver }, duration),
            FrameKind::Beacon => header(&Head::Beacon { from: sender, sequence: frame.number as u16 }, duration),
            FrameKind::BlockAck => header(&Head::BlockAck { to: receiver, from: sender }, duration),
            FrameKind::Data | FrameKind::Aggregate => self.data([from, to], frame, duration),
        };
        let pending = Pending {
            from,
            start: frame.start,
            bytes,
            length: frame.size,
            reception: None,
            radiotap: self.radiotap(frame.rate, frame.start),
        };
        let place = self.pending.partition_point(|other| other.start <= frame.start);
        self.pending.insert(place, pending);
    }

    fn data(&mut self, [from, to]: [u32; 2], frame: &AirFrame, duration: u16) -> Vec<u8> {
        let here = frame.size.saturating_sub(AROUND);
        let hand = match self.packets.get(&(from, to)).copied() {
            Some(hand) if hand.number == frame.number && frame.again => hand,
            Some(hand) if hand.number == frame.number => {
                InHand { fragment: hand.fragment + 1, before: hand.before + hand.here, here, ..hand }
            }
            _ => {
                // One counter for all neighbours [802.11-2007 s7.1.3.4.1].
                let next = &mut self.sequences[from as usize];
                let sequence = *next;
                *next = (sequence + 1) % 4096;
                let identification = self.identification;
                self.identification = identification.wrapping_add(1);
                InHand { number: frame.number, sequence, identification, fragment: 0, before: 0, here }
            }
        };
        self.packets.insert((from, to), hand);
        let packet = frame.packet.as_ref();
        let whole = packet.map_or(here, |packet| packet.size() + LLC);
        let (sender, receiver) = (self.stations[from as usize], self.stations[to as usize]);
        let [from_mac, to_mac] = [sender, receiver].map(|(node, _)| Mac::of_node(node));
        let end = |node: Option<Addr>| node.map_or(to_mac, Mac::of_node);
        let (path, third) = match (sender.1, receiver.1) {
            (false, true) => (DataPath::ToAccessPoint, end(packet.map(|packet| packet.dst))),
            (true, false) => (DataPath::FromAccessPoint, end(packet.map(|packet| packet.src))),
            _ => (DataPath::AdHoc, Mac::of_medium(self.number)),
        };
        let head = Head::Data {
            path,
            addresses: [to_mac, from_mac, third],
            sequence: hand.sequence,
            fragment: hand.fragment,
            more_fragments: hand.before + here < whole,
            retry: frame.again,
        };
        let mut bytes = header(&head, duration);
        if let Some(packet) = packet.filter(|_| hand.before == 0) {
            let mut body = body(packet, hand.identification);
            body.truncate(here as usize);
            bytes.extend(body);
        }
        bytes
    }

    fn radiotap(&self, rate: Rate, start: Time) -> Radiotap {
        let modes = self.config.standard.modes();
        let ofdm = modes.iter().any(|mode| mode.rate == rate && matches!(mode.modulation, Modulation::Ofdm { .. }));
        let channel = match self.config.standard {
            Standard::A => (CHANNEL_36, channel::GHZ_5 | channel::OFDM),
            Standard::Fhss => (CHANNEL_1, channel::GHZ_2 | channel::GFSK),
            _ if ofdm => (CHANNEL_1, channel::GHZ_2 | channel::OFDM),
            _ => (CHANNEL_1, channel::GHZ_2 | channel::CCK),
        };
        let index = self.phy.index(rate);
        Radiotap {
            first_bit_us: (start + self.phy.preamble(index)).as_nanos() / 1000,
            bad_fcs: false,
            short_preamble: self.config.preamble == Preamble::Short && index > 0,
            rate: u8::try_from(rate.bits_per_sec() / 500_000).ok(),
            channel,
        }
    }

    /// Ends the capture. What is still in the air nobody has received.
    pub fn finish(&mut self) -> io::Result<()> {
        self.writer.take().map_or(Ok(()), |writer| writer.finish().map(drop))
    }
}
