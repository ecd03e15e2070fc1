//! The frames of aggregates by hand: which packets, at which rate, how long each part is in the air, and which frames
//! are repetitions. 802.11n at 65 Mbps, back-offs of no slots, 1 us between the stations, packets of 1,500 bytes.
//!
//! A packet alone takes 228 us and k of them, 1,544 k - 2 bytes, 36 us and 4 us for each 260 bits of 22 + 8 x size, as
//! in aggregation.rs; the first packet finds the air free and goes alone.

mod cell;

use cell::{Cell, Plan, Saw};
use engine::{Bytes, Named, Span, Time};
use path::LinkDirection::Forward;
use path::MediumEvent;
use path::channel::{Frame, scripted};
use path::mac::dcf::config::Aggregation;
use path::mac::dcf::rate::{RateControlConfig, minstrel};
use path::mac::dcf::{Config, FrameKind, Standard};

fn together(aggregation: Aggregation) -> Config {
    Config {
        standard: Standard::N,
        aggregation: Some(aggregation),
        cw_min: Some(0),
        cw_max: Some(0),
        ..Config::default()
    }
}

fn losing(config: Config, script: scripted::Config) -> Plan {
    Plan::around_one(config, 1).scripted(0, script)
}

/// The data frames of `count` packets offered at once: the packets of each, whether it is a repetition, and
/// microseconds in the air.
fn frames(plan: &Plan, count: usize) -> Vec<(Vec<u64>, bool, u64)> {
    assert_eq!(plan.config.check(), []);
    let mut cell = Cell::new(plan);
    cell.play(&vec![(0, 0, Forward, 1500); count]);
    let sent = cell.log.0.iter().filter_map(|(_, saw)| match saw {
        Saw::Medium(MediumEvent::Sent { frame, .. }) => Some(*frame),
        _ => None,
    });
    let data = sent.filter(|frame| matches!(frame.kind, FrameKind::Data | FrameKind::Aggregate));
    data.map(|frame| (frame.packets.iter().collect(), frame.again, frame.duration.as_nanos() / 1000)).collect()
}

fn packets(plan: &Plan, count: usize) -> Vec<Vec<u64>> {
    frames(plan, count).into_iter().map(|(packets, ..)| packets).collect()
}

/// Six packets are 9,262 bytes, two take 96 symbols of 260 bits: 36 + 384 us.
#[test]
fn a_limit_itself_is_allowed_and_what_is_beyond_it_is_not() {
    let all = Aggregation::default();
    let sizes = |aggregation| {
        let plan = losing(together(aggregation), scripted::Config::default());
        packets(&plan, 13).iter().map(Vec::len).collect::<Vec<_>>()
    };
    assert_eq!(sizes(Aggregation { bytes: Bytes(9_262), ..all }), [1, 6, 6]);
    assert_eq!(sizes(Aggregation { bytes: Bytes(9_261), ..all }), [1, 5, 5, 2]);
    assert_eq!(sizes(Aggregation { duration: Span::from_nanos(420_000), ..all }), [1, 2, 2, 2, 2, 2, 2]);
    assert_eq!(sizes(Aggregation { duration: Span::from_nanos(419_999), ..all }), [1; 13]);
    assert_eq!(sizes(Aggregation { frames: 12, ..all }), [1, 12]);
    assert_eq!(sizes(Aggregation { frames: 1, ..all }), [1; 13]);
}

// covers [802.11-2012 s8.3.1.9.3]
/// Packet 1 is lost three times. While it is in hand no packet from number 1 + 64 on may go.
#[test]
fn packets_in_hand_lie_within_64_numbers() {
    let config = together(Aggregation { frames: 32, ..Aggregation::default() });
    // In order of sending: 0; 1 to 32; 1, 33 to 63; 1, 64; 1 alone.
    let plan = losing(config, scripted::Config { drop: vec![1, 33, 65], ..Default::default() });
    let range = |from: u64, to: u64| (from..=to).collect::<Vec<u64>>();
    let with_one = |from: u64, to: u64| [vec![1], range(from, to)].concat();
    let expected = [vec![0], range(1, 32), with_one(33, 63), vec![1, 64], vec![1], range(65, 69)];
    assert_eq!(packets(&plan, 70), expected);
}

/// Packets 1 to 3 begin at 308 and, behind a preamble of 36 us, take 190.03 us each of their 1,544 bytes: a
/// millisecond-wide burst in one part damages that packet only, at its first and at its last microsecond too.
#[test]
fn each_packet_is_damaged_by_what_happens_in_its_own_part() {
    // Parts: 344 to 534.03, to 724.06, to 913.8.
    for (bad, again) in [
        ([345, 346], vec![1]),
        ([532, 533], vec![1]),
        ([535, 536], vec![2]),
        ([722, 723], vec![2]),
        ([725, 726], vec![3]),
        ([912, 913], vec![3]),
        ([533, 535], vec![1, 2]),
        ([400, 800], vec![1, 2, 3]),
        ([915, 916], vec![]),
    ] {
        let burst = scripted::Config { bad: vec![cell::slow::micros(bad[0], bad[1])], ..Default::default() };
        let found = packets(&losing(together(Aggregation::default()), burst), 4);
        let mut expected = vec![vec![0], vec![1, 2, 3]];
        expected.extend((!again.is_empty()).then_some(again));
        assert_eq!(found, expected, "{bad:?}");
    }
}

