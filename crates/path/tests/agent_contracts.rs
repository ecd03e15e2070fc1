//! Contracts of all agents, for random traffic and random link layer failures.

mod common;
mod ladder;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use common::{member, packet};
use engine::{Draws, Span, Stream, Time};
use ladder::{FIXED, Fed, HERE, MOBILE, from_fixed, from_mobile, of_flow};
use path::agent::{AgentConfig, AgentCx, Departure, Semantics, Verdict};
use path::channel::State;
use path::outcome::RadioNotice;
use path::{HopId, LinkDirection};
use wire::{Addr, Body, Flags, Notice, NoticeKind, Options, Packet, SackBlocks, Segment, SeqNum, Timestamps};

/// Schemes whose only action is to notify senders of failed attempts.
const MESSENGERS: &[&str] = &["simple-icmp", "refined-icmp", "link-loss"];
/// Schemes that may change the segmentation of a stream.
const CUTTERS: &[&str] = &["split"];
/// Schemes that may withhold the last byte of an acknowledgment.
const KEEPERS: &[&str] = &["m-tcp"];

fn every_agent() -> impl Iterator<Item = AgentConfig> {
    let named = |(name, _): &(&str, _)| member(name).unwrap_or_else(|error| panic!("{name} needs defaults: {error}"));
    AgentConfig::MEMBERS.iter().map(named)
}

/// Returns the configurations of schemes with an agent.
fn every_built_agent() -> impl Iterator<Item = AgentConfig> {
    every_agent().filter(|config| config.build().is_some())
}

fn messengers() -> impl Iterator<Item = AgentConfig> {
    MESSENGERS.iter().map(|name| member(name).unwrap_or_else(|error| panic!("{name} needs defaults: {error}")))
}

// Contracts about reports of failed attempts.

/// Returns reports of a link layer about these packets: data and acknowledgments, of the agent's host and of others,
/// some given up. Attempts count from 1; those of different packets may interleave.
fn notices(packets: Range<u32>, seed: u64) -> Vec<RadioNotice> {
    const MAX_ATTEMPTS: u32 = 9;
    let mut draws: Draws = Stream::named(seed, 0, "agents").draws();
    let mut failures = |seq: u32| {
        let packet = packet(seq * 1000, if draws.unit() < 0.7 { 1000 } else { 0 });
        let packet = Packet { src: if draws.unit() < 0.3 { HERE } else { FIXED }, ..packet };
        let hop = HopId { link: seq % 2, direction: LinkDirection::Forward };
        let failed = 1 + (draws.unit() * f64::from(MAX_ATTEMPTS)) as u32;
        (1..=failed)
            .map(move |attempt| RadioNotice { hop, packet, attempt, last: attempt == MAX_ATTEMPTS })
            .collect::<Vec<_>>()
    };
    let pairs = packets.step_by(2).map(|seq| (failures(seq), failures(seq + 1)));
    pairs.flat_map(|(one, other)| alternating(&one, &other)).collect()
}

fn alternating(one: &[RadioNotice], other: &[RadioNotice]) -> Vec<RadioNotice> {
    let both = (0..one.len().max(other.len())).flat_map(|turn| [one.get(turn), other.get(turn)]);
    both.flatten().copied().collect()
}

/// Returns the packets that the agent sends for each report.
fn answers(config: &AgentConfig, notices: &[RadioNotice]) -> Vec<Vec<Packet>> {
    let Some(mut agent) = config.build() else { return vec![Vec::new(); notices.len()] };
    let answer = |(number, notice): (usize, &RadioNotice)| {
        let mut send = Vec::new();
        agent.on_radio(
            notice,
            &mut AgentCx { now: Time::from_millis(number as u64), here: HERE, send: &mut send, events: None },
        );
        send.into_iter().map(|departure| departure.packet).collect()
    };
    notices.iter().enumerate().map(answer).collect()
}

#[test]
fn same_failures_give_same_messages() {
    let notices = notices(0..200, 5);
    for config in every_agent() {
        assert_eq!(answers(&config, &notices), answers(&config, &notices), "{}", config.name());
    }
}

