//! Events that reset the failure counts and retry limits of a station.

use crate::cell;
use crate::common::LoggedEvent;

use cell::slow::{LONG, asking, losing, micros, slow, timeline};
use cell::{Cell, Plan};
use engine::{Bytes, Time};
use path::LinkDirection::{Backward, Forward};
use path::mac::dcf::config::{Aggregation, Growth};
use path::mac::dcf::{Config, FrameKind, Standard};
use path::outcome::LinkOutcome;
use path::{LinkEvent, MediumEvent, Reception};

/// Returns the lines about delivered and given-up packets, without their times.
fn fates(lines: Vec<String>) -> Vec<String> {
    let fates = lines.into_iter().filter_map(|line| Some(line.split_once("link 0: ")?.1.to_owned()));
    fates.collect()
}

/// A packet of two fragments with a limit of two attempts. Each fragment fails once: attempts 0 and 2 are lost. The
/// failure of the second fragment counts as the first failure of that fragment.
// covers [802.11-2007 s9.2.5.3]: each MPDU has its own retry count, and a fragment is an MPDU.
#[test]
fn acknowledged_fragment_resets_the_short_failure_count() {
    let config = Config { fragmentation_threshold: Some(Bytes(300)), short_retry_limit: Some(2), ..slow() };
    let plan = Plan::around_one(config, 1).scripted(0, losing(&[0, 2], &[]));
    assert_eq!(fates(timeline(&plan, &[(0, 0, 500)])), ["a packet arrives"]);
    // Two failures of the same fragment reach the limit.
    let plan = Plan { channels: Vec::new(), ..plan }.scripted(0, losing(&[0, 1], &[]));
    assert_eq!(fates(timeline(&plan, &[(0, 0, 500)])), ["gives up 0 after 2 attempts of data"]);
}

/// Fragments longer than the RTS threshold behave as those of the test above, but use the long failure count.
// covers [802.11-2007 s9.2.5.3]
#[test]
fn acknowledged_fragment_resets_the_long_failure_count() {
    let config = Config {
        fragmentation_threshold: Some(Bytes(300)),
        rts_threshold: Some(Bytes(100)),
        long_retry_limit: Some(2),
        ..slow()
    };
    let plan = Plan::around_one(config, 1).scripted(0, losing(&[0, 2], &[]));
    assert_eq!(fates(timeline(&plan, &[(0, 0, 500)])), ["a packet arrives"]);
    let plan = Plan { channels: Vec::new(), ..plan }.scripted(0, losing(&[0, 1], &[]));
    assert_eq!(fates(timeline(&plan, &[(0, 0, 500)])), ["gives up 0 after 2 attempts of data"]);
}

fn growing(config: Config) -> Config {
    Config { short_retry_limit: Some(1), retry_growth: Some(Growth { step: 1, max: 5 }), ..config }
}

/// A packet has one attempt, plus one for each consecutive packet given up before. Packet 0 is given up at its first
/// failure (attempt 0), so packet 1 has two attempts, of which the second succeeds (1, 2). Packet 2 again has one
/// attempt (3), and packet 3 has two (4, 5).
// covers [disconnections2012 approach A]: the limit grows "until one is acknowledged".
#[test]
fn acknowledged_packet_resets_the_grown_limit() {
    let plan = Plan::around_one(growing(slow()), 1).scripted(0, losing(&[0, 1, 3, 4], &[]));
    assert_eq!(
        fates(timeline(&plan, &[(0, 0, 500), (20_000, 0, 500), (60_000, 0, 500), (80_000, 0, 500)])),
        [
            "gives up 0 after 1 attempts of data",
            "a packet arrives",
            "gives up 2 after 1 attempts of data",
            "a packet arrives"
        ]
    );
}

/// The limit grows as in the test above with aggregation, where a block acknowledgment reports the arrivals.
// covers [disconnections2012 approach A]
#[test]
fn acknowledged_packet_of_an_aggregate_resets_the_grown_limit() {
    let config = Config { standard: Standard::N, aggregation: Some(Aggregation::default()), ..Config::default() };
    let mut cell = Cell::new(&Plan::around_one(growing(config), 1).scripted(0, losing(&[0, 1, 3, 4], &[])));
    cell.play(&[(0, 0, Forward, 500), (20_000, 0, Forward, 500), (60_000, 0, Forward, 500), (80_000, 0, Forward, 500)]);
    let lost = cell.outcomes.iter().filter_map(|(at, _, outcome)| match outcome {
        LinkOutcome::Failed(notice) => Some((at.as_nanos() / 20_000_000, notice.attempt, notice.last)),
        _ => None,
    });
    let lost: Vec<_> = lost.collect();
    // For each failure, the packet's time in units of 20 ms, the attempt, and whether it was the last.
    assert_eq!(lost, [(0, 1, true), (1, 1, false), (3, 1, true), (4, 1, false)]);
    assert_eq!(cell.counters(0, Forward, Time::from_millis(200)).given_up, 2);
}

