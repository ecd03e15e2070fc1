//! Differences of ns-2's Snoop agent from the papers, each compared with a ladder in `tests/golden/snoop-ns2`. The
//! expected behaviour is that of ns-2's tcp/snoop.cc.

use crate::ladder;

use engine::{Rate, Span, Time};
use ladder::{Fed, Ladder, ack, data, of_flow};
use path::agent::snoop_ns2::Config;
use path::agent::{AgentConfig, AgentVerdict, LinkView};
use path::queue::Limit;
use path::{LinkDirection, LinkId};
use wire::Packet;

fn scheme(config: Config) -> AgentConfig {
    AgentConfig::SnoopNs2(config)
}

/// Sends `count` packets of 1000 bytes, numbered from `first`, one every 4 ms from `ms` on.
fn window(ladder: &mut Ladder, ms: f64, first: u32, count: u32) {
    for number in 0..count {
        ladder.at(ms + 4.0 * f64::from(number)).fixed(data((first + number) * 1000, 1000));
    }
}

/// The first duplicate is forwarded. The second one triggers the retransmission, behind waiting packets. With five
/// packets, including the lost one, three duplicates are then expected, of which two arrive.
#[test]
fn second_duplicate_triggers_the_retransmission() {
    let mut ladder = Ladder::new("0..1000 is lost: the second duplicate resends it", &scheme(Config::default()));
    window(&mut ladder, 0.0, 0, 5);
    for ms in [18.0, 22.0, 26.0, 30.0] {
        ladder.at(ms).mobile(ack(0));
    }
    ladder.at(34.0).mobile(ack(5000)).at(5000.0);
    ladder.compare("snoop-ns2/second-duplicate");
}

/// Duplicates beyond the expected ones are forwarded to the sender without another retransmission. The timer
/// retransmits up to ten times.
#[test]
fn duplicates_retransmit_once_and_the_timer_ten_times() {
    let config = Config { srtt: Span::ZERO, rttvar: Span::ZERO, ..Config::default() };
    let mut ladder = Ladder::new("0..1000 is lost, and every retransmission of it", &scheme(config));
    window(&mut ladder, 0.0, 0, 3);
    for number in 0..6 {
        ladder.at(14.0 + f64::from(number)).mobile(ack(0));
    }
    ladder.at(2000.0);
    assert_eq!((ladder.counter("local_retransmissions"), ladder.counter("local_timeouts")), (1, 9));
    ladder.compare("snoop-ns2/lost-again");
}

/// ns-2 counts unexpected duplicates in one static variable, so a duplicate of another flow counts too.
#[test]
fn unexpected_duplicates_are_counted_over_all_flows() {
    let mut ladder = Ladder::new("Two flows lose 0..1000 each", &scheme(Config::default()));
    window(&mut ladder, 0.0, 0, 4);
    for number in 0..4 {
        ladder.fixed(of_flow(1, data(number * 1000, 1000)));
    }
    ladder.at(20.0).mobile(ack(0)).note("of the other flow").mobile(of_flow(1, ack(0)));
    ladder.compare("snoop-ns2/flows");
}

/// Duplicates of data that the sender has retransmitted are forwarded, and so are old acknowledgments.
#[test]
fn duplicates_of_sender_retransmissions_and_old_acknowledgments_pass() {
    let mut ladder = Ladder::new("The sender resends 1000..2000 itself", &scheme(Config::default()));
    window(&mut ladder, 0.0, 0, 4);
    ladder.at(20.0).mobile(ack(1000)).fixed(data(1000, 1000)).at(21.0).mobile(ack(1000)).mobile(ack(1000));
    ladder.at(22.0).mobile(ack(0)).fixed(data(0, 1000));
    ladder.compare("snoop-ns2/sender-resends");
}

fn pass(fed: &mut Fed, mut packet: Packet) {
    let (verdict, sent) = fed.act(|agent, cx| agent.before_air(&mut packet, cx));
    assert_eq!((verdict, sent.len()), (AgentVerdict::Pass, 0));
}

/// The condition is `length() < limit() - 1`, where ns-2's queue of 50 holds 49 packets, as a queue limit of 49 does
/// here.
#[test]
fn packet_at_a_full_queue_is_not_cached() {
    for (waiting, cached) in [(0, 1), (48, 1), (49, 0), (50, 0)] {
        let mut fed = Fed::new(&scheme(Config::default()));
        assert!(fed.agent().looks_at_link());
        fed.act(|agent, cx| agent.on_link(&link(waiting), cx));
        pass(&mut fed, data(0, 1000));
        assert_eq!(fed.counter("packets_cached"), Some(cached), "{waiting} wait");
        assert_eq!(fed.counter("packets_left_to_the_queue"), Some(1 - cached), "{waiting} wait");
    }
}

/// The cache holds 100 packets, ns-2's `SNOOP_MAXWIND`. Further packets pass without caching.
#[test]
fn full_cache_forwards_packets_without_caching() {
    let mut fed = Fed::new(&scheme(Config::default()));
    for number in 0..103 {
        pass(&mut fed, data(number * 1000, 1000));
    }
    assert_eq!((fed.counter("packets_cached"), fed.counter("packets_not_cached")), (Some(100), Some(3)));
}

/// By hand: the timer is 100 ms + 4 x 250 ms before the first sample; a sample of 20 ms gives 30 + 4 x 220 ms (`g_` is
/// 0.125, the weight of the old estimate). The timer of the remaining packets is set before the sample counts [ns-2
/// `Snoop::snoop_ack`: cleanbufs, then rtt].
#[test]
fn timer_is_set_before_the_sample_counts() {
    let mut fed = Fed::new(&scheme(Config::default()));
    pass(&mut fed, data(0, 1000));
    assert_eq!(fed.agent().deadline(), Time::from_millis(1100));
    pass(&mut fed, data(1000, 1000));
    fed.until(Time::from_millis(20), |_, _| {});
    fed.act(|agent, cx| agent.after_air(&mut ack(1000), cx));
    assert_eq!(fed.agent().deadline(), Time::from_millis(1120));
    fed.until(Time::from_millis(40), |_, _| {});
    fed.act(|agent, cx| agent.after_air(&mut ack(2000), cx));
    assert_eq!(fed.agent().deadline(), Time::NEVER);
    assert_eq!(fed.counter("rtt_samples"), Some(2));
}

/// A link with a queue of 49 packets, of which some wait.
fn link(waiting: usize) -> LinkView {
    LinkView {
        hop: LinkId::new(0).hop(LinkDirection::Forward),
        waiting,
        waiting_bytes: 0,
        outstanding: 0,
        limit: Limit::Packets(49),
        rate: Rate::from_bits_per_sec(2_000_000).unwrap(),
        busy: Span::ZERO,
    }
}
