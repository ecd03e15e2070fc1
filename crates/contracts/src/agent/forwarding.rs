//! What an agent may forward and send: what it has received, and messages about failed data segments.

use std::collections::{BTreeMap, BTreeSet};

use path::agent::{AgentConfig, Semantics};
use wire::{Addr, Body, Flags, Packet};

use super::hosts::{FIXED, MOBILE};
use super::{Driver, Input, Options, Output, reports};
use crate::breach::{Breach, Contract};

/// Source, ports, sequence number and length of a segment with data.
type Data = (Addr, u16, u16, u32, u32);
/// Source, ports and number of an acknowledgment.
type Ack = (Addr, u16, u16, u32);

/// What an agent has received so far.
pub struct Received {
    options: Options,
    semantics: Semantics,
    data: BTreeSet<Data>,
    bytes: Bytes,
    acks: BTreeSet<Ack>,
    failed: reports::Reported,
    /// The agent has sent an acknowledgment of its own.
    pub acknowledges: bool,
}

impl Received {
    /// Nothing yet.
    pub fn new(options: &Options, config: &AgentConfig) -> Self {
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
    pub fn check(&mut self, driver: &Driver, input: &Input, output: &Output) -> Result<(), Breach> {
        if let Input::Failed(notice) = input {
            self.failed.add(&notice.packet);
        }
        // A report, too, is about a packet that the node has.
        if let Input::ToAir(packet) | Input::FromAir(packet) = input {
            self.add(packet);
        } else if let Input::Failed(notice) = input {
            self.add(&notice.packet);
        }
        let sent = output.sent.iter().map(|departure| &departure.packet);
        output.passed.iter().chain(sent).try_for_each(|packet| self.check_packet(driver, packet))
    }

    fn add(&mut self, packet: &Packet) {
        if let Some(data) = carried(packet) {
            self.data.insert(data);
            if self.options.resegments {
                self.bytes.add(data);
            }
        }
        self.acks.extend(acknowledged(packet));
    }

    fn check_packet(&mut self, driver: &Driver, packet: &Packet) -> Result<(), Breach> {
        if ![FIXED, MOBILE].contains(&packet.dst) {
            return Err(driver.breach(Contract::Destination, format!("{packet:?}"), "one of the two hosts"));
        }
        if let Body::Icmp(_) = packet.body {
            return self.failed.check(driver, packet);
        }
        let received =
            |data| if self.options.resegments { self.bytes.contain(data) } else { self.data.contains(&data) };
        if !carried(packet).is_none_or(received) {
            return Err(driver.breach(Contract::Data, format!("{packet:?}"), "data that it has received"));
        }
        let withholds = |(src, from, to, ack): Ack| {
            self.options.withholds_last_byte && self.acks.contains(&(src, from, to, ack.wrapping_add(1)))
        };
        let received = acknowledged(packet).is_none_or(|ack| self.acks.contains(&ack) || withholds(ack));
        if !received && self.semantics == Semantics::Kept {
            let expected = "an acknowledgment that it has received, or the declaration that semantics are lost";
            return Err(driver.breach(Contract::Acknowledgment, format!("{packet:?}"), expected));
        }
        self.acknowledges |= !received;
        Ok(())
    }
}

/// Returns the data that a packet carries.
fn carried(packet: &Packet) -> Option<Data> {
    let segment = packet.data()?;
    Some((packet.src, segment.src_port, segment.dst_port, segment.seq.0, segment.len))
}

/// Returns the acknowledgment of a packet.
fn acknowledged(packet: &Packet) -> Option<Ack> {
    let Body::Tcp(segment) = &packet.body else { return None };
    segment.flags.has(Flags::ACK).then_some((packet.src, segment.src_port, segment.dst_port, segment.ack.0))
}

/// The bytes of each stream, as disjoint and non-adjacent ranges.
#[derive(Default)]
struct Bytes(BTreeMap<(Addr, u16, u16), BTreeMap<u64, u64>>);

impl Bytes {
    fn add(&mut self, (src, from, to, seq, len): Data) {
        let ranges = self.0.entry((src, from, to)).or_default();
        for (mut begin, mut end) in unwrapped(seq, len) {
            while let Some((&at, &until)) = ranges.range(..=end).next_back().filter(|(_, until)| **until >= begin) {
                ranges.remove(&at);
                (begin, end) = (begin.min(at), end.max(until));
            }
            ranges.insert(begin, end);
        }
    }

    fn contain(&self, (src, from, to, seq, len): Data) -> bool {
        let Some(ranges) = self.0.get(&(src, from, to)) else { return false };
        let within = |(begin, end)| ranges.range(..=begin).next_back().is_some_and(|(_, until)| *until >= end);
        unwrapped(seq, len).into_iter().all(within)
    }
}

/// Returns the sequence numbers of a segment's bytes as ranges below 2^32.
fn unwrapped(seq: u32, len: u32) -> Vec<(u64, u64)> {
    let (begin, end, all) = (u64::from(seq), u64::from(seq) + u64::from(len), 1 << 32);
    if end <= all { vec![(begin, end)] } else { vec![(begin, all), (0, end - all)] }
}