/// The Retry bit belongs to each MPDU [802.11-2007 s7.1.3.1.5]; an aggregate is one frame in the events, with the Retry
/// bit of its first packet. A frame is a repetition if its first packet is: 1 and 2 of 1 to 3 are lost; then 2 of 1, 2
/// and 4 ... is lost again.
#[test]
fn a_frame_is_a_repetition_if_its_first_packet_was_sent_before() {
    let config = together(Aggregation { frames: 3, ..Aggregation::default() });
    // In order of sending: 0; 1 2 3; 1 2 4; 2 5 6; 7.
    let plan = losing(config, scripted::Config { drop: vec![1, 2, 5], ..Default::default() });
    let again: Vec<_> = frames(&plan, 8).into_iter().map(|(packets, again, _)| (packets, again)).collect();
    let expected =
        [(vec![0], false), (vec![1, 2, 3], false), (vec![1, 2, 4], true), (vec![2, 5, 6], true), (vec![7], false)];
    assert_eq!(again, expected);
}

/// With one attempt at each rate Minstrel, which knows nothing yet, takes the highest, the one below and the lowest,
/// 65, 58.5 and 6.5 Mbps, 260, 234 and 26 bits a symbol. Alone a packet has 22 + 8 x 1,538 bits, 48, 53 and 475 symbols
/// behind 36 us; without aggregates 1,536 bytes, 48, 53 and 474. Two have 3,086 bytes, 24,710 bits: 96, 106 and 951.
#[test]
fn each_attempt_at_a_packet_is_one_for_the_rate_control() {
    let minstrel =
        minstrel::Config { attempts: 1, sampling: 0.0, interval: Span::from_secs(100), ..Default::default() };
    let rate_control = Some(Named(RateControlConfig::Minstrel(minstrel)));
    let times = |config: Config, drop: &[u64], count: usize| {
        let config = Config { rate_control: rate_control.clone(), ..config };
        let plan = losing(config, scripted::Config { drop: drop.to_vec(), ..Default::default() });
        frames(&plan, count).into_iter().map(|(.., micros)| micros).collect::<Vec<_>>()
    };
    let aggregates = || together(Aggregation { frames: 2, ..Aggregation::default() });
    assert_eq!(times(aggregates(), &[0, 1, 2], 1), [228, 248, 1936, 1936]);
    assert_eq!(times(aggregates(), &[1, 2, 3, 4, 5, 6], 3), [228, 420, 460, 3840, 3840]);
    let single = Config { aggregation: None, ..aggregates() };
    assert_eq!(times(single, &[0, 1, 2], 1), [228, 248, 1932, 1932]);
}

/// Of what an aggregate's packets are asked of their channel: each its own place in the order of sending, its own size
/// without what is in front of it and what fills it up, and its own part of the time.
#[test]
fn a_channel_is_asked_about_each_packet() {
    use path::channel::{Channel, Fate};
    use std::sync::{Arc, Mutex};
    type Asked = (u64, u64, u64, u32, Option<u64>);
    struct Asks(Arc<Mutex<Vec<Asked>>>);
    impl Channel for Asks {
        fn fate(&mut self, frame: &Frame) -> Fate {
            let Frame { now, start, duration, size, number, .. } = *frame;
            let [now, start] = [now, start].map(Time::as_nanos);
            self.0.lock().unwrap().push((now, start, duration.as_nanos(), size, number));
            Fate::Arrives
        }
    }
    let asked = Arc::new(Mutex::new(Vec::new()));
    let mut cell = Cell::new(&losing(together(Aggregation::default()), scripted::Config::default()));
    cell.channels = vec![Box::new(Asks(asked.clone()))];
    cell.play(&[(0, 0, Forward, 1500), (0, 0, Forward, 1500), (0, 0, Forward, 40)]);
    // 1,538 bytes at 65 Mbps are 189,292 ns, 1,542 with the delimiter 189,784, and 1,544 with two to fill them up
    // 190,030; 82 bytes are the other's 4 + 40 + 38.
    let data = [
        (0, 0, 228_000, 1538, Some(0)),
        (308_000, 344_000, 189_784, 1538, Some(1)),
        (308_000, 344_000 + 190_030, 10_092, 78, Some(2)),
    ];
    let asked = asked.lock().unwrap();
    let found: Vec<Asked> = asked.iter().filter(|(.., number)| number.is_some()).copied().collect();
    assert_eq!(found, data);
}
