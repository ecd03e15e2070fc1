//! The event times that the thesis prints, to the millisecond.

use engine::Time;
use path::LinkEvent;
use sim::Event;
use tcp::Reason;
use testkit::{build_network, record_events, thesis_text, whole_millis};
use wire::NoticeKind;

/// Times of the events selected by `pick`.
fn times<T>(events: &[(Time, Event)], pick: impl Fn(&tcp::Event) -> Option<T>) -> Vec<(u64, T)> {
    let sender = events.iter().filter_map(|(at, event)| match event {
        Event::Sender { event, .. } => Some((*at, pick(event)?)),
        _ => None,
    });
    sender.map(|(at, what)| (whole_millis(at), what)).collect()
}

/// Appendix B.4: the segment at 15360 is sent nine times from 945 to 1033, each time with a new frame number, and
/// retransmitted by the source at 1174, after the third duplicate acknowledgment.
#[test]
fn times_of_appendix_b_match_to_the_millisecond() {
    let channel = r#"{ kind = "scripted", bad = [["940 ms", "1040 ms"]] }"#;
    let text = thesis_text("profile = \"goel1997\"", 100, channel, "bytes = \"100 KiB\"\nreceive_window = \"16 KiB\"");
    let (_, events) = record_events(&build_network(&text));
    let mut corrupted = Vec::new();
    let mut given_up = Vec::new();
    for (at, event) in &events {
        match event {
            Event::Link { event: LinkEvent::FrameCorrupted { number, packet, .. }, .. } => {
                corrupted.push((whole_millis(*at), *number, packet.data().unwrap().seq.0));
            }
            Event::Link { event: LinkEvent::GivenUp { number, attempts, .. }, .. } => {
                given_up.push((whole_millis(*at), *number, *attempts));
            }
            _ => {}
        }
    }
    let clocks = [945, 956, 967, 978, 989, 1000, 1011, 1022, 1033];
    let expected: Vec<_> = clocks.iter().zip(15..).map(|(clock, number)| (*clock, number, 15_360)).collect();
    assert_eq!(corrupted, expected);
    assert_eq!(given_up, [(1044, 23, 9)]);
    let resent = times(&events, |event| match event {
        tcp::Event::SegmentSent { seq, reason: Reason::FastRetransmit, .. } => Some(*seq),
        _ => None,
    });
    assert_eq!(resent, [(1174, 15_360)]);
}

/// Offset of the paper's clock from simulated time in section 5.4.3: the losses shown there occurred later in its run.
const OFFSET: u64 = 95_247;

/// The run of section 5.4.3 under `scheme`.
fn two_losses(scheme: &str) -> Vec<(Time, Event)> {
    let channel = r#"{ kind = "scripted", bad = [["1233.5 ms", "1250 ms"], ["1570 ms", "1778 ms"]] }"#;
    let head = format!("profile = \"goel1997\"\nscheme = \"{scheme}\"");
    record_events(&build_network(&thesis_text(&head, 170, channel, "bytes = \"40 KiB\"\nreceive_window = \"4 KiB\""))).1
}

/// Acknowledgments (in segments) from 96 700 to 99 800 on the paper's clock.
fn acks(events: &[(Time, Event)]) -> Vec<(u64, u64)> {
    let acks = times(events, |event| match event {
        tcp::Event::AckReceived { ack, .. } => Some(ack / 1024),
        _ => None,
    });
    acks.into_iter().map(|(at, ack)| (at + OFFSET, ack)).filter(|(at, _)| (96_704..99_800).contains(at)).collect()
}

fn timeouts(events: &[(Time, Event)]) -> Vec<(u64, u64)> {
    let timeouts = times(events, |event| match event {
        tcp::Event::Timeout { seq, .. } => Some(seq / 1024),
        _ => None,
    });
    timeouts.into_iter().map(|(at, seq)| (at + OFFSET, seq)).collect()
}

/// Figure 5.4: duplicates at 97211 and 97221, timeout at 97703, and the acknowledgments of the two losses at 98054 and
/// 98405: 1754 ms after the first lost segment was sent at 96651.
#[test]
fn unmodified_tcp_recovers_two_losses_with_one_timeout() {
    let events = two_losses("unmodified");
    assert_eq!(timeouts(&events), [(97_703, 11)]);
    assert_eq!(acks(&events)[..5], [(97_211, 11), (97_221, 11), (98_054, 12), (98_405, 15), (98_415, 15)]);
    let first_sent = times(&events, |event| match event {
        tcp::Event::SegmentSent { seq, reason: Reason::New, .. } if *seq == 11 * 1024 => Some(()),
        _ => None,
    });
    assert_eq!(first_sent, [(96_651 - OFFSET, ())]);
}

/// Figure 5.3 shows timeouts at 98003 and 99354, and acknowledgments at 98354 and 99705: 3054 ms.
#[test]
fn simple_icmp_recovers_two_losses_with_two_timeouts() {
    let events = two_losses("simple-icmp");
    assert_eq!(timeouts(&events), [(98_003, 11), (99_354, 12)]);
    assert_eq!(acks(&events), [(97_211, 11), (97_221, 11), (98_354, 12), (98_705, 12), (99_705, 16)]);
}

/// The thesis prints no times for this case; the messages follow from the link layer's timing (a failed attempt takes
/// 11 ms, nine of them 99 ms), and both lost segments are retransmitted as soon as the base station has given them up.
#[test]
fn refined_icmp_recovers_two_losses_without_a_timeout() {
    let events = two_losses("refined-icmp");
    assert_eq!(timeouts(&events), []);
    let messages = times(&events, |event| match event {
        tcp::Event::NoticeReceived { kind, seq } => Some((*kind, seq / 1024)),
        _ => None,
    });
    // The frame of the first segment begins at 1404 + 1 + 170 = 1575, and its first timer expires at 1586.
    assert_eq!(
        messages[1..],
        [
            (1586 + 170, (NoticeKind::Defer, 11)),
            (1674 + 170, (NoticeKind::Retransmit, 11)),
            (1685 + 170, (NoticeKind::Defer, 12)),
            (1773 + 170, (NoticeKind::Retransmit, 12)),
            (1784 + 170, (NoticeKind::Defer, 13)),
        ]
    );
    let resent = times(&events, |event| match event {
        tcp::Event::SegmentSent { seq, reason: Reason::Notice, .. } => Some(seq / 1024),
        _ => None,
    });
    assert_eq!(resent, [(1844, 11), (1943, 12)]);
}
