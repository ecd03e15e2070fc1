//! Explanations of captures beside those of the runs that wrote them: findings of one kind that overlap in time are the
//! same.

mod common;

use std::collections::BTreeMap;

use capture::transfer::{Replay, Survey, Surveyor, Vantage};
use capture::{Capture, End};
use common::network;
use engine::{Span, Time};
use observe::explain::{Explain, Finding, FlowReport, shown_kinds};
use sim::{Event, Network, NodeEvent, Sink, World};
use wire::pcapng::{Direction, Writer};

/// Writes the packets at a node, as `--trace pcapng` does.
struct AtNode {
    node: u32,
    writer: Writer<Vec<u8>>,
}

impl AtNode {
    fn new(node: u32) -> Self {
        AtNode { node, writer: Writer::new(Vec::new(), &["node"]).expect("memory") }
    }

    fn file(self) -> Vec<u8> {
        self.writer.finish().expect("memory")
    }
}

impl Sink for AtNode {
    const ACTIVE: bool = true;

    fn event(&mut self, at: Time, event: &Event) {
        let Event::Node { node, event, .. } = event else { return };
        if *node != self.node {
            return;
        }
        match event {
            NodeEvent::Sent { packet } => self.writer.packet(0, at, Direction::Out, packet).expect("memory"),
            NodeEvent::Received { packet } | NodeEvent::Transit { packet } => {
                self.writer.packet(0, at, Direction::In, packet).expect("memory");
            }
            _ => {}
        }
    }
}

/// Runs a network of one flow. Returns its explanation and the captures at its first and its last node.
fn run(network: &Network) -> (FlowReport, Vec<u8>, Vec<u8>) {
    let mut world = World::new(network, true);
    let last = network.flows[0].to as u32;
    let first = network.flows[0].from as u32;
    let mut sink = (Explain::new(network), (AtNode::new(first), AtNode::new(last)));
    world.run(&mut sink);
    let (explain, (sender, receiver)) = sink;
    (explain.finish(world.results().ended).remove(0), sender.file(), receiver.file())
}

/// Explains the only connection of a capture.
fn explained(file: &[u8], given: Option<Vantage>) -> (FlowReport, Survey) {
    let mut table = Capture::open(file).expect("a capture");
    assert!(table.all(|packet| packet.is_ok()));
    let stream = table.streams()[0].clone();
    let mut surveyor = Surveyor::new(stream.main_sender());
    let mut capture = Capture::open(file).expect("a capture");
    while let Some(packet) = capture.next() {
        surveyor.packet(&packet.expect("a packet"), &capture.streams()[0]);
    }
    let survey = surveyor.finish(0, &stream, given);
    let mut replay =
        Replay::new(&survey, Explain::of_capture(&capture::transfer::network(&survey), survey.is_at_sender()));
    for packet in Capture::open(file).expect("a capture") {
        replay.packet(&packet.expect("a packet"));
    }
    if let Ok(range) = std::env::var("DUMP") {
        let (from, to) = range.split_once(',').unwrap();
        let (from, to): (f64, f64) = (from.parse().unwrap(), to.parse().unwrap());
        let mut replay = Replay::new(&survey, Vec::new());
        for packet in Capture::open(file).expect("a capture") {
            replay.packet(&packet.expect("a packet"));
        }
        for (at, event) in replay.finish().0 {
            if (from..to).contains(&at.as_secs_f64()) {
                match event {
                    Event::Sender { event, .. } => println!("{:.6} {event:?}", at.as_secs_f64()),
                    Event::Node { node, event, of, .. } => println!(
                        "{:.6} node {node} {} {of:?}",
                        at.as_secs_f64(),
                        format!("{event:?}").split(' ').next().unwrap()
                    ),
                    Event::Link { event, of, hop } => println!(
                        "{:.6} {:?} {} {of:?}",
                        at.as_secs_f64(),
                        hop.direction,
                        format!("{event:?}").split(' ').next().unwrap()
                    ),
                    other => println!("{:.6} {other:?}", at.as_secs_f64()),
                }
            }
        }
    }
    let (explain, _, end) = replay.finish();
    (explain.finish(end).remove(0), survey)
}

