//! Captures of a run at both ends, compared with the events of the run.

use std::collections::{BTreeMap, VecDeque};

use capture::joined::Crossing;
use capture::transfer::{Truth, Vantage};
use engine::{Span, Time};
use lab::captures::{BothEnds, CaptureFile};
use observe::observation::{CapturedConnection, CapturedFact, CapturedSink, Evidence};
use path::LinkEvent;
use sim::{Event, Network, NodeEvent, NodeId, Sink, World};
use testkit::build_network;
use wire::pcapng::{Direction, Writer};
use wire::{Addr, Flags, Packet};

/// First sequence number, acknowledgment number and data length of a packet.
type Name = (u32, u32, u32);

fn name(packet: &Packet) -> Option<Name> {
    let wire::Body::Tcp(segment) = &packet.body else { return None };
    Some((segment.seq.0, segment.ack.0, segment.len))
}

/// A packet in a capture, with its IP identification.
#[derive(Clone)]
struct Frame {
    at: Time,
    direction: Direction,
    packet: Packet,
    id: u16,
}

/// Captures at both ends, and the packets that left, arrived and were lost.
struct Ends {
    nodes: [NodeId; 2],
    frames: [Vec<Frame>; 2],
    /// Whether packets have the same IP identification in both captures. Otherwise each capture numbers packets
    /// differently.
    has_ids: bool,
    /// Ends at which offloading merges segments.
    merges: [bool; 2],
    /// The receiver's capture misses each packet with data whose number is a multiple of this.
    misses: Option<usize>,
    /// Number of segments at each end that are part of a merged one.
    merged: [usize; 2],
    /// Number of packets sent, by direction.
    sent: [u16; 2],
    /// Identifications of the packets before and after the station, by direction.
    under_way: [[BTreeMap<Name, VecDeque<u16>>; 2]; 2],
    /// Offset of the receiver's clock, and its rate error in parts per million.
    clock: (Span, f64),
    /// Departure times of packets, by direction; the direction of data first.
    left: [BTreeMap<Name, Vec<Time>>; 2],
    /// Arrival times of packets, by direction; the direction of data first.
    arrived: [BTreeMap<Name, Vec<Time>>; 2],
    lost: [BTreeMap<Name, usize>; 2],
}

impl Ends {
    fn new(network: &Network, clock: (Span, f64)) -> Self {
        let nodes = [network.flows[0].from, network.flows[0].to].map(NodeId::from_index);
        let (left, arrived, lost, under_way) = Default::default();
        let (frames, sent, merges, merged) = Default::default();
        Ends {
            nodes,
            frames,
            has_ids: false,
            merges,
            misses: None,
            merged,
            sent,
            under_way,
            clock,
            left,
            arrived,
            lost,
        }
    }

    /// Returns the identification of a packet that leaves a link. Packets keep their order on a link.
    fn leaves(&mut self, of: usize, link: usize, name: &Name) -> u16 {
        self.under_way[of][link].get_mut(name).and_then(VecDeque::pop_front).unwrap_or_default()
    }

    /// The captures as files.
    fn files(&mut self) -> [Vec<u8>; 2] {
        [0, 1].map(|end| {
            let mut frames = std::mem::take(&mut self.frames[end]);
            if let Some(every) = self.misses.filter(|_| end == 1) {
                let mut number = 0;
                frames.retain(|frame| {
                    let is_data = matches!(&frame.packet.body, wire::Body::Tcp(segment) if segment.len > 0);
                    number += usize::from(is_data);
                    !is_data || number % every != 0
                });
            }
            if !self.has_ids {
                (0..).zip(&mut frames).for_each(|(number, frame)| frame.id = number);
            }
            if self.merges[end] {
                let count = frames.len();
                frames = merged(frames);
                self.merged[end] = count - frames.len();
            }
            let mut writer = Writer::new(Vec::new(), &["node"]).expect("memory");
            for Frame { at, direction, packet, id } in frames {
                let mut bytes = wire::bytes::serialize_headers(&packet, id);
                bytes.resize(packet.size() as usize, 0);
                writer.whole(0, at, direction, &bytes).expect("memory");
            }
            writer.finish().expect("memory")
        })
    }
}

