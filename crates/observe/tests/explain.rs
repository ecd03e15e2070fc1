//! Findings of `observe::explain` in handwritten events, and in runs whose waiting times are known.

use engine::{Span, Time};
use observe::explain::{Explain, Finding, FlowReport};
use path::{LinkDirection, LinkEvent, LinkId};
use sim::{Event, FlowId, Network, NodeEvent, NodeId, PacketFlow, Sink};
use tcp::Reason;
use testkit::{build_network, run_with_sink, thesis_text, whole_millis, wire_text};
use wire::{Addr, Body, Ecn, Flags, Packet, Segment, SeqNum};

/// Bytes of data in a segment of the handwritten events: 1000 on the wire, 1 ms at 8 Mbps.
const SEGMENT: u32 = 960;

/// Handwritten events: one flow from host 0 to host 1 over a wire of 8 Mbps and 100 ms. Times are in milliseconds,
/// segments are counted from 0.
struct Script {
    explain: Explain,
    now: Time,
}

impl Script {
    fn new() -> Self {
        let flow = format!("mss = \"{SEGMENT} B\"\nbytes = \"96 kB\"\nreceive_window = \"9600 B\"");
        Script { explain: Explain::new(&build_network(&wire_text("8 Mbps", "100 ms", &flow))), now: Time::ZERO }
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
        self.event(Event::Sender { flow: FLOW, event })
    }

    fn link(&mut self, direction: LinkDirection, event: LinkEvent) -> &mut Self {
        let of = event.packet().map(flow_of);
        self.event(Event::Link { hop: LinkId::new(0).hop(direction), event, of })
    }

    /// Makes the sender send a segment.
    fn send(&mut self, segment: u64, reason: Reason) -> &mut Self {
        self.tcp(tcp::Event::SegmentSent { seq: segment * u64::from(SEGMENT), len: SEGMENT, reason });
        self.event(sent(0, data(segment)))
    }

    /// Makes the sender send an ECN-capable segment.
    fn send_capable(&mut self, segment: u64, reason: Reason) -> &mut Self {
        self.tcp(tcp::Event::SegmentSent { seq: segment * u64::from(SEGMENT), len: SEGMENT, reason });
        self.event(sent(0, with_ecn(segment, Ecn::Ect0)))
    }

    /// The queue of the wire marks it.
    fn marked(&mut self, segment: u64) -> &mut Self {
        self.link(LinkDirection::Forward, LinkEvent::Marked { packet: with_ecn(segment, Ecn::Ce) })
    }

    /// Loses a packet on the wire, at the time at which it would otherwise arrive.
    fn lost(&mut self, segment: u64) -> &mut Self {
        self.link(LinkDirection::Forward, LinkEvent::Lost { packet: data(segment) })
    }

    /// The full queue of the wire drops the packet.
    fn queue_full(&mut self, segment: u64) -> &mut Self {
        self.link(LinkDirection::Forward, LinkEvent::QueueFull { packet: data(segment), arrived: self.now })
    }

    /// The packet reaches the receiver, which acknowledges everything before segment `next`.
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
        self.event(Event::FlowCompleted { flow: FLOW });
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
    Packet::new(Addr::of_node(src), Addr::of_node(1 - src), Body::Tcp(segment))
}

/// Returns the flow and stream offset of a packet of flow 0. Both streams begin with sequence number 0.
fn flow_of(packet: &Packet) -> PacketFlow {
    let Body::Tcp(segment) = &packet.body else { panic!("{packet:?}") };
    let (seq, ack) = (Some(u64::from(segment.seq.0)), Some(u64::from(segment.ack.0)));
    PacketFlow { flow: FLOW, from_sender: segment.len > 0, seq, ack }
}

fn sent(node: u32, packet: Packet) -> Event {
    let node = NodeId::new(node);
    Event::Node { node, event: NodeEvent::Sent { packet }, of: Some(flow_of(&packet)) }
}

/// The only flow.
const FLOW: FlowId = FlowId::new(0);

fn data(number: u64) -> Packet {
    segment(0, number * u64::from(SEGMENT), 0, SEGMENT)
}

