//! Two captures of one connection, from both ends, joined: which packets were lost on the way, and how long the others
//! took.
//!
//! 1. A [`ConnectionTrack`] keeps the packets of the connection in one capture.
//! 2. [`JoinedConnection::join`] pairs the packets that left one end with those that arrived at the other.
//!
//! Two packets match if their ports, sequence and acknowledgment numbers, lengths, timestamps and first SACK blocks are
//! equal. Their IP identifications must be equal, too, if identifications vary and agree for at least nine tenths of
//! the packets without duplicates. Among several copies, the match is the copy that keeps the packet order, or else the
//! last copy that was sent early enough. Segments merged by offloading are split at the MSS; the identifications of the
//! pieces increment from the identification of the merged segment.
//!
//! Clocks. With f the minimum one-way delay to the receiver and b the minimum one-way delay back, each measured by both
//! clocks, the offset of the receiver's clock is (f - b) / 2. The minimum delay is (f + b) / 2 in both directions,
//! because the captures do not show how asymmetric the path is. If f grows by about as much as b shrinks, from the
//! first third of the connection to the last and among packets of equal length, the clocks are skewed, and times are
//! corrected for the skew.
//!
//! Limits: if a copy of a segment arrives out of order while another copy is in flight, the two may be confused. Among
//! identical consecutive acknowledgments, only the times tell which one was lost. The bounds of their fates say so.

mod clock;
mod pairs;

use std::collections::BTreeMap;

use engine::{Span, Time};
use observation::captured::CapturedFate;
use observation::{Evidence, Rule, Unseen};
use rangemap::RangeSet;
use wire::{Flags, SeqNum};

use crate::packet::{End, Packet};
use crate::transfer::{Survey, Truth};

pub use clock::ReceiverClock;
use clock::find_skew;
use pairs::{PacketPair, PacketPairs, pair_packets};

/// Maximum number of packets of a connection that are stored: a limit of memory, about 60 MB for each capture.
pub const MAX_PACKETS: usize = 1 << 20;

/// The fields of a packet that are the same in both captures.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct PacketKey {
    from_sender: bool,
    seq: u32,
    len: u32,
    ack: u32,
    flags: u8,
    stamps: Option<(u32, u32)>,
    sack: Option<(u32, u32)>,
    id: Option<u16>,
}

/// A packet in one capture.
#[derive(Clone, Copy, Debug)]
struct TrackedPacket {
    at: Time,
    key: PacketKey,
}

/// The packets of a connection in one capture.
#[derive(Clone, Debug)]
pub struct ConnectionTrack {
    stream: u32,
    sender: End,
    mss: u32,
    packets: Vec<TrackedPacket>,
    /// Number of packets beyond [`MAX_PACKETS`], which are not stored.
    beyond: u64,
}

impl ConnectionTrack {
    /// Keeps the packets of connection `stream`, whose data `sender` sends in segments of `mss` bytes.
    pub fn new(stream: u32, sender: End, mss: u32) -> Self {
        ConnectionTrack { stream, sender, mss: mss.max(1), packets: Vec::new(), beyond: 0 }
    }

    /// Reads a packet.
    pub fn on_packet(&mut self, packet: &Packet) {
        let (Some(segment), Some(of)) = (packet.segment(), packet.stream) else { return };
        if of.stream != self.stream {
            return;
        }
        let mut seq = segment.seq;
        let mut rest = segment.len;
        let mut id = packet.ip_id;
        loop {
            if self.packets.len() == MAX_PACKETS {
                self.beyond += 1;
                return;
            }
            let len = rest.min(self.mss);
            // FIN and RST belong to the last piece of a merged segment.
            let has = |flag: Flags| segment.flags.has(flag) && (flag == Flags::SYN || len == rest);
            // RST is the third, see `RESET`.
            let flags = [Flags::SYN, Flags::FIN, Flags::RST];
            let flags = flags.iter().enumerate().map(|(bit, flag)| u8::from(has(*flag)) << bit).sum();
            let key = PacketKey {
                from_sender: of.from == self.sender,
                seq: seq.0,
                len,
                ack: segment.ack.0,
                flags,
                stamps: segment.options.timestamps.map(|stamps| (stamps.value, stamps.echo)),
                sack: segment.options.sack.as_slice().first().map(|(from, to)| (from.0, to.0)),
                id,
            };
            self.packets.push(TrackedPacket { at: packet.at, key });
            (seq, rest) = (seq + len, rest - len);
            // Linux and network cards increment the identification from piece to piece.
            id = id.map(|id| id.wrapping_add(1));
            if rest == 0 {
                return;
            }
        }
    }

