//! Helpers of the contract tests.
#![allow(dead_code, reason = "each test file uses some of it")]

use engine::{Slot, Time};
use path::link::Line;
use path::mac::arq::Arq;
use path::mac::arq::fec::sender::FecSender;
use path::mac::arq::ns2_lan::sender::LanSender;
use path::mac::arq::window::sender::WindowSender;
use path::queue::Backlog;
use path::transmitter::Transmitter;
use path::{HopId, LinkEvent, Observer};
use serde::Deserialize;
use serde::de::value::{Error, MapDeserializer};
use wire::{Addr, Body, Ecn, Flags, Packet, Segment, SeqNum};

/// Returns the member of a registry with this name and default settings.
pub fn member<T: for<'de> Deserialize<'de>>(name: &str) -> Result<T, Error> {
    T::deserialize(MapDeserializer::<_, Error>::new([("kind", name)].into_iter()))
}

/// Returns a packet from node 0 to node 2 with `len` bytes of data.
pub fn packet(seq: u32, len: u32) -> Packet {
    let segment = Segment {
        src_port: 1,
        dst_port: 2,
        seq: SeqNum(seq),
        ack: SeqNum(0),
        flags: Flags::ACK,
        len,
        ..Segment::default()
    };
    Packet { src: Addr::of_node(0), dst: Addr::of_node(2), ecn: Ecn::NotEct, body: Body::Tcp(segment) }
}

/// Records link events.
#[derive(Default)]
pub struct Log(pub Vec<(Time, HopId, LinkEvent)>);

impl Observer for Log {
    fn watches(&self) -> bool {
        true
    }
    fn link(&mut self, at: Time, hop: HopId, event: LinkEvent) {
        self.0.push((at, hop, event));
    }
}

/// Returns the transmitter of a hop with this link layer; `None` for a hop without a link layer, or one served by a
/// station.
pub fn own_transmitter(
    arq: &Arq,
    hop: HopId,
    line: Line,
    queue: impl Into<Backlog>,
    slot: Slot,
) -> Option<Transmitter> {
    match *arq {
        Arq::None | Arq::StopAndWait(_) => None,
        Arq::Window(window) => Some(Transmitter::Window(WindowSender::new(hop, line, window, queue, slot))),
        Arq::Fec(fec) => Some(Transmitter::Fec(FecSender::new(hop, line, fec, queue, slot))),
        Arq::Lan(lan) => Some(Transmitter::Lan(LanSender::new(hop, line, lan, queue, slot))),
    }
}