fn with_ecn(number: u64, ecn: Ecn) -> Packet {
    Packet { ecn, ..data(number) }
}

fn ack(next: u64) -> Packet {
    segment(1, 0, next * u64::from(SEGMENT), 0)
}

/// Kind, start, end and cost of a finding, in whole milliseconds.
fn row(finding: &Finding) -> (&'static str, u64, u64, u64) {
    (finding.kind, whole_millis(finding.from), whole_millis(finding.to), ms(finding.cost))
}

/// All findings, the costliest first.
fn rows(report: &FlowReport) -> Vec<(&'static str, u64, u64, u64)> {
    report.findings.iter().map(row).collect()
}

/// Start, end and cost of the findings of one kind.
fn of_kind(report: &FlowReport, kind: &str) -> Vec<(u64, u64, u64)> {
    let of_kind = report.findings.iter().filter(|finding| finding.kind == kind);
    of_kind.map(row).map(|(_, from, to, cost)| (from, to, cost)).collect()
}

fn ms(span: Span) -> u64 {
    whole_millis(Time::ZERO + span)
}

#[test]
fn transfer_without_problems_has_no_findings() {
    let mut script = Script::new();
    script.at(0).window(1.0, f64::INFINITY).send(0, Reason::New);
    script.at(101).arrive(0, 1);
    script.at(201).acked(1, false);
    let report = script.complete();
    assert!(report.findings.is_empty() && report.completed, "{report:?}");
    assert_eq!((ms(report.took), ms(report.lost), ms(report.lost_avoidably)), (201, 0, 0));
}

/// The segment is on the wire from 0 to 1 and would have arrived at 101: from then until the timer expires at 1000
/// nothing can arrive. The retransmission at 1000 is lost too; the next timeout ends a silence that began at 1000 and a
/// period with an empty network that began at 1101. Lost time counted once: 0 to 1, and 101 to 3000.
#[test]
fn timeout_and_repeated_timeout_are_found() {
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
        [(Time::from_millis(1000), Time::from_millis(3000), "repeated-timeout: 2 s".to_owned())]
    );
}

