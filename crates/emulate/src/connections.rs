//! Real TCP connections and their simulated counterparts.
//!
//! A simulated connection is two nodes and two ports. Behind one node there may be many hosts, so two real connections
//! can have the same nodes and ports: then the later connection gets another port in the simulation.

use std::net::{IpAddr, SocketAddr};

use engine::Time;
use engine::time::NANOS_PER_MILLI;
use foldhash::fast::FixedState;
use rangemap::RangeSet;
use wire::{Addr, Flags, Packet, Segment, SeqNum};

type HashMap<K, V> = std::collections::HashMap<K, V, FixedState>;

/// Offset of the first segment of a direction. The offset is high, because earlier segments may follow.
const ORIGIN: u64 = 1 << 40;

/// Maximum number of connections; beyond it the connection that has been unused longest is removed.
const MAX_CONNECTIONS: usize = 1 << 16;

/// The ends of a connection in the simulation: node and port of each.
type Simulated = [(usize, u16); 2];

/// A connection; its sides are numbered in the order in which they first sent.
pub(crate) struct RealConnection {
    /// A number that no other connection has.
    pub number: u32,
    real: [SocketAddr; 2],
    simulated: Simulated,
    sides: [ConnectionSide; 2],
    /// The value of the packet count at the connection's last transmission.
    used: u64,
}

/// One side of a connection.
#[derive(Clone, Default)]
struct ConnectionSide {
    /// Window scale in the SYN of the end.
    offers: Option<u8>,
    /// Whether the SYN received by the end has a window scale option.
    is_offered: bool,
    /// Sequence number and offset of the latest data.
    latest: Option<(SeqNum, u64)>,
    /// Difference between the end's timestamps and the simulation's clock, which both ends and all nodes share. Proxies
    /// use the clock of the simulation on behalf of an end. A real end would discard a segment with an older timestamp
    /// [RFC7323 s5.3].
    ahead: Option<u32>,
    /// Offsets of the other side's data that have left the network towards this side.
    delivered: RangeSet<u64>,
}

impl RealConnection {
    /// Returns the offset of a sequence number in the data stream of `side`. The origin of the offsets is the same for
    /// the whole stream.
    pub fn offset(&self, side: usize, seq: SeqNum) -> u64 {
        let Some((latest, offset)) = self.sides[side].latest else { return ORIGIN };
        offset.saturating_add_signed(i64::from(seq.since(latest)))
    }

    /// Completes a segment that `side` sends at `now` with its window in bytes, and with its ports and timestamps in
    /// the simulation.
    pub fn note_sent(&mut self, side: usize, segment: &mut Segment, now: Time) {
        if let Some(stamps) = &mut segment.options.timestamps {
            let ahead = stamps.value.wrapping_sub(timestamp_clock(now));
            let opens = segment.flags.has(Flags::SYN);
            // A new connection with the same ports has another timestamp clock.
            let known = self.sides[side].ahead.filter(|_| !opens);
            let ahead = *self.sides[side].ahead.insert(known.unwrap_or(ahead));
            stamps.value = stamps.value.wrapping_sub(ahead);
            if segment.flags.has(Flags::ACK) {
                stamps.echo = stamps.echo.wrapping_sub(self.sides[1 - side].ahead.unwrap_or(0));
            }
        }
        let offset = self.offset(side, segment.seq);
        let [here, there] = [side, 1 - side].map(|side| self.simulated[side].1);
        (segment.src_port, segment.dst_port) = (here, there);
        let own = &mut self.sides[side];
        if own.latest.is_none_or(|(_, latest)| offset >= latest) {
            own.latest = Some((segment.seq, offset));
        }
        if segment.flags.has(Flags::SYN) {
            // The window of a SYN is never scaled [RFC7323 s2.2].
            own.offers = segment.options.window_scale;
            return;
        }
        // A scale above 14 counts as 14 [RFC7323 s2.3].
        segment.window_shift = own.offers.filter(|_| own.is_offered).unwrap_or(0).min(14);
        segment.window <<= segment.window_shift;
    }

    /// Notes a segment that `side` receives. Windows are scaled only if both SYNs have the option [RFC7323 s1.3].
    pub fn note_received(&mut self, side: usize, segment: &Segment) {
        if segment.flags.has(Flags::SYN) {
            let own = &mut self.sides[side];
            own.is_offered = segment.options.window_scale.is_some();
            // A new connection with the same ports sends other data.
            own.delivered.clear();
        }
    }

    /// Counts the data of a segment at `offset` that is delivered to `side`. Returns the number of bytes that are new.
    pub fn count_new_bytes(&mut self, side: usize, segment: &Segment, offset: u64) -> u64 {
        let own = &mut self.sides[side];
        let data = offset..offset.saturating_add(u64::from(segment.len));
        if data.is_empty() {
            return 0;
        }
        let new = own.delivered.gaps(&data).map(|gap| gap.end - gap.start).sum();
        own.delivered.insert(data);
        new
    }