/// Counts of findings: in the run, of these in the capture, in the capture, of these in the run.
#[derive(Clone, Copy, Default, Debug)]
struct Matches {
    truth: u32,
    found: u32,
    claimed: u32,
    confirmed: u32,
}

type Matrix = BTreeMap<&'static str, Matches>;

fn compare(truth: &FlowReport, claims: &FlowReport, (at_sender, scale_known): (bool, bool), matrix: &mut Matrix) {
    for &kind in shown_kinds(at_sender) {
        // Without a SYN the receive window is not known.
        if !scale_known && kind.contains("window") {
            assert!(claims.findings.iter().all(|finding| finding.kind != kind));
            continue;
        }
        let of = |report: &FlowReport| -> Vec<Finding> {
            report.findings.iter().filter(|finding| finding.kind == kind).cloned().collect()
        };
        let (truth, claims) = (of(truth), of(claims));
        let meets =
            |one: &Finding, others: &[Finding]| others.iter().any(|other| other.from <= one.to && one.from <= other.to);
        let matches = matrix.entry(kind).or_default();
        matches.truth += truth.len() as u32;
        matches.claimed += claims.len() as u32;
        matches.found += truth.iter().filter(|one| meets(one, &claims)).count() as u32;
        matches.confirmed += claims.iter().filter(|one| meets(one, &truth)).count() as u32;
        if std::env::var_os("SHOW").is_some() {
            let line = |sign: &str, one: &Finding| {
                println!("{sign} {kind} {:.3}..{:.3} {}", one.from.as_secs_f64(), one.to.as_secs_f64(), one.text);
            };
            truth.iter().filter(|one| !meets(one, &claims)).for_each(|one| line("missed", one));
            claims.iter().filter(|one| !meets(one, &truth)).for_each(|one| line("false ", one));
        }
    }
}

