//! The segments that a connection of each variant sends, and when, on a path without impairments and nine impaired
//! ones. The tables come from the program: they detect changes, and do not prove correctness. The full tables of two
//! variants are in `golden/timelines`; for the others one line has the counts and times, and a digest of the same
//! table, which changes with any time, number or window in it. If it does, the failing test prints the table.
//!
//! The path serves a segment of 1,000 bytes in 4 ms, with 30 ms of delay each way, behind a queue. Columns: time; the
//! acknowledgment received (d: a duplicate); the segments sent, `*` retransmitted, `x` lost; cwnd and ssthresh in
//! segments; the next timer. `UPDATE_GOLDEN=1` rewrites all. The retransmission timer's times without acknowledgments
//! are checked by hand; for every run it is checked that all data arrives, and that at least as many segments are
//! retransmitted as lost, none without impairments.

use crate::common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use common::{golden, member};
use engine::random::hash_bytes;
use engine::{Bytes, Span, Time};
use tcp::config::{BackOff, Delay, DelayedAck, EcnMode, Nagle, Sampling, TimerRestart};
use tcp::presets::{self, PRESETS};
use tcp::recovery::{RecoveryConfig, newreno};
use tcp::{Config, Connection, Event, Reason, State};
use wire::{Addr, Ecn, Flags, Notice, NoticeKind, Segment, SeqNum};

const SEGMENT: u32 = 1000;
const SERIALIZE: Span = Span::from_millis(4);
const WAY: Span = Span::from_millis(30);
/// Sequence numbers of both ends begin shortly before they wrap.
const ISS: SeqNum = SeqNum(0u32.wrapping_sub(20_000));

/// The impairments of a transfer.
#[derive(Clone)]
struct Impairments {
    name: &'static str,
    /// Times in milliseconds, with the bytes written at each.
    writes: Vec<(u64, u64)>,
    /// Segments by number, with the number of their lost transmissions.
    lost: BTreeMap<u64, u32>,
    /// Numbers of lost acknowledgments, in the order of transmission.
    lost_acks: BTreeSet<u64>,
    /// Segments whose first transmission is delayed by this many milliseconds.
    late: BTreeMap<u64, u64>,
    /// Segments duplicated by the network.
    doubled: BTreeSet<u64>,
    /// Segments marked by the network.
    marked: BTreeSet<u64>,
    /// Interval in milliseconds; arrivals in it are delayed to its end.
    spike: (u64, u64),
    /// Interval in milliseconds in which the receiving application reads nothing.
    unread: (u64, u64),
    /// Maximum number of waiting segments.
    queue: u64,
    /// Whether the network reports each loss: by ICMP messages, and by a flag on duplicates.
    told: bool,
}

impl Impairments {
    fn new(name: &'static str) -> Self {
        Impairments {
            name,
            writes: vec![(0, 60_000)],
            lost: BTreeMap::new(),
            lost_acks: BTreeSet::new(),
            late: BTreeMap::new(),
            doubled: BTreeSet::new(),
            marked: BTreeSet::new(),
            spike: (0, 0),
            unread: (0, 0),
            queue: u64::MAX,
            told: false,
        }
    }
}

fn impaired_paths() -> Vec<Impairments> {
    let lost = |of: &[(u64, u32)]| of.iter().copied().collect::<BTreeMap<_, _>>();
    let tail = [(9, 1), (11, 1), (12, 1), (13, 1), (33, 1)];
    vec![
        Impairments::new("calm"),
        Impairments { lost: lost(&[(14, 1), (16, 1), (30, 2), (31, 1), (50, 1)]), ..Impairments::new("holes") },
        Impairments {
            lost: (14..30).map(|number| (number, if number < 16 { 4 } else { 1 })).collect(),
            ..Impairments::new("silence")
        },
        Impairments {
            lost_acks: (8..20).chain([25, 26, 40]).collect(),
            unread: (300, 1500),
            ..Impairments::new("unread")
        },
        Impairments { spike: (250, 1700), ..Impairments::new("spike") },
        Impairments {
            late: [(12, 13), (13, 9), (25, 45), (40, 21)].into(),
            doubled: [30, 31].into(),
            lost: lost(&[(36, 1)]),
            ..Impairments::new("reordering")
        },
        Impairments {
            writes: vec![(0, 10_000), (400, 3500), (420, 300), (3000, 20_000), (3600, 700), (3610, 700)],
            lost: lost(&tail),
            ..Impairments::new("tails")
        },
        Impairments {
            marked: [10, 11, 12, 13, 34, 50, 51].into(),
            lost: lost(&[(12, 1)]),
            ..Impairments::new("marks")
        },
        Impairments { writes: vec![(0, 120_000)], queue: 12, ..Impairments::new("queue") },
        Impairments {
            lost: lost(&[(14, 1), (17, 1), (30, 2), (40, 1), (58, 1)]),
            told: true,
            ..Impairments::new("told")
        },
    ]
}

