//! Properties of every recovery, control and response on any network.

use crate::common;

use std::ops::Range;

use common::member;
use contracts::transfer::{self, TransferOptions, TransferOutcome, Weather};
use engine::{Bytes, Span, Time};
use proptest::prelude::*;
use tcp::cc::ControlConfig;
use tcp::recovery::RecoveryConfig;
use tcp::response::ResponseConfig;
use tcp::{Config, Connection, Event, Reason};
use wire::{Addr, Ecn, Flags, Notice, NoticeKind, Segment, SeqNum};

/// Every recovery x control x response.
fn every_config() -> Vec<Config> {
    let mut all = Vec::new();
    for (recovery, _) in RecoveryConfig::MEMBERS {
        for (control, _) in ControlConfig::MEMBERS {
            for (response, _) in ResponseConfig::MEMBERS {
                all.push(Config {
                    segment: 1000,
                    window: Bytes(32_000).into(),
                    initial_window: 2,
                    initial_ssthresh: None,
                    recovery: member(recovery),
                    control: member(control),
                    response: member(response),
                    ..Config::default()
                });
            }
        }
    }
    all
}

/// Runs a transfer in which only losses change ssthresh: without a queue, delay never ends slow start.
fn run(config: &Config, bytes: u64, weather: usize, seed: u64) -> TransferOutcome {
    let options = TransferOptions { bytes, only_losses_set_ssthresh: true };
    transfer::run_transfer(config, &options, &Weather::USUAL[weather], seed)
        .unwrap_or_else(|breach| panic!("{breach}, weather {weather}, seed {seed}, {config:?}"))
}

/// Sends a file with each configuration, repeated these numbers of times under each set of impairments.
fn expect_all_bytes(seeds: Range<u64>) {
    // The number is not a multiple of the segment size, so the last segment is short.
    const BYTES: u64 = 300_123;
    for config in every_config() {
        for (number, weather) in Weather::USUAL.iter().enumerate() {
            for seed in seeds.clone() {
                let counters = run(&config, BYTES, number, seed).counters;
                // With a window that stays nearly closed, smaller segments are sent after a wait.
                let new = counters.segments_sent - counters.segments_retransmitted;
                assert!(new == 301 || (new > 301 && weather.narrowing > 0.0), "{counters:?}");
            }
        }
    }
}

#[test]
fn all_bytes_arrive_under_any_impairments() {
    expect_all_bytes(0..3);
}

#[test]
#[ignore = "takes 10 s: cargo xtask test --full"]
fn all_bytes_arrive_under_any_impairments_of_more_seeds() {
    expect_all_bytes(3..20);
}

#[test]
fn same_seed_gives_the_same_trace() {
    for config in every_config() {
        contracts::check_transfer(&config, &Weather::USUAL[5], 3).unwrap_or_else(|breach| panic!("{breach}"));
    }
}

/// Returns true for controls that do not set ssthresh: they respond to the delivery rate, not to loss episodes.
fn without_threshold(config: &Config) -> bool {
    matches!(config.control, ControlConfig::Bbr(_) | ControlConfig::Bbr3(_))
}

/// ssthresh changes exactly once when a fast retransmit or a timeout begins an episode, and at no other time: without a
/// queue here, delay never ends slow start. A reported loss does not change it. cwnd is at least a segment at all
/// times.
#[test]
fn cwnd_is_reduced_once_per_episode() {
    for config in every_config() {
        let (mut cuts, mut explained) = (0, 0);
        for (weather, seed) in [1, 2, 5].into_iter().flat_map(|weather| (0..10).map(move |seed| (weather, seed))) {
            let outcome = run(&config, 300_000, weather, seed);
            (cuts, explained) = (cuts + outcome.reductions, explained + outcome.explained);
        }
        if without_threshold(&config) {
            assert_eq!(cuts, 0, "{config:?}");
            continue;
        }
        if config.control.name() == "policy" {
            // Losses that cause no timeout occur randomly in the network.
            assert!(cuts > 0, "{config:?}");
            continue;
        }
        assert!(cuts > 50, "{cuts} cuts: losses went unpunished under {config:?}");
        assert_eq!(explained > 0, config.response.name() != "unmodified", "{config:?}");
    }
}

