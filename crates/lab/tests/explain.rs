//! Findings of `observe::explain`: in events made by hand, and in runs whose waits are known.

mod common;

use common::{millis, network, thesis, wire};
use engine::{Span, Time};
use lab::run::record;
use observe::explain::{Explain, Finding, FlowReport};
use path::{HopId, LinkDirection, LinkEvent};
use sim::{Event, Network, NodeEvent, PacketFlow, Sink};
use std::ops::ControlFlow;
use tcp::Reason;
use wire::{Addr, Body, Ecn, Flags, Packet, Segment, SeqNum};

/// Bytes of data in a segment of the events made by hand: 1000 on the wire, 1 ms at 8 Mbps.
const SEGMENT: u32 = 960;

/// Events written down by hand: one flow from host 0 to host 1 over a wire of 8 Mbps and 100 ms. Times are
/// milliseconds, segments are counted from 0.
struct Script {
    explain: Explain,
    now: Time,
}

impl Script {
    fn new() -> Self {
        let flow = format!("mss = \"{SEGMENT} B\"\nbytes = \"96 kB\"\nreceive_window = \"9600 B\"");
        Script { explain: Explain::new(&network(&wire("8 Mbps", "100 ms", &flow))), now: Time::ZERO }
    }

    fn at(&mut self, ms: u64) -> &mut Self {
        self.now = Time::from_millis(ms);
        self
    }

    fn event(&mut self, event: Event) -> &mut Self {
        self.explain.event(self.now, &event);
        self
    }

    fn tcp(&mut self, event: tcp::Event) -> &mut Self {
        self.event(Event::Sender { flow: 0, event })
    }

    fn link(&mut self, way: LinkDirection, event: LinkEvent) -> &mut Self {
        let of = event.packet().map(flow_of);
        self.event(Event::Link { hop: HopId { link: 0, way }, event, of })
    }

    /// The sender sends a segment.
    fn send(&mut self, segment: u64, reason: Reason) -> &mut Self {
        self.tcp(tcp::Event::SegmentSent { seq: segment * u64::from(SEGMENT), len: SEGMENT, reason });
        self.event(sent(0, data(segment)))
    }

    /// The sender sends a segment that may be marked.
    fn send_capable(&mut self, segment: u64, reason: Reason) -> &mut Self {
        self.tcp(tcp::Event::SegmentSent { seq: segment * u64::from(SEGMENT), len: SEGMENT, reason });
        self.event(sent(0, with_ecn(segment, Ecn::Ect0)))
    }

    /// The queue in front of the wire marks it.
    fn marked(&mut self, segment: u64) -> &mut Self {
        self.link(LinkDirection::Forward, LinkEvent::Marked { packet: with_ecn(segment, Ecn::Ce) })
    }

    /// It is lost on the wire: now it would have arrived.
    fn lost(&mut self, segment: u64) -> &mut Self {
        self.link(LinkDirection::Forward, LinkEvent::Lost { packet: data(segment) })
    }

    /// It finds the queue in front of the wire full.
    fn queue_full(&mut self, segment: u64) -> &mut Self {
        self.link(LinkDirection::Forward, LinkEvent::QueueFull { packet: data(segment) })
    }

    /// It reaches the receiver, which acknowledges everything before segment `next`.
    fn arrive(&mut self, segment: u64, next: u64) -> &mut Self {
        self.link(LinkDirection::Forward, LinkEvent::Arrived { packet: data(segment) });
        self.event(sent(1, ack(next)))
    }

    /// The acknowledgment of everything before `next` reaches the sender.
    fn acked(&mut self, next: u64, duplicate: bool) -> &mut Self {
        self.link(LinkDirection::Backward, LinkEvent::Arrived { packet: ack(next) });
        self.tcp(tcp::Event::AckReceived { ack: next * u64::from(SEGMENT), duplicate })
    }

    fn timeout(&mut self, segment: u64, nth: u32) -> &mut Self {
        self.tcp(tcp::Event::Timeout { seq: segment * u64::from(SEGMENT), nth, rto: Span::from_secs(1) })
    }