/// Merges consecutive segments of one direction, as offloading merges segments that leave together or arrive shortly
/// after one another.
fn merged(frames: Vec<Frame>) -> Vec<Frame> {
    let mut all: Vec<Frame> = Vec::new();
    let (mut pieces, mut full) = (0, 0);
    for frame in frames {
        if let Some(last) = all.last_mut()
            && pieces < 16
            && last.direction == frame.direction
            && frame.at.since(last.at) <= Span::from_millis(if frame.direction == Direction::Out { 0 } else { 5 })
            && let (wire::Body::Tcp(whole), wire::Body::Tcp(next)) = (&mut last.packet.body, &frame.packet.body)
            && whole.len == full * pieces
            && next.len > 0
            && whole.seq + whole.len == next.seq
            && (whole.ack, whole.options) == (next.ack, next.options)
            && last.id.wrapping_add(pieces as u16) == frame.id
        {
            whole.len += next.len;
            whole.flags = next.flags;
            last.at = frame.at;
            pieces += 1;
            continue;
        }
        full = if let wire::Body::Tcp(segment) = &frame.packet.body { segment.len } else { 0 };
        pieces = 1;
        all.push(frame);
    }
    all
}

impl Sink for Ends {
    const ACTIVE: bool = true;

    fn event(&mut self, at: Time, event: &Event) {
        match event {
            Event::Node { node, event: NodeEvent::Transit { packet }, .. } if !self.nodes.contains(node) => {
                let of = usize::from(packet.dst == self.nodes[0].addr());
                let name = name(packet).expect("TCP");
                let id = self.leaves(of, 0, &name);
                self.under_way[of][1].entry(name).or_default().push_back(id);
            }
            Event::Node { node, event, .. } => {
                let Some(end) = self.nodes.iter().position(|of| of == node) else { return };
                let (packet, direction) = match event {
                    NodeEvent::Sent { packet } => (packet, Direction::Out),
                    NodeEvent::Received { packet } => (packet, Direction::In),
                    // The capture is at a station instead of the sender.
                    NodeEvent::Transit { packet } if packet.dst == self.nodes[1].addr() => (packet, Direction::Out),
                    NodeEvent::Transit { packet } => (packet, Direction::In),
                    _ => return,
                };
                let of = if direction == Direction::Out { end } else { 1 - end };
                let times = if direction == Direction::Out { &mut self.left } else { &mut self.arrived };
                let name = name(packet).expect("TCP");
                times[of].entry(name).or_default().push(at);
                let id = if direction == Direction::Out {
                    self.sent[of] = self.sent[of].wrapping_add(1);
                    self.under_way[of][0].entry(name).or_default().push_back(self.sent[of]);
                    self.sent[of]
                } else {
                    self.leaves(of, 1, &name)
                };
                let ahead = if end == 1 { self.clock } else { (Span::ZERO, 0.0) };
                let drift = Span::from_nanos((at.as_nanos() as f64 * ahead.1 / 1e6).round() as u64);
                self.frames[end].push(Frame { at: at + ahead.0 + drift, direction, packet: *packet, id });
            }
            Event::Link {
                event:
                    LinkEvent::Lost { packet }
                    | LinkEvent::QueueFull { packet, .. }
                    | LinkEvent::DroppedEarly { packet, .. }
                    | LinkEvent::GivenUp { packet, .. },
                of: Some(of),
                ..
            } => {
                let (of, name) = (usize::from(!of.from_sender), name(packet).expect("TCP"));
                *self.lost[of].entry(name).or_default() += 1;
                // Data passes the station before the link that loses packets.
                self.leaves(of, 1 - of, &name);
            }
            _ => {}
        }
    }
}

