//! Go-back-N, selective repeat and FEC driven step by step, with times computed by hand.
//!
//! Packets 0, 1, 2, ... of 125 bytes at 1 Mbps take 1 ms, propagation 2 ms, a link acknowledgment of 14 bytes 0.112 ms,
//! the margin is 1 ms. A frame that begins at t arrives at t + 3, its acknowledgment at t + 5.112, and is overdue at t
//! + 6.112 ms.

use crate::common;

use common::{EventLog, Sending, packet};
use engine::{IdVec, Rate, Schedule, Span, Stream, Time};
use path::channel::{ChannelConfig, scripted};
use path::link::{Timing, TransmissionLine};
use path::mac::arq::{ArqConfig, fec, go_back_n, selective_repeat};
use path::outcome::LinkOutcome;
use path::queue::{Limit, RouterBuffer};
use path::{Cx, HopId, LinkDirection, LinkEvent, LinkId};
use wire::Packet;

const HOP: HopId = LinkId::new(0).hop(LinkDirection::Forward);

fn seq(packet: &Packet) -> u32 {
    packet.data().expect("only data was offered").seq.0
}

/// Describes an event as a line, with its time in microseconds.
fn describe_event((at, _, event): (Time, HopId, LinkEvent)) -> Option<String> {
    let text = match &event {
        LinkEvent::Joined { .. } | LinkEvent::Dequeued { .. } => return None,
        LinkEvent::FrameSent { number, attempt, .. } => format!("sent {number}, attempt {attempt}"),
        LinkEvent::FrameCorrupted { number, .. } => format!("{number} corrupted"),
        LinkEvent::FrameDuplicate { number, .. } => format!("{number} again"),
        LinkEvent::FrameDiscarded { number, .. } => format!("{number} discarded"),
        LinkEvent::ParitySent { size, .. } => format!("parity of {size} bytes"),
        LinkEvent::ParityCorrupted { .. } => "parity corrupted".to_owned(),
        LinkEvent::Recovered { packet } => format!("{} recovered", seq(packet)),
        LinkEvent::AckCorrupted { number } => format!("acknowledgment of {number} lost"),
        LinkEvent::GivenUp { attempts, packet, arrived, .. } => {
            format!("gave up {} after {attempts}{}", seq(packet), if *arrived { ", though it is there" } else { "" })
        }
        LinkEvent::Arrived { packet } => format!("{} arrives", seq(packet)),
        LinkEvent::DroppedEarly { packet, .. } => format!("dropped early {}", seq(packet)),
        LinkEvent::QueueFull { packet, .. } => format!("no room for {}", seq(packet)),
        LinkEvent::Marked { packet } => format!("{} marked", seq(packet)),
        LinkEvent::Lost { packet } => format!("{} lost", seq(packet)),
    };
    Some(format!("{:>5} {text}", at.as_nanos() / 1000))
}

/// Offers packets (millisecond, size, expedited); returns the log.
fn timeline_of(arq: &ArqConfig, channel: scripted::Config, limit: Limit, offered: &[(u64, u32, bool)]) -> Vec<String> {
    let mut schedule = Schedule::new();
    let line = TransmissionLine::new(Rate::from_bits_per_sec(1_000_000).unwrap(), Span::from_millis(2), Timing::Exact);
    let mut link = Sending::new(arq, false, (HOP, line), limit, &mut schedule);
    let source = schedule.slot();
    let mut channels = IdVec::from(vec![ChannelConfig::Scripted(channel).build(Stream::named(1, 0, "air"))]);
    let (mut lines, mut buffer) = (Vec::new(), RouterBuffer::default());
    let mut offered = offered.iter().zip(0..).peekable();
    let arm = |schedule: &mut Schedule, next: Option<&(&(u64, u32, bool), u32)>| match next {
        Some(((at, ..), _)) => schedule.arm(source, Time::from_millis(*at)),
        None => schedule.disarm(source),
    };
    arm(&mut schedule, offered.peek());
    while let Some((now, woken)) = schedule.next(Time::NEVER) {
        let mut log = EventLog::default();
        let mut cx = Cx { now, schedule: &mut schedule, channels: &mut channels, observer: &mut log };
        if woken == source {
            let Some(((_, size, expedited), number)) = offered.next() else { break };
            link.accept(&packet(number, size - 40), *expedited, &mut buffer, &mut cx);
            arm(&mut schedule, offered.peek());
            lines.extend(log.link_events().filter_map(describe_event));
            continue;
        }
        let outcomes = link.wake(woken, &mut buffer, &mut cx);
        lines.extend(log.link_events().filter_map(describe_event));
        for outcome in outcomes {
            if let LinkOutcome::Failed(notice) = outcome {
                let last = if notice.last { ", the last" } else { "" };
                let text = format!("attempt {} at {} failed{last}", notice.attempt, seq(&notice.packet));
                lines.push(format!("{:>5} {text}", now.as_nanos() / 1000));
            }
        }
    }
    lines
}