    /// cwnd and ssthresh, in segments.
    fn window(&mut self, cwnd: f64, ssthresh: f64) -> &mut Self {
        let bytes = f64::from(SEGMENT);
        self.tcp(tcp::Event::Window { cwnd: cwnd * bytes, ssthresh: ssthresh * bytes })
    }

    fn complete(mut self) -> FlowReport {
        self.event(Event::FlowCompleted { flow: 0 });
        self.explain.finish(self.now).remove(0)
    }
}

fn segment(src: usize, seq: u64, ack: u64, len: u32) -> Packet {
    let segment = Segment {
        src_port: 10_000,
        dst_port: 10_000,
        seq: SeqNum::from_offset(seq),
        ack: SeqNum::from_offset(ack),
        flags: Flags::ACK,
        window: 9600,
        len,
        ..Segment::default()
    };
    Packet { src: Addr::of_node(src), dst: Addr::of_node(1 - src), ecn: Ecn::NotEct, body: Body::Tcp(segment) }
}

/// Where a packet of flow 0 belongs: both streams begin with sequence number 0.
fn flow_of(packet: &Packet) -> PacketFlow {
    let Body::Tcp(segment) = &packet.body else { panic!("{packet:?}") };
    let (seq, ack) = (Some(u64::from(segment.seq.0)), Some(u64::from(segment.ack.0)));
    PacketFlow { flow: 0, from_sender: segment.len > 0, seq, ack }
}

fn sent(node: u32, packet: Packet) -> Event {
    Event::Node { node, event: NodeEvent::Sent { packet }, of: Some(flow_of(&packet)) }
}

fn data(number: u64) -> Packet {
    segment(0, number * u64::from(SEGMENT), 0, SEGMENT)
}

fn with_ecn(number: u64, ecn: Ecn) -> Packet {
    Packet { ecn, ..data(number) }
}

fn ack(next: u64) -> Packet {
    segment(1, 0, next * u64::from(SEGMENT), 0)
}

/// Kind, from, to and cost of a finding, in whole milliseconds.
fn row(finding: &Finding) -> (&'static str, u64, u64, u64) {
    (finding.kind, millis(finding.from), millis(finding.to), ms(finding.cost))
}

/// Each finding, the costliest first.
fn rows(report: &FlowReport) -> Vec<(&'static str, u64, u64, u64)> {
    report.findings.iter().map(row).collect()
}

/// From, to and cost of the findings of one kind.
fn of_kind(report: &FlowReport, kind: &str) -> Vec<(u64, u64, u64)> {
    let of_kind = report.findings.iter().filter(|finding| finding.kind == kind);
    of_kind.map(row).map(|(_, from, to, cost)| (from, to, cost)).collect()
}

fn ms(span: Span) -> u64 {
    millis(Time::ZERO + span)
}

#[test]
fn a_transfer_without_trouble_has_nothing_to_explain() {
    let mut script = Script::new();
    script.at(0).window(1.0, f64::INFINITY).send(0, Reason::New);
    script.at(101).arrive(0, 1);
    script.at(201).acked(1, false);
    let report = script.complete();
    assert!(report.findings.is_empty() && report.completed, "{report:?}");
    assert_eq!((ms(report.took), ms(report.lost), ms(report.lost_avoidably)), (201, 0, 0));
}

/// The segment is on the wire from 0 to 1 and would have arrived at 101: from then to the timer at 1000 nothing can
/// come. Resent at 1000 it is lost again; the next timer ends a silence that began at 1000 and an emptiness that began
/// at 1101. Lost once counted: 0 to 1, and 101 to 3000.
#[test]
fn waits_for_the_timer_and_a_second_expiry_for_the_same_window() {
    let mut script = Script::new();
    script.at(0).window(1.0, f64::INFINITY).send(0, Reason::New);
    script.at(101).lost(0);
    script.at(1000).timeout(0, 1).send(0, Reason::Timeout);
    script.at(1101).lost(0);
    script.at(3000).timeout(0, 2).send(0, Reason::Timeout);
    script.at(3101).arrive(0, 1);
    script.at(3201).acked(1, false);
    let report = script.complete();
    let expected = [
        ("repeated-timeout", 1000, 3000, 2000),
        ("idle-wait", 1101, 3000, 1899),
        ("idle-wait", 101, 1000, 899),
        ("bad-air", 0, 1, 1),
        ("bad-air", 1000, 1001, 1),
    ];
    assert_eq!(rows(&report), expected);
    assert_eq!((ms(report.lost), ms(report.lost_avoidably)), (1 + 2899, 2899));
    assert_eq!(report.timeouts, 2);
    assert_eq!(
        report.marks(1),
        [(Time::from_millis(1000), Time::from_millis(3000), "repeated-timeout: 2000 ms".to_owned())]
    );
}

