//! Contracts of all agents, under any traffic and any outcome of the link layer.

mod common;
mod ladder;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use common::{member, packet};
use engine::{Draws, Span, Stream, Time};
use ladder::{FIXED, Fed, HERE, MOBILE, from_fixed, from_mobile, of_flow};
use path::agent::{AgentConfig, AgentCx, Departure, Semantics, Verdict};
use path::channel::State;
use path::station::RadioNotice;
use path::{HopId, LinkDirection};
use wire::{Addr, Body, Flags, Notice, NoticeKind, Options, Packet, SackBlocks, Segment, SeqNum, Timestamps};

/// Schemes that tell senders of failed attempts, and do nothing else.
const MESSENGERS: &[&str] = &["simple-icmp", "refined-icmp", "link-loss"];
/// Schemes that re-segment a stream.
const CUTTERS: &[&str] = &["split"];
/// Schemes that may keep the last byte of an acknowledgment back.
const KEEPERS: &[&str] = &["m-tcp"];

fn every_agent() -> impl Iterator<Item = AgentConfig> {
    let named = |(name, _): &(&str, _)| member(name).unwrap_or_else(|error| panic!("{name} needs defaults: {error}"));
    AgentConfig::MEMBERS.iter().map(named)
}

/// Those that do something.
fn every_built_agent() -> impl Iterator<Item = AgentConfig> {
    every_agent().filter(|config| config.build().is_some())
}

fn messengers() -> impl Iterator<Item = AgentConfig> {
    MESSENGERS.iter().map(|name| member(name).unwrap_or_else(|error| panic!("{name} needs defaults: {error}")))
}

// Of failed attempts.

/// Notices of a link layer about these packets, data and acknowledgments, its own host's and others', some of them
/// given up on: attempts rise from 1, and those of one packet may stand among those of another.
fn notices(packets: Range<u32>, seed: u64) -> Vec<RadioNotice> {
    const MOST: u32 = 9;
    let mut draws: Draws = Stream::named(seed, 0, "agents").draws();
    let mut failures = |seq: u32| {
        let packet = packet(seq * 1000, if draws.unit() < 0.7 { 1000 } else { 0 });
        let packet = Packet { src: if draws.unit() < 0.3 { HERE } else { FIXED }, ..packet };
        let hop = HopId { link: seq % 2, way: LinkDirection::Forward };
        let failed = 1 + (draws.unit() * f64::from(MOST)) as u32;
        (1..=failed).map(move |attempt| RadioNotice { hop, packet, attempt, last: attempt == MOST }).collect::<Vec<_>>()
    };
    let pairs = packets.step_by(2).map(|seq| (failures(seq), failures(seq + 1)));
    pairs.flat_map(|(one, other)| alternating(&one, &other)).collect()
}

fn alternating(one: &[RadioNotice], other: &[RadioNotice]) -> Vec<RadioNotice> {
    let both = (0..one.len().max(other.len())).flat_map(|turn| [one.get(turn), other.get(turn)]);
    both.flatten().copied().collect()
}

/// The packets that the agent sends at each notice.
fn answers(config: &AgentConfig, notices: &[RadioNotice]) -> Vec<Vec<Packet>> {
    let Some(mut agent) = config.build() else { return vec![Vec::new(); notices.len()] };
    let answer = |(number, notice): (usize, &RadioNotice)| {
        let mut send = Vec::new();
        agent.on_radio(notice, &mut AgentCx { now: Time::from_millis(number as u64), here: HERE, send: &mut send });
        send.into_iter().map(|departure| departure.packet).collect()
    };
    notices.iter().enumerate().map(answer).collect()
}

#[test]
fn the_same_failures_bring_the_same_answers() {
    let notices = notices(0..200, 5);
    for config in every_agent() {
        assert_eq!(answers(&config, &notices), answers(&config, &notices), "{}", config.name());
    }
}

/// A message comes from here, goes to the segment's source, and quotes it as it was; of acknowledgments nothing
/// is said.
#[test]
fn nothing_is_said_of_what_was_not_sent() {
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
        assert_eq!(said > 0, speaks, "{}: messages come from those who are said to send them", config.name());
    }
}

