//! What a packet is, in columns of figures.

use sim::PacketFlow;
use wire::{Body, Flags, Packet};

/// What a packet is, as a number in columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
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
    /// A segment with data that the node which created it, or a link layer on its path, had sent before.
    Again = 5,
    /// A parity frame of a link layer.
    Parity = 6,
}

impl Kind {
    /// The names, by number.
    pub const NAMES: [&'static str; 7] = ["data", "ACK", "ICMP", "datagram", "SYN or FIN", "data again", "parity"];
}

/// A packet in words of a figure: its flow (-1 without one), kind, offset in the stream (NaN without one), and bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Identified {
    pub flow: f64,
    pub kind: Kind,
    pub offset: f64,
    pub bytes: f64,
}

impl Identified {
    pub const NOTHING: Identified = Identified { flow: -1.0, kind: Kind::Control, offset: f64::NAN, bytes: 0.0 };

    /// The same packet, which repeats data or not.
    pub fn repeated(self, repeats: bool) -> Self {
        let kind = if repeats && self.kind == Kind::Data { Kind::Again } else { self.kind };
        Identified { kind, ..self }
    }

    /// Identifies a packet of a flow.
    pub fn of(packet: &Packet, of: Option<PacketFlow>) -> Self {
        let (kind, offset) = match &packet.body {
            Body::Tcp(segment) if segment.len > 0 => (Kind::Data, of.and_then(|of| of.seq)),
            Body::Tcp(segment) if [Flags::SYN, Flags::FIN, Flags::RST].iter().any(|flag| segment.flags.has(*flag)) => {
                (Kind::Control, None)
            }
            Body::Tcp(_) => (Kind::Ack, of.and_then(|of| of.ack)),
            Body::Icmp(_) => (Kind::Icmp, of.and_then(|of| of.seq)),
            Body::Datagram(_) => (Kind::Datagram, of.and_then(|of| of.seq)),
        };
        Identified {
            flow: of.map_or(-1.0, |of| f64::from(of.flow)),
            kind,
            offset: offset.map_or(f64::NAN, |offset| offset as f64),
            bytes: f64::from(packet.size()),
        }
    }
}