/// Three stations collide, over channels that lose data, responses and RTS. Each counter equals the number of its
/// events.
#[test]
fn counters_equal_the_numbers_of_events() {
    for aggregation in [None, Some(Aggregation::default())] {
        let standard = if aggregation.is_some() { Standard::N } else { Standard::B };
        let config = Config { standard, aggregation, short_retry_limit: Some(3), ..Config::default() };
        let bad: Vec<_> = (0..40).map(|number| micros(7_000 * number, 7_000 * number + 1_000)).collect();
        let mut plan = Plan::around_one(config, 3);
        for link in 0..3 {
            plan = plan.scripted(link, losing(&[1, 4, 5, 9], &bad));
        }
        let mut cell = Cell::new(&plan);
        let offers: Vec<_> =
            (0..240).map(|number| (number / 3 * 1_000, (number % 3) as usize, Forward, 1000)).collect();
        cell.play(&offers);
        let mut of_all = [0; 3];
        for link in 0..3 {
            let of_link = |wanted: fn(&LinkEvent) -> bool| {
                let events = cell.log.0.iter();
                let of_link = |(_, saw): &&(Time, LoggedEvent)| matches!(saw, LoggedEvent::Link(hop, event) if hop.link.number() == link && wanted(event));
                events.filter(of_link).count() as u64
            };
            let collided = cell.log.0.iter().filter_map(|(_, saw)| match saw {
                LoggedEvent::Medium(MediumEvent::Ended {
                    from, kind, reception: Reception::Collided, damaged, ..
                }) if from.number() == link + 1 => {
                    let alone = u64::from(*kind == FrameKind::Data);
                    Some(if *kind == FrameKind::Aggregate { damaged.iter().count() as u64 } else { alone })
                }
                _ => None,
            });
            let counters = cell.counters(link as usize, Forward, Time::NEVER);
            let found = [counters.duplicates, counters.frames_corrupted, counters.frames_collided];
            let events = [
                of_link(|event| matches!(event, LinkEvent::FrameDuplicate { .. })),
                of_link(|event| matches!(event, LinkEvent::FrameCorrupted { .. })),
                collided.sum(),
            ];
            assert_eq!(found, events, "{standard:?}, link {link}");
            assert_eq!(cell.counters(link as usize, Backward, Time::NEVER).frames_sent, 0);
            of_all = std::array::from_fn(|kind| of_all[kind] + found[kind]);
        }
        assert!(of_all.iter().all(|count| *count > 0), "each kind of event must occur: {of_all:?}");
    }
}

/// The first two attempts at a single packet are lost. The contention window grows from 15 to 31 and 63, and returns to
/// 15.
// covers [802.11-2012 s9.3.3]
#[test]
fn failure_with_aggregation_doubles_the_contention_window() {
    let config = Config { standard: Standard::N, aggregation: Some(Aggregation::default()), ..Config::default() };
    let mut cell = Cell::new(&Plan::around_one(config, 1).scripted(0, losing(&[0, 1], &[])));
    cell.play(&[(0, 0, Forward, 500)]);
    let windows = cell.log.0.iter().filter_map(|(_, saw)| match saw {
        LoggedEvent::Medium(MediumEvent::BackOff { window, .. }) => Some(*window),
        _ => None,
    });
    assert_eq!(windows.collect::<Vec<_>>(), [31, 63, 15]);
}

/// The CTS is damaged from 400 us on, the second exchange's acknowledgment at 6,000 us (as in `dcf_requests`).
#[test]
fn damaged_cts_is_not_reported_as_damaged_acknowledgment() {
    let plan = Plan::around_one(asking(), 1).drawing(1, &[(63, 2)]);
    let mut cell = Cell::new(&plan.scripted(0, losing(&[], &[micros(400, 410), micros(6_000, 6_010)])));
    cell.play(&[(0, 0, Forward, LONG)]);
    let damaged = cell.log.0.iter().filter_map(|(at, saw)| match saw {
        LoggedEvent::Link(hop, LinkEvent::AckCorrupted { .. }) => Some((at.as_nanos() / 1000, *hop)),
        _ => None,
    });
    assert_eq!(damaged.map(|(at, _)| at).collect::<Vec<_>>(), [6_258]);
}
