//! Real packets through a simulated network.

use std::net::SocketAddr;

use engine::{Span, Time};
use sim::{Network, Sink, World};
use wire::{Addr, Body, Flags, Packet, Protocol, Segment};

use crate::addresses::Addresses;
use crate::connections::Connections;
use crate::delivered::DeliveredData;
use crate::frame::{IpFrame, Payload};
use crate::rebuild;
use crate::store::{Direction, PacketStore};

/// Maximum duration of an emulation: ten years, because simulated time is limited.
const DURATION: Span = Span::from_secs(10 * 365 * 86_400);

/// A packet for the host at a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outgoing {
    /// Time at which the packet arrived in the simulation.
    pub at: Time,
    /// The device of the packet's destination.
    pub device: usize,
    /// Bytes of the packet.
    pub bytes: Vec<u8>,
}

/// Numbers of packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Counts {
    /// Packets from real hosts that entered the network.
    pub entered: u64,
    /// Bytes of the packets that entered.
    pub bytes_entered: u64,
    /// Acknowledgments that entered: TCP segments without data, SYN, FIN and RST.
    pub acknowledgments: u64,
    /// Packets from real hosts that stay on their link, such as multicast, or have no destination.
    pub local: u64,
    /// Packets from real hosts that are no complete IP packets.
    pub unreadable: u64,
    /// Packets that left the network with the bytes of the real packet, except for the ECN field.
    pub verbatim: u64,
    /// Number of these packets whose ECN field the network changed.
    pub marked: u64,
    /// Segments changed or created by a scheme, whose bytes were rebuilt.
    pub rebuilt: u64,
    /// Bytes of all packets that left the network.
    pub bytes_left: u64,
    /// Packets that left the network and were dropped, because their bytes are no longer stored.
    pub forgotten: u64,
    /// Messages to a simulated sender, which are dropped because real hosts do not process them.
    pub messages: u64,
    /// Echo requests that a node without a device answered.
    pub answered: u64,
    /// Number of other packets that arrived at a node without a device.
    pub unclaimed: u64,
}

/// Settings of an emulation.
#[derive(Clone, Debug)]
pub struct EmulatorSettings {
    /// The nodes that are real hosts. Each node has the device with the same index.
    pub nodes: Vec<usize>,
    /// The node for all addresses that are not known otherwise. With `None` and two nodes this is the other node.
    pub gateway: Option<usize>,
    /// Maximum number of stored packet bytes: more than the network and its schemes can hold.
    pub memory: usize,
    /// Whether the network's own flows run, as cross traffic.
    pub flows: bool,
    /// Whether a sink will receive the network's events.
    pub observed: bool,
}

impl EmulatorSettings {
    /// Default limit for stored packet bytes: twice the data of a second at 1 Gbit/s.
    pub const MEMORY: usize = 256 << 20;

    /// The nodes' settings, without the network's own flows.
    pub fn of(nodes: Vec<usize>) -> Self {
        EmulatorSettings { nodes, gateway: None, memory: Self::MEMORY, flows: false, observed: false }
    }
}

/// A simulated network whose nodes are partly real hosts.
///
/// A loop calls, in this order: [`advance`](Self::advance) to the current time, [`take`](Self::take), then
/// [`receive`](Self::receive) for each packet, and waits until [`next_wakeup`](Self::next_wakeup).
pub struct Emulator {
    world: World,
    settings: EmulatorSettings,
    /// Device of each node.
    devices: Vec<Option<usize>>,
    addresses: Addresses,
    connections: Connections,
    store: PacketStore,
    outgoing: Vec<Outgoing>,
    counts: Counts,
    delivered: DeliveredData,
    /// Payload of a segment being rebuilt.
    payload: Vec<u8>,
}

/// A packet that leaves the network, with the number of bytes of data that no earlier packet had.
struct Leaving {
    bytes: Vec<u8>,
    new: u64,
}

