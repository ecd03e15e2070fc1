//! Queue disciplines compared with those of ns-3: dropped and marked packets for the same arrivals and departures.
//!
//! ns-3's results are kept in `ns3/results.txt`; an ignored test runs ns-3 where it is installed and compares them. The
//! differences and their reasons are in docs/models/agreement-ns3.md.

use crate::common;
#[path = "ns3/pseudo_code.rs"]
mod pseudo_code;
#[path = "ns3/random_pseudo_code.rs"]
mod random_pseudo_code;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use common::packet;
use engine::{Order, Stream, Time};
use path::queue::{QueueAction, QueueConfig, QueueCx, Queued};
use pseudo_code::{Arithmetic, Item, Step};
use serde_json::{Value, json};
use wire::{Body, Ecn, Packet};

/// An arrival, or a transmitter that takes a packet.
#[derive(Clone, Copy)]
enum Event {
    Arrival { flow: u32, size: u32, capable: bool },
    Departure,
}

/// Fate of a packet that was dropped or marked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Dropped,
    Marked,
}

/// The fate of each packet by its number, with the time in nanoseconds.
type Fates = BTreeMap<u32, (Fate, u64)>;

/// A discipline with its settings in the simulator and in ns-3.
struct Case {
    name: &'static str,
    ours: Value,
    theirs: &'static [&'static str],
    /// Share of the packets that are ECN-capable.
    capable: f64,
}

const MICROSECOND: u64 = 1000;

const FLOWS: usize = 10;

/// Interval at which the transmitter takes a packet: about 1000 bytes at 10 Mbps. CoDel's interval of 100 ms is not a
/// multiple of it.
const SERVICE: u64 = 797 * MICROSECOND;

/// Disciplines without random numbers, for 10 flows.
fn deterministic() -> [Case; 4] {
    let case = |name, ours, theirs, capable| Case { name, ours, theirs, capable };
    let ecn = &["CoDelQueueDisc", "MaxSize=1000p", "UseEcn=true"];
    [
        case("codel", json!({ "kind": "codel" }), &["CoDelQueueDisc", "MaxSize=1000p"], 0.0),
        case("codel-ecn", json!({ "kind": "codel", "ecn": true }), ecn, 0.5),
        case("fq-codel", json!({ "kind": "fq-codel", "ecn": false }), &["FqCoDelQueueDisc", "UseEcn=false"], 0.0),
        case("fq-codel-ecn", json!({ "kind": "fq-codel", "ecn": true }), &["FqCoDelQueueDisc", "UseEcn=true"], 0.5),
    ]
}

/// RED with the defaults of the simulator. By default (`Wait=true`) ns-3 drops no packet before 1 / p_b others have
/// passed, while the paper's figure may drop earlier.
const RED: [&str; 11] = [
    "RedQueueDisc",
    "MaxSize=1000p",
    "MinTh=5",
    "MaxTh=15",
    "QW=0.002",
    "LInterm=10",
    "LinkBandwidth=10Mbps",
    "MeanPktSize=1000",
    "Gentle=true",
    "Wait=false",
    "UseEcn=true",
];
const PIE: [&str; 5] =
    ["PieQueueDisc", "MaxSize=1000p", "MaxBurstAllowance=0ms", "UseDerandomization=true", "UseEcn=true"];

/// Cases of queue disciplines that draw random numbers.
fn random() -> [Case; 4] {
    let case = |name, ours, theirs, capable| Case { name, ours, theirs, capable };
    [
        case("red", json!({ "kind": "red", "ecn": true }), &RED, 0.0),
        case("red-ecn", json!({ "kind": "red", "ecn": true }), &RED, 0.5),
        case("pie", json!({ "kind": "pie", "max_burst": "0 s", "mtu": "1000 B", "ecn": true }), &PIE, 0.0),
        case("pie-ecn", json!({ "kind": "pie", "max_burst": "0 s", "mtu": "1000 B", "ecn": true }), &PIE, 0.5),
    ]
}

