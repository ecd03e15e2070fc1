//! Records when a sender transmits which segment over a path that loses chosen segments.
//!
//! The path delays segments and has no rate limit; the receiver acknowledges each segment at once, with SACK.
//! Transmissions therefore form bursts one round trip apart, and a small timer inaccuracy does not change which
//! segments a burst holds. The sender can be any [`ScriptTarget`]: `crates/tcp/tests/linux.rs` compares lasthop's with tables
//! recorded from Linux.

use std::collections::{BTreeSet, VecDeque};

use engine::{Span, Time};
use wire::{Ecn, Flags, Options, Segment, SeqNum};

use crate::host::{CallAnswer, LOCAL_ISS, PORTS};
use crate::outbox::SentSegment;
use crate::settings::HostSetting;
use crate::syntax::ast::EventAction;
use crate::target::ScriptTarget;

/// Data per segment, in bytes.
pub const SEGMENT: u32 = 1000;
/// Number of data segments in the transfer.
pub const SEGMENTS: u32 = 150;
/// Time from the transmission of a segment to the arrival of its acknowledgment.
pub const ROUND_TRIP: Span = Span::from_millis(100);

/// A segment sent less than this after the first segment of a burst belongs to the burst.
const BURST: Span = Span::from_millis(10);
/// Time without a transmission after which the transfer counts as complete.
const SILENCE: Span = Span::from_secs(5);

const REMOTE_ISS: SeqNum = SeqNum(2_000_000_000);
/// Receive window in bytes, larger than the transfer, so that the window never limits the sender.
const WINDOW: u32 = 1 << 20;
const SHIFT: u8 = 7;

/// A burst: the segments sent at about the same time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Burst {
    /// Time of the first segment of the burst, since the application's write.
    pub at: Span,
    /// Numbers of the segments, from 0 in the order of the data.
    pub segments: Vec<u32>,
}

/// System calls of the sender's application up to `listen`; the send buffer takes all the data.
const OPENING: &str = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 setsockopt(3, SOL_SOCKET, SO_SNDBUF, [200000], 4) = 0
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0";

/// Returns the system calls of the sender's application after the handshake.
fn render_write_calls() -> String {
    let all = SEGMENT * SEGMENTS;
    format!("0 accept(3, ..., ...) = 4\n+0 write(4, ..., {all}) = {all}")
}

/// Returns the bursts that `target` sends with congestion control `control` if the first transmissions of the segments
/// in `lost` are lost. `Err` names what `target` does not support.
pub fn record_bursts(target: &mut dyn ScriptTarget, control: &str, lost: &[u32]) -> Result<Vec<Burst>, String> {
    let name = "net.ipv4.tcp_congestion_control".to_owned();
    target.set(&HostSetting::Parameter { name, value: control.to_owned() })?;
    make_calls(target, OPENING)?;
    let options = Options {
        mss: std::num::NonZeroU16::new(SEGMENT as u16),
        window_scale: Some(SHIFT),
        sack_permitted: true,
        ..Options::default()
    };
    let syn =
        Segment { flags: Flags::SYN, ack: SeqNum(0), window: 65_535, window_shift: 0, options, ..acknowledge_syn() };
    target.inject(&Segment { seq: REMOTE_ISS, ..syn }, Ecn::NotEct)?;
    let after = |target: &mut dyn ScriptTarget, span: Span| {
        let until = target.now() + span;
        target.advance(until, false).map_err(|_| "a timer that expires at the same time without end".to_owned())
    };
    after(target, ROUND_TRIP)?;
    target.outbox_mut().take().ok_or("no answer to the SYN")?;
    target.inject(&acknowledge_syn(), Ecn::NotEct)?;
    after(target, ROUND_TRIP)?;
    let begin = target.now();
    make_calls(target, &render_write_calls())?;

    let mut path = LossyPath { lost: lost.iter().copied().collect(), ..LossyPath::default() };
    let mut silent_from = begin;
    loop {
        let due = path.acknowledgments.front().map_or(silent_from + SILENCE, |(due, _)| *due);
        target.advance(due, true).map_err(|_| "a timer that expires at the same time without end")?;
        if let Some(sent) = target.outbox_mut().take() {
            path.take(&sent, begin);
            continue;
        }
        match path.acknowledgments.pop_front() {
            Some((_, segment)) => target.inject(&segment, Ecn::NotEct)?,
            None => return Ok(path.rows),
        }
        silent_from = target.now();
    }
}