/// Returns the events of `packets` packets of 125 bytes, offered at once.
fn timeline(arq: &ArqConfig, channel: scripted::Config, packets: usize) -> Vec<String> {
    timeline_of(arq, channel, Limit::None, &vec![(0, 125, false); packets])
}

fn dropping(drop: &[u64]) -> scripted::Config {
    scripted::Config { drop: drop.to_vec(), ..Default::default() }
}

/// Returns a channel that is BAD exactly during an acknowledgment that begins at 3 ms.
fn losing_the_first_acknowledgment() -> scripted::Config {
    let bad = vec![[Span::from_nanos(2_900_000), Span::from_nanos(3_050_000)]];
    scripted::Config { bad, ..Default::default() }
}

fn selective(window: u32, max_transmissions: u32, in_order: bool) -> ArqConfig {
    let config = selective_repeat::Config { window, max_transmissions, in_order, ..Default::default() };
    ArqConfig::SelectiveRepeat(config)
}

fn go_back(window: u32, max_transmissions: u32) -> ArqConfig {
    ArqConfig::GoBackN(go_back_n::Config { window, max_transmissions, ..Default::default() })
}

fn parity(data: u32, parity: u32, in_order: bool) -> ArqConfig {
    ArqConfig::Fec(fec::Config { data, parity, in_order, flush: Span::from_millis(5) })
}

/// Four frames fill the window. Frame 1 is lost; 4 is sent when 0 is acknowledged, 5 when 1 is.
#[test]
fn selective_repeat_retransmits_only_the_lost_frame() {
    assert_eq!(
        timeline(&selective(4, 3, true), dropping(&[1]), 6),
        [
            "    0 sent 0, attempt 1",
            " 1000 sent 1, attempt 1",
            " 1000 1 corrupted",
            " 2000 sent 2, attempt 1",
            " 3000 0 arrives",
            " 3000 sent 3, attempt 1",
            " 5112 sent 4, attempt 1",
            " 7112 sent 1, attempt 2",
            " 7112 attempt 1 at 1 failed",
            "10112 1 arrives",
            "10112 2 arrives",
            "10112 3 arrives",
            "10112 4 arrives",
            "12224 sent 5, attempt 1",
            "15224 5 arrives",
        ]
    );
}

#[test]
fn packets_without_ordering_are_delivered_on_arrival() {
    let log = timeline(&selective(4, 3, false), dropping(&[1]), 6);
    let arrivals: Vec<&str> = log.iter().filter(|line| line.ends_with("arrives")).map(String::as_str).collect();
    let expected = [
        " 3000 0 arrives",
        " 5000 2 arrives",
        " 6000 3 arrives",
        " 8112 4 arrives",
        "10112 1 arrives",
        "15224 5 arrives",
    ];
    assert_eq!(arrivals, expected);
}

/// Frame 0 arrives, its acknowledgment is lost. The acknowledgment of 1 arrives exactly when the timer of 0 expires.
#[test]
fn lost_acknowledgment_costs_a_retransmission_only_with_selective_repeat() {
    let common = [
        "    0 sent 0, attempt 1",
        " 1000 sent 1, attempt 1",
        " 3000 0 arrives",
        " 3000 acknowledgment of 0 lost",
        " 4000 1 arrives",
    ];
    let again = [" 6112 sent 0, attempt 2", " 6112 attempt 1 at 0 failed", " 9112 0 again"];
    let log = timeline(&selective(4, 3, true), losing_the_first_acknowledgment(), 2);
    assert_eq!(log, [&common[..], &again[..]].concat());
    // The acknowledgment of 1 is cumulative and covers 0.
    assert_eq!(timeline(&go_back(4, 3), losing_the_first_acknowledgment(), 2), common);
}

/// No later frame can reveal the loss of the last one, so the timer does.
#[test]
fn last_frame_is_retransmitted_by_its_timer() {
    for arq in [selective(4, 3, true), go_back(4, 3)] {
        assert_eq!(
            timeline(&arq, dropping(&[1]), 2),
            [
                "    0 sent 0, attempt 1",
                " 1000 sent 1, attempt 1",
                " 1000 1 corrupted",
                " 3000 0 arrives",
                " 7112 sent 1, attempt 2",
                " 7112 attempt 1 at 1 failed",
                "10112 1 arrives",
            ]
        );
    }
}