/// A scenario of a transfer with this link between station and mobile.
fn scenario(air: &str, tcp: &str, seed: u64) -> String {
    of_size(1500, air, tcp, seed)
}

fn of_size(kilobytes: u32, air: &str, tcp: &str, seed: u64) -> String {
    format!(
        "duration = \"60 s\"\nseed = {seed}\n[nodes]\nserver = {{ kind = \"host\" }}\nstation = {{ kind = \"base-station\" }}\nmobile = {{ kind = \"host\" }}\n\
         [links.wire]\nkind = \"wired\"\nbetween = [\"server\", \"station\"]\nrate = \"20 Mbps\"\ndelay = \"10 ms\"\nqueue = \"unlimited\"\n\
         [links.air]\nkind = \"wireless\"\nbetween = [\"station\", \"mobile\"]\n{air}\n\
         [flows.download]\nfrom = \"server\"\nto = \"mobile\"\nbytes = \"{kilobytes} kB\"\nmss = \"1000 B\"\ntcp = {{ {tcp} }}\n"
    )
}

const AIRS: [(&str, &str); 4] = [
    ("independent losses", "rate = \"4 Mbps\"\ndelay = \"10 ms\"\nchannel = { kind = \"uniform\", loss = 0.02 }"),
    (
        "bursts",
        "rate = \"2 Mbps\"\ndelay = \"5 ms\"\nchannel = { kind = \"two-state\", mean_good = \"1 s\", mean_bad = \"80 ms\" }",
    ),
    ("a short queue", "rate = \"2 Mbps\"\ndelay = \"20 ms\"\nqueue = \"12 packets\""),
    (
        "delay spikes",
        "rate = \"1 Mbps\"\ndelay = \"5 ms\"\nqueue = \"100 packets\"\ndelay_spikes = [{ at = \"3 s\", duration = \"90 ms\", extra_delay = \"1600 ms\" }, { at = \"7 s\", duration = \"50 ms\", extra_delay = \"1500 ms\" }]",
    ),
];
const TCPS: [&str; 4] = [
    "variant = \"reno\", handshake = true",
    "variant = \"sack\", handshake = true, timestamps = true",
    "variant = \"linux\", handshake = true",
    "variant = \"newreno\", handshake = false",
];