/// Presets, and settings without a preset.
fn variants() -> Vec<(String, Config)> {
    let base = Config { segment: SEGMENT, window: Bytes(40_000).into(), initial_window: 4, ..Config::default() };
    let preset = |name: &str| {
        let mut config = base.clone();
        config.merge(&presets::find_preset(name).expect("a preset").table());
        if name.starts_with("linux") {
            (config.ecn, config.window) = (EcnMode::Request, Bytes(65_535).into());
        }
        config
    };
    let mut all: Vec<(String, Config)> =
        PRESETS.iter().map(|preset_of| (preset_of.name.to_owned(), preset(preset_of.name))).collect();
    for name in ["biaz", "mbiaz", "spike", "zigzag"] {
        for from in ["newreno", "linux"] {
            all.push((format!("{from}+{name}"), Config { loss_differentiation: member(name), ..preset(from) }));
        }
    }
    for name in ["simple-icmp", "refined-icmp", "eln", "link-loss"] {
        for from in ["tahoe", "newreno", "sack", "linux-reno"] {
            all.push((format!("{from}+{name}"), Config { response: member(name), ..preset(from) }));
        }
    }
    let mut bsd = preset("reno");
    bsd.rto_granularity = Span::from_millis(500);
    bsd.rto_back_off = BackOff::UntilAcknowledged;
    bsd.rto_restart = TimerRestart::Recovery;
    all.push(("reno+ticks".to_owned(), bsd));
    let mut steady = preset("newreno");
    steady.recovery = RecoveryConfig::NewReno(newreno::Config { variant: newreno::Variant::SlowButSteady });
    steady.delayed_ack = DelayedAck::On(Delay::default());
    (steady.limited_transmit, steady.recovery_exit_growth) = (true, true);
    steady.rtt_sampling = Sampling::EachAcknowledgment;
    all.push(("newreno+steady".to_owned(), steady));
    let mut sack = preset("sack");
    (sack.prr, sack.nagle, sack.timestamps) = (true, Nagle::On, true);
    (sack.ecn, sack.initial_ssthresh) = (EcnMode::Request, Some(Bytes(8000)));
    all.push(("sack+prr".to_owned(), sack));
    all
}

enum Item {
    Data(Segment, Ecn),
    Ack(Segment),
    Notice(Notice),
}

struct Transfer {
    path: Impairments,
    sender: Connection,
    receiver: Connection,
    now: Time,
    free_at: Time,
    flying: BTreeMap<(Time, u64), Item>,
    count: u64,
    acks: u64,
    sent: BTreeMap<u64, u32>,
    lost_in_air: BTreeSet<u64>,
    writes: std::collections::VecDeque<(Time, u64)>,
    table: String,
    /// The last row, unless more than a timer changed in it.
    before: String,
    timeouts: Vec<Time>,
}

/// Counts, times and the table.
struct Outcome {
    line: String,
    table: String,
    again: u64,
    timeouts: Vec<Time>,
}

fn ms(time: Time) -> f64 {
    (time.as_nanos() / 10_000) as f64 / 100.0
}

impl Transfer {
    fn new(config: &Config, path: &Impairments) -> Self {
        let mut sender = Connection::connect(config, 1, 2, ISS);
        sender.observe();
        let mut receiver = Connection::listen(config, 2, ISS);
        receiver.hold_reading();
        Transfer {
            sender,
            receiver,
            now: Time::ZERO,
            free_at: Time::ZERO,
            flying: BTreeMap::new(),
            count: 0,
            acks: 0,
            sent: BTreeMap::new(),
            lost_in_air: BTreeSet::new(),
            writes: path.writes.iter().map(|(at, bytes)| (Time::from_millis(*at), *bytes)).collect(),
            table: format!("{:>8} {:>5}  {:<26} {:>6} {:>8} {:>8}\n", "ms", "ack", "sends", "cwnd", "ssthresh", "due"),
            before: String::new(),
            timeouts: Vec::new(),
            path: path.clone(),
        }
    }

    fn launch(&mut self, at: Time, item: Item) {
        let [from, to] = [self.path.spike.0, self.path.spike.1].map(Time::from_millis);
        let at = if at >= from && at < to { to } else { at };
        self.count += 1;
        self.flying.insert((at, self.count), item);
    }

