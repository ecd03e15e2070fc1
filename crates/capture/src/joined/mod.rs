//! Two captures of one connection, from both ends, joined: which packets were lost on the way, and how long the others
//! took.
//!
//! 1. A [`Track`] keeps the packets of the connection in one capture.
//! 2. [`Joined::of`] pairs the packets that left one end with those that arrived at the other.
//!
//! Packets are the same if their ports, sequence and acknowledgment numbers, length, timestamps and first SACK-block
//! are; so are their IP identifications, if they vary, and the identifications of at least nine tenths of the packets
//! without a double agree. Of several copies the one is taken that keeps the order of packets, and otherwise the last
//! that was sent early enough. Segments that offloading has merged are split by the MSS, and the identifications of the
//! pieces count on from the identification of the whole.
//!
//! Clocks. With f the least time from the sender's clock to the receiver's, and b the least back, the offset of the
//! receiver's clock is (f - b) / 2, and the least delay is (f + b) / 2 in both directions: the captures do not show
//! which part of it belongs to which. If f grows by as much as b shrinks, from the first third of the connection to
//! the last and among packets of one length, the clocks run at different rates, and times are corrected by that.
//!
//! Limits: a copy in the air while another of the same segment arrives out of order may be taken for that one. Of
//! identical acknowledgments in a row the one that was lost is known by its time only.

mod clock;
mod pairs;

use std::collections::BTreeMap;

use engine::{Span, Time};
use rangemap::RangeSet;
use wire::{Flags, SeqNum};

use crate::packet::{End, Packet};
use crate::transfer::{Survey, Truth};

pub use clock::Clock;
use clock::find_skew;
use pairs::{Pairs, pair_packets};

/// Packets of a connection that are kept: a limit of memory, about 60 MB for each capture.
pub const MAX_PACKETS: usize = 1 << 20;

/// The fields that are the same in both captures.
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
pub struct Track {
    stream: u32,
    sender: End,
    mss: u32,
    packets: Vec<TrackedPacket>,
    /// Packets beyond the limit.
    beyond: u64,
}

impl Track {
    /// Keeps the packets of connection `stream`, whose data `sender` sends in segments of `mss` bytes.
    pub fn new(stream: u32, sender: End, mss: u32) -> Self {
        Track { stream, sender, mss: mss.max(1), packets: Vec::new(), beyond: 0 }
    }

    /// Reads a packet.
    pub fn packet(&mut self, packet: &Packet) {
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
            // Of a merged segment, the last piece has these.
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
            // Segmentation by Linux and by network cards counts on.
            id = id.map(|id| id.wrapping_add(1));
            if rest == 0 {
                return;
            }
        }
    }

    /// The packets of one direction, in order of time.
    fn of(&self, from_sender: bool) -> Vec<TrackedPacket> {
        let mut packets: Vec<TrackedPacket> =
            self.packets.iter().filter(|seen| seen.key.from_sender == from_sender).copied().collect();
        packets.sort_by_key(|seen| seen.at);
        packets
    }
}

/// The bit of RST in a key.
const RESET: u8 = 1 << 2;

/// What became of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CrossingFate {
    /// It arrived at this time of the sender's capture.
    Arrived(Time),
    /// It was lost on the way.
    Lost,
    /// The other capture had not begun or was over when it would have arrived, or it missed the packet, which was
    /// acknowledged.
    Unknown,
}

/// A packet on its way from one end to the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crossing {
    /// When it left, by the clock of the sender's capture.
    pub sent: Time,
    /// What became of it.
    pub fate: CrossingFate,
    /// Its sequence number, on the wire.
    pub seq: SeqNum,
    /// Bytes of data.
    pub len: u32,
    /// Its acknowledgment number, on the wire.
    pub ack: SeqNum,
    /// Whether its first byte was sent before.
    pub resent: bool,
    /// Whether it is a spurious retransmission: an earlier one arrives.
    pub spurious: bool,
}

/// The packets of one direction.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct OneDirection {
    /// In the order in which they left.
    pub packets: Vec<Crossing>,
    /// Packets that arrived and were not captured where they left. Resets at the end look alike and are not counted.
    pub unseen: u64,
    /// Packets with data that were acknowledged although no copy of them was captured where they arrived.
    pub missed: u64,
}