/// Runs a scenario; returns its captures and the events of packets.
fn joined(text: &str, clock: (Span, f64), swapped: bool, check: impl FnOnce(&BothEnds<'_>, &Ends)) {
    let network = build_network(text);
    let ends = Ends::new(&network, clock);
    joined_at(&network, ends, if swapped { [1, 0] } else { [0, 1] }, check);
}

/// Joins captures at these nodes, in this order, and checks the result.
fn joined_at(network: &Network, mut ends: Ends, order: [usize; 2], check: impl FnOnce(&BothEnds<'_>, &Ends)) {
    World::new(network, true).run(&mut ends);
    let directory = tempfile::tempdir().expect("a directory");
    let files: Vec<CaptureFile> = ends
        .files()
        .into_iter()
        .enumerate()
        .map(|(end, file)| {
            let path = directory.path().join(format!("{end}.pcapng"));
            std::fs::write(&path, file).expect("written");
            CaptureFile::open(&path).expect("a capture")
        })
        .collect();
    check(&BothEnds::of(order.map(|end| &files[end]), None).expect("joined"), &ends);
}

fn by_name(packets: &[Crossing], chosen: impl Fn(&Crossing) -> bool) -> BTreeMap<Name, usize> {
    let mut counts = BTreeMap::new();
    for packet in packets.iter().filter(|packet| chosen(packet)) {
        *counts.entry((packet.seq.0, packet.ack.0, packet.len)).or_default() += 1;
    }
    counts
}

#[test]
fn lost_packets_of_both_directions_agree_with_the_run() {
    let (mut lost, mut spurious) = ([0, 0], 0);
    for (number, (name, air)) in AIRS.iter().enumerate() {
        for (of, tcp) in TCPS.iter().enumerate() {
            let seed = (10 * number + of) as u64;
            joined(&scenario(air, tcp, seed), (Span::ZERO, 0.0), seed % 2 == 1, |both, run| {
                let ways = [&both.joined.data, &both.joined.acks];
                for (direction, way) in ways.into_iter().enumerate() {
                    assert_eq!((way.unseen, way.missed), (0, 0));
                    let unknown = by_name(&way.packets, |packet| packet.fate.is_unknown());
                    let mut found = by_name(&way.packets, Crossing::is_lost);
                    // The capture at the other end had ended before these packets could have arrived.
                    for (name, times) in unknown {
                        assert!(times <= 1);
                        if run.lost[direction].contains_key(&name) {
                            *found.entry(name).or_default() += times;
                        }
                    }
                    assert_eq!(found, run.lost[direction], "{name}, {tcp}, direction {direction}");
                    lost[direction] += way.count_lost();
                }
                // Data that arrives twice was transmitted once more than necessary.
                let data = run.arrived[0].iter().filter(|((_, _, len), _)| *len > 0);
                let mut arrivals: BTreeMap<u32, usize> = BTreeMap::new();
                data.for_each(|((seq, ..), times)| *arrivals.entry(*seq).or_default() += times.len());
                let twice: usize = arrivals.values().map(|times| times - 1).sum();
                let arrives = |packet: &&Crossing| packet.spurious && packet.arrival().is_some();
                let found = both.joined.data.packets.iter().filter(arrives).count();
                assert_eq!(found, twice, "{name}, {tcp}");
                spurious += twice;
            });
        }
    }
    assert!(lost[0] > 100 && lost[1] > 50 && spurious > 100, "{lost:?} lost, {spurious} spurious");
}

/// Acknowledged data was not lost, whether or not the capture shows it.
#[test]
fn packets_that_the_capture_missed_are_not_lost() {
    let network = build_network(&scenario(AIRS[0].1, TCPS[1], 60));
    let ends = Ends { misses: Some(10), ..Ends::new(&network, (Span::ZERO, 0.0)) };
    joined_at(&network, ends, [0, 1], |both, run| {
        let data = &both.joined.data;
        let found = by_name(&data.packets, Crossing::is_lost);
        assert!(found.iter().all(|(name, times)| run.lost[0].get(name) >= Some(times)), "{found:?}");
        // The capture may have missed the retransmission of a lost packet.
        assert!(10 * found.len() >= 8 * run.lost[0].len(), "{} of {}", found.len(), run.lost[0].len());
        assert!(data.missed > 100, "{}", data.missed);
    });
}

/// A piece of a merged segment is a single packet in the other capture.
#[test]
fn lost_packets_agree_with_the_run_where_offloading_merges_segments() {
    for (place, merges) in [[true, false], [false, true], [true, true]].into_iter().enumerate() {
        for has_ids in [false, true] {
            let network = build_network(&scenario(AIRS[0].1, TCPS[1 + place.min(1)], 40 + place as u64));
            let ends = Ends { has_ids, merges, ..Ends::new(&network, (Span::ZERO, 0.0)) };
            joined_at(&network, ends, [0, 1], |both, run| {
                assert!((0..2).all(|end| merges[end] == (run.merged[end] > 100)), "{:?} merged", run.merged);
                assert!(both.whole_path);
                for (direction, way) in [&both.joined.data, &both.joined.acks].into_iter().enumerate() {
                    assert_eq!(way.unseen, 0, "{merges:?}, ids: {has_ids}, direction {direction}");
                    let found = by_name(&way.packets, Crossing::is_lost);
                    assert_eq!(found, run.lost[direction], "{merges:?}, ids: {has_ids}, direction {direction}");
                }
                assert!(both.joined.data.count_lost() > 10);
            });
        }
    }
}

/// The clock offset cannot be distinguished from a difference between the directions: times are correct up to that
/// offset.
#[test]
fn delays_agree_with_the_run_except_for_the_clock_offset() {
    let (_, air) = AIRS[0];
    for (clock, tolerance) in
        [((Span::ZERO, 0.0), 1e-6), ((Span::from_secs(3700), 0.0), 1e-6), ((Span::from_millis(12), 60.0), 20e-6)]
    {
        joined(&of_size(6000, air, TCPS[1], 5), clock, true, |both, run| {
            let seen = both.joined.clock;
            assert!((seen.skew - clock.1).abs() < 2.0, "{} of {} ppm", seen.skew, clock.1);
            let mut compared = 0;
            let mut offsets = Vec::new();
            for (direction, way) in [&both.joined.data, &both.joined.acks].into_iter().enumerate() {
                // Of two transmissions of the same packet, only the timestamp identifies the one that arrived.
                let once = |name: &Name| {
                    let (left, arrived) = (&run.left[direction][name], run.arrived[direction].get(name)?);
                    (left.len() == 1 && arrived.len() == 1).then(|| arrived[0].since(left[0]).as_secs_f64())
                };
                for packet in &way.packets {
                    let Some(at) = packet.arrival() else { continue };
                    let Some(truth) = once(&(packet.seq.0, packet.ack.0, packet.len)) else { continue };
                    let error = at.since(packet.sent).as_secs_f64() - truth;
                    offsets.push(if direction == 0 { error } else { -error });
                    compared += 1;
                }
            }
            assert!(compared > 1500, "{compared} compared");
            // A single offset fits all delays.
            offsets.sort_by(f64::total_cmp);
            let spread = offsets[offsets.len() - 1] - offsets[0];
            assert!(spread < tolerance, "{clock:?}: {spread} s, {seen:?}");
            // The transmission time of a segment on both links is longer than that of an acknowledgment.
            assert!(offsets[0].abs() < 2e-3, "{} s", offsets[0]);
            let start = both.joined.data.packets.first().expect("packets").sent;
            let ahead = both.clock_ahead() - i128::from(start.as_nanos());
            let given = i128::from(clock.0.as_nanos());
            assert!((ahead - given).abs() < 3_000_000, "{ahead} of {given}");
        });
    }
}

/// The fate of each transmission is known from both captures together.
#[test]
fn explanation_of_both_ends_has_the_losses_of_the_run() {
    #[derive(Default)]
    struct Lost(usize);
    impl CapturedSink for Lost {
        fn on_captured(&mut self, _: Time, fact: &CapturedFact) {
            self.0 += usize::from(matches!(fact, CapturedFact::Lost { .. }));
        }
    }
    let (_, air) = AIRS[3];
    joined(&scenario(air, TCPS[0], 3), (Span::from_millis(100), 0.0), false, |both, run| {
        let (explained, lost) = both.explain(|_| Lost::default()).expect("explained");
        assert!(explained.survey.is_at_sender());
        assert_eq!(lost.0, both.joined.data.count_lost());
        assert_eq!(lost.0, run.lost[0].values().sum::<usize>());
        assert!(explained.report.findings.iter().any(|finding| finding.kind == "spurious-timeout"));
    });
}

/// Counts of inferred fates, and of those fates that both captures confirm: lost, or arrived within the bounds.
#[derive(Default)]
struct BoundsCheck<'a> {
    truth: Option<&'a Truth>,
    inferred: u32,
    confirmed: u32,
}

impl CapturedSink for BoundsCheck<'_> {
    fn on_captured(&mut self, at: Time, fact: &CapturedFact) {
        let CapturedFact::Sent(sent) = fact else { return };
        let truth = self.truth.and_then(|truth| truth.get(&(at, sent.seq as u32))?.value());
        let (Some(truth), Evidence::Inferred { low, high, .. }) = (truth, sent.fate) else { return };
        let is_confirmed = (low..=high).contains(&truth);
        self.inferred += 1;
        self.confirmed += u32::from(is_confirmed);
    }
}

