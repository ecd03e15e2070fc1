//! The packets that an agent may forward and send, which are packets that it has received, and messages about failed
//! data segments.

use std::collections::{BTreeMap, BTreeSet};

use path::agent::{AgentConfig, Semantics};
use wire::{Addr, Body, Flags, Packet, Segment};

use super::hosts::{FIXED, MOBILE};
use super::{AgentOptions, AgentOutput, Driver, Input, reports};
use crate::breach::{Breach, Contract};

/// The direction of a connection, by its sender.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct StreamKey {
    src: Addr,
    src_port: u16,
    dst_port: u16,
}

impl StreamKey {
    fn of(packet: &Packet, segment: &Segment) -> Self {
        StreamKey { src: packet.src, src_port: segment.src_port, dst_port: segment.dst_port }
    }
}

/// A segment with data.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct DataRange {
    stream: StreamKey,
    seq: u32,
    len: u32,
}

/// An acknowledgment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct AckNumber {
    stream: StreamKey,
    number: u32,
}

/// Packets received by an agent so far.
pub struct Received {
    options: AgentOptions,
    semantics: Semantics,
    data: BTreeSet<DataRange>,
    bytes: Bytes,
    acks: BTreeSet<AckNumber>,
    failed: reports::Reported,
    /// The agent has sent an acknowledgment that it had not received.
    pub acknowledges: bool,
}

impl Received {
    /// Nothing yet.
    pub fn new(options: &AgentOptions, config: &AgentConfig) -> Self {
        Received {
            options: *options,
            semantics: config.traits().semantics,
            data: BTreeSet::new(),
            bytes: Bytes::default(),
            acks: BTreeSet::new(),
            failed: reports::Reported::default(),
            acknowledges: false,
        }
    }

    /// Adds the packet of an input, and checks the packets that followed it.
    pub fn check(&mut self, driver: &Driver, input: &Input, output: &AgentOutput) -> Result<(), Breach> {
        if let Input::Failed(notice) = input {
            self.failed.add(&notice.packet);
        }
        // A report also refers to a packet at the node.
        if let Input::ToAir(packet) | Input::FromAir(packet) = input {
            self.add(packet);
        } else if let Input::Failed(notice) = input {
            self.add(&notice.packet);
        }
        let sent = output.sent.iter().map(|departure| &departure.packet);
        output.passed.iter().chain(sent).try_for_each(|packet| self.check_packet(driver, packet))
    }

    fn add(&mut self, packet: &Packet) {
        if let Some(data) = data_of(packet) {
            self.data.insert(data);
            if self.options.resegments {
                self.bytes.add(data);
            }
        }
        self.acks.extend(ack_of(packet));
    }

    fn check_packet(&mut self, driver: &Driver, packet: &Packet) -> Result<(), Breach> {
        if ![FIXED, MOBILE].contains(&packet.dst) {
            return Err(driver.breach(Contract::Destination, format!("{packet:?}"), "one of the two hosts"));
        }
        if let Body::Icmp(_) = packet.body {
            return self.failed.check(driver, packet);
        }
        let received =
            |data| if self.options.resegments { self.bytes.contains(data) } else { self.data.contains(&data) };
        if !data_of(packet).is_none_or(received) {
            return Err(driver.breach(Contract::Data, format!("{packet:?}"), "data that it has received"));
        }
        let withholds = |ack: AckNumber| {
            let next = AckNumber { number: ack.number.wrapping_add(1), ..ack };
            self.options.withholds_last_byte && self.acks.contains(&next)
        };
        let received = ack_of(packet).is_none_or(|ack| self.acks.contains(&ack) || withholds(ack));
        if !received && self.semantics == Semantics::Kept {
            let expected = "an acknowledgment that the node has received, or a declaration of lost semantics";
            return Err(driver.breach(Contract::Acknowledgment, format!("{packet:?}"), expected));
        }
        self.acknowledges |= !received;
        Ok(())
    }
}

/// Returns the data that a packet carries.
fn data_of(packet: &Packet) -> Option<DataRange> {
    let segment = packet.data()?;
    Some(DataRange { stream: StreamKey::of(packet, segment), seq: segment.seq.0, len: segment.len })
}

/// Returns the acknowledgment of a packet.
fn ack_of(packet: &Packet) -> Option<AckNumber> {
    let Body::Tcp(segment) = &packet.body else { return None };
    let ack = AckNumber { stream: StreamKey::of(packet, segment), number: segment.ack.0 };
    segment.flags.has(Flags::ACK).then_some(ack)
}

/// The bytes of each stream, as disjoint and non-adjacent ranges.
#[derive(Default)]
struct Bytes(BTreeMap<StreamKey, BTreeMap<u64, u64>>);

impl Bytes {
    fn add(&mut self, data: DataRange) {
        let ranges = self.0.entry(data.stream).or_default();
        for (mut begin, mut end) in unwrap_ranges(data.seq, data.len) {
            while let Some((&at, &until)) = ranges.range(..=end).next_back().filter(|(_, until)| **until >= begin) {
                ranges.remove(&at);
                (begin, end) = (begin.min(at), end.max(until));
            }
            ranges.insert(begin, end);
        }
    }

    fn contains(&self, data: DataRange) -> bool {
        let Some(ranges) = self.0.get(&data.stream) else { return false };
        let within = |(begin, end)| ranges.range(..=begin).next_back().is_some_and(|(_, until)| *until >= end);
        unwrap_ranges(data.seq, data.len).into_iter().all(within)
    }
}

/// Returns the sequence numbers of a segment's bytes as ranges below 2^32.
fn unwrap_ranges(seq: u32, len: u32) -> Vec<(u64, u64)> {
    let (begin, end, all) = (u64::from(seq), u64::from(seq) + u64::from(len), 1 << 32);
    if end <= all { vec![(begin, end)] } else { vec![(begin, all), (0, end - all)] }
}