impl Emulator {
    /// An emulation of `network`, at time zero.
    pub fn new(network: &Network, settings: EmulatorSettings) -> Self {
        let mut network = network.clone();
        network.duration = DURATION;
        if !settings.flows {
            network.flows.clear();
            network.arrivals.clear();
        }
        let mut devices = vec![None; network.nodes.len()];
        settings.nodes.iter().enumerate().for_each(|(device, node)| devices[*node] = Some(device));
        let mut world = World::new(&network, settings.observed);
        // Packets that no simulated connection accepts are collected from now on.
        world.take_delivered();
        Emulator {
            world,
            devices,
            addresses: Addresses::new(network.nodes.len(), settings.nodes.clone(), settings.gateway),
            connections: Connections::default(),
            store: PacketStore::new(settings.memory),
            outgoing: Vec::new(),
            counts: Counts::default(),
            delivered: DeliveredData::default(),
            payload: Vec::new(),
            settings,
        }
    }

    /// The simulated network.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The numbers of packets so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The data that real hosts have received so far.
    pub fn delivered_data(&self) -> DeliveredData {
        self.delivered
    }

    /// Returns the number of TCP connections so far, without removed ones.
    pub fn connections(&self) -> usize {
        self.connections.len()
    }

    /// The time of the next event in the network.
    pub fn next_wakeup(&self) -> Option<Time> {
        self.world.next_wakeup()
    }

    /// Handles events up to `now`, in order, until packets leave the network. Returns false when all events up to `now`
    /// are handled, and true if more events are possible: the caller then first writes the packets of
    /// [`take`](Self::take).
    pub fn advance<S: Sink>(&mut self, now: Time, sink: &mut S) -> bool {
        while let Some(at) = self.world.next_wakeup().filter(|at| *at <= now) {
            self.world.run_until(at, sink);
            if self.collect(sink) {
                return true;
            }
        }
        self.world.run_until(now, sink);
        self.collect(sink);
        false
    }

    /// Takes the packets that have left the network since the last call, oldest first.
    pub fn take(&mut self, into: &mut Vec<Outgoing>) {
        into.append(&mut self.outgoing);
    }

    /// Passes a packet from the host at device number `device` into the network, at the time to which the emulator has
    /// advanced.
    pub fn receive<S: Sink>(&mut self, device: usize, bytes: &[u8], sink: &mut S) {
        let node = self.settings.nodes[device];
        let Some(frame) = IpFrame::read(bytes) else {
            self.counts.unreadable += 1;
            return;
        };
        let Some(there) = self.addresses.find(node, frame.dst) else {
            self.counts.local += 1;
            return;
        };
        self.addresses.learn(frame.src, node);
        self.counts.entered += 1;
        self.delivered.begin(self.world.now());
        self.counts.bytes_entered += bytes.len() as u64;
        let packet = self.packet(&frame, [node, there], bytes);
        // `inject` cannot fail, because the nodes of source and destination exist.
        let _ = self.world.inject(node, packet, sink);
        self.collect(sink);
    }

    /// Creates the packet in the simulation, and stores its bytes.
    fn packet(&mut self, frame: &IpFrame, nodes: [usize; 2], bytes: &[u8]) -> Packet {
        let [src, dst] = nodes.map(Addr::of_node);
        let body = frame.body(self.store.next_number());
        let mut packet = Packet { ecn: frame.ecn, dscp: frame.dscp, ..Packet::new(src, dst, body) };
        match (&mut packet.body, frame.payload) {
            (Body::Tcp(segment), Payload::Tcp { data, .. }) => {
                let others = Flags::SYN | Flags::FIN | Flags::RST;
                self.counts.acknowledgments += u64::from(segment.len == 0 && segment.flags.0 & others.0 == 0);
                let (connection, side) = self.connections.of_real([frame.src, frame.dst], nodes, segment);
                connection.note_sent(side, segment, self.world.now());
                let (direction, offset) = ((connection.number, side), connection.offset(side, segment.seq));
                self.store.keep_segment(direction, &packet, offset, data, bytes);
            }
            _ => self.store.keep(bytes),
        }
        packet
    }

