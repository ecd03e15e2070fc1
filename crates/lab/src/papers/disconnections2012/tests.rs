//! Properties of the runs: equation 1 where the RTO ends the pause, equation 2 where nothing is acknowledged.

use std::ops::ControlFlow;

use observe::observation::{Fact, SenderFact};
use path::mac::dcf::Phy;
use stats::{Interval, Level, Moments};

use super::equation::Unanswered;
use super::single::{self, FLIGHT_RUNS, PRIMARY_RUNS, SEEDS};
use super::times::{Cause, DisconnectionMeter};
use super::*;
use crate::papers::reproduce::reproduce_paper;
use crate::papers::{Mark, ModalQuantity};
use crate::store::Store;

/// Detects cases and keys that the scenarios name differently, which would give no values.
#[test]
#[ignore = "takes 11 s: cargo xtask test --full"]
fn every_number_has_values_under_every_reading() {
    let (_dir, mut store) = Store::scratch();
    let reproduction = reproduce_paper(&PAPER, 2, &mut store, 1, &mut |_| ControlFlow::Continue(())).unwrap();
    let numbers = reproduction.numbers;
    let all = |place: &str| numbers.iter().filter(|number| number.place.starts_with(place)).collect::<Vec<_>>();
    let counts = |place: &str, readings: usize, runs: u64| {
        for number in all(place) {
            let others: Vec<u64> = number.readings().skip(1).map(|(_, ours)| ours.n()).collect();
            assert_eq!(number.ours.n(), runs, "{place} {}", number.label());
            assert_eq!(others.len(), readings, "{place} {}", number.label());
            assert!(others.iter().all(|n| *n > 0), "{place} {}: {others:?}", number.label());
        }
        all(place).len()
    };
    assert_eq!(counts("equation 1", 3, SEEDS), 6);
    assert_eq!(counts("table 1", 7, 2), 14);
    assert_eq!(counts("section 6", 6, 2), 2);
    assert_eq!(counts("section 5.3, figure 11", 5, 2), 1);
    // cwnd needs no restoration if there is no reduction.
    for number in all("section 5.3, figure 10") {
        let runs: Vec<u64> = number.readings().map(|(_, ours)| ours.n()).collect();
        assert!(runs.len() == 7 && runs.iter().all(|n| *n > 5), "{}: {runs:?}", number.label());
    }
    assert_eq!(all("section 5.3, figure 10").len(), 2);
    // Numbers of the paper for another network have no simulated counterpart.
    let marks = all("figure 1")
        .into_iter()
        .filter(|number| number.place == "figure 1")
        .map(|number| number.mark(Level::default()));
    assert!(marks.clone().all(|mark| matches!(mark, Mark::Contradicts(_))));
    assert_eq!(marks.count(), 2);
}

/// Without a disconnection the acknowledgments of a flight arrive between 10.27 and 10.30 s. Of 12 packets at most two
/// per seed arrive before or after this interval.
#[test]
fn acknowledgments_of_a_flight_arrive_in_the_interval_of_the_reading() {
    for seed in 0..10 {
        let set = [format!("{DISCONNECTIONS}=[[\"14 s\", \"14.1 s\"]]"), format!("replication={seed}")];
        let facts = single::SCENARIO.facts(Some("unmodified"), &set.each_ref().map(String::as_str));
        let is_ack = |fact: &Fact| matches!(fact, Fact::Sender(SenderFact::Acked { .. }));
        let acknowledged = facts.iter().filter(|fact| is_ack(&fact.fact)).map(|fact| fact.at.as_secs_f64());
        let round_trip: Vec<f64> = acknowledged.filter(|at| (10.2..10.4).contains(at)).collect();
        let within = round_trip.iter().filter(|at| (10.27..10.30).contains(*at)).count();
        assert!(round_trip.len() == 12 && within >= 10, "{seed}: {round_trip:?}");
    }
}

/// The retransmission timer started with the last acknowledgment before the disconnection: a pause that it ends is
/// shorter than equation 1 by exactly this time, except for the medium access at the expiry: 31 slots of 20 us and
/// DIFS, and one attempt of the station in between, below 2 ms in all.
// covers [disconnections2012 equation 1]
#[test]
fn pauses_ended_by_the_timer_are_equation_1_less_the_time_since_the_last_acknowledgment() {
    let mut ended = 0;
    for (setting, loss) in [(FLIGHT_RUNS, 105.0), (FLIGHT_RUNS, 210.0), (PRIMARY_RUNS, 42.0), (PRIMARY_RUNS, 126.0)] {
        for run in setting.runs(&[], loss) {
            // A timer that expired during the disconnection has doubled.
            if let (Some((Cause::Timer, pause)), 1) = (run.pause, run.timeouts) {
                let expected = RTO - loss - run.since_ack.unwrap();
                let late = pause - expected;
                assert!((-0.001..2.0).contains(&late), "{loss}: {pause}, and {expected} ms: {run:?}");
                ended += 1;
            }
        }
    }
    assert!(ended > 40, "{ended}");
}

