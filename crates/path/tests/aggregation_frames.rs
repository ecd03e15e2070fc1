//! The frames of aggregates, computed by hand: their packets, rates, durations of parts, and retry flags. 802.11n at 65
//! Mbps, back-offs of zero slots, 1 us between the stations, packets of 1,500 bytes.
//!
//! A single packet takes 228 us and k packets, 1,544 k - 2 bytes, take 36 us and 4 us for each 260 bits of 22 + 8 x
//! size, as in aggregation.rs; the first packet is sent alone since the medium is idle.

use crate::cell;
use crate::common::LoggedEvent;

use cell::{Cell, Plan};
use engine::{Bytes, Named, Span, Time};
use path::LinkDirection::Forward;
use path::MediumEvent;
use path::channel::{ChannelFrame, scripted};
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

/// Returns the data frames of `count` packets offered at once: the packets of each, whether it is a retransmission, and
/// its duration in microseconds.
fn frames(plan: &Plan, count: usize) -> Vec<(Vec<u64>, bool, u64)> {
    assert_eq!(plan.config.check(), []);
    let mut cell = Cell::new(plan);
    cell.play(&vec![(0, 0, Forward, 1500); count]);
    let sent = cell.log.0.iter().filter_map(|(_, saw)| match saw {
        LoggedEvent::Medium(MediumEvent::Sent { frame, .. }) => Some(*frame),
        _ => None,
    });
    let data = sent.filter(|frame| matches!(frame.kind, FrameKind::Data | FrameKind::Aggregate));
    data.map(|frame| (frame.packets.iter().collect(), frame.again, frame.duration.as_nanos() / 1000)).collect()
}

fn packets(plan: &Plan, count: usize) -> Vec<Vec<u64>> {
    frames(plan, count).into_iter().map(|(packets, ..)| packets).collect()
}

/// Six packets are 9,262 bytes. Two packets take 96 symbols of 260 bits: 36 + 384 us.
#[test]
fn values_at_the_limits_are_allowed() {
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
/// Packet 1 is lost three times. Until it is acknowledged, packets from number 1 + 64 on must not be sent.
#[test]
fn unacknowledged_packets_span_at_most_64_numbers() {
    let config = together(Aggregation { frames: 32, ..Aggregation::default() });
    // The frames contain these packets: 0; 1 to 32; 1, 33 to 63; 1, 64; 1.
    let plan = losing(config, scripted::Config { drop: vec![1, 33, 65], ..Default::default() });
    let range = |from: u64, to: u64| (from..=to).collect::<Vec<u64>>();
    let with_one = |from: u64, to: u64| [vec![1], range(from, to)].concat();
    let expected = [vec![0], range(1, 32), with_one(33, 63), vec![1, 64], vec![1], range(65, 69)];
    assert_eq!(packets(&plan, 70), expected);
}

/// Packets 1 to 3 begin at 308 us and, after a preamble of 36 us, take 190.03 us each for 1,544 bytes: a loss within
/// the time of one packet damages only that packet, also in its first and its last microsecond.
#[test]
fn loss_in_one_part_damages_only_its_packet() {
    // The parts end at 534.03, 724.06 and 913.8 us; the first begins at 344 us.
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
/// bit of its first packet. Here packets 1 and 2 of 1 to 3 are lost. Then packet 2 of 1, 2 and 4 is lost again.
#[test]
fn retry_flag_follows_the_first_packet() {
    let config = together(Aggregation { frames: 3, ..Aggregation::default() });
    // The frames contain these packets: 0; 1 2 3; 1 2 4; 2 5 6; 7.
    let plan = losing(config, scripted::Config { drop: vec![1, 2, 5], ..Default::default() });
    let again: Vec<_> = frames(&plan, 8).into_iter().map(|(packets, again, _)| (packets, again)).collect();
    let expected =
        [(vec![0], false), (vec![1, 2, 3], false), (vec![1, 2, 4], true), (vec![2, 5, 6], true), (vec![7], false)];
    assert_eq!(again, expected);
}

/// With one attempt per rate Minstrel, without statistics yet, uses the highest rate, the one below and the lowest: 65,
/// 58.5 and 6.5 Mbps, with 260, 234 and 26 bits per symbol. A single packet has 22 + 8 x 1,538 bits, in 48, 53 and 475
/// symbols after 36 us; without aggregation it has 1,536 bytes, in 48, 53 and 474. Two packets have 3,086 bytes, 24,710
/// bits: 96, 106 and 951.
#[test]
fn rate_control_sees_one_attempt_per_frame() {
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

/// The channel determines the fate of each packet of an aggregate separately: by its number in the order of
/// transmission, its size without delimiter and padding, and its part of the duration.
#[test]
fn channel_determines_the_fate_of_each_packet() {
    use path::channel::{Channel, FrameFate};
    use std::sync::{Arc, Mutex};
    type Asked = (u64, u64, u64, u32, Option<u64>);
    struct Asks(Arc<Mutex<Vec<Asked>>>);
    impl Channel for Asks {
        fn fate(&mut self, frame: &ChannelFrame) -> FrameFate {
            let ChannelFrame { now, start, duration, size, number, .. } = *frame;
            let [now, start] = [now, start].map(Time::as_nanos);
            self.0.lock().unwrap().push((now, start, duration.as_nanos(), size, number));
            FrameFate::Arrives
        }
    }
    let asked = Arc::new(Mutex::new(Vec::new()));
    let mut cell = Cell::new(&losing(together(Aggregation::default()), scripted::Config::default()));
    let channel: Box<dyn Channel> = Box::new(Asks(asked.clone()));
    cell.channels = vec![channel].into();
    cell.play(&[(0, 0, Forward, 1500), (0, 0, Forward, 1500), (0, 0, Forward, 40)]);
    // 1,538 bytes at 65 Mbps take 189,292 ns, 1,542 with the delimiter 189,784, and 1,544 with two bytes of padding
    // 190,030; the other packet has 4 + 40 + 38 = 82 bytes.
    let data = [
        (0, 0, 228_000, 1538, Some(0)),
        (308_000, 344_000, 189_784, 1538, Some(1)),
        (308_000, 344_000 + 190_030, 10_092, 78, Some(2)),
    ];
    let asked = asked.lock().unwrap();
    let found: Vec<Asked> = asked.iter().filter(|(.., number)| number.is_some()).copied().collect();
    assert_eq!(found, data);
}