/// A scenario of a family, by number: the numbers choose its parameters.
fn scenario(family: &str, number: u64) -> String {
    let pick = |list: &[&str], of: u64| list[((number / of) as usize) % list.len()].to_owned();
    let variant = pick(&["reno", "newreno", "sack", "cubic", "linux-reno"], 1);
    let handshake = number % 3 != 0;
    let stamps = number % 2 == 0;
    // Whole segments: whether cwnd or the receive window is the limit cannot be told within a segment.
    let window = |list: &[&str], of: u64| {
        let segments: u64 = pick(list, of).parse().expect("a number");
        format!("{} B", segments * if stamps { 988 } else { 1000 })
    };
    let tcp = |more: &str| {
        format!("tcp = {{ variant = \"{variant}\", handshake = {handshake}, timestamps = {stamps}{more} }}")
    };
    let (air, flow) = match family {
        // Bursts of losses on a slow wireless link.
        "bursts" => (
            format!(
                "rate = \"{}\"\ndelay = \"{}\"\nqueue = \"60 packets\"\nchannel = {{ kind = \"two-state\", mean_good = \"2 s\", mean_bad = \"{}\" }}",
                pick(&["1 Mbps", "2 Mbps", "4 Mbps"], 1),
                pick(&["1 ms", "20 ms", "60 ms"], 2),
                pick(&["40 ms", "90 ms", "200 ms"], 3)
            ),
            format!(
                "bytes = \"1500 kB\"\nmss = \"1000 B\"\nreceive_window = \"{}\"\n{}",
                window(&["8", "16", "32", "256"], 1),
                tcp("")
            ),
        ),
        // Delays longer than the timer.
        "spikes" => {
            let spikes: Vec<String> = (0..8)
                .map(|n| {
                    format!(
                        "{{ at = \"{} ms\", duration = \"{} ms\", extra_delay = \"{} ms\" }}",
                        2000 + 3000 * n + 37 * (number % 20),
                        60 + 30 * (number % 5),
                        1500 + 100 * (number % 9) + 50 * n
                    )
                })
                .collect();
            (
                format!(
                    "rate = \"{}\"\ndelay = \"{}\"\nqueue = \"100 packets\"\ndelay_spikes = [{}]",
                    pick(&["500 kbps", "1 Mbps", "2 Mbps"], 1),
                    pick(&["5 ms", "30 ms", "80 ms"], 2),
                    spikes.join(", ")
                ),
                format!(
                    "mss = \"1000 B\"\nreceive_window = \"{}\"\n{}",
                    pick(&["10 kB", "30 kB", "64 kB"], 1),
                    tcp(", min_rto = \"300 ms\"")
                ),
            )
        }
        // Single losses with a small window.
        "losses" => (
            format!(
                "rate = \"{}\"\ndelay = \"{}\"\nchannel = {{ kind = \"uniform\", loss = {} }}\nqueue = \"200 packets\"",
                pick(&["2 Mbps", "5 Mbps", "10 Mbps"], 1),
                pick(&["20 ms", "50 ms", "100 ms"], 2),
                pick(&["0.003", "0.01", "0.02"], 1)
            ),
            format!(
                "bytes = \"1500 kB\"\nmss = \"1000 B\"\nreceive_window = \"{}\"\n{}",
                pick(&["10 kB", "20 kB", "40 kB"], 3),
                tcp("")
            ),
        ),
        other => panic!("{other}"),
    };
    format!(
        "duration = \"40 s\"\nseed = {number}\n[nodes]\nserver = {{ kind = \"host\" }}\nstation = {{ kind = \"base-station\" }}\nmobile = {{ kind = \"host\" }}\n\
         [links.wire]\nkind = \"wired\"\nbetween = [\"server\", \"station\"]\nrate = \"20 Mbps\"\ndelay = \"{}\"\nqueue = \"unlimited\"\n\
         [links.air]\nkind = \"wireless\"\nbetween = [\"station\", \"mobile\"]\n{air}\n[flows.download]\nfrom = \"server\"\nto = \"mobile\"\n{flow}\n",
        pick(&["10 ms", "40 ms", "80 ms"], 2)
    )
}

const FAMILIES: [&str; 3] = ["bursts", "spikes", "losses"];

fn matrix(numbers: std::ops::Range<u64>, at: Vantage) -> Matrix {
    let mut matrix = Matrix::new();
    for family in FAMILIES {
        if std::env::var("FAMILY").is_ok_and(|name| name != family) {
            continue;
        }
        for number in numbers.clone() {
            if std::env::var("NUMBER").is_ok_and(|name| name != number.to_string()) {
                continue;
            }
            let network = network(&scenario(family, number));
            let (truth, sender, receiver) = run(&network);
            let file = if at == Vantage::Receiver { &receiver } else { &sender };
            let (claims, survey) = explained(file, None);
            if std::env::var_os("SHOW").is_some() {
                println!(
                    "-- {family} {number}: {} rate {:?} rtt {} + {}",
                    survey.vantage.name(),
                    survey.rate.map(|rate| rate.bits_per_sec()),
                    survey.to_sender,
                    survey.to_receiver
                );
            }
            compare(&truth, &claims, (survey.is_at_sender(), survey.scale_known), &mut matrix);
        }
    }
    matrix
}

#[test]
fn explore() {
    let count: u64 = std::env::var("COUNT").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    let at = if std::env::var_os("RECEIVER").is_some() { Vantage::Receiver } else { Vantage::Sender };
    for (kind, Matches { truth, found, claimed, confirmed }) in matrix(500..500 + count, at) {
        println!(
            "{kind:20} truth {truth:5} found {found:5} claimed {claimed:5} confirmed {confirmed:5}: recall {:.3} precision {:.3}",
            f64::from(found) / f64::from(truth.max(1)),
            f64::from(confirmed) / f64::from(claimed.max(1))
        );
    }
    let _ = (End::Client, Span::ZERO);
}
