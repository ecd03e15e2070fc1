//! The bytes of the packets that are in the simulated network.
//!
//! The simulated network moves headers without payload bytes. The store finds unchanged segments by these headers,
//! datagrams by their number, and data of a segment created on the path by sequence numbers. A full store discards the
//! oldest packets: the network drops packets without notice, and schemes resend old ones.

use std::collections::{BTreeSet, VecDeque};

use foldhash::fast::FixedState;
use wire::{Ecn, Flags, Packet, Segment};

type HashMap<K, V> = std::collections::HashMap<K, V, FixedState>;

/// Memory of a packet beyond its bytes, estimated.
const OVERHEAD: usize = 400;

/// A direction of a connection: the connection's number, and the side that sends.
pub(crate) type Direction = (u32, usize);

/// Lookup key of a segment; segments with the same key are compared.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct SegmentKey {
    direction: Direction,
    seq: u32,
    ack: u32,
    len: u32,
    stamp: u32,
}

impl SegmentKey {
    fn of(direction: Direction, segment: &Segment) -> Self {
        let stamp = segment.options.timestamps.map_or(0, |stamps| stamps.value);
        SegmentKey { direction, seq: segment.seq.0, ack: segment.ack.0, len: segment.len, stamp }
    }
}

struct KeptPacket {
    bytes: Box<[u8]>,
    segment: Option<KeptSegment>,
}

struct KeptSegment {
    key: SegmentKey,
    packet: Packet,
    /// Offset of the data in the stream.
    offset: u64,
    /// Position of the data in the bytes.
    data: usize,
}

/// Packets with their bytes.
pub(crate) struct PacketStore {
    /// The oldest one first.
    kept: VecDeque<KeptPacket>,
    /// The number of the oldest one.
    first: u64,
    /// Numbers of segments by key. Equal segments are in the order of their arrival.
    segments: HashMap<SegmentKey, VecDeque<u64>>,
    /// Offsets and numbers of segments with data, by direction: a retransmission can begin within another segment.
    data: HashMap<Direction, BTreeSet<(u64, u64)>>,
    /// Maximum data length of a stored segment.
    longest: u64,
    bytes: usize,
    limit: usize,
}

impl PacketStore {
    /// An empty store for `limit` bytes.
    pub fn new(limit: usize) -> Self {
        PacketStore {
            kept: VecDeque::new(),
            first: 0,
            segments: HashMap::default(),
            data: HashMap::default(),
            longest: 0,
            bytes: 0,
            limit,
        }
    }

    /// Number of the next packet, which a datagram carries.
    pub fn next_number(&self) -> u32 {
        (self.first + self.kept.len() as u64) as u32
    }

    /// Keeps the bytes of a datagram.
    pub fn keep(&mut self, bytes: &[u8]) {
        self.push(KeptPacket { bytes: bytes.into(), segment: None });
    }

    /// Stores the bytes of a segment whose data begins at this offset in the stream and at byte `data` of `bytes`.
    pub fn keep_segment(&mut self, direction: Direction, packet: &Packet, offset: u64, data: usize, bytes: &[u8]) {
        let wire::Body::Tcp(segment) = &packet.body else { return };
        let (key, number) = (SegmentKey::of(direction, segment), self.first + self.kept.len() as u64);
        if segment.flags.has(Flags::SYN) {
            // Data of an earlier connection with the same ports does not belong to this connection.
            self.data.remove(&direction);
        }
        self.segments.entry(key).or_default().push_back(number);
        if segment.len > 0 {
            self.data.entry(direction).or_default().insert((offset, number));
            self.longest = self.longest.max(u64::from(segment.len));
        }
        let packet = Packet { ecn: Ecn::NotEct, ..*packet };
        self.push(KeptPacket { bytes: bytes.into(), segment: Some(KeptSegment { key, packet, offset, data }) });
    }