/// If the disconnection starts while a flight's acknowledgments arrive, the mean of the pauses that the timer ends is
/// within 5 ms of the line in figure 7. At 42 ms, only slightly longer than T_CRD of one packet, the MAC still retries
/// in half of the seeds.
// covers [disconnections2012 equation 1]
#[test]
fn figure_7_is_a_line_if_the_disconnection_starts_during_a_flight() {
    for loss in SHORT.map(|round_trips| round_trips * RTT) {
        let quantity: ModalQuantity = single::measure_pause(&FLIGHT_RUNS.runs(&[], loss));
        let timer = quantity.modes().iter().find(|mode| mode.name == "the timer expires").unwrap();
        let mean = timer.moments.mean().unwrap();
        assert!((mean - (RTO - loss)).abs() < 5.0, "{loss} ms: {mean}");
        let least = if loss < 50.0 { 0.3 } else { 0.5 };
        assert!(quantity.share(timer) > least, "{loss} ms: {quantity:?}");
    }
}

/// Equation 2 by hand, for one packet and T_LINK as the paper defines it: seven frames of 192 us and 1076 bytes, delay,
/// SIFS, an acknowledgment of 304 us at 1 Mbps, delay, DIFS, and the back-offs (31 + 63 + 127 + 255 + 511 + 1023 +
/// 1023) x 10 us = 30.33 ms. T_LOSS > T_CRD from 40 ms on (section 5.2) at 11 Mbps, and at no lower rate.
// covers [disconnections2012 equation 2]
#[test]
fn mac_gives_up_a_packet_within_40_ms_at_11_mbps_only() {
    for (rate, frame, expected) in [("11 Mbps", 0.975, 39.71), ("5.5 Mbps", 1.758, 45.20), ("2 Mbps", 4.496, 64.36)] {
        let by_hand: f64 = 7.0 * (frame + 0.001 + 0.010 + 0.304 + 0.001 + 0.050) + 30.33;
        assert!((by_hand - expected).abs() < 0.01, "{by_hand}");
        let set = [format!("{RATE}=\"{rate}\""), "media.cell.basic_rates=[\"1 Mbps\"]".to_owned()];
        let loaded = single::SCENARIO.load(None, &set.each_ref().map(String::as_str)).unwrap();
        let config = &loaded.network.media[0].config;
        let phy = Phy::new(config);
        let at = phy.index(config.data_rate());
        let rates = |_: u32| at;
        let ours = Unanswered { phy: &phy, retries: config.retries(), rates: &rates, packet: 1040 }.as_written(1);
        assert!((ours - expected).abs() < 0.01, "{rate}: {ours}, by hand {expected}");
        assert_eq!(ours < 40.0, rate == "11 Mbps");
    }
}

/// Packets wait during a permanent disconnection. The mean of T_CRD over seeds agrees with equation 2.
// covers [disconnections2012 equation 2]
#[test]
fn mean_retry_time_of_the_mac_matches_equation_2() {
    let loaded = single::SCENARIO.load(None, &[]).unwrap();
    let phy = Phy::new(&loaded.network.media[0].config);
    // After one, two and three packets given up, 78, 55 and 33 % of 11 Mbps are 8.5, 6.1 and 3.6 Mbps. The highest
    // rates below are 5.5, 5.5 and 2 Mbps.
    let stepped = |drops: u32| [3, 2, 2, 1][drops.min(3) as usize];
    let fastest = |_: u32| 3;
    for (packets, growth, rates) in [
        (1, 7, &fastest as &dyn Fn(u32) -> usize),
        (3, 7, &fastest),
        (12, 7, &fastest),
        (1, 25, &stepped),
        (4, 25, &stepped),
    ] {
        let control = if growth == 7 { "fixed" } else { "stepping" };
        let set = [
            format!("media.cell.retry_growth.max={growth}"),
            format!("media.cell.rate_control=\"{control}\""),
            format!("{DISCONNECTIONS}=[[\"1 s\", \"15 s\"]]"),
            format!("flows.ftp.tcp.initial_window={packets}"),
            "flows.ftp.tcp.initial_rto=\"6 s\"".to_owned(),
            "flows.ftp.tcp.min_rto=\"6 s\"".to_owned(),
            "duration=\"10 s\"".to_owned(),
        ];
        let tries = (0..200).filter_map(|seed| {
            let seed = format!("replication={seed}");
            let set: Vec<&str> = set.iter().map(String::as_str).chain([seed.as_str()]).collect();
            single::SCENARIO.observe(None, &set, DisconnectionMeter::default()).times().tries
        });
        let measured = Moments::of(tries).unwrap();
        let set: Vec<&str> = set.iter().map(String::as_str).collect();
        let config = &single::SCENARIO.load(None, &set).unwrap().network.media[0].config;
        let formula = Unanswered { phy: &phy, retries: config.retries(), rates, packet: 1040 }.tries(packets);
        let Some(ci) = Interval::of_mean(&measured, Level::new(0.999).unwrap()) else { panic!("no runs") };
        assert!(ci.contains(formula), "{packets} packets, up to {growth} attempts: {formula} ms, and {ci:?}");
    }
}
