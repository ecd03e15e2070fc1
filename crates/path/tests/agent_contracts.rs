//! Contracts of all agents, for random traffic and random link layer failures.

use crate::common;

use std::collections::BTreeMap;

use common::member;
use contracts::agent::{self, AgentOptions, Input, Traffic, feed_agent, reports};
use engine::Time;
use path::agent::{AgentConfig, Departure, Semantics};
use path::outcome::RadioNotice;
use wire::{Body, Notice, NoticeKind, Packet};

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

/// An agent that takes or changes packets reports the size of its state. Only schemes that declare a loss of end-to-end
/// semantics send acknowledgments of their own, and only schemes with messages send messages.
#[test]
fn every_agent_keeps_its_contracts() {
    for config in every_built_agent() {
        let name = config.name();
        let options = AgentOptions {
            resegments: CUTTERS.contains(&name),
            withholds_last_byte: KEEPERS.contains(&name),
            must_report_state: true,
            ..AgentOptions::default()
        };
        let observed = agent::observe_agent(&config, &options, 1).unwrap_or_else(|breach| panic!("{breach}"));
        let lost = config.traits().semantics == Semantics::Lost;
        assert_eq!(observed.acknowledges, lost, "{name}: declared end-to-end semantics differ from the behaviour");
        assert_eq!(observed.messages > 0, MESSENGERS.contains(&name), "{name}: only messengers send messages");
    }
}

// Contracts about reports of failed attempts.

fn answers(config: &AgentConfig, failures: &[RadioNotice]) -> Vec<Vec<Packet>> {
    reports::collect_answers(config, failures).unwrap_or_else(|breach| panic!("{breach}"))
}

/// A packet sent in response to a report is a message about the packet of this report.
#[test]
fn messages_quote_the_packet_of_the_report() {
    let failures = reports::draw_failures(0..200, 6);
    for config in every_agent() {
        for (notice, answer) in failures.iter().zip(answers(&config, &failures)) {
            for message in answer {
                assert!(
                    reports::quotes_segment(&message, &notice.packet),
                    "{}: {message:?}, {notice:?}",
                    config.name()
                );
            }
        }
    }
}

/// For any number of failures of a packet, its sender receives each kind of message about it at most once.
#[test]
fn each_segment_gets_one_message_of_each_kind() {
    let failures = reports::draw_failures(0..2000, 7);
    for config in messengers() {
        let mut sent: BTreeMap<(u32, bool), u32> = BTreeMap::new();
        for message in answers(&config, &failures).into_iter().flatten() {
            let Body::Icmp(Notice { kind, seq, .. }) = message.body else { continue };
            *sent.entry((seq.0, kind == NoticeKind::Defer)).or_default() += 1;
        }
        assert!(sent.values().all(|times| *times == 1), "{}: {sent:?}", config.name());
    }
}

/// A messenger has no state that affects later messages. After any number of other packets, its messages about a new
/// packet are unchanged.
#[test]
fn earlier_failures_do_not_affect_later_messages() {
    let kind = |packet: &Packet| match packet.body {
        Body::Icmp(notice) => Some(notice.kind),
        Body::Tcp(_) | Body::Datagram(_) => None,
    };
    for config in messengers() {
        let kinds = |failures: &[RadioNotice]| {
            let answers = answers(&config, failures);
            answers.iter().map(|answer| answer.iter().map(kind).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        let past = reports::draw_failures(0..2000, 9);
        let long = kinds(&[past.clone(), reports::draw_failures(2000..2100, 8)].concat());
        assert_eq!(kinds(&reports::draw_failures(0..100, 8)), long[past.len()..], "{}", config.name());
    }
}

// Contracts about packets that cross the node.

/// Every packet that an agent drops is counted in one of its counters.
#[test]
fn dropped_packets_are_counted() {
    // For each scheme: whether the agent may send held packets later, and the counters of dropped packets.
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
        let gone = [Traffic::new(5, 4), Traffic::new(5, 4).mirror()].map(|traffic| {
            let mut taken = Vec::new();
            let fed = feed_agent(&config, traffic, 30_000, |_, input, output| {
                if let Input::ToAir(packet) | Input::FromAir(packet) = input
                    && output.passed.is_none()
                {
                    taken.push(*packet);
                }
                give_back(&mut taken, &output.sent);
                Ok(())
            });
            let mut driver = fed.unwrap_or_else(|breach| panic!("{breach}")).expect("an agent");
            // No agent holds a packet for longer than this.
            let end = Time::from_nanos(1_000_000_000_000_000);
            driver.advance(end, |_, sent| give_back(&mut taken, &sent)).unwrap_or_else(|breach| panic!("{breach}"));
            let said: u64 = counters.iter().filter_map(|counter| driver.counter(counter)).sum();
            assert_eq!(taken.len() as u64, said, "{name}");
            said
        });
        assert!(gone.iter().any(|gone| *gone > 100) || counters.is_empty(), "{name} took {gone:?}");
    }
}
