//! A sender behind a path that loses chosen segments: when is which segment sent?
//!
//! The path delays and has no other limit, and the receiver acknowledges each segment at once, with SACK. So what is
//! sent comes in bursts a round trip apart, and a clock that is a little late does not change what. Any [`Target`] can
//! be the sender: `crates/tcp/tests/linux.rs` compares ours with tables of Linux.

use std::collections::{BTreeSet, VecDeque};

use engine::{Span, Time};
use wire::{Ecn, Flags, Options, Segment, SeqNum};

use crate::host::{Answer, LOCAL_ISS, PORTS};
use crate::outbox::Sent;
use crate::settings::Setting;
use crate::syntax::ast::Action;
use crate::target::Target;

/// Bytes of data in a segment.
pub const SEGMENT: u32 = 1000;
/// Segments of data in all.
pub const SEGMENTS: u32 = 150;
/// From a segment to its acknowledgment.
pub const ROUND_TRIP: Span = Span::from_millis(100);

/// A segment sent less than this after the first of a burst belongs to it.
const BURST: Span = Span::from_millis(10);
/// How long the flow must be silent at the end.
const SILENCE: Span = Span::from_secs(5);

const REMOTE_ISS: SeqNum = SeqNum(2_000_000_000);
/// More than all the data: the window is no limit.
const WINDOW: u32 = 1 << 20;
const SHIFT: u8 = 7;

/// The segments sent at a time: since the data was handed over, and segments of data, from 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// When the first left.
    pub at: Span,
    /// Which.
    pub segments: Vec<u32>,
}

/// The sender's application up to `listen`: a socket whose buffer takes all the data.
const OPENING: &str = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 setsockopt(3, SOL_SOCKET, SO_SNDBUF, [200000], 4) = 0
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0";

/// The sender's application after the handshake.
fn writing() -> String {
    let all = SEGMENT * SEGMENTS;
    format!("0 accept(3, ..., ...) = 4\n+0 write(4, ..., {all}) = {all}")
}

/// The segments that `target` sends with congestion control `control` if the first transmissions of the segments in
/// `lost` are lost. `Err` says what it does not support.
pub fn sends(target: &mut dyn Target, control: &str, lost: &[u32]) -> Result<Vec<Row>, String> {
    let name = "net.ipv4.tcp_congestion_control".to_owned();
    target.set(&Setting::Parameter { name, value: control.to_owned() })?;
    calls(target, OPENING)?;
    let options = Options {
        mss: std::num::NonZeroU16::new(SEGMENT as u16),
        window_scale: Some(SHIFT),
        sack_permitted: true,
        ..Options::default()
    };
    let syn = Segment { flags: Flags::SYN, ack: SeqNum(0), window: 65_535, window_shift: 0, options, ..answer() };
    target.inject(&Segment { seq: REMOTE_ISS, ..syn }, Ecn::NotEct)?;
    let after = |target: &mut dyn Target, span: Span| {
        let until = target.now() + span;
        target.advance(until, false).map_err(|_| "a timer that is due again and again".to_owned())
    };
    after(target, ROUND_TRIP)?;
    target.outbox_mut().take().ok_or("no answer to the SYN")?;
    target.inject(&answer(), Ecn::NotEct)?;
    after(target, ROUND_TRIP)?;
    let begin = target.now();
    calls(target, &writing())?;

    let mut path = Path { lost: lost.iter().copied().collect(), ..Path::default() };
    let mut silent_from = begin;
    loop {
        let due = path.acknowledgments.front().map_or(silent_from + SILENCE, |(due, _)| *due);
        target.advance(due, true).map_err(|_| "a timer that is due again and again")?;
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

/// Makes the calls; all must come to what they say.
fn calls(target: &mut dyn Target, text: &str) -> Result<(), String> {
    let script = crate::parse(text).map_err(|error| error.to_string())?;
    for event in &script.events {
        let Action::Call(call) = &event.action else { continue };
        match target.call(call) {
            Answer::Returns(value) if call.result.to_string() == value.to_string() => {}
            other => return Err(format!("{call}: {other:?}")),
        }
    }
    Ok(())
}

/// An acknowledgment of nothing but the SYN.
fn answer() -> Segment {
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

/// The path and the receiver at its end.
#[derive(Default)]
struct Path {
    /// Segments whose first transmission is still to be lost.
    lost: BTreeSet<u32>,
    /// Segments that have come, those up to `next` left out.
    beyond: BTreeSet<u32>,
    next: u32,
    /// Acknowledgments on their way, and when they come.
    acknowledgments: VecDeque<(Time, Segment)>,
    rows: Vec<Row>,
}

impl Path {
    /// A segment leaves the sender.
    fn take(&mut self, sent: &Sent, begin: Time) {
        let Some(first) = sent.segment.seq.0.wrapping_sub(LOCAL_ISS.0).checked_sub(1) else { return };
        if sent.segment.len == 0 {
            return;
        }
        let number = first / SEGMENT;
        let at = sent.time.since(begin);
        match self.rows.last_mut() {
            Some(row) if at.as_nanos() < (row.at + BURST).as_nanos() => row.segments.push(number),
            _ => self.rows.push(Row { at, segments: vec![number] }),
        }
        if !self.lost.remove(&number) {
            let acknowledgment = self.receive(number);
            self.acknowledgments.push_back((sent.time + ROUND_TRIP, acknowledgment));
        }
    }

    /// A segment comes, and this goes back: how far there are no holes, what came twice (RFC 2883), what is behind
    /// holes, the newest first [RFC2018 s4].
    fn receive(&mut self, number: u32) -> Segment {
        let edge = |number: u32| LOCAL_ISS + 1 + number * SEGMENT;
        let mut segment = answer();
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

/// A row a line: milliseconds, and what was sent; `r` is behind what had been sent before.
pub fn text(rows: &[Row]) -> String {
    let mut seen = BTreeSet::new();
    let mut out = String::new();
    for row in rows {
        // First and last of consecutive segments, and whether they had been sent before.
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
