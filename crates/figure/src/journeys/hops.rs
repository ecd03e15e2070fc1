//! Packets at the hops of their path, with the times at which each joins the queue, starts, leaves and arrives, and
//! with its fate.

use engine::{IdVec, Time};
use observation::hop_packets::{HopOutcome, HopPackets, HopPassage};
use observation::hop_timing::HopTimings;
use path::mac::arq::ArqConfig;
use path::{HopIndex, LinkEvent};
use sim::{Event, Network, NodeEvent, NodeId, PacketFlow};

use crate::packet::{FigurePacketKind, PacketIdentity};

/// The fate of a packet at a hop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PacketOutcome {
    /// The packet's stay at the hop ended with this outcome.
    Ended(HopOutcome),
    /// The packet was still at the hop when the recording ended.
    There,
}

impl PacketOutcome {
    /// The names, by number.
    pub const NAMES: [&'static str; 6] =
        ["arrives", "lost on the channel", "queue full", "dropped early", "given up by the link layer", "still there"];

    /// The number in columns.
    pub(crate) fn number(self) -> u8 {
        match self {
            PacketOutcome::Ended(HopOutcome::Arrived) => 0,
            PacketOutcome::Ended(HopOutcome::Lost) => 1,
            PacketOutcome::Ended(HopOutcome::QueueFull) => 2,
            PacketOutcome::Ended(HopOutcome::DroppedEarly) => 3,
            PacketOutcome::Ended(HopOutcome::GivenUp) => 4,
            PacketOutcome::There => 5,
        }
    }
}

/// The reason why a node did not pass a packet on, as a number in columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// The node's buffer was full.
    BufferFull = 0,
    /// A mobile was not associated.
    NoRoute = 1,
    /// The node's scheme consumed the packet.
    Taken = 2,
}

impl StopReason {
    /// The names, by number.
    pub const NAMES: [&'static str; 3] = ["buffer full", "no route", "consumed by the scheme"];
}

/// A packet at a hop. Times are in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct HopRow {
    pub hop: HopIndex,
    pub packet: PacketIdentity,
    /// Time at which the packet joined the queue.
    pub joined: f64,
    /// Start of the packet's first transmission.
    pub starts: f64,
    /// End of the packet's last transmission.
    pub leaves: f64,
    /// Time at which the packet arrived or was lost.
    pub arrives: f64,
    pub outcome: PacketOutcome,
}

/// A transmission of a link layer on a link that is in no medium.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct FrameRow {
    pub hop: HopIndex,
    pub packet: PacketIdentity,
    pub starts: f64,
    pub arrives: f64,
    /// Number of transmissions of the packet, this one included; 0 for parity.
    pub attempt: u32,
    pub corrupted: bool,
    number: u64,
}

/// A packet that a node did not pass on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct StopRow {
    pub node: NodeId,
    pub packet: PacketIdentity,
    pub at: f64,
    pub why: StopReason,
}

/// Whether frames of a link layer are reported for a link that is in no medium.
pub(crate) fn has_frames(link: &sim::LinkSpec, direction: usize) -> bool {
    let arq = link.direction(direction).arq;
    link.medium.is_none() && !matches!(arq, ArqConfig::None(..) | ArqConfig::Ns2Lan(..))
}

/// Records the packets of a time interval.
pub(crate) struct HopRecorder {
    from: f64,
    to: f64,
    packets: HopPackets,
    /// For each hop, whether frames of a link layer are recorded. The frames of a medium are recorded with the medium.
    has_frames: IdVec<HopIndex, bool>,
    pub rows: Vec<HopRow>,
    pub frames: Vec<FrameRow>,
    pub stops: Vec<StopRow>,
    /// By hop, the packet of the last frame. If the link is in a medium, the medium's next frame on this hop carries
    /// this packet.
    pub carried: IdVec<HopIndex, PacketIdentity>,
}

impl HopRecorder {
    pub fn new(network: &Network, from: f64, to: f64) -> Self {
        let has_frames = network.links.iter().flat_map(|link| [0, 1].map(|direction| has_frames(link, direction)));
        HopRecorder {
            from,
            to,
            packets: HopPackets::new(HopTimings::of(network)),
            has_frames: has_frames.collect(),
            rows: Vec::new(),
            frames: Vec::new(),
            stops: Vec::new(),
            carried: vec![PacketIdentity::NOTHING; 2 * network.links.len()].into(),
        }
    }

    /// Number of recorded entries.
    pub fn count_entries(&self) -> usize {
        self.rows.len() + self.frames.len() + self.stops.len()
    }

    pub fn event(&mut self, time: Time, event: &Event) {
        let at = time.as_secs_f64();
        match event {
            Event::Link { hop, event, of } => self.on_link(time, (*hop).into(), event, *of),
            Event::Node { node, event, of } => self.on_node(at, *node, event, *of),
            _ => return,
        }
        if let Some(passage) = self.packets.apply(time, event) {
            self.add_passage(&passage);
        }
    }