/// The quantiles of one-way delays that are shown.
pub const QUANTILES: [(&str, f64); 5] = [("min", 0.0), ("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("max", 1.0)];

impl OneDirection {
    /// The [`QUANTILES`] of the one-way delays, with their names; `None` if no packet arrived.
    pub fn delay_quantiles(&self) -> [(&'static str, Option<Span>); QUANTILES.len()] {
        let sorted = self.delays();
        QUANTILES.map(|(name, share)| {
            let place = sorted.len().checked_sub(1).map(|last| (last as f64 * share).round() as usize);
            (name, place.and_then(|place| sorted.get(place).copied()))
        })
    }

    /// Of packets that seem lost and are acknowledged though no copy arrived, it is not known which one the capture
    /// missed.
    fn note_missed(&mut self, acks: &OneDirection) {
        let Some(origin) = self.packets.iter().find(|packet| packet.len > 0).map(|packet| packet.seq) else { return };
        let offset = |seq: SeqNum| seq.0.wrapping_sub(origin.0);
        // Acknowledgments of a SYN lie before.
        let acknowledged =
            acks.packets.iter().map(|packet| offset(packet.ack)).filter(|ack| *ack <= u32::MAX / 2).max();
        let has_arrived = |packet: &&Crossing| packet.len > 0 && matches!(packet.fate, CrossingFate::Arrived(_));
        let mut arrived = RangeSet::new();
        for packet in self.packets.iter().filter(has_arrived) {
            let from = u64::from(offset(packet.seq));
            arrived.insert(from..from + u64::from(packet.len));
        }
        for packet in self.packets.iter_mut().filter(|packet| packet.len > 0 && packet.fate == CrossingFate::Lost) {
            let from = offset(packet.seq);
            if acknowledged.is_some_and(|until| from < until) && !arrived.contains(&from.into()) {
                packet.fate = CrossingFate::Unknown;
                self.missed += 1;
            }
        }
    }

    /// The number of packets that were lost.
    pub fn lost(&self) -> usize {
        self.packets.iter().filter(|packet| packet.fate == CrossingFate::Lost).count()
    }

    /// The number of packets whose fate is not known.
    pub fn unknown(&self) -> usize {
        self.packets.iter().filter(|packet| packet.fate == CrossingFate::Unknown).count()
    }

    /// The number of spurious retransmissions.
    pub fn spurious(&self) -> usize {
        self.packets.iter().filter(|packet| packet.spurious).count()
    }

    /// The one-way delays, the shortest first.
    pub fn delays(&self) -> Vec<Span> {
        let delay = |packet: &Crossing| match packet.fate {
            CrossingFate::Arrived(at) => Some(at.since(packet.sent)),
            CrossingFate::Lost | CrossingFate::Unknown => None,
        };
        let mut delays: Vec<Span> = self.packets.iter().filter_map(delay).collect();
        delays.sort_unstable();
        delays
    }
}

/// Why two captures cannot be joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum JoinError {
    /// In one direction no packet is in both.
    #[error(
        "no packet of this connection is in both captures in the direction of {0}, expected captures of the same time"
    )]
    NothingInCommon(&'static str),
}

/// A connection in two captures.
#[derive(Clone, PartialEq, Debug)]
pub struct Joined {
    /// The packets of the end that sends most data.
    pub data: OneDirection,
    /// The packets of the other end.
    pub acks: OneDirection,
    /// The clock of the receiver's capture.
    pub clock: Clock,
    /// Packets that were not read, because a capture has more than [`MAX_PACKETS`].
    pub beyond: u64,
}

impl Joined {
    /// Joins the capture at the sender with that at the receiver.
    ///
    /// # Errors
    /// They have no packets in common.
    pub fn of(sender: &Track, receiver: &Track) -> Result<Self, JoinError> {
        let forward = [sender.of(true), receiver.of(true)];
        let backward = [receiver.of(false), sender.of(false)];
        let data = pair_packets(&forward[0], &forward[1]).ok_or(JoinError::NothingInCommon("data"))?;
        let acks = pair_packets(&backward[0], &backward[1]).ok_or(JoinError::NothingInCommon("acknowledgments"))?;
        let skew = find_skew(
            &list_crossings(&forward, &data, usual_len(&forward[0])),
            &list_crossings(&backward, &acks, usual_len(&backward[0])),
        );
        let clock = Clock::of(&list_crossings(&forward, &data, None), &list_crossings(&backward, &acks, None), skew);
        let ends =
            |packets: &[TrackedPacket]| packets.first().zip(packets.last()).map(|(first, last)| [first.at, last.at]);
        let [at_receiver, at_sender] = [&receiver.packets, &sender.packets].map(|packets| ends(packets));
        let acks = one_direction(&backward, &acks, at_sender, |at| clock.sender_time(at), |at| at);
        let mut data = one_direction(&forward, &data, at_receiver, |at| at, |at| clock.sender_time(at));
        data.note_missed(&acks);
        Ok(Joined { data, acks, clock, beyond: sender.beyond + receiver.beyond })
    }

    /// The fates of the transmissions of data, captured at the sender.
    pub fn truth(&self, survey: &Survey) -> Truth {
        let fates = self.data.packets.iter().filter(|packet| packet.len > 0).filter_map(|packet| {
            let fate = match packet.fate {
                CrossingFate::Arrived(at) => Some(at),
                CrossingFate::Lost => None,
                CrossingFate::Unknown => return None,
            };
            Some(((packet.sent, packet.seq.0.wrapping_sub(survey.origin.0)), fate))
        });
        fates.collect()
    }
}

/// The most frequent number of bytes of data in a packet.
fn usual_len(packets: &[TrackedPacket]) -> Option<u32> {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    packets.iter().filter(|seen| seen.key.flags == 0).for_each(|seen| *counts.entry(seen.key.len).or_default() += 1);
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(len, _)| len)
}