    /// The packets of one direction, in order of time.
    fn packets_from(&self, from_sender: bool) -> Vec<TrackedPacket> {
        let mut packets: Vec<TrackedPacket> =
            self.packets.iter().filter(|seen| seen.key.from_sender == from_sender).copied().collect();
        packets.sort_by_key(|seen| seen.at);
        packets
    }
}

/// The bit of RST in a key.
const RESET: u8 = 1 << 2;

/// A packet on its way from one end to the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crossing {
    /// Time at which the packet left, by the clock of the sender's capture.
    pub sent: Time,
    /// The fate of the packet, with an arrival time by the clock of the sender's capture. Unknown if the other capture
    /// did not cover the expected arrival, or if the other capture missed the packet, which was acknowledged.
    pub fate: Evidence<CapturedFate>,
    /// Sequence number of the packet, on the wire.
    pub seq: SeqNum,
    /// Bytes of data.
    pub len: u32,
    /// Acknowledgment number of the packet, on the wire.
    pub ack: SeqNum,
    /// Whether the first byte of the packet was sent before.
    pub resent: bool,
    /// Whether the packet is a spurious retransmission: an earlier transmission arrives.
    pub spurious: bool,
}

impl Crossing {
    /// Most likely arrival time of the packet.
    pub fn arrival(&self) -> Option<Time> {
        self.fate.value()?.arrival()
    }

    /// Whether the packet was most likely lost.
    pub fn is_lost(&self) -> bool {
        self.fate.value() == Some(CapturedFate::Lost)
    }
}

/// The packets of one direction.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct JoinedDirection {
    /// The packets, in the order in which they left.
    pub packets: Vec<Crossing>,
    /// Number of packets captured only where they arrived. RST segments are not counted, because those at the end of a
    /// connection are identical.
    pub unseen: u64,
    /// Number of packets with data that were acknowledged although no copy of them was captured where they arrived.
    pub missed: u64,
}