/// A message is sent from the agent's node to the segment's source and quotes the segment unchanged; there is no
/// message about a pure acknowledgment.
#[test]
fn messages_quote_failed_data_segments_only() {
    let notices = notices(0..200, 6);
    for config in every_agent() {
        let mut said = 0;
        for (notice, answer) in notices.iter().zip(answers(&config, &notices)) {
            for message in answer {
                let Body::Icmp(quoted) = message.body else { panic!("{}: {message:?} is no message", config.name()) };
                let segment = notice.packet.data().expect("a message about a segment without data");
                let expected = Notice {
                    kind: quoted.kind,
                    segment_dst: notice.packet.dst,
                    src_port: segment.src_port,
                    dst_port: segment.dst_port,
                    seq: segment.seq,
                };
                assert_eq!(quoted, expected, "{}", config.name());
                assert_eq!((message.src, message.dst), (HERE, notice.packet.src), "{}", config.name());
                said += 1;
            }
        }
        let speaks = MESSENGERS.contains(&config.name());
        assert_eq!(said > 0, speaks, "{}: only messengers send messages", config.name());
    }
}

/// For any number of failures of a packet, its sender receives each kind of message about it at most once.
#[test]
fn each_segment_gets_one_message_of_each_kind() {
    let notices = notices(0..2000, 7);
    for config in messengers() {
        let mut told: BTreeMap<(u32, bool), u32> = BTreeMap::new();
        for message in answers(&config, &notices).into_iter().flatten() {
            let Body::Icmp(Notice { kind, seq, .. }) = message.body else { continue };
            *told.entry((seq.0, kind == NoticeKind::Defer)).or_default() += 1;
        }
        assert!(told.values().all(|times| *times == 1), "{}: {told:?}", config.name());
    }
}

