//! Pictures contain a mark for every event of the kinds that are never thinned.

use crate::common;

use common::{Path, bad, dropping, fading, marks, refined_icmp, simple_icmp, snoop, span, stop_and_wait};
use engine::{Bytes, IdVec, Time};
use path::LinkEvent;
use path::queue::Limit;
use plot::{Panel, PictureOptions};
use sim::{Event, FlowId, NodeEvent};
use tcp::Reason;
use wire::{NoticeKind, Packet};

/// Returns the packet that event number `index` lost for good, if any.
fn lost(events: &[(Time, Event)], index: usize) -> Option<Packet> {
    match events[index].1 {
        Event::Link { event: LinkEvent::Lost { packet } | LinkEvent::QueueFull { packet, .. }, .. }
        | Event::Node { event: NodeEvent::BufferFull { packet }, .. } => Some(packet),
        Event::Link { hop, event: LinkEvent::GivenUp { packet: lost, .. }, .. } => {
            // The packet is not lost if it arrived since its first attempt, in which case only link acknowledgments
            // were lost.
            let arrived = events[..index].iter().rev().find_map(|(_, event)| match event {
                Event::Link { hop: at, event, .. } if *at == hop => match event {
                    LinkEvent::FrameSent { attempt: 1, .. } => Some(false),
                    LinkEvent::Arrived { packet } if *packet == lost => Some(true),
                    _ => None,
                },
                _ => None,
            });
            (arrived == Some(false)).then_some(lost)
        }
        _ => None,
    }
}

/// Returns the expected number of marks of each class, summed over all flows.
fn expected(events: &[(Time, Event)]) -> Vec<(&'static str, usize)> {
    let losses = (0..events.len()).filter_map(|index| lost(events, index));
    let losses: Vec<Packet> = losses.filter(|packet| matches!(packet.body, wire::Body::Tcp(_))).collect();
    let losses_of = |data: bool| losses.iter().filter(|packet| packet.data().is_some() == data).count();
    let is_sender_event =
        |event: &Event, what: fn(&tcp::Event) -> bool| matches!(event, Event::Sender { event, .. } if what(event));
    let is_of_station = |event: &Event, what: fn(&NodeEvent) -> bool| matches!(event, Event::Node { node, event, .. } if node.number() == 1 && what(event));
    let count = |what: &dyn Fn(&Event) -> bool| events.iter().filter(|(_, event)| what(event)).count();
    use tcp::Event::{FastRetransmit, NoticeReceived, SegmentSent, Timeout};
    vec![
        (
            "resent",
            count(&|e| is_sender_event(e, |e| matches!(e, SegmentSent { reason, .. } if *reason != Reason::New))),
        ),
        (
            "local-copy",
            count(&|e| is_of_station(e, |e| matches!(e, NodeEvent::Sent { packet } if packet.data().is_some()))),
        ),
        ("ack-taken", count(&|e| is_of_station(e, |e| matches!(e, NodeEvent::Taken { .. })))),
        ("lost", losses_of(true)),
        ("ack-lost", losses_of(false)),
        ("timeout", count(&|e| is_sender_event(e, |e| matches!(e, Timeout { .. })))),
        ("fast-retransmit", count(&|e| is_sender_event(e, |e| matches!(e, FastRetransmit { .. })))),
        ("icmp-defer", count(&|e| is_sender_event(e, |e| matches!(e, NoticeReceived { kind: NoticeKind::Defer, .. })))),
        (
            "icmp-retransmit",
            count(&|e| is_sender_event(e, |e| matches!(e, NoticeReceived { kind: NoticeKind::Retransmit, .. }))),
        ),
    ]
}

/// Runs `path` and compares the marks of all its flows with the events. Returns the classes with at least one mark.
fn check(path: &Path) -> Vec<&'static str> {
    let (mut description, events) = path.run();
    // The test covers the general marks of nodes. Marks of schemes have tests of their own.
    description.actions = IdVec::default();
    let svg = |flow| {
        let options = PictureOptions { flow, panels: vec![Panel::Sequence], ..PictureOptions::default() };
        plot::draw_events(&events, &description, &options).svg()
    };
    let svgs: Vec<String> = (0..path.flows).map(FlowId::from_index).map(svg).collect();
    let expected = expected(&events);
    for (class, count) in &expected {
        let drawn: usize = svgs.iter().map(|svg| marks(svg, class)).sum();
        assert_eq!(drawn, *count, "{class}");
    }
    expected.into_iter().filter(|(_, count)| *count > 0).map(|(class, _)| class).collect()
}