/// Returns 20 s of Poisson arrivals of ten flows in phases of 2 s, with a load of 0.7, 1.1, 0.9 and 1.3 in turn.
/// Packets have 200 to 1500 bytes. No arrival coincides with a departure, because departures are at even times and
/// arrivals at odd ones.
fn events(capable: f64) -> Vec<(u64, Event)> {
    const END: u64 = 20_000_000_000;
    let mut draws = Stream::named(1, 0, "arrivals").draws();
    let mut events: Vec<(u64, Event)> =
        (1..=END / SERVICE).map(|number| (number * SERVICE, Event::Departure)).collect();
    let mut now = 0.0;
    loop {
        let load = [0.7, 1.1, 0.9, 1.3][(now / 2e9) as usize % 4];
        now += draws.exponential(SERVICE as f64 / load);
        if now >= END as f64 {
            break;
        }
        let flow = (draws.next_u64() % FLOWS as u64) as u32;
        let size = 200 + (draws.next_u64() % 1301) as u32;
        events.push((now as u64 | 1, Event::Arrival { flow, size, capable: draws.unit() < capable }));
    }
    events.sort_by_key(|(time, _)| *time);
    events
}

fn number(packet: &Packet) -> u32 {
    packet.data().expect("a segment").seq.0
}

/// Returns packet `number` with a size of `size` bytes.
fn arriving(number: u32, flow: u32, size: u32, capable: bool) -> Packet {
    let mut packet = packet(number, size - 40);
    if let Body::Tcp(segment) = &mut packet.body {
        segment.src_port = 1000 + flow as u16;
    }
    packet.ecn = if capable { Ecn::Ect0 } else { Ecn::NotEct };
    packet
}

/// Runs our discipline with the random numbers of `seed`.
fn ours(case: &Case, seed: u64, events: &[(u64, Event)]) -> Fates {
    let config: QueueConfig = serde_json::from_value(case.ours.clone()).expect("settings of a discipline");
    let mut queue = config.build(Stream::named(seed, 0, "queue"));
    let (mut fates, mut arrived, mut at_once) = (Fates::new(), 0, true);
    for (time, event) in events {
        let now = Time::from_nanos(*time);
        let mut actions = Vec::new();
        let mut cx = QueueCx::new(now, (0, 0), &mut actions);
        match *event {
            Event::Arrival { flow, size, capable } => {
                let packet = arriving(arrived, flow, size, capable);
                let queued = Queued { packet, arrived: now, order: Order::default(), expedited: false, at_once };
                at_once = false;
                if queue.enqueue(queued, &mut cx).is_err() {
                    fates.insert(arrived, (Fate::Dropped, *time));
                }
                arrived += 1;
            }
            Event::Departure => {
                at_once = queue.dequeue(&mut cx).is_none();
            }
        }
        for action in actions {
            match action {
                QueueAction::Dropped(queued, _) => fates.insert(number(&queued.packet), (Fate::Dropped, *time)),
                QueueAction::Marked(packet) => fates.insert(number(&packet), (Fate::Marked, *time)),
            };
        }
    }
    fates
}

/// The number of drops and of marks.
fn counts(fates: &Fates) -> [usize; 2] {
    [Fate::Dropped, Fate::Marked].map(|fate| fates.values().filter(|(what, _)| *what == fate).count())
}

/// A digest of all events.
fn digest(fates: &Fates) -> String {
    let lines = fates.iter().map(|(number, (fate, time))| format!("{time} {fate:?} {number}\n"));
    let hash = engine::random::hash_bytes(lines.flat_map(String::into_bytes));
    let [drops, marks] = counts(fates);
    format!("{drops} drops, {marks} marks, {hash:016x}")
}

/// Runs the pseudo-code.
fn by_pseudo_code(case: &Case, arithmetic: Arithmetic, events: &[(u64, Event)]) -> Fates {
    let ecn = case.ours["ecn"] == true;
    let fair = case.name.starts_with("fq");
    let mut fq = pseudo_code::FqCoDel::new(arithmetic, ecn, FLOWS);
    let mut codel = pseudo_code::CoDel::new(arithmetic, ecn);
    let (mut fates, mut number) = (Fates::new(), 0);
    for (time, event) in events {
        let mut steps = Vec::new();
        match *event {
            Event::Arrival { flow, size, capable } => {
                let item = Item { number, flow, size: size.into(), capable, arrived: *time };
                number += 1;
                if fair { fq.push(item) } else { codel.push(item) }
            }
            Event::Departure => {
                let _sent = if fair { fq.dequeue(*time, &mut steps) } else { codel.dequeue(*time, &mut steps) };
            }
        }
        fates.extend(steps.into_iter().map(|step| match step {
            Step::Dropped(number) => (number, (Fate::Dropped, *time)),
            Step::Marked(number) => (number, (Fate::Marked, *time)),
        }));
    }
    fates
}