/// A messenger has no state that affects later messages: after any number of other packets its messages about a new
/// packet are the same.
#[test]
fn earlier_failures_do_not_affect_later_messages() {
    let kind = |packet: &Packet| match packet.body {
        Body::Icmp(notice) => Some(notice.kind),
        Body::Tcp(_) | Body::Datagram(_) => None,
    };
    for config in messengers() {
        let kinds = |notices: &[RadioNotice]| {
            let answers = answers(&config, notices);
            answers.iter().map(|answer| answer.iter().map(kind).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        let past = notices(0..2000, 9);
        let long = kinds(&[past.clone(), notices(2000..2100, 8)].concat());
        assert_eq!(kinds(&notices(0..100, 8)), long[past.len()..], "{}", config.name());
    }
}

// Contracts about packets that cross the node.

/// A random input of an agent.
#[derive(Clone, Copy, Debug)]
enum Happens {
    ToAir(Packet),
    FromAir(Packet),
    Failed(RadioNotice),
    Air(State),
}

/// Random traffic of several flows in both directions, with losses, repetitions, reordering and invalid packets.
struct Traffic {
    draws: Draws,
    flows: u16,
    /// For each flow, the number of bytes sent by the fixed host and by the mobile.
    sent: BTreeMap<u16, [u32; 2]>,
    now: Time,
    /// True if the fixed host is on the radio link's side, as for an agent in the mobile.
    mirrored: bool,
}

impl Traffic {
    fn new(seed: u64, flows: u16) -> Self {
        let draws = Stream::named(seed, 0, "traffic").draws();
        Traffic { draws, flows, sent: BTreeMap::new(), now: Time::ZERO, mirrored: false }
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.draws.unit() * limit as f64) as u64
    }

    fn chance(&mut self, share: f64) -> bool {
        self.draws.unit() < share
    }

    fn next(&mut self) -> (Time, Happens) {
        let most = if self.chance(0.001) { 20_000_000 } else { 3_000 };
        let wait = self.below(most);
        self.now += Span::from_nanos(wait * 1000);
        let packet = self.packet();
        let happens = match (self.draws.unit(), (packet.src == FIXED) != self.mirrored) {
            (0.97.., true) => {
                let hop = HopId { link: 0, direction: LinkDirection::Forward };
                let attempt = 1 + self.below(9) as u32;
                Happens::Failed(RadioNotice { hop, packet, attempt, last: attempt == 9 })
            }
            (0.97.., false) => Happens::Air(if self.chance(0.5) { State::Good } else { State::Bad }),
            (_, true) => Happens::ToAir(packet),
            (_, false) => Happens::FromAir(packet),
        };
        (self.now, happens)
    }

    fn packet(&mut self) -> Packet {
        let flow = self.below(u64::from(self.flows)) as u16;
        let fixed = self.chance(0.5);
        let mut segment = Segment { flags: Flags::ACK, window: 8000, ..Segment::default() };
        if self.chance(0.02) {
            self.absurd(&mut segment);
        } else {
            self.plausible(&mut segment, flow, usize::from(!fixed));
        }
        let change = |own: &mut Segment| {
            *own = Segment { src_port: own.src_port, dst_port: own.dst_port, ..segment };
        };
        of_flow(flow, if fixed { from_fixed(change) } else { from_mobile(change) })
    }

    /// Makes a plausible packet of an end: mostly new data, or an acknowledgment of received data.
    fn plausible(&mut self, segment: &mut Segment, flow: u16, side: usize) {
        const LEN: u32 = 1000;
        let mut sent = self.sent.get(&flow).copied().unwrap_or_default();
        // The fixed host sends most of the data.
        if self.chance([0.8, 0.1][side]) {
            let (len, what) = (if self.chance(0.05) { 1 } else { LEN }, self.draws.unit());
            // 10 % are retransmissions, and another 10 % are lost before the node.
            let back = if what < 0.1 { self.below(20) as u32 * LEN } else { 0 };
            segment.seq = SeqNum(sent[side].saturating_sub(back));
            segment.len = len;
            sent[side] += if back > 0 { 0 } else { len };
            if what > 0.9 {
                sent[side] += LEN;
            }
        } else {
            segment.seq = SeqNum(sent[side]);
        }
        let behind = if self.chance(0.5) { 3 * LEN } else { self.below(30) as u32 * LEN };
        segment.ack = SeqNum(sent[1 - side].saturating_sub(behind) / LEN * LEN);
        if self.chance(0.3) {
            let from = segment.ack + LEN;
            segment.options.sack = [(from, from + LEN)].into_iter().collect();
        }
        self.sent.insert(flow, sent);
    }

    /// Makes an implausible packet.
    fn absurd(&mut self, segment: &mut Segment) {
        let mut any = || self.draws.next_u64() as u32;
        segment.seq = SeqNum(any());
        segment.ack = SeqNum(any());
        segment.window = any() >> (any() % 32);
        segment.len = any() >> (any() % 32);
        segment.flags = Flags(any() as u16);
        let sack: SackBlocks = (0..any() % 5).map(|_| (SeqNum(any()), SeqNum(any()))).collect();
        let timestamps = (any() % 2 == 0).then(|| Timestamps { value: any(), echo: any() });
        segment.options = Options { sack, timestamps, ..Options::default() };
    }
}

/// Result of an input: the packet if it passed, and the packets that the agent sent.
struct Out {
    happened: Happens,
    passed: Option<Packet>,
    sent: Vec<Departure>,
}

/// Passes random events to an agent; returns the agent.
fn through(config: &AgentConfig, mut traffic: Traffic, happenings: usize, mut tell: impl FnMut(&Fed, Out)) -> Fed {
    let mut fed = Fed::new(config);
    for _ in 0..happenings {
        let (at, happened) = traffic.next();
        let mut sent = Vec::new();
        fed.until(at, |_, more| sent.extend(more));
        let mut passed = None;
        let more = match happened {
            Happens::ToAir(mut packet) => {
                let (verdict, more) = fed.act(|agent, cx| agent.before_air(&mut packet, cx));
                passed = (verdict == Verdict::Pass).then_some(packet);
                if let Some(packet) = passed.filter(|_| traffic.chance(0.05)) {
                    sent.extend(fed.act(|agent, cx| agent.on_queue_full(&packet, cx)).1);
                }
                more
            }
            Happens::FromAir(mut packet) => {
                let (verdict, more) = fed.act(|agent, cx| agent.after_air(&mut packet, cx));
                passed = (verdict == Verdict::Pass).then_some(packet);
                more
            }
            Happens::Failed(notice) => fed.act(|agent, cx| agent.on_radio(&notice, cx)).1,
            Happens::Air(state) => fed.act(|agent, cx| agent.on_forecast(state, cx)).1,
        };
        sent.extend(more);
        tell(&fed, Out { happened, passed, sent });
    }
    fed
}

/// The bytes of each stream, as disjoint and non-adjacent ranges.
#[derive(Default)]
struct Bytes(BTreeMap<(Addr, u16, u16), BTreeMap<u64, u64>>);

impl Bytes {
    fn add(&mut self, (src, from, to, seq, len): (Addr, u16, u16, u32, u32)) {
        let ranges = self.0.entry((src, from, to)).or_default();
        for (mut begin, mut end) in unwrapped(seq, len) {
            while let Some((&at, &until)) = ranges.range(..=end).next_back().filter(|(_, until)| **until >= begin) {
                ranges.remove(&at);
                (begin, end) = (begin.min(at), end.max(until));
            }
            ranges.insert(begin, end);
        }
    }

    fn contain(&self, (src, from, to, seq, len): (Addr, u16, u16, u32, u32)) -> bool {
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

/// Returns the source, ports, sequence number and length of a segment with data.
fn carried(packet: &Packet) -> Option<(Addr, u16, u16, u32, u32)> {
    let segment = packet.data()?;
    Some((packet.src, segment.src_port, segment.dst_port, segment.seq.0, segment.len))
}

/// Returns the source, ports and number of an acknowledgment.
fn acknowledged(packet: &Packet) -> Option<(Addr, u16, u16, u32)> {
    let Body::Tcp(segment) = &packet.body else { return None };
    segment.flags.has(Flags::ACK).then_some((packet.src, segment.src_port, segment.dst_port, segment.ack.0))
}

/// Data that the agent forwards was received by it. So was an acknowledgment, unless the scheme declares that
/// end-to-end semantics are lost; such a scheme must acknowledge by itself.
#[test]
fn agents_forward_only_received_data_and_acknowledgments() {
    for config in every_built_agent() {
        let (mut data, mut acks) = (BTreeSet::new(), BTreeSet::new());
        let mut bytes = Bytes::default();
        let mut acknowledges = false;
        through(&config, Traffic::new(1, 4), 30_000, |_, out| {
            if let Happens::ToAir(packet) | Happens::FromAir(packet) = out.happened {
                data.extend(carried(&packet));
                carried(&packet).into_iter().for_each(|carried| bytes.add(carried));
                acks.extend(acknowledged(&packet));
            }
            let name = config.name();
            for packet in out.passed.iter().chain(out.sent.iter().map(|departure| &departure.packet)) {
                assert!([FIXED, MOBILE].contains(&packet.dst), "{name}: {packet:?} goes to neither host");
                let came = |carried| match CUTTERS.contains(&name) {
                    true => bytes.contain(carried),
                    false => data.contains(&carried),
                };
                assert!(carried(packet).is_none_or(came), "{name}: {packet:?} never came");
                let keeps = |(src, from, to, ack): (_, _, _, u32)| {
                    KEEPERS.contains(&name) && acks.contains(&(src, from, to, ack.wrapping_add(1)))
                };
                let given = acknowledged(packet).is_none_or(|ack| acks.contains(&ack) || keeps(ack));
                let kept = config.traits().semantics == Semantics::Kept;
                assert!(
                    given || !kept,
                    "{name}: {packet:?} is an acknowledgment of the agent, but the declared semantics are kept"
                );
                acknowledges |= !given;
            }
        });
        let lost = config.traits().semantics == Semantics::Lost;
        assert_eq!(acknowledges, lost, "{}: declared end-to-end semantics differ from the behaviour", config.name());
    }
}

/// Every packet that an agent drops is counted in one of its counters.
#[test]
fn dropped_packets_are_counted() {
    // For each scheme: whether it may send held packets later, and its counters of dropped packets.
    let counted: [(&str, bool, &[&str]); 7] = [
        ("ack-decimation", true, &["acks_dropped"]),
        ("tack", true, &["acks_dropped"]),
        ("delayed-duplicates", true, &["duplicates_dropped"]),
        ("packet-control", false, &["acks_old_dropped", "acks_duplicate_dropped", "segments_dropped"]),
        ("snoop", false, &["acks_spurious", "duplicates_suppressed", "answered_for_the_mobile"]),
        ("snoop-ns2", false, &["duplicates_suppressed"]),
        ("split", false, &["packets_taken"]),
    ];
    for config in every_built_agent() {
        let name = config.name();
        let (_, holds, counters) = counted.iter().find(|known| known.0 == name).copied().unwrap_or((name, false, &[]));
        let give_back = |taken: &mut Vec<Packet>, sent: &[Departure]| {
            for sent in sent.iter().filter(|_| holds) {
                let place = taken.iter().position(|packet| *packet == sent.packet);
                taken.swap_remove(place.unwrap_or_else(|| panic!("{name} gives back what it did not take: {sent:?}")));
            }
        };
        // The agent runs at the base station, and at the mobile, where schemes that thin acknowledgments run.
        let gone = [false, true].map(|mirrored| {
            let mut taken = Vec::new();
            let traffic = Traffic { mirrored, ..Traffic::new(5, 4) };
            let mut fed = through(&config, traffic, 30_000, |_, out| {
                if let Happens::ToAir(packet) | Happens::FromAir(packet) = out.happened
                    && out.passed.is_none()
                {
                    taken.push(packet);
                }
                give_back(&mut taken, &out.sent);
            });
            // No agent holds a packet for longer than this.
            fed.until(Time::from_nanos(1_000_000_000_000_000), |_, sent| give_back(&mut taken, &sent));
            let said: u64 = counters.iter().filter_map(|counter| fed.counter(counter)).sum();
            assert_eq!(taken.len() as u64, said, "{name}");
            said
        });
        assert!(gone.iter().any(|gone| *gone > 100) || counters.is_empty(), "{name} took {gone:?}");
    }
}

#[test]
fn same_traffic_gives_same_results() {
    for config in every_built_agent() {
        let run = || {
            let mut all = Vec::new();
            through(&config, Traffic::new(2, 4), 10_000, |fed, out| {
                all.push((out.passed, out.sent, fed.agent.deadline(), fed.agent.counters()));
            });
            all
        };
        assert!(run() == run(), "{}", config.name());
    }
}

/// For any number and length of flows an agent stores a bounded number of bytes; an agent that takes or changes packets
/// reports the current and the maximum size.
#[test]
fn agent_state_is_bounded() {
    const MAX_BYTES: u64 = 64 << 20;
    for config in every_built_agent() {
        // Many flows with a few packets each, and one flow with many packets.
        for (flows, happenings) in [(9_000, 60_000), (1, 60_000)] {
            let mut meddles = false;
            let mut most = 0;
            through(&config, Traffic::new(3, flows), happenings, |fed, out| {
                let name = config.name();
                if let Happens::ToAir(packet) | Happens::FromAir(packet) = out.happened {
                    meddles |= out.passed != Some(packet) || !out.sent.is_empty();
                }
                let kept = fed.counter("state_bytes");
                assert!(kept.is_some() || !meddles, "{name} meddles with packets and has no counter state_bytes");
                assert_eq!(
                    kept.is_some(),
                    fed.counter("flows").is_some(),
                    "{name}: state_bytes and flows must occur together"
                );
                assert!(kept.is_none_or(|bytes| bytes <= MAX_BYTES), "{name} keeps {kept:?} bytes");
                most = most.max(kept.unwrap_or(0));
                // The reported maximum may exceed the sizes seen between calls.
                let said = fed.counter("state_bytes_most");
                assert_eq!(
                    said.is_some(),
                    kept.is_some(),
                    "{name}: state_bytes and state_bytes_most must occur together"
                );
                assert!(said.is_none_or(|said| said >= most), "{name} kept {most} bytes, and says {said:?}");
            });
        }
    }
}

/// Counters have valid names for results, and the same ones during a run.
#[test]
fn counter_names_are_valid_and_constant() {
    for config in every_built_agent() {
        let names = |fed: &Fed| fed.agent.counters().iter().map(|(name, _)| *name).collect::<Vec<_>>();
        let first = names(&Fed::new(&config));
        let plain = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        assert!(first.iter().all(|name| plain(name)), "{}: {first:?}", config.name());
        assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), first.len(), "{}: {first:?}", config.name());
        through(&config, Traffic::new(4, 4), 1000, |fed, _| assert_eq!(names(fed), first, "{}", config.name()));
    }
}