/// The fates and arrivals of transmissions that are inferred from the capture of one end are true: at least 95 % of the
/// fates, and of the bounds of arrivals.
#[test]
fn inferred_fates_and_bounds_contain_the_truth() {
    for (name, air) in AIRS {
        for tcp in TCPS {
            joined(&scenario(air, tcp, 3), (Span::from_millis(100), 0.0), false, |both, _| {
                let truth = both.truth().expect("both ends");
                let sink = |_: &CapturedConnection| BoundsCheck { truth: Some(&truth), ..BoundsCheck::default() };
                let explained = both.files[0].explain(&both.numbers[..1], Some(Vantage::Sender), sink);
                let (_, BoundsCheck { inferred, confirmed, .. }) = explained.expect("explained").remove(0);
                assert!(inferred > 1000, "{name}, {tcp}: {inferred}");
                assert!(100 * confirmed >= 95 * inferred, "{name}, {tcp}: {confirmed} of {inferred}");
            });
        }
    }
}

/// A capture at the station does not show whether data arrives at the far end.
#[test]
fn capture_between_the_ends_shows_a_part_of_the_path() {
    let network = build_network(&scenario(AIRS[0].1, TCPS[1], 5));
    let station = NodeId::new(1);
    let mut ends = Ends::new(&network, (Span::ZERO, 0.0));
    ends.nodes[0] = station;
    joined_at(&network, ends, [1, 0], |both, run| {
        assert!(!both.whole_path && both.truth().is_none());
        assert_eq!(by_name(&both.joined.data.packets, Crossing::is_lost), run.lost[0]);
        let (explained, _) = both.explain(|_| sim::NullSink).expect("explained");
        assert!(!explained.survey.is_at_sender());
    });
    joined(&scenario(AIRS[0].1, TCPS[1], 5), (Span::ZERO, 0.0), false, |both, _| assert!(both.whole_path));
}