/// The timer expires at 150, when the segment has arrived and its acknowledgment is on the way. What is sent again is
/// on the wire from 150 to 151 for nothing, and it is there at 251.
#[test]
fn a_timeout_is_spurious_while_the_acknowledgment_is_on_its_way() {
    let mut script = Script::new();
    script.at(0).window(1.0, f64::INFINITY).send(0, Reason::New);
    script.at(101).arrive(0, 1);
    script.at(150).timeout(0, 1).send(0, Reason::Timeout);
    script.at(201).acked(1, false).send(1, Reason::New);
    script.at(251).arrive(0, 1);
    script.at(302).arrive(1, 2);
    script.at(351).acked(1, true);
    script.at(402).acked(2, false);
    assert_eq!(rows(&script.complete()), [("spurious-timeout", 150, 251, 1)]);
}

/// The wire's queue marks the first segment, and it arrives at 101. The second is lost where it would have arrived, so
/// from 300 on nothing is in the network, and the timer ends the wait at 1300.
#[test]
fn a_packet_that_was_marked_on_its_way_is_the_same_packet() {
    let mut script = Script::new();
    script.at(0).window(1.0, f64::INFINITY).send_capable(0, Reason::New);
    script.marked(0).at(101).link(LinkDirection::Forward, LinkEvent::Arrived { packet: with_ecn(0, Ecn::Ce) });
    script.event(sent(1, ack(1)));
    script.at(199).acked(1, false).send_capable(1, Reason::New);
    script.marked(1).at(300).link(LinkDirection::Forward, LinkEvent::Lost { packet: with_ecn(1, Ecn::Ce) });
    script.at(1300).timeout(1, 1).send(1, Reason::Timeout);
    script.at(1401).arrive(1, 2);
    script.at(1501).acked(2, false);
    assert_eq!(of_kind(&script.complete(), "idle-wait"), [(300, 1300, 1000)]);
}

/// The timer expires at 50 while the marked segment is on its way; what is sent again is on the wire from 50 to 51 for
/// nothing.
#[test]
fn a_timeout_is_spurious_whether_the_segment_was_marked_or_not() {
    let mut script = Script::new();
    script.at(0).window(1.0, f64::INFINITY).send_capable(0, Reason::New).marked(0);
    script.at(50).timeout(0, 1).send(0, Reason::Timeout);
    script.at(101).link(LinkDirection::Forward, LinkEvent::Arrived { packet: with_ecn(0, Ecn::Ce) });
    script.event(sent(1, ack(1)));
    script.at(151).arrive(0, 1);
    script.at(201).acked(1, false).send(1, Reason::New);
    script.at(251).acked(1, true);
    script.at(302).arrive(1, 2);
    script.at(402).acked(2, false);
    assert_eq!(rows(&script.complete()), [("spurious-timeout", 50, 151, 1)]);
}

/// As above, but the acknowledgment is lost at 201: the timeout was needed.
#[test]
fn a_timeout_is_needed_when_the_acknowledgment_is_lost() {
    let mut script = Script::new();
    script.at(0).window(1.0, f64::INFINITY).send(0, Reason::New);
    script.at(101).arrive(0, 1);
    script.at(150).timeout(0, 1).send(0, Reason::Timeout);
    script.at(201).link(LinkDirection::Backward, LinkEvent::Lost { packet: ack(1) });
    script.at(251).arrive(0, 1);
    script.at(351).acked(1, false);
    assert_eq!(of_kind(&script.complete(), "spurious-timeout"), []);
}