    /// A segment of `side` with timestamps of both ends' clocks.
    pub fn stamp_segment(&self, side: usize, segment: &Segment) -> Segment {
        let mut segment = *segment;
        if let Some(stamps) = &mut segment.options.timestamps {
            let [own, other] = [side, 1 - side].map(|side| self.sides[side].ahead.unwrap_or(0));
            stamps.value = stamps.value.wrapping_add(own);
            if segment.flags.has(Flags::ACK) {
                stamps.echo = stamps.echo.wrapping_add(other);
            }
        }
        segment
    }

    /// The real ends, the end of `side` first.
    pub fn ends(&self, side: usize) -> [SocketAddr; 2] {
        [self.real[side], self.real[1 - side]]
    }
}

/// All connections.
#[derive(Default)]
pub(crate) struct Connections {
    /// By number, with gaps.
    connections: HashMap<u32, RealConnection>,
    real: HashMap<[SocketAddr; 2], u32>,
    simulated: HashMap<Simulated, u32>,
    next: u32,
    packets: u64,
}

impl Connections {
    /// Finds the connection of a segment between the addresses `ends` at `nodes`, and the side that sends the segment.
    /// The connection is added if it is new.
    pub fn of_real(&mut self, ends: [IpAddr; 2], nodes: [usize; 2], segment: &Segment) -> (&mut RealConnection, usize) {
        self.packets += 1;
        let real = [SocketAddr::new(ends[0], segment.src_port), SocketAddr::new(ends[1], segment.dst_port)];
        let (key, side) = (sort_pair(real), usize::from(real[0] > real[1]));
        let number = match self.real.get(&key) {
            Some(number) => *number,
            None => self.open(key, if side == 0 { nodes } else { [nodes[1], nodes[0]] }),
        };
        let connection = self.connections.get_mut(&number).expect("both tables have the same connections");
        connection.used = self.packets;
        (connection, side)
    }

    /// The connection of a simulated segment, and the side that sends it.
    pub fn of_simulated(&mut self, packet: &Packet, segment: &Segment) -> Option<(&mut RealConnection, usize)> {
        let node = |address: Addr| address.checked_node();
        let from = (node(packet.src)?, segment.src_port);
        let to = (node(packet.dst)?, segment.dst_port);
        let connection = self.connections.get_mut(self.simulated.get(&sort_pair([from, to]))?)?;
        let side = usize::from(connection.simulated[0] != from);
        Some((connection, side))
    }

    /// Number of connections.
    pub fn len(&self) -> usize {
        self.connections.len()
    }

    fn open(&mut self, real: [SocketAddr; 2], nodes: [usize; 2]) -> u32 {
        if self.connections.len() >= MAX_CONNECTIONS {
            self.forget_oldest();
        }
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        let [mut here, there] = [0, 1].map(|side| (nodes[side], real[side].port()));
        // The number of connections is less than the number of ports.
        while self.simulated.contains_key(&sort_pair([here, there])) {
            here.1 = here.1.wrapping_sub(1);
        }
        let simulated = [here, there];
        self.real.insert(real, number);
        self.simulated.insert(sort_pair(simulated), number);
        let connection = RealConnection {
            number,
            real,
            simulated,
            sides: [ConnectionSide::default(), ConnectionSide::default()],
            used: self.packets,
        };
        self.connections.insert(number, connection);
        number
    }

    fn forget_oldest(&mut self) {
        let Some(oldest) = self.connections.values().min_by_key(|connection| connection.used) else { return };
        let (number, real, simulated) = (oldest.number, oldest.real, oldest.simulated);
        self.connections.remove(&number);
        self.real.remove(&real);
        self.simulated.remove(&sort_pair(simulated));
    }
}

/// The clock of timestamps in the simulation.
fn timestamp_clock(now: Time) -> u32 {
    (now.as_nanos() / NANOS_PER_MILLI) as u32
}

