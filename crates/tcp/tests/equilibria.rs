//! The equilibrium of each congestion control on a path with one bottleneck, compared with its paper.

use crate::bottleneck;
use crate::common;

use bottleneck::{Path, Run, SEGMENT};
use common::member;
use engine::{Span, Stream, Time};
use tcp::cc::hystart::Kind;
use tcp::cc::policy::{self, Feature, Layer, Network, Rules};
use tcp::cc::{ControlConfig, Start, bbr, bbr3, cubic, dctcp, reno, vegas, veno, westwood};

/// 1,000,000 bytes per second, 100 ms: a bandwidth-delay product of 100 segments.
const PATH: Path =
    Path { rate: 1_000_000, rtt: Span::from_millis(100), buffer: 50_000, mark: None, loss: 0.0, bunch: Span::ZERO };

fn start() -> Start {
    let segment = SEGMENT as f64;
    Start { segment, cwnd: 10.0 * segment, ssthresh: f64::INFINITY, stream: Stream::named(1, 0, "equilibria") }
}

fn run(config: &ControlConfig, path: Path, seconds: u64) -> Run {
    let mut run = Run::new(config.build(start()), path, 1);
    run.until(Time::ZERO + Span::from_secs(seconds));
    run
}

fn secs(seconds: u64) -> Time {
    Time::ZERO + Span::from_secs(seconds)
}

/// The maximum and the minimum of cwnd from `from` on, in segments.
fn extremes(run: &Run, from: u64) -> (f64, f64) {
    let windows = run.since(secs(from)).iter().map(|moment| moment.cwnd / SEGMENT as f64);
    windows.fold((0.0, f64::INFINITY), |(most, least), window| (window.max(most), window.min(least)))
}

/// Reno oscillates between the capacity of path and buffer, 150 segments, and half of it.
#[test]
fn reno_oscillates_between_full_and_half_cwnd() {
    let run = run(&ControlConfig::Reno(reno::Config::default()), PATH, 120);
    let (most, least) = extremes(&run, 30);
    assert!((most - 151.0).abs() < 3.0 && (least - 75.5).abs() < 3.0, "{most} {least}");
}

/// CUBIC oscillates between the capacity of path and buffer and 0.7 times that, with a period of just over K = cbrt(0.3
/// x 150 / 0.4) = 4.8 s.
#[test]
fn cubic_oscillates_between_full_and_seven_tenths_cwnd() {
    let run = run(&ControlConfig::Cubic(cubic::Config::default()), PATH, 120);
    let (most, least) = extremes(&run, 30);
    assert!((most - 151.0).abs() < 4.0 && (least - 106.0).abs() < 4.0, "{most} {least}");
    let falls = run.since(secs(30)).windows(2).filter(|pair| pair[1].cwnd < 0.8 * pair[0].cwnd).count();
    let tooth = 90.0 / falls as f64;
    assert!((4.5..6.5).contains(&tooth), "{falls} teeth of {tooth} s");
    assert!(run.goodput(secs(30), secs(120)) > 0.99 * PATH.rate as f64);
}

/// Linux's HyStart leaves slow start before a buffer of one bandwidth-delay product is full. HyStart++ waits for a
/// round whose minimum round trip has risen, and continues for five rounds, to at most 1.25^5 = 3 times the window: it
/// needs a deep buffer to avoid losses.
#[test]
fn hystart_leaves_slow_start_without_a_loss() {
    let lost = |hystart, buffer| {
        let config = ControlConfig::Cubic(cubic::Config { hystart, ..cubic::Config::default() });
        let run = run(&config, Path { buffer, ..PATH }, 3);
        run.log[run.log.len() - 1].lost
    };
    for (kind, buffer) in [(Kind::Linux, 100_000), (Kind::PlusPlus, 900_000)] {
        assert!(lost(Kind::Off, buffer) > 100 * SEGMENT, "{buffer}");
        assert_eq!(lost(kind, buffer), 0, "{kind:?}");
    }
    assert!(lost(Kind::PlusPlus, 100_000) < lost(Kind::Off, 100_000));
}