/// The retransmission of 1 is the hop's frame number 4. One propagation delay after the sender gives up, the receiver
/// stops waiting.
#[test]
fn given_up_frame_does_not_block_delivery() {
    assert_eq!(
        timeline(&selective(4, 2, true), dropping(&[1, 4]), 4)[6..],
        [
            " 7112 sent 1, attempt 2",
            " 7112 1 corrupted",
            " 7112 attempt 1 at 1 failed",
            "13224 gave up 1 after 2",
            "13224 attempt 2 at 1 failed, the last",
            "15224 2 arrives",
            "15224 3 arrives",
        ]
    );
}

/// The acknowledgment of the only transmission is lost. The sender gives the packet up, and the receiver delivers it
/// once.
#[test]
fn frame_with_lost_acknowledgments_is_given_up_although_delivered() {
    for arq in [selective(1, 1, true), selective(1, 1, false), go_back(1, 1)] {
        assert_eq!(
            timeline(&arq, losing_the_first_acknowledgment(), 1),
            [
                "    0 sent 0, attempt 1",
                " 3000 0 arrives",
                " 3000 acknowledgment of 0 lost",
                " 6112 gave up 0 after 1, though it is there",
                " 6112 attempt 1 at 0 failed, the last",
            ]
        );
    }
}

/// 2 to 7 are sent before the timer of 1 expires, and discarded. The transmission of 7 is completed.
#[test]
fn go_back_n_retransmits_all_frames_after_a_lost_one() {
    assert_eq!(
        timeline(&go_back(10, 3), dropping(&[1]), 8),
        [
            "    0 sent 0, attempt 1",
            " 1000 sent 1, attempt 1",
            " 1000 1 corrupted",
            " 2000 sent 2, attempt 1",
            " 3000 0 arrives",
            " 3000 sent 3, attempt 1",
            " 4000 sent 4, attempt 1",
            " 5000 2 discarded",
            " 5000 sent 5, attempt 1",
            " 6000 3 discarded",
            " 6000 sent 6, attempt 1",
            " 7000 4 discarded",
            " 7000 sent 7, attempt 1",
            " 7112 attempt 1 at 1 failed",
            " 8000 5 discarded",
            " 8000 sent 1, attempt 2",
            " 9000 6 discarded",
            " 9000 sent 2, attempt 2",
            "10000 7 discarded",
            "10000 sent 3, attempt 2",
            "11000 1 arrives",
            "11000 sent 4, attempt 2",
            "12000 2 arrives",
            "12000 sent 5, attempt 2",
            "13000 3 arrives",
            "13000 sent 6, attempt 2",
            "14000 4 arrives",
            "14000 sent 7, attempt 2",
            "15000 5 arrives",
            "16000 6 arrives",
            "17000 7 arrives",
        ]
    );
}

/// The timers of frames 1 and 2 do not count while frame 0 is the oldest. Therefore these frames have all their
/// attempts left when frame 0 is given up.
#[test]
fn go_back_n_gives_up_the_oldest_and_continues_with_the_next() {
    assert_eq!(
        timeline(&go_back(3, 2), dropping(&[0, 3]), 3),
        [
            "    0 sent 0, attempt 1",
            "    0 0 corrupted",
            " 1000 sent 1, attempt 1",
            " 2000 sent 2, attempt 1",
            " 4000 1 discarded",
            " 5000 2 discarded",
            " 6112 sent 0, attempt 2",
            " 6112 0 corrupted",
            " 6112 attempt 1 at 0 failed",
            " 7112 sent 1, attempt 2",
            " 8112 sent 2, attempt 2",
            "10112 1 discarded",
            "11112 2 discarded",
            "12224 gave up 0 after 2",
            "12224 sent 1, attempt 3",
            "12224 attempt 2 at 0 failed, the last",
            "13224 sent 2, attempt 3",
            "15224 1 arrives",
            "16224 2 arrives",
        ]
    );
}