/// Mean and standard deviation of the drops and of the marks of several runs.
fn statistics(runs: &[[usize; 2]]) -> [[f64; 2]; 2] {
    [0, 1].map(|what| {
        let values: Vec<f64> = runs.iter().map(|counts| counts[what] as f64).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        [mean, (squares / (values.len() - 1) as f64).sqrt()]
    })
}

/// The number of runs of a discipline with random numbers.
const RUNS: u64 = 40;

/// Reads the lines `TIME drop|mark NUMBER`; other lines are ignored.
fn parse(table: &str) -> Fates {
    let fate = |line: &str| {
        let mut words = line.split(' ');
        let time = words.next()?.parse().ok()?;
        let fate = match words.next()? {
            "drop" => Fate::Dropped,
            "mark" => Fate::Marked,
            _ => return None,
        };
        Some((words.next()?.parse().ok()?, (fate, time)))
    };
    table.lines().filter_map(fate).collect()
}

/// The compiled program, in a temporary folder.
struct Program {
    folder: tempfile::TempDir,
}

impl Program {
    const LIBRARIES: [&str; 3] = ["traffic-control", "network", "core"];

    /// Compiles the program; `None` if the compiler does not find ns-3.
    fn compile() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/peers/ns3-queues.cc");
        let mut compiler = Command::new("g++");
        compiler.args(["-E", "-include", "ns3/core-module.h", "-x", "c++", "-std=c++17", "-"]);
        compiler.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if !compiler.status().is_ok_and(|status| status.success()) {
            return None;
        }
        let mut compiler = Command::new("g++");
        compiler.args(["-std=c++17", "-O1", "-o"]).arg(folder.path().join("program")).arg(source);
        compiler.args(Self::LIBRARIES.map(|library| format!("-lns3-{library}")));
        assert!(compiler.status().expect("g++").success(), "the program does not compile");
        Some(Program { folder })
    }

    /// Runs a case with the random numbers of `run`.
    fn fates(&self, case: &Case, run: u64, events: &[(u64, Event)]) -> Fates {
        let mut text = String::new();
        for (time, event) in events {
            let written = match event {
                Event::Arrival { flow, size, capable } => {
                    writeln!(text, "{time} {flow} {size} {}", u8::from(*capable))
                }
                Event::Departure => writeln!(text, "{time}"),
            };
            written.expect("a string takes everything");
        }
        let mut program = Command::new(self.folder.path().join("program"));
        program.arg(run.to_string()).args(case.theirs).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut program = program.spawn().expect("the compiled program");
        // The program reads all events before it prints.
        program.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("the program reads its events");
        let output = program.wait_with_output().expect("the program ends");
        assert!(output.status.success());
        parse(std::str::from_utf8(&output.stdout).expect("numbers and words"))
    }
}

#[test]
#[ignore = "compiles a program for ns-3 and runs it 164 times: a minute"]
fn stored_results_match_ns3() {
    skip::need!("g++");
    let Some(program) = Program::compile() else { skip::skip!("needs g++ with ns-3") };
    let mut results = String::from("# What ns-3.37 does in the cases of ns3_queues.rs.\n");
    for case in deterministic() {
        let fates = program.fates(&case, 1, &events(case.capable));
        writeln!(results, "{}: {}", case.name, digest(&fates)).expect("a string takes everything");
    }
    for case in random() {
        let events = events(case.capable);
        let runs: Vec<_> = (1..=RUNS).map(|run| counts(&program.fates(&case, run, &events))).collect();
        let [drops, marks] = statistics(&runs).map(|[mean, deviation]| format!("{mean:.1} {deviation:.1}"));
        writeln!(results, "{}: {drops} {marks}", case.name).expect("a string takes everything");
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ns3/results.txt");
        std::fs::write(path, &results).expect("the results of ns-3 are written");
    } else {
        assert_eq!(results, RESULTS);
    }
}