/// Vegas keeps between alpha and beta, 1 and 3, segments in the queue, without losses.
#[test]
fn vegas_keeps_one_to_three_segments_queued() {
    let run = run(&ControlConfig::Vegas(vegas::Config::default()), PATH, 120);
    let (most, least) = extremes(&run, 60);
    // Here the path includes the segment in service: with a cwnd of 101 the queue is empty.
    assert!(most <= 105.0 && least >= 101.0, "{most} {least}");
    assert_eq!(run.log[run.log.len() - 1].lost, run.since(secs(10))[0].lost, "no loss once slow start is over");
    assert!(run.goodput(secs(60), secs(120)) > 0.99 * PATH.rate as f64);
}

/// Westwood+ reduces to the bandwidth-delay product, 100 segments: the queue empties while the path stays full.
#[test]
fn westwood_reduces_to_the_bandwidth_delay_product() {
    let run = run(&ControlConfig::Westwood(westwood::Config::default()), PATH, 120);
    let (most, least) = extremes(&run, 60);
    assert!((most - 151.0).abs() < 3.0 && (least - 101.0).abs() < 4.0, "{most} {least}");
}

/// Random losses of 0.1 % occur while the queue is short: Veno keeps four fifths, Reno half, as the mean window shows.
#[test]
fn veno_loses_less_than_reno_to_random_losses() {
    let path = Path { loss: 0.001, ..PATH };
    let veno = run(&ControlConfig::Veno(veno::Config::default()), path, 200);
    let reno = run(&ControlConfig::Reno(reno::Config::default()), path, 200);
    let (veno, reno) = (veno.goodput(secs(20), secs(200)), reno.goodput(secs(20), secs(200)));
    // The square root law W = sqrt((1 + b) / (2 (1 - b)) / p) with b = 4/5 instead of 1/2 gives a cwnd sqrt(3) times as
    // large, until the path is full.
    assert!(veno > 1.2 * reno, "{veno} {reno}");
}

/// DCTCP keeps the queue near the ECN threshold; cwnd varies by a few segments and nothing is lost.
#[test]
fn dctcp_keeps_the_queue_at_the_ecn_threshold() {
    let path = Path { mark: Some(20_000), ..PATH };
    let run = run(&ControlConfig::Dctcp(dctcp::Config::default()), path, 60);
    let late = run.since(secs(30));
    let mean = late.iter().map(|moment| moment.queue as f64).sum::<f64>() / late.len() as f64;
    assert!((10_000.0..24_000.0).contains(&mean), "mean queue {mean}");
    assert!(late.iter().all(|moment| moment.queue > 0), "the pipe is full");
    let last = run.log[run.log.len() - 1];
    assert_eq!(last.lost, late[0].lost, "no loss once slow start is over");
    let (most, least) = extremes(&run, 30);
    // Alizadeh et al. 2010, section 3.3: the amplitude is about sqrt(2 (bandwidth-delay product + threshold)) / 2 = 7.7
    // segments, plus one window's delay of the marks.
    assert!(most - least < 20.0, "{most} {least}");
}

/// BBR finds the rate, keeps about one bandwidth-delay product in flight, and reduces the flight every ten seconds.
#[test]
fn bbr_keeps_one_bandwidth_delay_product_in_flight() {
    for buffer in [50_000, 300_000] {
        let run = run(&ControlConfig::Bbr(bbr::Config::default()), Path { buffer, ..PATH }, 60);
        let rate = PATH.rate as f64;
        assert!(run.goodput(secs(5), secs(60)) > 0.93 * rate, "{}", run.goodput(secs(5), secs(60)));
        let late = run.since(secs(5));
        let mean = late.iter().map(|moment| moment.flight).sum::<f64>() / late.len() as f64;
        assert!((0.9..1.25).contains(&(mean / PATH.bdp())), "buffer {buffer}: {mean} bytes in flight");
        let most = late.iter().map(|moment| moment.flight).fold(0.0, f64::max);
        assert!(most < 1.5 * PATH.bdp(), "{most}");
        // The flight is small at least once in about ten seconds.
        let little: Vec<f64> =
            late.iter().filter(|moment| moment.flight <= 4000.0).map(|moment| moment.at.as_secs_f64()).collect();
        assert!(little.windows(2).all(|pair| pair[1] - pair[0] < 11.5), "{little:?}");
        assert!(little.len() > 8, "{little:?}");
    }
}