#[test]
fn every_loss_timeout_and_notice_has_a_mark() {
    let mut seen = check(&Path { channel: dropping(&[12, 13]), ..Path::default() });
    seen.extend(check(&Path { channel: dropping(&[70]), window: 32_768, bytes: 200 * 1024, ..Path::default() }));
    let thesis = |agent, window| Path {
        channel: fading("5 s", "100 ms"),
        arq: stop_and_wait(9),
        agent,
        window,
        bytes: 10_240_000,
        ..Path::default()
    };
    seen.extend(check(&thesis(refined_icmp(), 16_384)));
    seen.extend(check(&thesis(simple_icmp(), 4096)));
    let queue = Path { queue: Limit::Packets(5), bytes: 200 * 1024, window: 32_768, ..Path::default() };
    seen.extend(check(&queue));
    let buffer = Path { buffer: Some(Bytes(9_000)), queue: Limit::None, ..queue };
    seen.extend(check(&buffer));
    let lossy = Path { channel: dropping(&[40, 41, 90]), window: 16_384, bytes: 200 * 1024, ..Path::default() };
    seen.extend(check(&Path { agent: snoop(), ..lossy }));
    let classes = ["resent", "lost", "ack-lost", "timeout", "fast-retransmit", "icmp-defer", "icmp-retransmit"];
    for class in classes.into_iter().chain(["local-copy", "ack-taken"]) {
        assert!(seen.contains(&class), "no run had a {class}: the test shows nothing about it");
    }
}

#[test]
fn picture_shows_only_its_own_flow() {
    let channel = bad(&[["1 s", "1.05 s"], ["1.7 s", "1.73 s"], ["3 s", "3.2 s"]]);
    let seen = check(&Path { flows: 3, channel, bytes: 100 * 1024, window: 8192, ..Path::default() });
    assert!(seen.contains(&"lost") && seen.contains(&"resent"));
}

#[test]
fn causes_of_window_changes_are_marked_in_both_panels() {
    let (description, events) = Path { channel: dropping(&[12, 13]), ..Path::default() }.run();
    let count = |panels: &[Panel]| {
        let svg = plot::draw_events(
            &events,
            &description,
            &PictureOptions { panels: panels.to_vec(), ..PictureOptions::default() },
        )
        .svg();
        (marks(&svg, "timeout"), marks(&svg, "cwnd"), marks(&svg, "ssthresh"))
    };
    assert_eq!(count(&[Panel::Sequence]), (1, 0, 0));
    assert_eq!(count(&[Panel::Window]), (1, 1, 1), "ssthresh is drawn once it is finite");
    assert_eq!(count(&[Panel::Sequence, Panel::Window]), (2, 1, 1));
}

/// A long run is thinned; segments and acknowledgments still span the whole picture.
#[test]
fn long_run_gives_a_small_file() {
    let path = Path { window: 65_536, bytes: 50_000_000, ..Path::default() };
    let (description, events) = path.run();
    let svg = plot::draw_events(&events, &description, &PictureOptions::default()).svg();
    assert!(svg.len() < 100_000, "{} bytes for {} events", svg.len(), events.len());
    let dots = marks(&svg, "sent");
    assert!((900..4_000).contains(&dots), "{dots} marks for 48,829 segments");
}

/// Returns the picture of one panel.
fn drawn(path: &Path, panel: Panel) -> String {
    let (description, events) = path.run();
    plot::draw_events(&events, &description, &PictureOptions { panels: vec![panel], ..PictureOptions::default() }).svg()
}

#[test]
fn every_round_trip_sample_has_a_dot() {
    let path = Path { channel: dropping(&[12, 13]), ..Path::default() };
    let (_, events) = path.run();
    let is_sample = |event: &Event| matches!(event, Event::Sender { event: tcp::Event::RttSample { .. }, .. });
    let samples = events.iter().filter(|(_, event)| is_sample(event)).count();
    assert!(samples > 5);
    assert_eq!(marks(&drawn(&path, Panel::Rtt), "rtt"), samples);
}

/// Slow start up to a window of 8 segments: acknowledgments arrive at the slow link's pace, one per segment time of
/// 8.5 ms, and each releases two segments. In the last round four pairs arrive, and when the fourth is complete three of
/// the eight segments have left. The round trip of 210 ms empties the queue between rounds.
#[test]
fn queue_of_slow_start_holds_five_of_eight_segments() {
    let path = Path { window: 8 * 1024, bytes: 100 * 1024, ..Path::default() };
    let svg = drawn(&path, Panel::Queue);
    assert!(svg.contains("packets waiting or being sent: air, base station to mobile: at most 5"), "{svg}");
}

/// Of 1064 bytes 1024 are data, and the slow link sends 1 Mbps: 962 kbps. One bin is 1 s.
#[test]
fn goodput_of_a_full_link_is_its_rate_less_headers() {
    let path = Path { window: 65_536, bytes: 1_000_000, ..Path::default() };
    let (description, events) = path.run();
    let at = |text: &str| Some(Time::ZERO + span(text));
    let options =
        PictureOptions { from: at("3 s"), to: at("8 s"), panels: vec![Panel::Goodput], ..PictureOptions::default() };
    let svg = plot::draw_events(&events, &description, &options).svg();
    let (_, rest) = svg.split_once("at most ").unwrap();
    let rate: f64 = rest.split_once(' ').unwrap().0.parse().unwrap();
    assert!((rate - 962.4).abs() < 30.0, "{rate} kbps");
}

#[test]
fn documentation_lists_every_panel() {
    let (_, table) = include_str!("../../../docs/metrics.md").split_once("| panel | what |\n|---|---|\n").unwrap();
    let names: Vec<&str> = table.lines().map_while(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    assert_eq!(names, Panel::ALL.map(Panel::name));
}