fn sort_pair<T: Ord>([a, b]: [T; 2]) -> [T; 2] {
    if a <= b { [a, b] } else { [b, a] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::{Body, Timestamps};

    fn segment(flags: Flags, ports: [u16; 2], scale: Option<u8>) -> Segment {
        let mut segment = Segment { src_port: ports[0], dst_port: ports[1], flags, window: 1000, ..Segment::default() };
        segment.options.window_scale = scale;
        segment
    }

    const ENDS: [IpAddr; 2] =
        [IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1)), IpAddr::V6(std::net::Ipv6Addr::UNSPECIFIED)];

    /// Returns the windows of both sides after the handshake.
    fn windows(scales: [Option<u8>; 2]) -> [u32; 2] {
        let mut connections = Connections::default();
        let mut windows = [0; 2];
        for (flags, last) in [(Flags::SYN, false), (Flags::ACK, true)] {
            for side in [0, 1] {
                let (ends, ports) = if side == 0 { (ENDS, [1, 2]) } else { ([ENDS[1], ENDS[0]], [2, 1]) };
                let mut sent = segment(flags, ports, scales[side].filter(|_| !last));
                let (connection, from) = connections.of_real(ends, if side == 0 { [0, 2] } else { [2, 0] }, &sent);
                connection.note_sent(from, &mut sent, Time::ZERO);
                connection.note_received(1 - from, &sent);
                windows[side] = sent.window;
            }
        }
        windows
    }

    #[test]
    fn windows_are_scaled_if_both_syns_offer_it() {
        assert_eq!(windows([Some(7), Some(2)]), [1000 << 7, 1000 << 2]);
        assert_eq!(windows([Some(0), Some(200)]), [1000, 1000 << 14]);
        assert_eq!(windows([Some(7), None]), [1000, 1000]);
        assert_eq!(windows([None, None]), [1000, 1000]);
    }

    #[test]
    fn connections_with_equal_ports_differ_in_the_simulation() {
        let mut connections = Connections::default();
        let hosts = ["192.0.2.1", "192.0.2.2"].map(|host| host.parse::<IpAddr>().unwrap());
        let mut seen = Vec::new();
        for host in hosts {
            let mut sent = segment(Flags::SYN, [50_000, 443], None);
            let (connection, side) = connections.of_real([ENDS[0], host], [0, 2], &sent);
            connection.note_sent(side, &mut sent, Time::ZERO);
            seen.push(([sent.src_port, sent.dst_port], connection.number));
            let packet = Packet::new(Addr::of_node(0), Addr::of_node(2), Body::Tcp(sent));
            let (found, side) = connections.of_simulated(&packet, &sent).unwrap();
            assert_eq!(found.ends(side), [SocketAddr::new(ENDS[0], 50_000), SocketAddr::new(host, 443)]);
        }
        assert_ne!(seen[0], seen[1]);
        assert_eq!(connections.len(), 2);
    }

    #[test]
    fn simulated_timestamps_of_both_ends_come_from_one_clock() {
        let mut connections = Connections::default();
        let stamped = |ports, value, echo| {
            let mut segment = segment(Flags::ACK, ports, None);
            segment.options.timestamps = Some(Timestamps { value, echo });
            segment
        };
        let stamps = |segment: &Segment| segment.options.timestamps.map(|stamps| (stamps.value, stamps.echo)).unwrap();
        let mut first = stamped([1, 2], u32::MAX - 5, 0);
        let (connection, side) = connections.of_real(ENDS, [0, 2], &first);
        connection.note_sent(side, &mut first, Time::from_millis(1000));
        assert_eq!(stamps(&first), (1000, 0));
        let mut answer = stamped([2, 1], 77, u32::MAX - 5);
        let (connection, other) = connections.of_real([ENDS[1], ENDS[0]], [2, 0], &answer);
        connection.note_sent(other, &mut answer, Time::from_millis(1050));
        assert_eq!(stamps(&answer), (1050, 1000));
        // A node answers on behalf of the first end, 100 ms later.
        let made = stamped([1, 2], 1150, 1050);
        assert_eq!(stamps(&connection.stamp_segment(side, &made)), ((u32::MAX - 5).wrapping_add(150), 77));
        // The first end opens another connection with the same ports.
        let mut again = Segment { flags: Flags::SYN, ..stamped([1, 2], 9, 0) };
        connection.note_sent(side, &mut again, Time::from_millis(5000));
        assert_eq!((stamps(&again), stamps(&connection.stamp_segment(side, &again))), ((5000, 0), (9, 0)));
    }

    /// By hand: 100 bytes, the last 50 of them again with 50 more, then after a hole of 50 bytes the data of the hole
    /// with its surroundings, and another connection between the same ports.
    #[test]
    fn data_counts_as_new_only_once() {
        let mut connections = Connections::default();
        let first = segment(Flags::SYN, [1, 2], None);
        let (connection, side) = connections.of_real(ENDS, [0, 1], &first);
        let mut received = |flags, offset, len| {
            let segment = Segment { len, ..segment(flags, [1, 2], None) };
            connection.note_received(1 - side, &segment);
            connection.count_new_bytes(1 - side, &segment, ORIGIN + offset)
        };
        let new = [(0, 100), (50, 100), (200, 10), (100, 200), (0, 300)].map(|(at, len)| received(Flags::ACK, at, len));
        assert_eq!(new, [100, 50, 10, 90 + 50, 0]);
        assert_eq!([received(Flags::SYN, 0, 0), received(Flags::ACK, 1, 100)], [0, 100]);
    }

    #[test]
    fn offsets_continue_after_a_sequence_number_wraps() {
        let mut connections = Connections::default();
        let mut last = None;
        for seq in [u32::MAX - 1000, u32::MAX, 999, 1 << 30, 1 << 31, 3 << 30, 5] {
            let mut sent = Segment { seq: SeqNum(seq), ..segment(Flags::ACK, [1, 2], None) };
            let (connection, side) = connections.of_real(ENDS, [0, 1], &sent);
            connection.note_sent(side, &mut sent, Time::ZERO);
            let offset = connection.offset(side, sent.seq);
            assert!(last.is_none_or(|last| offset > last));
            last = Some(offset);
        }
        assert_eq!(last, Some(ORIGIN + 1001 + 5 + (1 << 32)));
    }
}