/// The reported quantiles of one-way delays, with their names.
pub const QUANTILES: [(&str, f64); 5] = [("min", 0.0), ("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("max", 1.0)];

impl JoinedDirection {
    /// Returns the [`QUANTILES`] of the one-way delays, with their names; `None` if no packet arrived.
    pub fn delay_quantiles(&self) -> [(&'static str, Option<Span>); QUANTILES.len()] {
        let sorted = self.sorted_delays();
        QUANTILES.map(|(name, share)| {
            let place = sorted.len().checked_sub(1).map(|last| (last as f64 * share).round() as usize);
            (name, place.and_then(|place| sorted.get(place).copied()))
        })
    }

    /// Sets the fate of packets to unknown that seem lost and were acknowledged although no copy was captured where it
    /// arrived: the capture missed one of the copies.
    fn mark_missed(&mut self, acks: &JoinedDirection) {
        let Some(origin) = self.packets.iter().find(|packet| packet.len > 0).map(|packet| packet.seq) else { return };
        let offset = |seq: SeqNum| seq.0.wrapping_sub(origin.0);
        // Numbers below the origin, such as in the handshake, wrap around.
        let acknowledged =
            acks.packets.iter().map(|packet| offset(packet.ack)).filter(|ack| *ack <= u32::MAX / 2).max();
        let mut arrived = RangeSet::new();
        for packet in self.packets.iter().filter(|packet| packet.len > 0 && packet.arrival().is_some()) {
            let from = u64::from(offset(packet.seq));
            arrived.insert(from..from + u64::from(packet.len));
        }
        for packet in self.packets.iter_mut().filter(|packet| packet.len > 0 && packet.is_lost()) {
            let from = offset(packet.seq);
            if acknowledged.is_some_and(|until| from < until) && !arrived.contains(&from.into()) {
                packet.fate = Evidence::Unknown(Unseen::OnThePath);
                self.missed += 1;
            }
        }
    }

    /// The number of packets that were lost.
    pub fn count_lost(&self) -> usize {
        self.packets.iter().filter(|packet| packet.is_lost()).count()
    }

    /// The number of packets whose fate is not known.
    pub fn count_unknown(&self) -> usize {
        self.packets.iter().filter(|packet| packet.fate.is_unknown()).count()
    }

    /// The number of spurious retransmissions.
    pub fn count_spurious(&self) -> usize {
        self.packets.iter().filter(|packet| packet.spurious).count()
    }

    /// The one-way delays, the shortest first.
    pub fn sorted_delays(&self) -> Vec<Span> {
        let delay = |packet: &Crossing| Some(packet.arrival()?.since(packet.sent));
        let mut delays: Vec<Span> = self.packets.iter().filter_map(delay).collect();
        delays.sort_unstable();
        delays
    }
}

/// The reason why two captures cannot be joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum JoinError {
    /// In one direction no packet is in both captures.
    #[error(
        "no packet of this connection is in both captures in the direction of {0}, expected captures of the same time"
    )]
    NothingInCommon(&'static str),
}

/// A connection in two captures.
#[derive(Clone, PartialEq, Debug)]
pub struct JoinedConnection {
    /// The packets of the end that sends most data.
    pub data: JoinedDirection,
    /// The packets of the other end.
    pub acks: JoinedDirection,
    /// The clock of the receiver's capture.
    pub clock: ReceiverClock,
    /// Packets that were not read, because a capture has more than [`MAX_PACKETS`].
    pub beyond: u64,
}

impl JoinedConnection {
    /// Joins the capture at the sender with that at the receiver.
    ///
    /// # Errors
    /// They have no packets in common.
    pub fn join(sender: &ConnectionTrack, receiver: &ConnectionTrack) -> Result<Self, JoinError> {
        let forward = [sender.packets_from(true), receiver.packets_from(true)];
        let backward = [receiver.packets_from(false), sender.packets_from(false)];
        let data = pair_packets(&forward[0], &forward[1]).ok_or(JoinError::NothingInCommon("data"))?;
        let acks = pair_packets(&backward[0], &backward[1]).ok_or(JoinError::NothingInCommon("acknowledgments"))?;
        // Each delay is at most the min RTT, which does not depend on the clocks' offset.
        let slack = (data.least + acks.least).max(0);
        let skew = find_skew(
            &list_crossings(&forward, &data, find_usual_len(&forward[0])),
            &list_crossings(&backward, &acks, find_usual_len(&backward[0])),
        );
        let clock = ReceiverClock::estimate(
            &list_crossings(&forward, &data, None),
            &list_crossings(&backward, &acks, None),
            skew,
        );
        let ends =
            |packets: &[TrackedPacket]| packets.first().zip(packets.last()).map(|(first, last)| [first.at, last.at]);
        let [at_receiver, at_sender] = [&receiver.packets, &sender.packets].map(|packets| ends(packets));
        let acks = join_direction(&backward, &acks, at_sender, &DirectionClock { clock, slack, of_arrivals: false });
        let mut data =
            join_direction(&forward, &data, at_receiver, &DirectionClock { clock, slack, of_arrivals: true });
        data.mark_missed(&acks);
        Ok(JoinedConnection { data, acks, clock, beyond: sender.beyond + receiver.beyond })
    }

    /// The fates of the transmissions of data, captured at the sender.
    pub fn arrivals_of_data(&self, survey: &Survey) -> Truth {
        let data = self.data.packets.iter().filter(|packet| packet.len > 0 && !packet.fate.is_unknown());
        let fates = data.map(|packet| ((packet.sent, packet.seq.0.wrapping_sub(survey.origin.0)), packet.fate));
        fates.collect()
    }
}

/// Returns the most frequent data length of a packet in bytes.
fn find_usual_len(packets: &[TrackedPacket]) -> Option<u32> {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    packets.iter().filter(|seen| seen.key.flags == 0).for_each(|seen| *counts.entry(seen.key.len).or_default() += 1);
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(len, _)| len)
}

/// Lists the times at which packets left and arrived, each by the clock of its capture. If `len` is given, only packets
/// of this length without SYN are listed.
fn list_crossings(packets: &[Vec<TrackedPacket>; 2], pairs: &PacketPairs<'_>, len: Option<u32>) -> Vec<[Time; 2]> {
    let chosen = |seen: &TrackedPacket| len.is_none_or(|len| seen.key.len == len && seen.key.flags == 0);
    let both = packets[0].iter().zip(&pairs.arrivals).filter(|(left, _)| chosen(left));
    both.filter_map(|(left, arrival)| Some([left.at, packets[1][(*arrival)? as usize].at])).collect()
}

