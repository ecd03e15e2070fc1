//! What ends the counts by which a station of a cell gives up.

mod cell;

use cell::slow::{losing, slow, timeline};
use cell::{Cell, Plan};
use engine::{Bytes, Time};
use path::Way::Forward;
use path::mac::dcf::config::{Aggregation, Growth};
use path::mac::dcf::{Config, Standard};

/// The lines about packets that arrive and packets that are given up, without their times.
fn fates(lines: Vec<String>) -> Vec<String> {
    let fates = lines.into_iter().filter_map(|line| Some(line.split_once("link 0: ")?.1.to_owned()));
    fates.collect()
}

/// A packet of two fragments, at a limit of two attempts. Each fragment fails once: attempts 0 and 2 are lost. The failure of
/// the second fragment is the first of its own.
// covers [802.11-2007 s9.2.5.3]: the retry count of an MPDU is that of this MPDU, and a fragment is one.
#[test]
fn a_fragment_that_arrives_ends_the_count_of_short_failures() {
    let config = Config { fragmentation_threshold: Some(Bytes(300)), short_retry_limit: Some(2), ..slow() };
    let plan = Plan::around_one(config, 1).scripted(0, losing(&[0, 2], &[]));
    assert_eq!(fates(timeline(&plan, &[(0, 0, 500)])), ["a packet arrives"]);
    // Twice the same fragment is the limit.
    let plan = Plan { channels: Vec::new(), ..plan }.scripted(0, losing(&[0, 1], &[]));
    assert_eq!(fates(timeline(&plan, &[(0, 0, 500)])), ["gives up 0 after 2 attempts of data"]);
}

/// The same where fragments are longer than the RTS threshold, which has the other count.
// covers [802.11-2007 s9.2.5.3]
#[test]
fn a_fragment_that_arrives_ends_the_count_of_long_failures() {
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
    Config { short_retry_limit: Some(1), retry_growth: Some(Growth { step: 1, most: 5 }), ..config }
}

/// One attempt, and one more for each packet given up in a row. Packet 0 is given up at its first failure (attempt 0), so 1
/// has two attempts, of which the second arrives (1, 2). Then packet 2 has one again (3), and 3 has two (4, 5).
// covers [disconnections2012 approach A]: the limit grows "until one is acknowledged".
#[test]
fn an_acknowledged_packet_ends_the_growth_of_the_limit() {
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

/// The same with aggregation, where a block acknowledgment says what arrived.
// covers [disconnections2012 approach A]
#[test]
fn an_acknowledged_packet_of_an_aggregate_ends_the_growth_of_the_limit() {
    let config = Config { standard: Standard::N, aggregation: Some(Aggregation::default()), ..Config::default() };
    let mut cell = Cell::new(&Plan::around_one(growing(config), 1).scripted(0, losing(&[0, 1, 3, 4], &[])));
    cell.play(&[(0, 0, Forward, 500), (20_000, 0, Forward, 500), (60_000, 0, Forward, 500), (80_000, 0, Forward, 500)]);
    let lost = cell.outcomes.iter().filter_map(|(at, _, outcome)| Some((*at, outcome.notice?)));
    let lost: Vec<_> = lost.map(|(at, notice)| (at.as_nanos() / 20_000_000, notice.attempt, notice.last)).collect();
    // By the packet's time, in units of 20 ms: which attempt failed, and whether it was the last.
    assert_eq!(lost, [(0, 1, true), (1, 1, false), (3, 1, true), (4, 1, false)]);
    assert_eq!(cell.counters(0, Forward, Time::from_millis(200)).given_up, 2);
}
