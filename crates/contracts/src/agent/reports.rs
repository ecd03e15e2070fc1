//! Reports of failed attempts, and the messages of agents in response.

use std::collections::BTreeSet;
use std::ops::Range;

use engine::{Draws, Stream, Time};
use path::agent::AgentConfig;
use path::outcome::RadioNotice;
use path::{LinkDirection, LinkId};
use wire::{Addr, Body, Flags, Notice, Packet, Segment, SeqNum};

use super::driver::Driver;
use super::hosts::{FIXED, HERE, MOBILE};
use crate::breach::{Breach, Contract};

/// Checks that messages quote failed data segments, and that the same failures give the same packets. Returns the
/// number of messages.
pub(super) fn check_reports(config: &AgentConfig, seed: u64) -> Result<u64, Breach> {
    let failures = draw_failures(0..200, seed);
    let (mut reported, mut messages, mut first) = (Reported::default(), 0, Vec::new());
    pass_reports(config, &failures, |driver, number, sent| {
        reported.add(&failures[number].packet);
        for packet in sent.iter().filter(|packet| matches!(packet.body, Body::Icmp(_))) {
            reported.check(driver, packet)?;
            messages += 1;
        }
        first.push(sent);
        Ok(())
    })?;
    pass_reports(config, &failures, |driver, number, sent| {
        if sent == first[number] {
            return Ok(());
        }
        let expected = format!("{:?} as in the first run of these reports", first[number]);
        Err(driver.breach(Contract::Repeatable, format!("{sent:?}"), expected))
    })?;
    Ok(messages)
}

/// Returns reports of a link layer about these packets: data and acknowledgments, of the agent's host and of others,
/// some given up. Attempts count from 1; attempts of different packets may interleave.
pub fn draw_failures(packets: Range<u32>, seed: u64) -> Vec<RadioNotice> {
    const MAX_ATTEMPTS: u32 = 9;
    let mut draws: Draws = Stream::named(seed, 0, "agents").draws();
    let mut failures = |seq: u32| {
        let len = if draws.unit() < 0.7 { 1000 } else { 0 };
        let src = if draws.unit() < 0.3 { HERE } else { FIXED };
        let seq_number = SeqNum(seq * 1000);
        let segment =
            Segment { src_port: 1, dst_port: 2, seq: seq_number, flags: Flags::ACK, len, ..Segment::default() };
        let packet = Packet::new(src, MOBILE, Body::Tcp(segment));
        let hop = LinkId::new(seq % 2).hop(LinkDirection::Forward);
        let failed = 1 + (draws.unit() * f64::from(MAX_ATTEMPTS)) as u32;
        (1..=failed)
            .map(move |attempt| RadioNotice { hop, packet, attempt, last: attempt == MAX_ATTEMPTS })
            .collect::<Vec<_>>()
    };
    let pairs = packets.step_by(2).map(|seq| (failures(seq), failures(seq + 1)));
    pairs.flat_map(|(one, other)| interleave_reports(&one, &other)).collect()
}

fn interleave_reports(one: &[RadioNotice], other: &[RadioNotice]) -> Vec<RadioNotice> {
    let both = (0..one.len().max(other.len())).flat_map(|turn| [one.get(turn), other.get(turn)]);
    both.flatten().copied().collect()
}

/// Returns the packets that the agent sends for each report, one report each millisecond; none for a scheme without an
/// agent.
///
/// # Errors
/// A broken contract of all calls.
pub fn collect_answers(config: &AgentConfig, failures: &[RadioNotice]) -> Result<Vec<Vec<Packet>>, Breach> {
    let mut answers = vec![Vec::new(); failures.len()];
    pass_reports(config, failures, |_, number, sent| {
        answers[number] = sent;
        Ok(())
    })?;
    Ok(answers)
}

/// Passes reports to an agent. Calls `observe` for each with its index and the packets sent since the previous report.
fn pass_reports(
    config: &AgentConfig,
    failures: &[RadioNotice],
    mut observe: impl FnMut(&Driver, usize, Vec<Packet>) -> Result<(), Breach>,
) -> Result<(), Breach> {
    let Some(mut driver) = Driver::new(config)? else { return Ok(()) };
    for (number, notice) in failures.iter().enumerate() {
        let mut sent = Vec::new();
        driver.advance(Time::from_millis(number as u64), |_, more| sent.extend(more))?;
        sent.extend(driver.call("on_radio", |agent, cx| agent.on_radio(notice, cx))?.1);
        observe(&driver, number, sent.into_iter().map(|departure| departure.packet).collect())?;
    }
    Ok(())
}

/// Returns true if a message goes from the agent's node to the source of this data segment, and quotes it.
pub fn quotes_segment(message: &Packet, failed: &Packet) -> bool {
    quoted_key(message).is_some_and(|quoted| Some(quoted) == segment_key(failed))
}

/// The data segments of which the link layer has reported a failed attempt.
#[derive(Default)]
pub(super) struct Reported(BTreeSet<SegmentKey>);

/// A data segment, by its addresses, ports and first sequence number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SegmentKey {
    src: Addr,
    dst: Addr,
    src_port: u16,
    dst_port: u16,
    seq: u32,
}

impl Reported {
    pub fn add(&mut self, packet: &Packet) {
        self.0.extend(segment_key(packet));
    }

    /// Checks a message.
    pub fn check(&self, driver: &Driver, message: &Packet) -> Result<(), Breach> {
        if quoted_key(message).is_some_and(|quoted| self.0.contains(&quoted)) {
            return Ok(());
        }
        let expected = "a message from the node, to the source of the failed data segment that the message quotes";
        Err(driver.breach(Contract::Message, format!("{message:?}"), expected))
    }
}

fn segment_key(packet: &Packet) -> Option<SegmentKey> {
    let segment = packet.data()?;
    let (src_port, dst_port) = (segment.src_port, segment.dst_port);
    Some(SegmentKey { src: packet.src, dst: packet.dst, src_port, dst_port, seq: segment.seq.0 })
}

/// Returns the key of the segment that a message of the agent's node is about.
fn quoted_key(message: &Packet) -> Option<SegmentKey> {
    let Body::Icmp(Notice { segment_dst, src_port, dst_port, seq, .. }) = message.body else { return None };
    let key = SegmentKey { src: message.dst, dst: segment_dst, src_port, dst_port, seq: seq.0 };
    (message.src == HERE).then_some(key)
}