/// Times at which packets left and arrived, each by its own clock; if `len` is given, packets of this length without
/// SYN.
fn list_crossings(packets: &[Vec<TrackedPacket>; 2], pairs: &Pairs, len: Option<u32>) -> Vec<[Time; 2]> {
    let chosen = |seen: &TrackedPacket| len.is_none_or(|len| seen.key.len == len && seen.key.flags == 0);
    let both = packets[0].iter().zip(&pairs.arrivals).filter(|(left, _)| chosen(left));
    both.filter_map(|(left, arrival)| Some([left.at, packets[1][(*arrival)? as usize].at])).collect()
}

/// The packets of one direction, with their times by the sender's clock. `captured` is the time of the first and the
/// last packet where they arrive.
fn one_direction(
    [left, arrived]: &[Vec<TrackedPacket>; 2],
    pairs: &Pairs,
    captured: Option<[Time; 2]>,
    leaves: impl Fn(Time) -> Time,
    arrives: impl Fn(Time) -> Time,
) -> OneDirection {
    // The first byte of each segment with data, with whether one of them arrived so far.
    let mut sent: BTreeMap<u32, bool> = BTreeMap::new();
    let between = |(seen, arrival): (&TrackedPacket, &Option<u32>)| {
        Some(i128::from(arrived[(*arrival)? as usize].at.as_nanos()) - i128::from(seen.at.as_nanos()))
    };
    let most = left.iter().zip(&pairs.arrivals).filter_map(between).max().unwrap_or(0);
    let last_paired = pairs.arrivals.iter().rposition(Option::is_some);
    // A later packet arrived, or the capture ran for longer than any packet took.
    let covers = |number: usize, at: Time| {
        let Some([first, last]) = captured.map(|ends| ends.map(|at| i128::from(at.as_nanos()))) else { return false };
        let at = i128::from(at.as_nanos());
        first <= at + pairs.least && (last_paired.is_some_and(|last| number < last) || at + most < last)
    };
    let crossing = |(number, (seen, arrival)): (usize, (&TrackedPacket, &Option<u32>))| {
        let PacketKey { seq, len, ack, .. } = seen.key;
        let fate = match arrival {
            Some(arrival) => CrossingFate::Arrived(arrives(arrived[*arrival as usize].at)),
            None => match covers(number, seen.at) {
                true => CrossingFate::Lost,
                false => CrossingFate::Unknown,
            },
        };
        let before = (len > 0).then(|| sent.get(&seq).copied()).flatten();
        if len > 0 {
            *sent.entry(seq).or_default() |= matches!(fate, CrossingFate::Arrived(_));
        }
        Crossing {
            sent: leaves(seen.at),
            fate,
            seq: SeqNum(seq),
            len,
            ack: SeqNum(ack),
            resent: before.is_some(),
            spurious: before == Some(true),
        }
    };
    let packets = left.iter().zip(&pairs.arrivals).enumerate().map(crossing).collect();
    let is_reset = |seen: &TrackedPacket| seen.key.flags & RESET != 0;
    let paired = pairs.arrivals.iter().flatten().filter(|arrival| !is_reset(&arrived[**arrival as usize])).count();
    let all = arrived.iter().filter(|seen| !is_reset(seen)).count();
    OneDirection { packets, unseen: (all - paired) as u64, missed: 0 }
}