/// The clocks of the departures and of the arrivals in one direction.
struct DirectionClock {
    /// The receiver's.
    clock: ReceiverClock,
    /// Maximum error of the offset in nanoseconds.
    slack: i128,
    /// Whether arrivals have its times, and not departures.
    of_arrivals: bool,
}

impl DirectionClock {
    /// Converts a departure time to the sender's clock.
    fn convert_departure(&self, at: Time) -> Time {
        if self.of_arrivals { at } else { self.clock.sender_time(at) }
    }

    /// Converts an arrival time to the sender's clock.
    fn convert_arrival(&self, at: Time) -> Time {
        if self.of_arrivals { self.clock.sender_time(at) } else { at }
    }

    /// The fate of a packet that arrived, or one of whose copies did. No delay is negative, so the error of the offset
    /// is at most the minimum delay.
    fn find_fate(&self, sent: Time, pair: &PacketPair, arrived: &[TrackedPacket]) -> Evidence<CapturedFate> {
        let arrival = |number: u32| self.convert_arrival(arrived[number as usize].at);
        let earliest = arrival(pair.earliest).as_nanos().saturating_sub(self.clock.least.as_nanos());
        let latest = CapturedFate::Arrived(arrival(pair.latest) + self.clock.least);
        Evidence::Inferred {
            value: pair.arrival.map_or(CapturedFate::Lost, |number| CapturedFate::Arrived(arrival(number))),
            low: CapturedFate::Arrived(Time::from_nanos(earliest).max(sent)),
            high: if pair.may_be_lost || pair.arrival.is_none() {
                CapturedFate::Lost
            } else {
                latest.map_arrival(|at| at.max(sent))
            },
            rule: Rule::BothCaptures,
        }
    }
}

/// Joins the packets of one direction, with their times by the sender's clock. `captured` has the times of the first
/// and the last packet in the capture where the packets arrive.
fn join_direction(
    [left, arrived]: &[Vec<TrackedPacket>; 2],
    pairs: &PacketPairs<'_>,
    captured: Option<[Time; 2]>,
    clock: &DirectionClock,
) -> JoinedDirection {
    // Whether a copy has arrived so far, by the first sequence number of each segment with data.
    let mut sent: BTreeMap<u32, bool> = BTreeMap::new();
    let between = |(seen, number): (&TrackedPacket, &Option<u32>)| {
        Some(i128::from(arrived[(*number)? as usize].at.as_nanos()) - i128::from(seen.at.as_nanos()))
    };
    let most = left.iter().zip(&pairs.arrivals).filter_map(between).max().unwrap_or(0);
    let last_paired = pairs.arrivals.iter().rposition(Option::is_some);
    // A packet sent later arrived, or the capture continued for longer than the maximum one-way delay.
    let covers = |number: usize, at: Time| {
        let Some([first, last]) = captured.map(|ends| ends.map(|at| i128::from(at.as_nanos()))) else { return false };
        let at = i128::from(at.as_nanos());
        first <= at + pairs.least && (last_paired.is_some_and(|last| number < last) || at + most < last)
    };
    let crossing = |(number, seen): (usize, &TrackedPacket)| {
        let PacketKey { seq, len, ack, .. } = seen.key;
        let departed = clock.convert_departure(seen.at);
        let fate = match pairs.find_pair(number, clock.slack) {
            Some(pair) if pair.arrival.is_some() || covers(number, seen.at) => {
                clock.find_fate(departed, &pair, arrived)
            }
            None if covers(number, seen.at) => Evidence::Known(CapturedFate::Lost),
            _ => Evidence::Unknown(Unseen::CaptureEnds),
        };
        let before = (len > 0).then(|| sent.get(&seq).copied()).flatten();
        if len > 0 {
            *sent.entry(seq).or_default() |= fate.value().is_some_and(|fate| fate != CapturedFate::Lost);
        }
        Crossing {
            sent: departed,
            fate,
            seq: SeqNum(seq),
            len,
            ack: SeqNum(ack),
            resent: before.is_some(),
            spurious: before == Some(true),
        }
    };
    let packets = left.iter().enumerate().map(crossing).collect();
    let is_reset = |seen: &TrackedPacket| seen.key.flags & RESET != 0;
    let paired = pairs.arrivals.iter().flatten().filter(|arrival| !is_reset(&arrived[**arrival as usize])).count();
    let all = arrived.iter().filter(|seen| !is_reset(seen)).count();
    JoinedDirection { packets, unseen: (all - paired) as u64, missed: 0 }
}