/// However often a packet fails, its sender gets each kind of message about it once at most.
#[test]
fn a_segment_is_told_of_once_in_each_kind() {
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

/// A messenger keeps nothing of the past that would change what it does later: after any number of other packets it
/// answers a new one as it did at first.
#[test]
fn a_long_past_leaves_no_trace() {
    let kind = |packet: &Packet| match packet.body {
        Body::Icmp(notice) => Some(notice.kind),
        Body::Tcp(_) => None,
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

// Of packets that cross.

/// An input of an agent.
#[derive(Clone, Copy, Debug)]
enum Happens {
    ToAir(Packet),
    FromAir(Packet),
    Failed(RadioNotice),
    Air(State),
}

/// Traffic of several flows both ways, with losses, repetitions, changes of order and what no end would send.
struct Traffic {
    draws: Draws,
    flows: u16,
    /// By flow, what each side has sent: the fixed host, the mobile.
    sent: BTreeMap<u16, [u32; 2]>,
    now: Time,
    /// Whether the air is on the fixed host's side, as for an agent in the mobile.
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
                let hop = HopId { link: 0, way: LinkDirection::Forward };
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

    /// A plausible packet of an end: mostly the next bytes, or an acknowledgment of something that was sent to it.
    fn plausible(&mut self, segment: &mut Segment, flow: u16, side: usize) {
        const LEN: u32 = 1000;
        let mut sent = self.sent.get(&flow).copied().unwrap_or_default();
        // The fixed host sends most of the data.
        if self.chance([0.8, 0.1][side]) {
            let (len, what) = (if self.chance(0.05) { 1 } else { LEN }, self.draws.unit());
            // 10 % are sent again, and of 10 % more nothing is seen.
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

    /// An implausible packet.
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

/// The output for an input: the packet itself if it went on, and what the agent sent until then.
struct Out {
    happened: Happens,
    passed: Option<Packet>,
    sent: Vec<Departure>,
}

/// Feeds `happenings` random events to an agent, and returns it.
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

/// The bytes of each stream, as ranges that neither overlap nor touch.
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

/// The numbers of a segment's bytes as ranges below 2^32.
fn unwrapped(seq: u32, len: u32) -> Vec<(u64, u64)> {
    let (begin, end, all) = (u64::from(seq), u64::from(seq) + u64::from(len), 1 << 32);
    if end <= all { vec![(begin, end)] } else { vec![(begin, all), (0, end - all)] }
}

/// Ports and bytes of a segment with data.
fn carried(packet: &Packet) -> Option<(Addr, u16, u16, u32, u32)> {
    let segment = packet.data()?;
    Some((packet.src, segment.src_port, segment.dst_port, segment.seq.0, segment.len))
}

/// Ports and number of an acknowledgment.
fn acknowledged(packet: &Packet) -> Option<(Addr, u16, u16, u32)> {
    let Body::Tcp(segment) = &packet.body else { return None };
    segment.flags.has(Flags::ACK).then_some((packet.src, segment.src_port, segment.dst_port, segment.ack.0))
}

/// Data that comes out came in; so did an acknowledgment, unless the scheme says that end-to-end semantics are lost,
/// and then it does acknowledge by itself.
#[test]
fn nothing_is_invented() {
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
                assert!(given || !kept, "{name}: {packet:?} acknowledges by itself, and semantics are said to be kept");
                acknowledges |= !given;
            }
        });
        let lost = config.traits().semantics == Semantics::Lost;
        assert_eq!(acknowledges, lost, "{}: what it says of end-to-end semantics, beside what it does", config.name());
    }
}

/// Every packet that an agent drops is counted, by one of the counters that name the reason.
#[test]
fn what_does_not_come_out_again_is_counted() {
    // An agent that holds packets returns some of them; other agents return none.
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
        // At the base station, and in the mobile, where those live that thin acknowledgments.
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
            // No agent holds a packet for this long.
            fed.until(Time::from_nanos(1_000_000_000_000_000), |_, sent| give_back(&mut taken, &sent));
            let said: u64 = counters.iter().filter_map(|counter| fed.counter(counter)).sum();
            assert_eq!(taken.len() as u64, said, "{name}");
            said
        });
        assert!(gone.iter().any(|gone| *gone > 100) || counters.is_empty(), "{name} took {gone:?}");
    }
}

#[test]
fn the_same_traffic_brings_the_same_answers() {
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

/// However many flows there are, and however long they go on, an agent keeps a bounded number of bytes; one that
/// meddles with packets says how many, and how many there were at most.
#[test]
fn what_is_kept_is_bounded() {
    const MOST: u64 = 64 << 20;
    for config in every_built_agent() {
        // Of many flows a few packets each, of few flows many.
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
                assert_eq!(kept.is_some(), fed.counter("flows").is_some(), "{name}: who counts bytes counts flows");
                assert!(kept.is_none_or(|bytes| bytes <= MOST), "{name} keeps {kept:?} bytes");
                most = most.max(kept.unwrap_or(0));
                // Within one call it may have been more for a moment.
                let said = fed.counter("state_bytes_most");
                assert_eq!(said.is_some(), kept.is_some(), "{name}: who says what it keeps says the most it kept");
                assert!(said.is_none_or(|said| said >= most), "{name} kept {most} bytes, and says {said:?}");
            });
        }
    }
}

/// Names for results, the same ones from beginning to end.
#[test]
fn counters_have_names() {
    for config in every_built_agent() {
        let names = |fed: &Fed| fed.agent.counters().iter().map(|(name, _)| *name).collect::<Vec<_>>();
        let first = names(&Fed::new(&config));
        let plain = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        assert!(first.iter().all(|name| plain(name)), "{}: {first:?}", config.name());
        assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), first.len(), "{}: {first:?}", config.name());
        through(&config, Traffic::new(4, 4), 1000, |fed, _| assert_eq!(names(fed), first, "{}", config.name()));
    }
}