/// Makes the system calls in `text`. Returns an error if a call does not return the stated value.
fn make_calls(target: &mut dyn ScriptTarget, text: &str) -> Result<(), String> {
    let script = crate::parse_script(text).map_err(|error| error.to_string())?;
    for event in &script.events {
        let EventAction::Call(call) = &event.action else { continue };
        match target.call(call) {
            CallAnswer::Returns(value) if call.result.to_string() == value.to_string() => {}
            other => return Err(format!("{call}: {other:?}")),
        }
    }
    Ok(())
}

/// Returns an acknowledgment of only the SYN.
fn acknowledge_syn() -> Segment {
    Segment {
        src_port: PORTS.remote,
        dst_port: PORTS.local,
        seq: REMOTE_ISS + 1,
        ack: LOCAL_ISS + 1,
        flags: Flags::ACK,
        window: WINDOW,
        window_shift: SHIFT,
        ..Segment::default()
    }
}

/// The path and the receiver behind it.
#[derive(Default)]
struct LossyPath {
    /// Segments whose first transmission has not been lost yet.
    lost: BTreeSet<u32>,
    /// Segments received out of order: above `next`, the first segment not received yet.
    beyond: BTreeSet<u32>,
    next: u32,
    /// Acknowledgments in transit, with their arrival times.
    acknowledgments: VecDeque<(Time, Segment)>,
    rows: Vec<Burst>,
}

impl LossyPath {
    /// Records a segment that the sender transmits at `sent.time`. Schedules an acknowledgment, unless the segment is
    /// lost.
    fn take(&mut self, sent: &SentSegment, begin: Time) {
        let Some(first) = sent.segment.seq.0.wrapping_sub(LOCAL_ISS.0).checked_sub(1) else { return };
        if sent.segment.len == 0 {
            return;
        }
        let number = first / SEGMENT;
        let at = sent.time.since(begin);
        match self.rows.last_mut() {
            Some(row) if at.as_nanos() < (row.at + BURST).as_nanos() => row.segments.push(number),
            _ => self.rows.push(Burst { at, segments: vec![number] }),
        }
        if !self.lost.remove(&number) {
            let acknowledgment = self.receive(number);
            self.acknowledgments.push_back((sent.time + ROUND_TRIP, acknowledgment));
        }
    }

    /// Receives segment `number` and returns its acknowledgment: the cumulative acknowledgment number, a D-SACK block
    /// for a duplicate (RFC 2883), then the SACK blocks, the block with the latest segment first [RFC2018 s4].
    fn receive(&mut self, number: u32) -> Segment {
        let edge = |number: u32| LOCAL_ISS + 1 + number * SEGMENT;
        let mut segment = acknowledge_syn();
        let again = number < self.next || !self.beyond.insert(number);
        while self.beyond.remove(&self.next) {
            self.next += 1;
        }
        segment.ack = edge(self.next);
        if again {
            segment.options.sack.push(edge(number), edge(number + 1));
        }
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for one in &self.beyond {
            match ranges.last_mut() {
                Some((_, to)) if *to == *one => *to += 1,
                _ => ranges.push((*one, *one + 1)),
            }
        }
        ranges.sort_by_key(|(from, to)| (!(*from..*to).contains(&number), std::cmp::Reverse(*from)));
        for (from, to) in ranges {
            segment.options.sack.push(edge(from), edge(to));
        }
        segment
    }
}

/// Returns the bursts as text, a line each: time in ms and segment numbers; `r` marks a retransmission.
pub fn render_bursts(rows: &[Burst]) -> String {
    let mut seen = BTreeSet::new();
    let mut out = String::new();
    for row in rows {
        // Runs of consecutive segments: first and last segment, and whether they are retransmissions.
        let mut runs: Vec<(u32, u32, bool)> = Vec::new();
        for segment in &row.segments {
            let again = !seen.insert(*segment);
            match runs.last_mut() {
                Some((_, to, before)) if *to + 1 == *segment && *before == again => *to += 1,
                _ => runs.push((*segment, *segment, again)),
            }
        }
        let run = |(from, to, again): &(u32, u32, bool)| {
            let mark = if *again { "r" } else { "" };
            if from == to { format!("{from}{mark}") } else { format!("{from}-{to}{mark}") }
        };
        let runs: Vec<String> = runs.iter().map(run).collect();
        out.push_str(&format!("{:8.1} {}\n", row.at.as_secs_f64() * 1e3, runs.join(" ")));
    }
    out
}