/// The timer expires at 150, when the segment has arrived and its acknowledgment is in flight. The retransmission
/// occupies the wire from 150 to 151 needlessly, and arrives at 251.
#[test]
fn timeout_is_spurious_while_the_acknowledgment_is_in_flight() {
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

/// The wire's queue marks the first segment, which arrives at 101. The second segment is lost at the end of the wire.
/// Therefore the network is empty from 300 on, and the timeout ends the wait at 1300.
#[test]
fn ecn_mark_does_not_change_the_identity_of_a_packet() {
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

/// The timer expires at 50 while the marked segment is in flight; the retransmission occupies the wire from 50 to 51 in
/// vain.
#[test]
fn timeout_is_spurious_for_marked_and_unmarked_segments() {
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

/// The acknowledgment of the test above is lost at 201, so that the timeout is needed.
#[test]
fn timeout_is_necessary_if_the_acknowledgment_is_lost() {
    let mut script = Script::new();
    script.at(0).window(1.0, f64::INFINITY).send(0, Reason::New);
    script.at(101).arrive(0, 1);
    script.at(150).timeout(0, 1).send(0, Reason::Timeout);
    script.at(201).link(LinkDirection::Backward, LinkEvent::Lost { packet: ack(1) });
    script.at(251).arrive(0, 1);
    script.at(351).acked(1, false);
    assert_eq!(of_kind(&script.complete(), "spurious-timeout"), []);
}

/// The segment at 0 is dropped by its own node's buffer, and the one at 1000 by the queue of the wire, which it reached
/// at 1101 after the node's processing delay: the network is empty from 0 to 1000, and from 1101 to 3000. Both drops
/// are congestion, so the reductions of cwnd are justified.
#[test]
fn drop_by_a_full_buffer_empties_the_network() {
    let mut script = Script::new();
    let (node, packet) = (NodeId::new(0), data(0));
    let full = Event::Node { node, event: NodeEvent::BufferFull { packet }, of: Some(flow_of(&packet)) };
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

/// A reduction from 8 to 4 segments at 1000, back to 6 at 3000, and to 8 at 4000: 2000 x 4/8 + 1000 x 2/8 = 1250.
fn cut(lose: fn(&mut Script)) -> FlowReport {
    let mut script = Script::new();
    script.at(0).window(8.0, f64::INFINITY).send(0, Reason::New);
    script.at(100);
    lose(&mut script);
    script.at(1000).tcp(tcp::Event::FastRetransmit { seq: 0 }).window(7.0, 4.0).send(0, Reason::FastRetransmit);
    // Recovery inflates cwnd by a segment for each duplicate, which does not count as growth of cwnd.
    script.at(1050).window(9.0, 4.0);
    script.at(1101).arrive(0, 1);
    script.at(1201).acked(1, false).tcp(tcp::Event::RecoveryEnd).window(4.0, 4.0);
    script.at(3000).window(6.0, 4.0);
    script.at(4000).window(8.0, 4.0);
    script.complete()
}

#[test]
fn reduction_without_congestion_costs_the_missing_window_until_it_is_restored() {
    let report = cut(|script| {
        script.lost(0);
    });
    assert_eq!(of_kind(&report, "needless-cut"), [(1000, 4000, 1250)]);
    assert_eq!(ms(report.lost_avoidably), 1250);
}

#[test]
fn reduction_after_an_ecn_mark_is_no_finding() {
    let report = cut(|script| {
        script.marked(0);
    });
    assert_eq!(of_kind(&report, "needless-cut"), []);
}

/// cwnd falls from 8 to 4 at 1000 without congestion, and from 4 to 2 at 2000 for a mark. It is 4 again at 3000, and 8
/// at 4000. The part below 4 is due to the mark, so that 3000 x 4/8 remains.
#[test]
fn reduction_for_a_mark_is_not_attributed_to_an_earlier_reduction() {
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
fn reduction_after_a_drop_is_no_finding() {
    let report = cut(|script| {
        script.queue_full(0);
    });
    assert_eq!(of_kind(&report, "needless-cut"), []);
    assert_eq!(ms(report.lost), 0);
}

/// 8 to 4 at 1000, 4 to 2 at 2000, 4 again at 3000, 8 at 4000. The part below 4 is due to the second reduction: 1000 x
/// 2/8. The part above is due to the first: 3000 x 4/8. The total, counted once, is 1750.
#[test]
fn cost_of_nested_reductions_is_counted_once() {
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

/// Two reductions from 8 to 4 segments last a second each. The second one counts in full although ssthresh is already
/// 4. Then the network reports a loss, and recovery from it does not reduce cwnd.
#[test]
fn second_reduction_to_the_same_ssthresh_is_found() {
    let mut script = Script::new();
    script.at(0).window(8.0, f64::INFINITY);
    for begins in [1000, 3000] {
        script.at(begins).tcp(tcp::Event::FastRetransmit { seq: 0 }).window(7.0, 4.0);
        script.at(begins + 500).tcp(tcp::Event::RecoveryEnd).window(4.0, 4.0);
        script.at(begins + 1000).window(8.0, 4.0);
    }
    script.at(5000).tcp(tcp::Event::NotifiedRecovery { seq: 0 }).window(7.0, 4.0);
    script.at(5500).tcp(tcp::Event::RecoveryEnd).window(8.0, 4.0);
    assert_eq!(of_kind(&script.complete(), "needless-cut"), [(1000, 2000, 500), (3000, 4000, 500)]);
}

/// A reduction from 8 to 4 segments at 1000, undone at 1400 without an end of recovery: 400 x 4/8. The growth to 10 at
/// 1500 counts, so the reduction to 5 at 3000 begins at 10; it ends at 4000: 1000 x 5/10.
#[test]
fn undone_reduction_costs_the_time_until_the_undo() {
    let mut script = Script::new();
    script.at(0).window(8.0, f64::INFINITY);
    script.at(1000).tcp(tcp::Event::FastRetransmit { seq: 0 }).window(7.0, 4.0);
    script.at(1400).tcp(tcp::Event::Undone).window(8.0, f64::INFINITY);
    script.at(1500).window(10.0, f64::INFINITY);
    script.at(3000).tcp(tcp::Event::FastRetransmit { seq: 0 }).window(7.0, 5.0);
    script.at(3500).tcp(tcp::Event::RecoveryEnd).window(5.0, 5.0);
    script.at(4000).window(10.0, 5.0);
    assert_eq!(of_kind(&script.complete(), "needless-cut"), [(3000, 4000, 500), (1000, 1400, 200)]);
}

/// Runs the scenario, and explains its only flow.
fn explained(network: &Network) -> FlowReport {
    let mut explain = Explain::new(network);
    let results = run_with_sink(network, &mut explain);
    explain.finish(results.ended).remove(0)
}

/// The run of section 5.4.3 under `scheme`; thesis_timelines.rs has its event times.
fn two_losses(scheme: &str) -> FlowReport {
    let channel = r#"{ kind = "scripted", bad = [["1233.5 ms", "1250 ms"], ["1570 ms", "1778 ms"]] }"#;
    let head = format!("profile = \"goel1997\"\nscheme = \"{scheme}\"");
    explained(&build_network(&thesis_text(&head, 170, channel, "bytes = \"40 KiB\"\nreceive_window = \"4 KiB\"")))
}

/// The last duplicate arrives at 97221 of the thesis's clock, ours less 95247. The timer expires at 97703 with
/// unmodified TCP. Under the Simple scheme it expires at 98003, and again at 99354, after the last duplicate at 98705
/// [goel1997 figures 5.3, 5.4].
#[test]
fn losses_of_the_thesis_example_cost_the_waits_in_its_figures() {
    let unmodified = two_losses("unmodified");
    assert_eq!(of_kind(&unmodified, "idle-wait"), [(1974, 2456, 97_703 - 97_221)]);
    assert_eq!(of_kind(&unmodified, "repeated-timeout"), []);
    let cuts: Vec<&Finding> = unmodified.findings.iter().filter(|finding| finding.kind == "needless-cut").collect();
    assert_eq!(cuts.len(), 1);
    assert_eq!(whole_millis(cuts[0].from), 2456);

    let simple = two_losses("simple-icmp");
    let waits = [(1974, 2756, 98_003 - 97_221), (3458, 4107, 99_354 - 98_705)];
    assert_eq!(of_kind(&simple, "idle-wait"), waits);
    assert_eq!(of_kind(&simple, "repeated-timeout"), [(2756, 4107, 99_354 - 98_705)]);
    assert_eq!(of_kind(&simple, "needless-cut"), []);

    let refined = two_losses("refined-icmp");
    for kind in ["idle-wait", "repeated-timeout", "spurious-timeout", "needless-cut"] {
        assert_eq!(of_kind(&refined, kind), [], "{kind}");
    }
    // The channel states are the same for all schemes: 19 attempts of 11 ms from 1575 on, as the messages of the
    // timelines show.
    for report in [unmodified, simple, refined] {
        assert!(of_kind(&report, "bad-air").contains(&(1575, 1575 + 19 * 11, 19 * 11)), "{report:?}");
    }
}

/// 492 ms in each direction: one segment per round trip of 995 ms, and an RTO that has decreased to 1000 ms. The 31st
/// segment leaves at 29850 and reaches the station at 30343. Its attempts then and 11 and 22 ms later fall into BAD;
/// the fourth, at 30376, succeeds, so its acknowledgment arrives at 30878. The timer expires at 30850; its
/// retransmission occupies the radio link from 31343 to 31352 needlessly, because the link layer still held the
/// segment.
#[test]
fn link_layer_retries_beyond_the_rto_make_a_timeout_spurious() {
    let channel = r#"{ kind = "scripted", bad = [["30340 ms", "30370 ms"]] }"#;
    let head = "profile = \"goel1997\"\nscheme = \"unmodified\"";
    let flow = "bytes = \"40 KiB\"\nreceive_window = \"1 KiB\"";
    let report = explained(&build_network(&thesis_text(head, 492, channel, flow)));
    let expected =
        [("bad-air", 30_343, 30_376, 33), ("spurious-timeout", 30_850, 31_352, 9), ("raced-resend", 30_850, 31_352, 9)];
    assert_eq!(rows(&report)[1..], expected);
    // The one-segment window costs more than all other findings together.
    assert_eq!(report.findings[0].kind, "receiver-window");
    let spurious = &report.findings[2].text;
    assert!(spurious.contains("arrived 28 ms later; the needless retransmission of 1 segment"), "{spurious}");
}

/// One segment takes 1 ms, its acknowledgment 0.04 ms, the propagation 100 ms: a round trip is 201.04 ms. With a window
/// of 4 segments the wire sends for 4 ms of it and is idle for 197.04 ms. Slow start fills the window with segments 3
/// to 6 of 43; ten windows follow each other with nine idle times between, and no more data after the last.
#[test]
fn small_window_costs_the_idle_rest_of_the_round_trip() {
    let flow = "mss = \"960 B\"\nbytes = \"41280 B\"\nreceive_window = \"3840 B\"";
    let report = explained(&build_network(&wire_text("8 Mbps", "100 ms", flow)));
    let kinds: Vec<(&str, Span)> = report.findings.iter().map(|finding| (finding.kind, finding.cost)).collect();
    assert_eq!(kinds, [("receiver-window", Span::from_nanos(9 * 197_040_000))]);
    assert_eq!(report.lost, report.findings[0].cost);
}

/// A receive window of 4000 bytes holds the same four segments as one of 3840 bytes. cwnd of a sender that counts
/// segments stays at 3840 bytes.
#[test]
fn fraction_of_a_segment_in_the_window_does_not_change_the_cost() {
    let cost = |variant: &str, window: u32| {
        let tcp = format!("tcp = {{ variant = \"{variant}\", timestamps = false }}");
        let flow = format!("mss = \"960 B\"\nbytes = \"41280 B\"\nreceive_window = \"{window} B\"\n{tcp}");
        let report = explained(&build_network(&wire_text("8 Mbps", "100 ms", &flow)));
        let [finding] = &report.findings[..] else { panic!("{variant}: {:?}", report.findings) };
        (finding.kind, finding.cost)
    };
    for variant in ["reno", "linux-reno"] {
        assert_eq!(cost(variant, 3840).0, "receiver-window");
        assert_eq!(cost(variant, 3840), cost(variant, 4000), "{variant}");
    }
}

/// A link whose table changes its parameters, from the start or between the packets of two transfers, is explained with
/// the parameters in force. No finding changes its cost.
#[test]
fn link_with_a_rate_table_is_explained_with_the_current_row() {
    let flow = "start = \"1 s\"\nmss = \"960 B\"\nbytes = \"41280 B\"\nreceive_window = \"3840 B\"";
    let costs = |report: &FlowReport| report.findings.iter().map(|found| (found.kind, found.cost)).collect::<Vec<_>>();
    let plain = explained(&build_network(&wire_text("8 Mbps", "100 ms", flow)));
    assert_eq!(costs(&plain), [("receiver-window", Span::from_nanos(9 * 197_040_000))]);
    for rows in ["0,8,100\\n", "0,1,7\\n0.5,8,100\\n5000,2,3\\n"] {
        let table = format!("link_trace.contents = \"time_s,rate_Mbps,delay_ms\\n{rows}\"");
        let text = wire_text("56 kbps", "1 s", flow).replace("[flows.flow]", &format!("{table}\n[flows.flow]"));
        let changed = explained(&build_network(&text));
        assert_eq!((changed.took, costs(&changed)), (plain.took, costs(&plain)), "{rows}");
    }
}

/// Ten segments of 1 ms leave at 1 to 10 ms; the delay is 50 ms. The first would arrive at 51 ms and arrives 38 ms later,
/// at 89 ms. The third duplicate acknowledgment leaves at 54 ms. With timestamps and a block of SACK it has 64 bytes, so
/// it arrives at 104.064 ms, and halves the window of ten segments. The acknowledgment of the first segment has 52 bytes
/// and arrives at 139.052 ms. It echoes a timestamp from before the retransmission, so the reduction is undone:
/// 34.988 ms x 5/10 = 17.494 ms.
#[test]
fn fast_retransmit_of_an_overtaken_segment_costs_until_its_undo() {
    let flow = "mss = \"960 B\"\nbytes = \"96 kB\"\nreceive_window = \"96 kB\"\ntcp = { variant = \"linux-reno\" }";
    let late = "delay_spikes = [{ at = \"50.5 ms\", extra_delay = \"38 ms\", duration = \"1 ms\", directions = \"forward\" }]\n\
                jitter = { delay = { kind = \"constant\", value = \"0 ms\" }, reordering = true }\n[flows.flow]";
    let report = explained(&build_network(&wire_text("8 Mbps", "50 ms", flow).replace("[flows.flow]", late)));
    let cuts: Vec<_> = report.findings.iter().filter(|finding| finding.kind == "needless-cut").collect();
    let [cut] = cuts[..] else { panic!("{:?}", report.findings) };
    let micros = |micros: u64| Span::from_nanos(1000 * micros);
    let expected = (Time::ZERO + micros(104_064), Time::ZERO + micros(139_052), micros(17_494));
    assert_eq!((cut.from, cut.to, cut.cost), expected);
}

/// The wire is slow upstream. Downstream 1504 bytes leave per millisecond, so that a window of four segments leaves the
/// wire idle.
#[test]
fn recorded_direction_is_explained_by_its_recording() {
    let flow = "mss = \"960 B\"\nbytes = \"41280 B\"\nreceive_window = \"3840 B\"";
    let recorded = "delivery_trace.forward.contents = \"1\\n\"\n[flows.flow]";
    let report = explained(&build_network(&wire_text("100 kbps", "100 ms", flow).replace("[flows.flow]", recorded)));
    // Nine of ten windows wait for the next one. A round trip has 100 ms in each direction, up to 2 ms of waiting for
    // delivery opportunities and 3.2 ms for an acknowledgment; four segments keep the link busy for 4 x 8 x 1000 bits /
    // 12.032 Mbps = 2.66 ms of it.
    let cost = report.findings.iter().map(|found| found.cost.as_secs_f64() * 1e3 / 9.0).sum::<f64>();
    assert!((203.2 - 2.66..=205.2 - 2.66).contains(&cost), "{cost}: {:?}", report.findings);
}

/// Ten segments fill the window. The first is lost at 101; the third duplicate, at 204, triggers its retransmission: on
/// the wire until 205, at the receiver at 305, acknowledged at 405. During this time the window is full of the data
/// behind the hole, and the window's size is not the cause.
#[test]
fn window_filled_by_data_behind_a_hole_is_no_finding() {
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

/// A transfer with a large window follows the transfer of the test above, between the same nodes. Ports distinguish the
/// flows.
#[test]
fn flows_between_the_same_nodes_are_distinguished() {
    let first = "mss = \"960 B\"\nbytes = \"41280 B\"\nreceive_window = \"3840 B\"";
    let second = "from = \"a\"\nto = \"b\"\nstart = \"20 s\"\nbytes = \"960 kB\"\nreceive_window = \"245760 B\"";
    let network = build_network(&wire_text("8 Mbps", "100 ms", &format!("{first}\n[flows.second]\n{second}")));
    let mut explain = Explain::new(&network);
    let results = run_with_sink(&network, &mut explain);
    let reports = explain.finish(results.ended);
    assert!(reports.iter().all(|report| report.completed) && reports.len() == 2, "{reports:?}");
    assert_eq!(reports[0].lost, Span::from_nanos(9 * 197_040_000));
    assert!(reports[1].findings.is_empty(), "{reports:?}");
}

/// The window of 256 segments is larger than the bandwidth-delay product of 201 segments. Slow start is not attributed
/// to the receive window.
#[test]
fn large_window_without_loss_has_no_findings() {
    let flow = "mss = \"960 B\"\nbytes = \"960 kB\"\nreceive_window = \"245760 B\"";
    let report = explained(&build_network(&wire_text("8 Mbps", "100 ms", flow)));
    assert!(report.findings.is_empty(), "{:?}", report.findings);
}