/// The segment at 0 finds no room in its own node, and the one at 1000 none in the queue of the wire, where it stood in
/// line with the node's processing until 1101: nothing is in the network from 0 to 1000, and from 1101 to 3000. Both
/// are congestion, so the cuts are what TCP is meant to do.
#[test]
fn a_full_buffer_leaves_nothing_in_the_network() {
    let mut script = Script::new();
    let full = Event::Node { node: 0, event: NodeEvent::BufferFull { packet: data(0) }, of: Some(flow_of(&data(0))) };
    script.at(0).window(8.0, f64::INFINITY);
    script.tcp(tcp::Event::SegmentSent { seq: 0, len: SEGMENT, reason: Reason::New }).event(full);
    script.at(1000).timeout(0, 1).window(4.0, 4.0).send(0, Reason::Timeout);
    script.at(1101).queue_full(0);
    script.at(3000).timeout(0, 2).window(1.0, 4.0).send(0, Reason::Timeout);
    script.at(3101).arrive(0, 1);
    script.at(3201).acked(1, false).window(8.0, 4.0);
    let report = script.complete();
    assert_eq!(of_kind(&report, "idle-wait"), [(1101, 3000, 1899), (0, 1000, 1000)]);
    assert_eq!(of_kind(&report, "needless-cut"), []);
}

/// A cut from 8 to 4 segments at 1000, to 6 at 3000, and whole at 4000: 2000 x 4/8 + 1000 x 2/8 = 1250.
fn cut(lose: fn(&mut Script)) -> FlowReport {
    let mut script = Script::new();
    script.at(0).window(8.0, f64::INFINITY).send(0, Reason::New);
    script.at(100);
    lose(&mut script);
    script.at(1000).tcp(tcp::Event::FastRetransmit { seq: 0 }).window(7.0, 4.0).send(0, Reason::FastRetransmit);
    // Recovery adds a segment for each duplicate; that is not the window growing.
    script.at(1050).window(9.0, 4.0);
    script.at(1101).arrive(0, 1);
    script.at(1201).acked(1, false).tcp(tcp::Event::RecoveryEnd).window(4.0, 4.0);
    script.at(3000).window(6.0, 4.0);
    script.at(4000).window(8.0, 4.0);
    script.complete()
}

#[test]
fn a_cut_without_congestion_costs_what_is_missing_until_the_window_is_whole() {
    let report = cut(|script| {
        script.lost(0);
    });
    assert_eq!(of_kind(&report, "needless-cut"), [(1000, 4000, 1250)]);
    assert_eq!(ms(report.lost_avoidably), 1250);
}

#[test]
fn a_cut_after_a_mark_is_what_tcp_is_meant_to_do() {
    let report = cut(|script| {
        script.marked(0);
    });
    assert_eq!(of_kind(&report, "needless-cut"), []);
}

/// 8 to 4 at 1000 without congestion; 4 to 2 at 2000 for a mark; 4 again at 3000, 8 at 4000. What is missing below 4 is
/// the mark's doing: 3000 x 4/8 is left.
#[test]
fn what_an_answered_mark_cuts_is_not_charged_to_the_cut_before() {
    let mut script = Script::new();
    script.at(0).window(8.0, f64::INFINITY).send(0, Reason::New);
    script.at(101).lost(0);
    script.at(1000).timeout(0, 1).window(4.0, 4.0).send(0, Reason::Timeout);
    script.at(1101).arrive(0, 1);
    script.at(1201).acked(1, false);
    script.at(2000).tcp(tcp::Event::MarkAnswered).window(2.0, 2.0);
    script.at(3000).window(4.0, 2.0);
    script.at(4000).window(8.0, 2.0);
    assert_eq!(of_kind(&script.complete(), "needless-cut"), [(1000, 4000, 1500)]);
}

#[test]
fn a_cut_after_a_full_queue_is_what_tcp_is_meant_to_do() {
    let report = cut(|script| {
        script.queue_full(0);
    });
    assert_eq!(of_kind(&report, "needless-cut"), []);
    assert_eq!(ms(report.lost), 0);
}