static RESULTS: &str = include_str!("ns3/results.txt");

/// Returns the stored result of ns-3 for a case.
fn kept(case: &Case) -> &'static str {
    let line = RESULTS.lines().find_map(|line| line.strip_prefix(case.name)?.strip_prefix(": "));
    line.unwrap_or_else(|| panic!("no result of {}", case.name))
}

// covers [RFC8289 s5], [RFC8290 s4]
#[test]
fn codel_and_fq_codel_match_the_pseudo_code_packet_by_packet() {
    for case in deterministic() {
        let events = events(case.capable);
        let fates = ours(&case, 1, &events);
        assert!(fates.len() > 1000, "{}: too few drops to compare", case.name);
        assert_eq!(digest(&fates), digest(&by_pseudo_code(&case, Arithmetic::Exact, &events)), "{}", case.name);
    }
}

#[test]
fn ns3_differs_from_the_pseudo_code_only_in_its_arithmetic() {
    for case in deterministic() {
        let events = events(case.capable);
        assert_eq!(digest(&by_pseudo_code(&case, Arithmetic::Ns3, &events)), kept(&case), "{}", case.name);
    }
}

/// Runs the pseudo-code of a discipline with random numbers; the numbers of drops and of marks.
fn by_random_pseudo_code(case: &Case, ns3: bool, seed: u64, events: &[(u64, Event)]) -> [usize; 2] {
    let draws = Stream::named(seed, 0, "pseudo-code").draws();
    let is_red = case.name.starts_with("red");
    let mut red = random_pseudo_code::Red::new(ns3, draws.clone());
    let mut pie = random_pseudo_code::Pie::new(ns3, draws);
    let (mut steps, mut number) = (Vec::new(), 0);
    for (time, event) in events {
        match *event {
            Event::Arrival { flow, size, capable } => {
                let item = Item { number, flow, size: size.into(), capable, arrived: *time };
                number += 1;
                if is_red { red.push(item, &mut steps) } else { pie.push(item, &mut steps) }
            }
            Event::Departure => {
                let _sent = if is_red { red.dequeue(*time) } else { pie.dequeue(*time) };
            }
        }
    }
    let marks = steps.iter().filter(|step| matches!(step, Step::Marked(_))).count();
    [steps.len() - marks, marks]
}

/// Fails if the means of two sets of runs differ by more than four standard errors.
fn assert_same_means(name: &str, one: [[f64; 2]; 2], other: [[f64; 2]; 2]) {
    for (what, [[mean, deviation], [expected, spread]]) in
        ["drops", "marks"].iter().zip([[one[0], other[0]], [one[1], other[1]]])
    {
        let error = ((deviation.powi(2) + spread.powi(2)) / RUNS as f64).sqrt();
        assert!((mean - expected).abs() <= 4.0 * error, "{name}: {mean} {what}, expected {expected} +- {error}");
    }
}

// covers [Floyd1993 s4], [RFC8033 s4]
#[test]
fn red_and_pie_drop_and_mark_as_often_as_the_pseudo_code() {
    for case in random() {
        let events = events(case.capable);
        let runs: Vec<_> = (1..=RUNS).map(|seed| counts(&ours(&case, seed, &events))).collect();
        let expected: Vec<_> = (1..=RUNS).map(|seed| by_random_pseudo_code(&case, false, seed, &events)).collect();
        assert_same_means(case.name, statistics(&runs), statistics(&expected));
    }
}

#[test]
fn ns3_drops_and_marks_as_often_as_the_pseudo_code_with_its_departures() {
    for case in random() {
        let events = events(case.capable);
        let runs: Vec<_> = (1..=RUNS).map(|seed| by_random_pseudo_code(&case, true, seed, &events)).collect();
        let numbers: Vec<f64> = kept(&case).split(' ').map(|number| number.parse().expect("a number")).collect();
        assert_same_means(case.name, statistics(&runs), [[numbers[0], numbers[1]], [numbers[2], numbers[3]]]);
    }
}