/// A timeout that the network has explained does not count as consecutive. The next, unexplained timeout reduces
/// ssthresh.
#[test]
fn reported_timeout_does_not_hide_the_next() {
    for mut config in every_config().into_iter().filter(|config| config.response.name() == "simple-icmp") {
        if without_threshold(&config) {
            continue;
        }
        config.initial_window = 10;
        let mut end = Connection::established(&config, 1, 2, config.window.max());
        end.write(10_000);
        while end.poll_transmit(Time::ZERO).is_some() {}
        let defer =
            Notice { kind: NoticeKind::Defer, segment_dst: Addr::of_node(1), src_port: 1, dst_port: 2, seq: SeqNum(0) };
        end.handle_icmp(Time::ZERO, &defer);
        for cut in [false, true] {
            let now = expire(&mut end);
            while end.poll_transmit(now).is_some() {}
            assert_eq!(end.ssthresh().is_finite(), cut, "ssthresh {}", end.ssthresh());
        }
    }
}

/// An application that writes small amounts: retransmissions have the original boundaries, and new bytes follow.
#[test]
fn retransmitted_segments_keep_their_boundaries() {
    // Pacing would spread these segments over time.
    for config in every_config().into_iter().filter(|config| config.control.name() == "reno") {
        let mut end = Connection::established(&config, 1, 2, config.window.max());
        let send = |end: &mut Connection, now| {
            std::iter::from_fn(|| end.poll_transmit(now)).map(|(s, _)| (s.seq.0, s.len)).collect::<Vec<_>>()
        };
        let ack = |ack| Segment {
            src_port: 2,
            dst_port: 1,
            seq: SeqNum(0),
            ack: SeqNum(ack),
            flags: Flags::ACK,
            window: 32_000,
            ..Segment::default()
        };
        end.write(1500);
        assert_eq!(send(&mut end, Time::ZERO), [(0, 1000), (1000, 500)]);
        end.write(500);
        let expired = expire(&mut end);
        assert_eq!(send(&mut end, expired), [(0, 1000)]);
        end.handle_segment(expired, &ack(1000), Ecn::NotEct);
        assert_eq!(send(&mut end, expired), [(1000, 500), (1500, 500)]);
        end.handle_segment(expired, &ack(2000), Ecn::NotEct);
        assert!(end.done(), "{} bytes acknowledged", end.bytes_acknowledged());
        assert_eq!(end.poll_timeout(), Time::NEVER);
    }
}

/// Lets the retransmission timer expire; earlier probes are lost.
fn expire(end: &mut Connection) -> Time {
    let timeouts = end.counters().timeouts;
    loop {
        let now = end.poll_timeout();
        end.handle_timeout(now);
        if end.counters().timeouts > timeouts {
            return now;
        }
        while end.poll_transmit(now).is_some() {}
    }
}

/// Without loss, duplication and reordering nothing is retransmitted.
#[test]
fn network_without_losses_causes_no_duplicates() {
    for config in every_config() {
        let outcome = run(&config, 300_000, 0, 0);
        let again = outcome
            .events
            .iter()
            .filter(|(_, e)| matches!(e, Event::SegmentSent { reason, .. } if *reason != Reason::New));
        assert_eq!(again.count(), 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// A sender that receives segments and messages that no correct peer sends neither panics nor sends endlessly, and
    /// its cwnd stays finite.
    #[test]
    fn random_segments_cause_no_panic(
        inputs in prop::collection::vec((any::<u32>(), any::<u32>(), any::<u16>(), any::<u32>(), any::<u16>(), any::<bool>(), 0..2_000u64), 1..200),
        near in any::<bool>(),
    ) {
        for config in every_config() {
            let mut end = Connection::established(&config, 1, 2, config.window.max());
            end.observe();
            end.write(1_000_000);
            let mut now = Time::ZERO;
            for (seq, ack, flags, window, len, notice, wait) in &inputs {
                now += Span::from_millis(*wait);
                // Half of the runs use numbers close to those sent, where the interesting states are.
                let [seq, ack] = [*seq, *ack].map(|number| SeqNum(if near { number % 100_000 } else { number }));
                if *notice {
                    let kind = if *flags % 2 == 0 { NoticeKind::Defer } else { NoticeKind::Retransmit };
                    end.handle_icmp(now, &Notice { kind, segment_dst: Addr::of_node(0), src_port: 1, dst_port: 2, seq });
                } else {
                    let segment = Segment { src_port: 2, dst_port: 1, seq, ack, flags: Flags(*flags), window: *window, len: u32::from(*len), ..Segment::default() };
                    end.handle_segment(now, &segment, Ecn::NotEct);
                }
                let mut sent = 0;
                while end.poll_transmit(now).is_some() {
                    sent += 1;
                    prop_assert!(sent < 100_000, "sends without end");
                }
                if end.poll_timeout() <= now {
                    end.handle_timeout(now);
                }
                while end.poll_event().is_some() {}
                prop_assert!(end.cwnd().is_finite());
            }
        }
    }
}