/// 8 to 4 at 1000, 4 to 2 at 2000, 4 again at 3000, 8 at 4000. The second cut answers for what is missing below 4:
/// 1000 x 2/8. The first for what is above: 3000 x 4/8. Together, and once counted, 1750.
#[test]
fn a_cut_within_a_cut_answers_for_its_own_slice() {
    let mut script = Script::new();
    script.at(0).window(8.0, f64::INFINITY).send(0, Reason::New);
    script.at(101).lost(0);
    script.at(1000).timeout(0, 1).window(4.0, 4.0).send(0, Reason::Timeout);
    script.at(1101).lost(0);
    script.at(2000).timeout(0, 2).window(2.0, 2.0).send(0, Reason::Timeout);
    script.at(2101).arrive(0, 1);
    script.at(2201).acked(1, false);
    script.at(3000).window(4.0, 2.0);
    script.at(4000).window(8.0, 2.0);
    assert_eq!(of_kind(&script.complete(), "needless-cut"), [(1000, 4000, 1500), (2000, 3000, 250)]);
}

/// Twice from 8 to 4 segments for a second: that the threshold is 4 already makes the second cut no smaller. Then a
/// loss that the network has notified: it begins recovery with a fast retransmit, and cuts nothing.
#[test]
fn a_second_cut_to_the_same_threshold_is_a_cut() {
    let mut script = Script::new();
    script.at(0).window(8.0, f64::INFINITY);
    for begins in [1000, 3000] {
        script.at(begins).tcp(tcp::Event::FastRetransmit { seq: 0 }).window(7.0, 4.0);
        script.at(begins + 500).tcp(tcp::Event::RecoveryEnd).window(4.0, 4.0);
        script.at(begins + 1000).window(8.0, 4.0);
    }
    script.at(5000).tcp(tcp::Event::NotifiedRecovery { seq: 0 }).tcp(tcp::Event::FastRetransmit { seq: 0 });
    script.window(7.0, 4.0);
    script.at(5500).tcp(tcp::Event::RecoveryEnd).window(8.0, 4.0);
    assert_eq!(of_kind(&script.complete(), "needless-cut"), [(1000, 2000, 500), (3000, 4000, 500)]);
}

/// Runs, and explains its only flow.
fn explained(network: &Network) -> FlowReport {
    let mut explain = Explain::new(network);
    let results =
        record(network, &mut explain, |_| false, &mut |_| ControlFlow::Continue(())).expect("the run is not stopped");
    explain.finish(results.ended).remove(0)
}

/// The run of section 5.4.3 under `scheme`; thesis_timelines.rs has its event times.
fn two_losses(scheme: &str) -> FlowReport {
    let channel = r#"{ kind = "scripted", bad = [["1233.5 ms", "1250 ms"], ["1570 ms", "1778 ms"]] }"#;
    let head = format!("profile = \"goel1997\"\nscheme = \"{scheme}\"");
    explained(&network(&thesis(&head, 170, channel, "bytes = \"40 KiB\"\nreceive_window = \"4 KiB\"")))
}

/// The last duplicate comes at 97221 of the thesis's clock, ours less 95247. The timer expires at 97703 unmodified.
/// Under the Simple scheme at 98003, and once more at 99354, after the last duplicate at 98705 [goel1997 figures 5.3,
/// 5.4].
#[test]
fn the_two_losses_of_the_thesis_cost_the_waits_it_draws() {
    let unmodified = two_losses("unmodified");
    assert_eq!(of_kind(&unmodified, "idle-wait"), [(1974, 2456, 97_703 - 97_221)]);
    assert_eq!(of_kind(&unmodified, "repeated-timeout"), []);
    let cuts: Vec<&Finding> = unmodified.findings.iter().filter(|finding| finding.kind == "needless-cut").collect();
    assert_eq!(cuts.len(), 1);
    assert_eq!(millis(cuts[0].from), 2456);

    let simple = two_losses("simple-icmp");
    let waits = [(1974, 2756, 98_003 - 97_221), (3458, 4107, 99_354 - 98_705)];
    assert_eq!(of_kind(&simple, "idle-wait"), waits);
    assert_eq!(of_kind(&simple, "repeated-timeout"), [(2756, 4107, 99_354 - 98_705)]);
    assert_eq!(of_kind(&simple, "needless-cut"), []);

    let refined = two_losses("refined-icmp");
    for kind in ["idle-wait", "repeated-timeout", "spurious-timeout", "needless-cut"] {
        assert_eq!(of_kind(&refined, kind), [], "{kind}");
    }
    // The air is the same for all: 19 attempts of 11 ms from 1575 on, as the messages of the timelines say.
    for report in [unmodified, simple, refined] {
        assert!(of_kind(&report, "bad-air").contains(&(1575, 1575 + 19 * 11, 19 * 11)), "{report:?}");
    }
}