/// The window is closed from 2 ms on. One of the packets that arrive then may wait. An expedited packet is sent first
/// when the window opens.
#[test]
fn packets_waiting_for_the_window_are_limited_and_expedited_ones_first() {
    let offered = [(0, 125, false), (0, 125, false), (3, 125, false), (3, 125, true), (3, 125, false)];
    let log = timeline_of(&selective(2, 3, true), dropping(&[]), Limit::Packets(2), &offered);
    assert_eq!(
        log,
        [
            "    0 sent 0, attempt 1",
            " 1000 sent 1, attempt 1",
            " 3000 0 arrives",
            " 3000 no room for 4",
            " 4000 1 arrives",
            " 5112 sent 2, attempt 1",
            " 6112 sent 3, attempt 1",
            " 8112 3 arrives",
            " 9112 2 arrives",
        ]
    );
}

/// Each frame waits for the previous acknowledgment. Of three packets that arrive meanwhile the two expedited ones are
/// sent first, in their order.
#[test]
fn expedited_packets_keep_their_order() {
    let offered = [(0, 125, false), (3, 125, false), (3, 125, true), (3, 125, true)];
    let log = timeline_of(&selective(1, 3, true), dropping(&[]), Limit::None, &offered);
    let arrivals: Vec<&str> = log.iter().filter_map(|line| line.strip_suffix(" arrives")).collect();
    assert_eq!(arrivals, [" 3000 0", " 8112 2", "13224 3", "18336 1"]);
}

/// Blocks consist of two packets. The third packet is alone in its block, whose parity is sent after a pause of 5 ms.
#[test]
fn parity_restores_a_lost_packet() {
    assert_eq!(
        timeline(&parity(2, 1, true), dropping(&[0]), 3),
        [
            "    0 sent 0, attempt 1",
            "    0 0 corrupted",
            " 1000 sent 1, attempt 1",
            " 2000 parity of 125 bytes",
            " 3000 sent 3, attempt 1",
            " 5000 0 recovered",
            " 5000 0 arrives",
            " 5000 1 arrives",
            " 6000 2 arrives",
            " 9000 parity of 125 bytes",
        ]
    );
    let as_they_come = timeline(&parity(2, 1, false), dropping(&[0]), 3);
    assert_eq!(as_they_come[5..8], [" 4000 1 arrives", " 5000 0 recovered", " 5000 0 arrives"]);
}

#[test]
fn block_with_too_many_losses_delivers_received_packets() {
    // In one case the parity and the first packet are lost, in the other case both packets.
    for (drop, end) in [([0, 2], [" 5000 0 lost", " 5000 1 arrives"]), ([0, 1], [" 5000 0 lost", " 5000 1 lost"])] {
        let log = timeline(&parity(2, 1, true), dropping(&drop), 2);
        assert_eq!(log[log.len() - 2..], end, "{log:#?}");
    }
}

/// Any two of the four frames suffice to restore the block. A parity frame is as long as the longest of its block, 125
/// bytes, sent in 1 ms; the packet of 50 bytes takes 0.4 ms.
#[test]
fn any_two_of_four_frames_restore_the_block() {
    let offered = [(0, 125, false), (0, 50, false)];
    for drop in [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]] {
        let log = timeline_of(&parity(2, 2, true), dropping(&drop), Limit::None, &offered);
        assert_eq!(log.iter().filter(|line| line.ends_with("arrives")).count(), 2, "{drop:?}: {log:#?}");
        assert_eq!(log.iter().filter(|line| line.ends_with("parity of 125 bytes")).count(), 2, "{drop:?}");
    }
    // 0.4 ms before the first parity frame, 1 ms each, 2 ms of propagation.
    let log = timeline_of(&parity(2, 2, true), dropping(&[0, 1]), Limit::None, &offered);
    assert_eq!(log[log.len() - 2..], [" 5400 1 recovered", " 5400 1 arrives"]);
}

/// The block stays open while each packet arrives less than 5 ms after the previous one has left.
#[test]
fn pause_of_the_configured_length_closes_a_block() {
    let with_pause = |pause: u64| {
        timeline_of(&parity(2, 1, true), dropping(&[]), Limit::None, &[(0, 125, false), (1 + pause, 125, false)])
    };
    let sent = |log: Vec<String>| {
        log.into_iter().filter(|line| line.contains("sent") || line.contains("parity")).collect::<Vec<_>>()
    };
    assert_eq!(
        sent(with_pause(4)),
        ["    0 sent 0, attempt 1", " 5000 sent 1, attempt 1", " 6000 parity of 125 bytes"]
    );
    assert_eq!(
        sent(with_pause(6)),
        [
            "    0 sent 0, attempt 1",
            " 6000 parity of 125 bytes",
            " 7000 sent 2, attempt 1",
            "13000 parity of 125 bytes",
        ]
    );
}