/// Both captures are at one end, and neither shows the sender's times.
#[test]
fn two_captures_of_one_end_are_explained_with_the_place_of_that_end() {
    let network = build_network(&scenario(AIRS[0].1, TCPS[1], 5));
    for (end, place) in [(0, Vantage::Sender), (1, Vantage::Receiver)] {
        joined_at(&network, Ends::new(&network, (Span::ZERO, 0.0)), [end, end], |both, _| {
            assert!(!both.whole_path && both.truth().is_none());
            let (explained, _) = both.explain(|_| sim::NullSink).expect("explained");
            assert_eq!(explained.survey.vantage.value(), Some(place));
        });
    }
}

#[test]
fn captures_without_a_common_connection_are_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let files = [0_u16, 1].map(|port| {
        let mut writer = Writer::new(Vec::new(), &["a"]).expect("memory");
        let syn =
            wire::Segment { src_port: 1000 + port, dst_port: 80, len: 10, flags: Flags::ACK, ..Default::default() };
        let (from, to) = (Addr::of_node(0), Addr::of_node(1));
        let packet = Packet::new(from, to, wire::Body::Tcp(syn));
        writer.packet(0, Time::ZERO, Direction::Out, &packet).expect("memory");
        let path = directory.path().join(format!("{port}.pcapng"));
        std::fs::write(&path, writer.finish().expect("memory")).expect("written");
        CaptureFile::open(&path).expect("a capture")
    });
    let error = BothEnds::of([&files[0], &files[1]], None).expect_err("other ports");
    assert!(error.to_string().contains("found no connection between 10.0.0.1:1000 and 10.0.0.2:80"), "{error}");
    let error = BothEnds::of([&files[0], &files[0]], None).expect_err("no answers");
    assert!(error.to_string().contains("in the direction of acknowledgments"), "{error}");
}
