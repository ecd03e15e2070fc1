//! What holds for every agent there is, whatever its link layer meets.

mod common;

use std::collections::BTreeMap;
use std::ops::Range;

use common::{member, packet};
use engine::{Draws, Stream, Time};
use path::agent::{AgentConfig, AgentCx};
use path::station::RadioNotice;
use path::{HopId, Way};
use wire::{Addr, Body, Notice, NoticeKind, Packet};

const HERE: Addr = Addr::of_node(1);

fn every_agent() -> impl Iterator<Item = AgentConfig> {
    let named = |(name, _): &(&str, _)| member(name).unwrap_or_else(|error| panic!("{name} needs defaults: {error}"));
    AgentConfig::MEMBERS.iter().map(named)
}

/// What a link layer says of these packets, data and acknowledgments, some of them given up on: attempts rise from 1,
/// and those of one packet may stand among those of another.
fn notices(packets: Range<u32>, seed: u64) -> Vec<RadioNotice> {
    const MOST: u32 = 9;
    let mut draws: Draws = Stream::named(seed, 0, "agents").draws();
    let mut failures = |seq: u32| {
        let packet = packet(seq * 1000, if draws.unit() < 0.7 { 1000 } else { 0 });
        let hop = HopId { link: seq % 2, way: Way::Forward };
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

/// What the agent sends at each notice.
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

/// A message comes from here, goes to the one who sent the segment, and quotes it as it was; of acknowledgments nothing
/// is said.
#[test]
fn nothing_is_said_of_what_was_not_sent() {
    let notices = notices(0..200, 6);
    let mut said = BTreeMap::new();
    for config in every_agent() {
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
                *said.entry(config.name()).or_insert(0) += 1;
            }
        }
    }
    for config in every_agent() {
        let speaks = config.name().ends_with("-icmp");
        assert_eq!(said.contains_key(config.name()), speaks, "{}: messages are the ICMP schemes' part", config.name());
    }
}

/// However often a packet fails, its sender gets each kind of message about it once at most.
#[test]
fn a_segment_is_told_of_once_in_each_kind() {
    let notices = notices(0..2000, 7);
    for config in every_agent() {
        let mut told: BTreeMap<(u32, bool), u32> = BTreeMap::new();
        for message in answers(&config, &notices).into_iter().flatten() {
            let Body::Icmp(Notice { kind, seq, .. }) = message.body else { continue };
            *told.entry((seq.0, kind == NoticeKind::Defer)).or_default() += 1;
        }
        assert!(told.values().all(|times| *times == 1), "{}: {told:?}", config.name());
    }
}

/// An agent keeps nothing of the past that would change what it does later: after any number of other packets it answers
/// a new one as it did at first.
#[test]
fn a_long_past_leaves_no_trace() {
    let kind = |packet: &Packet| match packet.body {
        Body::Icmp(notice) => Some(notice.kind),
        Body::Tcp(_) => None,
    };
    for config in every_agent() {
        let kinds = |notices: &[RadioNotice]| {
            let answers = answers(&config, notices);
            answers.iter().map(|answer| answer.iter().map(kind).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        let past = notices(0..2000, 9);
        let long = kinds(&[past.clone(), notices(2000..2100, 8)].concat());
        assert_eq!(kinds(&notices(0..100, 8)), long[past.len()..], "{}", config.name());
    }
}