    fn push(&mut self, kept: KeptPacket) {
        self.bytes += kept.bytes.len() + OVERHEAD;
        self.kept.push_back(kept);
        while self.bytes > self.limit && self.kept.len() > 1 {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        let (Some(oldest), number) = (self.kept.pop_front(), self.first) else { return };
        self.first += 1;
        self.bytes -= oldest.bytes.len() + OVERHEAD;
        let Some(segment) = oldest.segment else { return };
        if let Some(numbers) = self.segments.get_mut(&segment.key) {
            numbers.retain(|kept| *kept != number);
            if numbers.is_empty() {
                self.segments.remove(&segment.key);
            }
        }
        if let Some(stream) = self.data.get_mut(&segment.key.direction) {
            stream.remove(&(segment.offset, number));
            if stream.is_empty() {
                self.data.remove(&segment.key.direction);
            }
        }
    }

    fn get(&self, number: u64) -> Option<&KeptPacket> {
        self.kept.get(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    /// The bytes of the datagram with this number.
    pub fn datagram(&self, number: u32) -> Option<&[u8]> {
        let after_first = number.wrapping_sub(self.first as u32);
        let kept = self.kept.get(after_first as usize)?;
        kept.segment.is_none().then_some(&kept.bytes)
    }

    /// Returns the bytes of a segment that is unchanged except for its ECN field. Of equal segments the earliest that
    /// has not left the network is used.
    pub fn segment(&mut self, direction: Direction, packet: &Packet, segment: &Segment) -> Option<&[u8]> {
        let packet = Packet { ecn: Ecn::NotEct, ..*packet };
        let equal = |kept: &Option<&KeptPacket>| {
            kept.and_then(|kept| kept.segment.as_ref()).is_some_and(|segment| segment.packet == packet)
        };
        let numbers = self.segments.get(&SegmentKey::of(direction, segment))?;
        let mut found = numbers.iter().enumerate().filter(|(_, number)| equal(&self.get(**number)));
        let (at, number) = found.next().map(|(at, number)| (at, *number))?;
        let another = found.next().is_some();
        if another && let Some(numbers) = self.segments.get_mut(&SegmentKey::of(direction, segment)) {
            numbers.remove(at);
        }
        self.get(number).map(|kept| &*kept.bytes)
    }

    /// Appends `len` bytes of a stream from `offset` on to `out`. Returns `None` if some of these bytes are not stored.
    pub fn stream(&self, direction: Direction, offset: u64, len: u32, out: &mut Vec<u8>) -> Option<()> {
        let (mut at, end) = (offset, offset + u64::from(len));
        let stream = if at < end { self.data.get(&direction)? } else { return Some(()) };
        while at < end {
            let before = stream.range((at.saturating_sub(self.longest), 0)..=(at, u64::MAX)).rev();
            let mut covering = before.filter_map(|(begin, number)| {
                let kept = self.get(*number)?;
                let data = &kept.bytes[kept.segment.as_ref()?.data..];
                data.get(usize::try_from(at - begin).ok()?..).filter(|data| !data.is_empty())
            });
            let data = covering.next()?;
            let taken = data.len().min((end - at) as usize);
            out.extend_from_slice(&data[..taken]);
            at += taken as u64;
        }
        Some(())
    }

    /// Number of packets.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.kept.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use wire::{Addr, Body, SeqNum};

    const FROM: Direction = (7, 0);

    fn segment(seq: u32, len: u32) -> Packet {
        let segment = Segment { seq: SeqNum(seq), len, ..Segment::default() };
        Packet::new(Addr::of_node(0), Addr::of_node(1), Body::Tcp(segment))
    }

    /// Stores a segment whose header is one byte, `tag`, and whose data bytes are the lowest bytes of their offsets.
    fn keep(store: &mut PacketStore, seq: u32, len: u32, tag: u8) {
        let data = (seq..seq + len).map(|offset| offset as u8);
        let bytes: Vec<u8> = [tag].into_iter().chain(data).collect();
        store.keep_segment(FROM, &segment(seq, len), u64::from(seq), 1, &bytes);
    }

    fn found(store: &mut PacketStore, seq: u32, len: u32) -> Option<u8> {
        let packet = segment(seq, len);
        let Body::Tcp(segment) = &packet.body else { unreachable!() };
        store.segment(FROM, &Packet { ecn: Ecn::Ce, ..packet }, segment).map(|bytes| bytes[0])
    }

    #[test]
    fn equal_segments_are_returned_in_order_and_the_last_is_kept() {
        let mut store = PacketStore::new(1 << 20);
        (1..=3).for_each(|tag| keep(&mut store, 100, 0, tag));
        keep(&mut store, 101, 0, 9);
        assert_eq!([(); 5].map(|()| found(&mut store, 100, 0)), [1, 2, 3, 3, 3].map(Some));
        assert_eq!(found(&mut store, 102, 0), None);
    }

    #[test]
    fn data_is_found_across_segments_and_retransmissions() {
        let mut store = PacketStore::new(1 << 20);
        for (seq, len) in [(0, 10), (10, 10), (30, 10), (5, 7), (10, 3)] {
            keep(&mut store, seq, len, 0);
        }
        let read = |from: u64, len| {
            let mut out = Vec::new();
            store.stream(FROM, from, len, &mut out).map(|()| out)
        };
        assert_eq!(read(3, 15), Some((3..18).collect()));
        assert_eq!(read(20, 1), None);
        assert_eq!(read(15, 6), None);
        assert_eq!(read(33, 7), Some((33..40).collect()));
        assert_eq!(read(99, 0), Some(Vec::new()));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        /// Segments with random limits are retransmitted with other limits and out of order, in a store that discards
        /// old segments. Bytes that are found equal the stream, and all bytes of stored segments are found.
        #[test]
        fn store_finds_exactly_the_bytes_of_stored_segments(
            segments in vec((0..3000_u32, prop_oneof![1..8_u32, 1..300_u32, 1448..1449_u32]), 1..80),
            packets in 1..100_usize,
            reads in vec((0..4500_u32, 1..2000_u32), 20),
        ) {
            let mut store = PacketStore::new(packets * (OVERHEAD + 400));
            segments.iter().for_each(|(seq, len)| keep(&mut store, *seq, *len, 0));
            let kept = &segments[segments.len() - store.len()..];
            let covered = |at: u32| kept.iter().any(|(seq, len)| (*seq..seq + len).contains(&at));
            for (from, len) in reads {
                let mut out = Vec::new();
                let found = store.stream(FROM, u64::from(from), len, &mut out).map(|()| out);
                let expected = (from..from + len).all(covered).then(|| (from..from + len).map(|at| at as u8).collect());
                prop_assert_eq!(found, expected, "{} bytes from {}", len, from);
            }
        }
    }

    #[test]
    fn new_connection_gets_no_data_of_an_earlier_one() {
        let mut store = PacketStore::new(1 << 20);
        keep(&mut store, 0, 10, 0);
        let mut syn = segment(0, 0);
        let Body::Tcp(opening) = &mut syn.body else { unreachable!() };
        opening.flags = Flags::SYN;
        store.keep_segment(FROM, &syn, 0, 1, &[0]);
        let mut out = Vec::new();
        assert_eq!(store.stream(FROM, 0, 1, &mut out), None);
        keep(&mut store, 1, 5, 0);
        assert_eq!(store.stream(FROM, 1, 5, &mut out), Some(()));
    }

    #[test]
    fn oldest_packets_are_discarded_at_the_limit() {
        let mut store = PacketStore::new(10 * (OVERHEAD + 11));
        for number in 0..100 {
            assert_eq!(store.next_number(), 2 * number);
            store.keep(&[number as u8; 11]);
            keep(&mut store, 10 * number, 10, 0);
        }
        assert_eq!((store.len(), store.segments.len(), store.data[&FROM].len()), (10, 5, 5));
        assert_eq!(store.datagram(198), Some(&[99; 11][..]));
        assert_eq!((store.datagram(188), store.datagram(199), store.datagram(200)), (None, None, None));
        assert_eq!((found(&mut store, 940, 10), found(&mut store, 950, 10)), (None, Some(0)));
        let mut out = Vec::new();
        assert_eq!(store.stream(FROM, 940, 20, &mut out), None);
    }
}