/// 492 ms each way: one segment a round trip of 995 ms, and a timer that has come down to 1000 ms. The 31st segment
/// leaves at 29850 and is at the station at 30343. Its attempts then and 11 and 22 ms later meet BAD air; the fourth,
/// at 30376, is good, so its acknowledgment will come at 30878. The timer expires at 30850; what it sends again holds
/// the air from 31343 to 31352 for nothing, and it is the link layer that it raced.
#[test]
fn a_link_layer_that_tries_longer_than_the_timer_waits_makes_a_timeout_spurious() {
    let channel = r#"{ kind = "scripted", bad = [["30340 ms", "30370 ms"]] }"#;
    let head = "profile = \"goel1997\"\nscheme = \"unmodified\"";
    let flow = "bytes = \"40 KiB\"\nreceive_window = \"1 KiB\"";
    let report = explained(&network(&thesis(head, 492, channel, flow)));
    let expected =
        [("bad-air", 30_343, 30_376, 33), ("spurious-timeout", 30_850, 31_352, 9), ("raced-resend", 30_850, 31_352, 9)];
    assert_eq!(rows(&report)[1..], expected);
    // The window of one segment costs more than all that.
    assert_eq!(report.findings[0].kind, "receiver-window");
    let spurious = &report.findings[2].text;
    assert!(spurious.contains("it was there 28 ms later; 1 segment sent"), "{spurious}");
}

/// One segment takes 1 ms, its acknowledgment 0.04 ms, the way 100 ms: a round trip is 201.04 ms. With a window of 4
/// segments the wire sends for 4 ms of it and stands idle for 197.04 ms. Slow start fills the window with segments 3 to
/// 6 of 43; ten windows follow each other with nine such waits between, and no more data after the last.
#[test]
fn a_small_window_costs_what_the_round_trip_has_beyond_it() {
    let flow = "mss = \"960 B\"\nbytes = \"41280 B\"\nreceive_window = \"3840 B\"";
    let report = explained(&network(&wire("8 Mbps", "100 ms", flow)));
    let kinds: Vec<(&str, Span)> = report.findings.iter().map(|finding| (finding.kind, finding.cost)).collect();
    assert_eq!(kinds, [("receiver-window", Span::from_nanos(9 * 197_040_000))]);
    assert_eq!(report.lost, report.findings[0].cost);
}

/// A link that a table makes another, from the beginning or between one transfer's packets and the next one's, is
/// explained as that other one: no finding has another cost.
#[test]
fn a_link_with_a_table_is_explained_by_its_rows() {
    let flow = "start = \"1 s\"\nmss = \"960 B\"\nbytes = \"41280 B\"\nreceive_window = \"3840 B\"";
    let costs = |report: &FlowReport| report.findings.iter().map(|found| (found.kind, found.cost)).collect::<Vec<_>>();
    let plain = explained(&network(&wire("8 Mbps", "100 ms", flow)));
    assert_eq!(costs(&plain), [("receiver-window", Span::from_nanos(9 * 197_040_000))]);
    for rows in ["0,8,100\\n", "0,1,7\\n0.5,8,100\\n5000,2,3\\n"] {
        let table = format!("link_trace.contents = \"time_s,rate_Mbps,delay_ms\\n{rows}\"");
        let text = wire("56 kbps", "1 s", flow).replace("[flows.flow]", &format!("{table}\n[flows.flow]"));
        let changed = explained(&network(&text));
        assert_eq!((changed.took, costs(&changed)), (plain.took, costs(&plain)), "{rows}");
    }
}