/// BBR does not respond to 1 % of random losses; Reno does. In version 3 the rate falls by the share of losses in each
/// round trip between probes: to (1 - loss)^rounds by the draft's s5.3.3.5.3, here to 0.98 per round trip with the
/// pacing margin, for 20 to 30 round trips.
#[test]
fn bbr_ignores_random_losses() {
    let path = Path { loss: 0.01, ..PATH };
    let configs =
        [(ControlConfig::Bbr(bbr::Config::default()), 0.9), (ControlConfig::Bbr3(bbr3::Config::default()), 0.7)];
    for (config, share) in configs {
        let run = run(&config, path, 60);
        let goodput = run.goodput(secs(5), secs(60));
        assert!(goodput > share * PATH.rate as f64, "{}: {goodput}", config.name());
    }
    let reno = run(&ControlConfig::Reno(reno::Config::default()), path, 60);
    assert!(reno.goodput(secs(5), secs(60)) < 0.3 * PATH.rate as f64);
}

/// BBR version 3 finds the rate with about one bandwidth-delay product in flight, and limits losses in a shallow
/// buffer.
#[test]
fn bbr3_finds_the_rate_in_deep_and_shallow_buffers() {
    for buffer in [10_000, 50_000, 300_000] {
        let run = run(&ControlConfig::Bbr3(bbr3::Config::default()), Path { buffer, ..PATH }, 60);
        let rate = PATH.rate as f64;
        let goodput = run.goodput(secs(5), secs(60));
        assert!(goodput > 0.85 * rate, "buffer {buffer}: {goodput}");
        let late = run.since(secs(5));
        let mean = late.iter().map(|moment| moment.flight).sum::<f64>() / late.len() as f64;
        assert!((0.8..1.25).contains(&(mean / PATH.bdp())), "buffer {buffer}: {mean} bytes in flight");
        let last = late[late.len() - 1];
        let share = (last.lost - late[0].lost) as f64 / (last.delivered - late[0].delivered) as f64;
        assert!(share < 0.02, "buffer {buffer}: {share} lost");
    }
}

/// Returns a policy whose network has no hidden layers: tanh(1/2 - 2 delay), which is 0 with a round trip of 2^(1/4)
/// times the minimum.
fn keeps_a_queue() -> ControlConfig {
    let layers = vec![Layer { weights: vec![vec![-2.0]], bias: vec![0.5] }];
    let network = Network { rules: Rules { observe: vec![Feature::Delay], ..Rules::default() }, layers };
    ControlConfig::Policy(policy::Config { network: Some(network), file: None })
}

/// The window at which that action is 0 is 2^(1/4) times the path's capacity of 100 segments.
#[test]
fn policy_holds_the_delay_at_which_its_action_is_zero() {
    let run = run(&keeps_a_queue(), Path { buffer: 100_000, ..PATH }, 60);
    let windows: Vec<f64> = run.since(secs(20)).iter().map(|moment| moment.cwnd / SEGMENT as f64).collect();
    let mean = windows.iter().sum::<f64>() / windows.len() as f64;
    assert!((mean / 118.9 - 1.0).abs() < 0.03, "{mean} segments");
}

/// Runs with the same seed are equal, and every control uses most of a path without losses.
#[test]
fn every_control_fills_the_path_and_is_reproducible() {
    for (name, _) in ControlConfig::MEMBERS {
        let config: ControlConfig = if *name == "policy" { keeps_a_queue() } else { member(name) };
        let path = Path { buffer: 100_000, mark: Some(60_000), ..PATH };
        let (one, two) = (run(&config, path, 40), run(&config, path, 40));
        assert!(
            one.goodput(secs(10), secs(40)) > 0.85 * PATH.rate as f64,
            "{name}: {}",
            one.goodput(secs(10), secs(40))
        );
        assert_eq!(format!("{:?}", one.log), format!("{:?}", two.log), "{name}");
    }
}