    /// Turns packets that have left the network into bytes; returns whether there are any.
    fn collect<S: Sink>(&mut self, sink: &mut S) -> bool {
        let delivered = self.world.take_delivered();
        for delivered in delivered {
            let Some(device) = self.devices[delivered.node] else {
                self.without_device(delivered.node, &delivered.packet, sink);
                continue;
            };
            let Some(Leaving { bytes, new }) = self.leaving(&delivered.packet) else { continue };
            self.counts.bytes_left += bytes.len() as u64;
            self.delivered.add(new, delivered.at);
            self.outgoing.push(Outgoing { at: delivered.at, device, bytes });
        }
        !self.outgoing.is_empty()
    }

    /// Handles a packet that arrives at a node without a device. The node answers an echo request, and drops everything
    /// else.
    fn without_device<S: Sink>(&mut self, node: usize, packet: &Packet, sink: &mut S) {
        let answer = match &packet.body {
            Body::Datagram(datagram) if datagram.protocol == Protocol::EchoRequest => {
                self.store.datagram(datagram.number).and_then(rebuild::echo_reply)
            }
            _ => None,
        };
        let reply = answer.as_deref().and_then(IpFrame::read).and_then(|frame| {
            let there = self.addresses.find(node, frame.dst)?;
            Some(self.packet(&frame, [node, there], answer.as_deref()?))
        });
        match reply {
            Some(reply) => {
                self.counts.answered += 1;
                // Both nodes exist. The packet is collected later, because every link takes some time.
                let _ = self.world.inject(node, reply, sink);
            }
            None => self.counts.unclaimed += 1,
        }
    }

    /// A packet that leaves the network, which is counted.
    fn leaving(&mut self, packet: &Packet) -> Option<Leaving> {
        let (kept, new) = match &packet.body {
            Body::Icmp(_) => {
                self.counts.messages += 1;
                return None;
            }
            Body::Datagram(datagram) => {
                let new = if datagram.protocol == Protocol::Udp { u64::from(datagram.len) } else { 0 };
                (self.store.datagram(datagram.number).map(<[u8]>::to_vec), new)
            }
            Body::Tcp(segment) => {
                let Some((connection, side)) = self.connections.of_simulated(packet, segment) else {
                    self.counts.forgotten += 1;
                    return None;
                };
                let direction = (connection.number, side);
                let (ends, offset) = (connection.ends(side), connection.offset(side, segment.seq));
                connection.note_received(1 - side, segment);
                let stamped = connection.stamp_segment(side, segment);
                let Some(unchanged) = self.store.segment(direction, packet, segment).map(<[u8]>::to_vec) else {
                    let bytes = self.rebuilt(packet, &stamped, direction, ends, offset)?;
                    let (connection, side) = self.connections.of_simulated(packet, segment)?;
                    return Some(Leaving { bytes, new: connection.count_new_bytes(1 - side, segment, offset) });
                };
                (Some(unchanged), connection.count_new_bytes(1 - side, segment, offset))
            }
        };
        let Some(mut bytes) = kept else {
            self.counts.forgotten += 1;
            return None;
        };
        self.counts.verbatim += 1;
        if rebuild::read_ecn(&bytes) != Some(packet.ecn) {
            rebuild::set_ecn(&mut bytes, packet.ecn);
            self.counts.marked += 1;
        }
        Some(Leaving { bytes, new })
    }

    /// The bytes of a segment changed or created by a scheme.
    fn rebuilt(
        &mut self,
        packet: &Packet,
        segment: &Segment,
        direction: Direction,
        ends: [SocketAddr; 2],
        offset: u64,
    ) -> Option<Vec<u8>> {
        self.payload.clear();
        let payload = self.store.stream(direction, offset, segment.len, &mut self.payload);
        let bytes = payload.and_then(|()| rebuild::build_segment(packet, segment, ends, &self.payload));
        match bytes {
            Some(_) => self.counts.rebuilt += 1,
            None => self.counts.forgotten += 1,
        }
        bytes
    }
}