    fn data(&mut self, segment: Segment, ecn: Ecn) {
        if segment.flags.has(Flags::SYN) || segment.len == 0 {
            return self.launch(self.now + WAY, Item::Data(segment, ecn));
        }
        let number = u64::from(segment.seq.since(ISS + 1) as u32 / SEGMENT);
        let nth = self.sent.entry(number).or_default();
        *nth += 1;
        let nth = *nth;
        let waiting = self.free_at.since(self.now).as_nanos() / SERIALIZE.as_nanos();
        if waiting >= self.path.queue {
            return;
        }
        self.free_at = self.free_at.max(self.now) + SERIALIZE;
        if self.path.lost.get(&number).is_some_and(|times| nth <= *times) {
            if self.path.told {
                self.lost_in_air.insert(u64::from(segment.seq.0));
                for (kind, after) in [(NoticeKind::Defer, 35), (NoticeKind::Retransmit, 52)] {
                    let seq = segment.seq;
                    let notice = Notice { kind, segment_dst: Addr::of_node(0), src_port: 1, dst_port: 2, seq };
                    self.launch(self.now + Span::from_millis(after), Item::Notice(notice));
                }
            }
            return;
        }
        self.lost_in_air.remove(&u64::from(segment.seq.0));
        let late = if nth == 1 { self.path.late.get(&number).copied().unwrap_or(0) } else { 0 };
        let ecn = if nth == 1 && ecn != Ecn::NotEct && self.path.marked.contains(&number) { Ecn::Ce } else { ecn };
        let at = self.free_at + WAY + Span::from_millis(late);
        for _ in 0..=u32::from(nth == 1 && self.path.doubled.contains(&number)) {
            self.launch(at, Item::Data(segment, ecn));
        }
    }

    /// Transmits all possible segments of both ends, and writes a line about them.
    fn step(&mut self, ack: Option<SeqNum>) {
        let unread = Time::from_millis(self.path.unread.0)..Time::from_millis(self.path.unread.1);
        if !unread.contains(&self.now) {
            self.receiver.read(u64::MAX);
        }
        while let Some((mut segment, _)) = self.receiver.poll_transmit(self.now) {
            self.acks += 1;
            if self.lost_in_air.contains(&u64::from(segment.ack.0)) {
                segment.flags = segment.flags | Flags::ELN;
            }
            if !self.path.lost_acks.contains(&self.acks) {
                self.launch(self.now + WAY, Item::Ack(segment));
            }
        }
        while let Some((segment, ecn)) = self.sender.poll_transmit(self.now) {
            self.data(segment, ecn);
        }
        let (mut sends, mut notes) = (Vec::new(), String::new());
        let mut duplicate = "";
        while let Some(event) = self.sender.poll_event() {
            match event {
                Event::SegmentSent { seq, len, reason } => {
                    let (whole, rest) = (seq / u64::from(SEGMENT), len % SEGMENT);
                    let mark = if reason == Reason::New { "" } else { "*" };
                    let short = if rest == 0 { String::new() } else { format!("({len})") };
                    sends.push(format!("{whole}{short}{mark}"));
                }
                Event::AckReceived { duplicate: true, .. } => duplicate = "d",
                Event::Timeout { nth, rto, .. } => {
                    self.timeouts.push(self.now);
                    write!(notes, " timeout {nth}, {rto}").unwrap();
                }
                Event::FastRetransmit { .. } => notes += " loss",
                Event::NotifiedRecovery { .. } => notes += " loss explained",
                Event::RecoveryEnd => notes += " recovered",
                Event::Undone => notes += " undone",
                Event::MarkAnswered => notes += " mark",
                Event::NoticeReceived { .. } => notes += " notice",
                _ => {}
            }
        }
        let ack = ack.map_or("-".to_owned(), |ack| format!("{}{duplicate}", ack.since(ISS + 1) / SEGMENT as i32));
        let due = self.sender.poll_timeout();
        let due = if due == Time::NEVER { "-".to_owned() } else { format!("{:.2}", ms(due)) };
        let [cwnd, ssthresh] = [self.sender.cwnd(), self.sender.ssthresh()].map(|bytes| bytes / f64::from(SEGMENT));
        let ssthresh = if ssthresh.is_finite() { format!("{ssthresh:.3}") } else { "-".to_owned() };
        let sends = sends.join(" ");
        let row = format!("{ack:>5}  {sends:<26} {cwnd:>6.3} {ssthresh:>8} {due:>8}{notes}");
        if ack == "-" && row == self.before {
            return;
        }
        writeln!(self.table, "{:>8.2} {row}", ms(self.now)).unwrap();
        self.before = if ack == "-" && sends.is_empty() && notes.is_empty() { row } else { String::new() };
    }

