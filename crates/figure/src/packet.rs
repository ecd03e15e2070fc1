//! The identity of a packet in the columns of figures.

use sim::PacketFlow;
use wire::{Body, Flags, Packet};

/// The kind of a packet, as a number in columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FigurePacketKind {
    /// A segment with data.
    Data = 0,
    /// A segment without data.
    Ack = 1,
    /// An ICMP message.
    Icmp = 2,
    /// A datagram.
    Datagram = 3,
    /// A SYN, FIN or RST without data.
    Control = 4,
    /// A segment with data that was sent before, by the node that created it or by a link layer on its path.
    Again = 5,
    /// A parity frame of a link layer.
    Parity = 6,
}

impl FigurePacketKind {
    /// The names, by number.
    pub const NAMES: [&'static str; 7] = ["data", "ACK", "ICMP", "datagram", "SYN or FIN", "data again", "parity"];
}

/// A packet as columns identify it: its flow (-1 without one), kind, offset in the stream (NaN without one), and bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct PacketIdentity {
    pub flow: f64,
    pub kind: FigurePacketKind,
    pub offset: f64,
    pub bytes: f64,
}

impl PacketIdentity {
    pub const NOTHING: PacketIdentity =
        PacketIdentity { flow: -1.0, kind: FigurePacketKind::Control, offset: f64::NAN, bytes: 0.0 };

    /// Returns the identity of the same packet, marked as a repetition if it carries data and `repeats` is true.
    pub fn with_repetition(self, repeats: bool) -> Self {
        let kind = if repeats && self.kind == FigurePacketKind::Data { FigurePacketKind::Again } else { self.kind };
        PacketIdentity { kind, ..self }
    }

    /// Identifies a packet of a flow.
    pub fn of(packet: &Packet, of: Option<PacketFlow>) -> Self {
        let (kind, offset) = match &packet.body {
            Body::Tcp(segment) if segment.len > 0 => (FigurePacketKind::Data, of.and_then(|of| of.seq)),
            Body::Tcp(segment) if [Flags::SYN, Flags::FIN, Flags::RST].iter().any(|flag| segment.flags.has(*flag)) => {
                (FigurePacketKind::Control, None)
            }
            Body::Tcp(_) => (FigurePacketKind::Ack, of.and_then(|of| of.ack)),
            Body::Icmp(_) => (FigurePacketKind::Icmp, of.and_then(|of| of.seq)),
            Body::Datagram(_) => (FigurePacketKind::Datagram, of.and_then(|of| of.seq)),
        };
        PacketIdentity {
            flow: of.map_or(-1.0, |of| f64::from(of.flow.number())),
            kind,
            offset: offset.map_or(f64::NAN, |offset| offset as f64),
            bytes: f64::from(packet.size()),
        }
    }
}