/// The wire is slow up, and down 1504 bytes leave each millisecond: a window of four segments leaves it idle.
#[test]
fn a_recorded_direction_is_explained_by_its_recording() {
    let flow = "mss = \"960 B\"\nbytes = \"41280 B\"\nreceive_window = \"3840 B\"";
    let recorded = "delivery_trace.forward.contents = \"1\\n\"\n[flows.flow]";
    let report = explained(&network(&wire("100 kbps", "100 ms", flow).replace("[flows.flow]", recorded)));
    // Of ten windows nine wait for the next. A round trip has 100 ms each way, up to 2 ms for chances to send and 3.2
    // ms for an acknowledgment, of which four segments keep the link busy for 4 x 8 x 1000 bits / 12.032 Mbps = 2.66
    // ms.
    let cost = report.findings.iter().map(|found| found.cost.as_secs_f64() * 1e3 / 9.0).sum::<f64>();
    assert!((203.2 - 2.66..=205.2 - 2.66).contains(&cost), "{cost}: {:?}", report.findings);
}

/// Ten segments fill the window. The first is lost at 101; the third duplicate, at 204, has it sent again: it is on the
/// wire until 205, at the receiver at 305, acknowledged at 405. All that time the window is full of what is behind it,
/// and it is not the window's size that counts.
#[test]
fn a_window_full_of_data_behind_a_hole_is_not_too_small() {
    let mut script = Script::new();
    script.at(0).window(10.0, f64::INFINITY);
    (0..10).for_each(|number| {
        script.send(number, Reason::New);
    });
    script.at(101).lost(0);
    (1..10).for_each(|number| {
        script.at(101 + number).arrive(number, 0);
    });
    (1..4).for_each(|duplicate| {
        script.at(201 + duplicate).acked(0, true);
    });
    script.tcp(tcp::Event::FastRetransmit { seq: 0 }).window(13.0, 10.0).send(0, Reason::FastRetransmit);
    (4..10).for_each(|duplicate| {
        script.at(201 + duplicate).acked(0, true);
    });
    script.at(305).arrive(0, 10);
    script.at(405).acked(10, false).tcp(tcp::Event::RecoveryEnd).window(10.0, 10.0);
    let report = script.complete();
    assert_eq!(of_kind(&report, "window-behind-hole"), [(204, 405, 200)]);
    assert_eq!(of_kind(&report, "receiver-window"), []);
}

/// The same transfer, and after it one with a large window between the same nodes: ports tell them apart.
#[test]
fn flows_between_the_same_nodes_are_told_apart() {
    let first = "mss = \"960 B\"\nbytes = \"41280 B\"\nreceive_window = \"3840 B\"";
    let second = "from = \"a\"\nto = \"b\"\nstart = \"20 s\"\nbytes = \"960 kB\"\nreceive_window = \"245760 B\"";
    let network = network(&wire("8 Mbps", "100 ms", &format!("{first}\n[flows.second]\n{second}")));
    let mut explain = Explain::new(&network);
    let results =
        record(&network, &mut explain, |_| false, &mut |_| ControlFlow::Continue(())).expect("the run is not stopped");
    let reports = explain.finish(results.ended);
    assert!(reports.iter().all(|report| report.completed) && reports.len() == 2, "{reports:?}");
    assert_eq!(reports[0].lost, Span::from_nanos(9 * 197_040_000));
    assert!(reports[1].findings.is_empty(), "{reports:?}");
}

/// A window that the path cannot fill: 256 segments, where 201 would do. Slow start is not the receiver's fault.
#[test]
fn a_large_window_without_loss_has_nothing_to_explain() {
    let flow = "mss = \"960 B\"\nbytes = \"960 kB\"\nreceive_window = \"245760 B\"";
    let report = explained(&network(&wire("8 Mbps", "100 ms", flow)));
    assert!(report.findings.is_empty(), "{:?}", report.findings);
}