    fn run(mut self) -> Outcome {
        let written: u64 = self.path.writes.iter().map(|(_, bytes)| bytes).sum();
        let reads = Time::from_millis(self.path.unread.1);
        while self.receiver.bytes_received() < written || !self.sender.done() || !self.writes.is_empty() {
            let flying = self.flying.first_key_value().map_or(Time::NEVER, |((at, _), _)| *at);
            let write = self.writes.front().map_or(Time::NEVER, |(at, _)| *at);
            let (ours, theirs) = (self.sender.poll_timeout(), self.receiver.poll_timeout());
            let read = if self.now < reads { reads } else { Time::NEVER };
            self.now = self.now.max(flying.min(write).min(ours).min(theirs).min(read));
            assert!(self.now < Time::from_millis(3_600_000), "{}: stalled\n{}", self.path.name, self.table);
            if write == self.now {
                self.sender.write(self.writes.pop_front().expect("due").1);
                self.step(None);
            } else if flying == self.now {
                match self.flying.pop_first().expect("due").1 {
                    Item::Data(segment, ecn) => {
                        self.receiver.handle_segment(self.now, &segment, ecn);
                        self.step(None);
                    }
                    Item::Ack(segment) => {
                        self.sender.handle_segment(self.now, &segment, Ecn::NotEct);
                        self.step(Some(segment.ack));
                    }
                    Item::Notice(notice) => {
                        self.sender.handle_icmp(self.now, &notice);
                        self.step(None);
                    }
                }
            } else if read == self.now {
                self.step(None);
            } else {
                self.receiver.handle_timeout(self.now);
                self.sender.handle_timeout(self.now);
                self.step(None);
            }
        }
        assert_eq!(self.sender.bytes_acknowledged(), written, "{}", self.path.name);
        assert_eq!(self.sender.state(), State::Established);
        let counters = self.sender.counters();
        let info = self.sender.info();
        let line = format!(
            "{:>3} sent again {:>2} timeouts {:>9.2} ms  {:016x}",
            counters.segments_retransmitted,
            counters.timeouts,
            ms(self.now),
            hash_bytes(self.table.bytes())
        );
        writeln!(self.table, "\n{counters:?}\n{info:?}\n{:?}", self.receiver.info()).unwrap();
        Outcome { line, table: self.table, again: counters.segments_retransmitted, timeouts: self.timeouts }
    }
}

#[test]
fn timelines_match_the_golden_tables() {
    let kept = include_str!("golden/timelines/all.txt");
    let (mut all, mut changed) = (String::new(), None);
    for (name, config) in variants() {
        let mut tables = String::new();
        for path in impaired_paths() {
            let outcome = Transfer::new(&config, &path).run();
            // The network loses the listed segments; it delays, duplicates and marks the others.
            let lost: u64 = path.lost.values().map(|times| u64::from(*times)).sum();
            let expected = if path.name == "calm" { 0..=0 } else { lost..=u64::MAX };
            assert!(expected.contains(&outcome.again), "{name}, {}\n{}", path.name, outcome.table);
            let line = format!("{name:<20} {:<10} {}\n", path.name, outcome.line);
            if !kept.contains(&line) && changed.is_none() {
                changed = Some(format!("{line}{}", outcome.table));
            }
            all += &line;
            writeln!(tables, "{}\n{}", path.name, outcome.table).unwrap();
        }
        if ["linux", "sack"].contains(&name.as_str()) {
            golden(&format!("timelines/{name}.txt"), &tables);
        }
    }
    if std::env::var_os("UPDATE_GOLDEN").is_none() {
        assert!(changed.is_none(), "not as it was:\n{}", changed.unwrap_or_default());
    }
    golden("timelines/all.txt", &all);
}

/// By hand: segments 14 and 15 are lost four times and nothing else is in flight, so the timer expires at least three
/// times in a row, each time after twice the interval [RFC6298 s5.5].
#[test]
fn timer_doubles_without_acknowledgments() {
    let impaired_paths = impaired_paths();
    let silence = impaired_paths.iter().find(|path| path.name == "silence").expect("it is there");
    for (name, config) in
        variants().into_iter().filter(|(name, _)| ["reno", "newreno", "sack"].contains(&name.as_str()))
    {
        let outcome = Transfer::new(&config, silence).run();
        let times: Vec<u64> = outcome.timeouts.iter().map(|time| time.as_nanos()).collect();
        let gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.len() >= 2, "{name}: {times:?}\n{}", outcome.table);
        assert_eq!(gaps[1], 2 * gaps[0], "{name}: {times:?}");
        assert_eq!(gaps[0], 2_000_000_000, "{name}: the least timeout of 1 s, doubled");
    }
}