    fn on_node(&mut self, at: f64, node: NodeId, event: &NodeEvent, of: Option<PacketFlow>) {
        let why = match event {
            NodeEvent::BufferFull { .. } => StopReason::BufferFull,
            NodeEvent::NoRoute { .. } => StopReason::NoRoute,
            NodeEvent::Taken { .. } => StopReason::Taken,
            _ => return,
        };
        if let Some(packet) = event.packet().filter(|_| (self.from..=self.to).contains(&at)) {
            self.stops.push(StopRow { node, packet: PacketIdentity::of(packet, of), at, why });
        }
    }

    fn on_link(&mut self, time: Time, hop: HopIndex, event: &LinkEvent, of: Option<PacketFlow>) {
        match *event {
            LinkEvent::FrameSent { number, attempt, packet } => {
                let sent = self.packets.in_transmission(hop, &packet);
                let repeats = sent.is_some_and(|sent| sent.repeats);
                let identified = PacketIdentity::of(&packet, of).with_repetition(repeats);
                self.carried[hop] = identified;
                self.add_frame(time, hop, (identified, packet.size()), attempt, number);
            }
            LinkEvent::ParitySent { number, size } => {
                let parity = PacketIdentity {
                    kind: FigurePacketKind::Parity,
                    bytes: f64::from(size),
                    ..PacketIdentity::NOTHING
                };
                self.add_frame(time, hop, (parity, size), 0, number);
            }
            LinkEvent::FrameCorrupted { number, .. } | LinkEvent::ParityCorrupted { number } => {
                let frame = self.frames.iter_mut().rev().find(|frame| frame.hop == hop);
                if let Some(frame) = frame.filter(|frame| frame.number == number && frame.starts == time.as_secs_f64())
                {
                    frame.corrupted = true;
                }
            }
            _ => {}
        }
    }

    fn add_frame(
        &mut self,
        time: Time,
        hop: HopIndex,
        (packet, size): (PacketIdentity, u32),
        attempt: u32,
        number: u64,
    ) {
        let Some(timing) = self.packets.timings().get(hop).filter(|_| self.has_frames[hop]) else { return };
        let starts = time.as_secs_f64();
        let arrives = starts + (timing.sending(size, time) + timing.delay).as_secs_f64();
        if starts <= self.to && arrives >= self.from {
            self.frames.push(FrameRow { hop, packet, starts, arrives, attempt, corrupted: false, number });
        }
    }

    /// Adds a packet whose stay at a hop has ended, if it was there in the interval.
    fn add_passage(&mut self, passage: &HopPassage) {
        let [joined, starts, leaves, arrives] =
            [passage.joined, passage.starts, passage.leaves, passage.ends].map(Time::as_secs_f64);
        if joined <= self.to && arrives >= self.from {
            let packet = PacketIdentity::of(&passage.packet, passage.of).with_repetition(passage.repeats);
            let (hop, outcome) = (passage.hop, PacketOutcome::Ended(passage.outcome));
            self.rows.push(HopRow { hop, packet, joined, starts, leaves, arrives, outcome });
        }
    }

    /// Ends the interval at `to`, which is the current time. Later packets are not recorded. Packets that are at hops
    /// are recorded until they arrive.
    pub fn end_at(&mut self, to: f64) {
        self.to = to;
    }

    /// Whether a packet that reached a hop before the end of the interval is still at a hop.
    pub fn has_packets(&self) -> bool {
        self.packets.all().any(|(_, packet)| packet.joined.as_secs_f64() <= self.to)
    }

    /// Adds the packets that are still at hops, and sorts all packets by hop and by the time at which they joined.
    pub fn finish(&mut self) {
        let HopRecorder { to, packets, rows, .. } = self;
        let seconds = |time: Option<Time>| time.map_or(f64::INFINITY, Time::as_secs_f64);
        rows.extend(packets.all().map(|(hop, at_hop)| HopRow {
            hop,
            packet: PacketIdentity::of(&at_hop.packet, at_hop.of).with_repetition(at_hop.repeats),
            joined: at_hop.joined.as_secs_f64(),
            starts: seconds(at_hop.starts),
            leaves: seconds(at_hop.leaves),
            arrives: f64::INFINITY,
            outcome: PacketOutcome::There,
        }));
        rows.retain(|row| row.joined <= *to);
        self.frames.retain(|frame| frame.starts <= *to);
        self.stops.retain(|stop| stop.at <= *to);
        rows.sort_by(|a, b| a.hop.cmp(&b.hop).then(a.joined.total_cmp(&b.joined)).then(a.starts.total_cmp(&b.starts)));
        self.frames.sort_by(|a, b| a.hop.cmp(&b.hop).then(a.starts.total_cmp(&b.starts)));
    }
}
