//! Saturated stations compared with models of the literature.
//!
//! [Bianchi2000] counts every busy and every idle slot as one step of all back-offs. The standard does not count the
//! slot in which a frame begins, so after a busy period there is a slot in which only the stations can transmit that
//! have just transmitted and drew 0 [Tinnirello2010]. Both models are solved here, the second with a retry limit and
//! with the slots that collided stations have for themselves while bystanders wait for EIFS (equations in
//! docs/models/dcf.md).

#![allow(clippy::disallowed_macros, reason = "prints the figures of the model's page with --nocapture")]

use crate::cell;
use crate::common::LoggedEvent;

use std::path::Path;

use cell::{Cell, Plan};
use engine::{Bytes, Rate, Span, Time};
use path::mac::dcf::{Config, FrameKind, Standard};
use path::outcome::LinkOutcome;
use path::{LinkDirection, MediumEvent, Reception};

/// Packet size in bytes, which counts as throughput.
const PACKET: u32 = 1023;
const STATIONS: [u32; 6] = [1, 2, 5, 10, 20, 50];

/// Durations in seconds.
struct Times {
    slot: f64,
    success: f64,
    /// Time from the start of colliding frames until other stations count slots.
    collision: f64,
    /// Time by which collided stations count slots earlier.
    ahead: f64,
    /// Additional duration of an exchange and of a collision with one slower station.
    slow: [f64; 2],
}

struct Model {
    times: Times,
    /// Contention windows of the stages, as numbers of possible draws.
    windows: Vec<f64>,
    retry_limit: usize,
}

/// Packets per second, and the share of collided first frames of exchanges.
#[derive(Clone, Copy, Debug)]
struct Figures {
    packets: f64,
    collided: f64,
}

/// Returns the p in [0, 1) at which the decreasing function `f` is 0.
fn root(f: impl Fn(f64) -> f64) -> f64 {
    let [mut low, mut high] = [0.0, 1.0 - 1e-9];
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if f(middle) > 0.0 { low = middle } else { high = middle }
    }
    low
}

impl Model {
    fn window(&self, stage: usize) -> f64 {
        self.windows[stage.min(self.windows.len() - 1)]
    }

    /// Returns the figures of [Bianchi2000] (7), (9), (13): no retry limit, every slot counts.
    fn bianchi(&self, n: u32) -> Figures {
        let (w, m) = (self.windows[0], self.windows.len() as i32 - 1);
        // Equation (7), with the factor 1 - 2p, which can be 0, cancelled.
        let tau = |p: f64| 2.0 / (1.0 + w + p * w * (0..m).map(|i| (2.0 * p).powi(i)).sum::<f64>());
        let others = |tau: f64| (1.0 - tau).powi(n as i32 - 1);
        let p = root(|p| 1.0 - others(tau(p)) - p);
        let (tau, n) = (tau(p), f64::from(n));
        let success = n * tau * (1.0 - p);
        let idle = (1.0 - tau) * (1.0 - p);
        let Times { slot, success: ts, collision: tc, .. } = self.times;
        Figures { packets: success / (idle * slot + success * ts + (1.0 - idle - success) * tc), collided: p }
    }

    /// Returns the number of slots after a collision that only collided stations can use.
    fn own_slots(&self, delay: f64) -> f64 {
        ((self.times.ahead + self.times.slot - delay) / self.times.slot).ceil()
    }

    /// Returns the figures of the refined model, in which all stations count the same slots, and each station waits for
    /// 1, 2, ... of them after its draw.
    fn refined(&self, n: u32, delay: f64) -> Figures {
        let own = self.own_slots(delay);
        let next = |stage: usize| if stage + 1 < self.retry_limit { stage + 1 } else { 0 };
        // Stages of frames in common slots; the last window repeats up to the retry limit.
        let most = self.retry_limit.min(200);
        let solve = |p: f64| {
            let mut share = vec![0.0; most];
            share[0] = 1.0;
            for stage in 1..most {
                share[stage] = share[stage - 1] * p * (1.0 - own / self.window(stage));
            }
            let sum: f64 = share.iter().sum();
            share.iter_mut().for_each(|share| *share /= sum);
            // After a success, or a frame in a slot of its own, a station draws from the first window until the draw is
            // not 0.
            let [mut wait, mut early] = [0.0, 0.0];
            for (stage, share) in share.iter().enumerate() {
                let to = if stage + 1 < most { next(stage) } else { 0 };
                let window = self.window(to);
                let zero = own / window;
                let first = self.windows[0] / 2.0;
                wait += share * ((1.0 - p + p * zero) * first + p * (1.0 - zero) * (window - own + 1.0) / 2.0);
                early += share * p * zero;
            }
            (1.0 / wait, early)
        };
        let p = root(|p| 1.0 - (1.0 - solve(p).0).powi(n as i32 - 1) - p);
        let ((tau, early), n) = (solve(p), f64::from(n));
        let alone = n * tau * (1.0 - p);
        let collisions = 1.0 - alone - (1.0 - tau) * (1.0 - p);
        let zero = 1.0 / self.windows[0];
        let early = n * tau * early;
        let packets = (alone + early) / (1.0 - zero);
        let Times { slot, success, collision, ahead, slow: [slow_success, slow_collision] } = self.times;
        // One station is slow: each n-th success takes longer, and so do all collisions in which it takes part.
        let slow = packets / n * slow_success + tau * p * slow_collision;
        // A used slot of collided stations ends their head start early.
        let saved = early * (ahead - 0.5 * (own - 1.0) * slot);
        let time = slot + packets * success + collisions * collision - saved + slow;
        let frames = n * tau * p + packets;
        Figures { packets: packets / time, collided: n * tau * p / frames }
    }
}

/// Runs saturated stations until `packets` more are delivered; returns the time and the station of each packet.
fn deliver(cell: &mut Cell, packets: usize, mut also: impl FnMut(&LoggedEvent)) -> Vec<(Time, usize)> {
    let mut delivered = Vec::new();
    while delivered.len() < packets {
        cell.step(Time::NEVER).expect("saturated stations never rest");
        for (at, hop, outcome) in std::mem::take(&mut cell.outcomes) {
            match outcome {
                LinkOutcome::Delivered(_) => delivered.push((at, hop.link.index())),
                LinkOutcome::Freed(_) => cell.offer(at, hop.link.index(), hop.direction, PACKET),
                LinkOutcome::Failed(_) | LinkOutcome::Acknowledged(_) => {}
            }
        }
        std::mem::take(&mut cell.log.0).iter().for_each(|(_, saw)| also(saw));
    }
    delivered
}

/// Starts a cell in which all stations have two packets: one in transmission and one waiting.
fn saturated(plan: &Plan) -> Cell {
    let mut cell = Cell::new(plan);
    for link in 0..plan.links.len() {
        cell.offer(Time::ZERO, link, LinkDirection::Forward, PACKET);
        cell.offer(Time::ZERO, link, LinkDirection::Forward, PACKET);
    }
    cell
}

/// Measures `count` saturated stations that send to station 0: means and standard errors over batches.
fn measure(config: &Config, count: u32, batches: usize, packets: usize) -> [Figures; 2] {
    let mut cell = saturated(&Plan::around_one(config.clone(), count));
    let first = if config.rts_threshold.is_some() { FrameKind::Rts } else { FrameKind::Data };
    let mut begun = Time::ZERO;
    let mut samples: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
    // The first batch is discarded, since all stations begin at once.
    for batch in 0..=batches {
        let (mut sent, mut collided) = (0u64, 0u64);
        let delivered = deliver(&mut cell, packets, |saw| {
            if let LoggedEvent::Medium(MediumEvent::Ended { kind, reception, .. }) = saw
                && *kind == first
            {
                sent += 1;
                collided += u64::from(*reception == Reception::Collided);
            }
        });
        let now = delivered[delivered.len() - 1].0;
        if batch > 0 {
            samples[0].push(packets as f64 / now.since(begun).as_secs_f64());
            samples[1].push(collided as f64 / sent as f64);
        }
        begun = now;
    }
    let [packets, collided] = samples;
    [
        Figures { packets: mean(&packets), collided: mean(&collided) },
        Figures { packets: standard_error(&packets), collided: standard_error(&collided) },
    ]
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn standard_error(values: &[f64]) -> f64 {
    let (mean, n) = (mean(values), values.len() as f64);
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt()
}

/// Returns settings and times of one access method, computed by hand in microseconds.
fn fhss(asking: bool) -> (Config, Times) {
    // [802.11-1999 s14]: 128 us of preamble and header, 8 us per byte. A packet of 1023 bytes is a frame of 1059: 8600
    // us; acknowledgment and CTS take 128 + 112 = 240, RTS 128 + 160 = 288. SIFS is 28, DIFS 128, EIFS 28 + 240 + 128.
    let [data, answer, request, sifs, difs, eifs, delay] = [8600.0, 240.0, 288.0, 28.0, 128.0, 396.0, 1.0];
    let exchange = data + delay + sifs + answer + delay + difs;
    let (success, collision) = if !asking {
        (exchange, data + delay + eifs)
    } else {
        (request + delay + sifs + answer + delay + sifs + exchange, request + delay + eifs)
    };
    let times = Times { slot: 50e-6, success: success * 1e-6, collision: collision * 1e-6, ahead: 0.0, slow: [0.0; 2] };
    let config = Config {
        standard: Standard::Fhss,
        rate: Rate::from_bits_per_sec(1_000_000),
        cw_min: Some(31),
        cw_max: Some(1023),
        rts_threshold: asking.then_some(Bytes(0)),
        short_retry_limit: Some(10_000),
        long_retry_limit: Some(10_000),
        // Collided stations count slots from the same time as all other stations, as in the models.
        answer_timeout: Some(Span::from_nanos(397_000)),
        ..Config::default()
    };
    (config, times)
}

fn windows(first: u32, last: u32) -> Vec<f64> {
    let mut windows = vec![first];
    while windows[windows.len() - 1] < last {
        windows.push(2 * windows[windows.len() - 1]);
    }
    windows.into_iter().map(f64::from).collect()
}

/// Compares the measured figures with both models, for all numbers of stations. The bound for the classic model is its
/// deviation from the standard's rules, and the bound for the refined model is its approximation error. Both bounds
/// include three standard errors.
fn hold(name: &str, config: &Config, model: &Model, classic: f64) {
    for n in STATIONS {
        let [mean, error] = measure(config, n, 20, 2000);
        assert!(error.packets < 0.003 * mean.packets, "{name}, {n} stations: the interval is too wide: {error:?}");
        for (figures, bound) in [(model.bianchi(n), classic), (model.refined(n, 1e-6), 0.01)] {
            let says = format!("{name}, {n} stations: {mean:?} beside {figures:?}, standard errors {error:?}");
            println!("{says}");
            assert!((mean.packets - figures.packets).abs() <= bound * figures.packets + 3.0 * error.packets, "{says}");
            assert!((mean.collided - figures.collided).abs() <= bound + 3.0 * error.collided, "{says}");
        }
    }
}

/// Uses [Bianchi2000]'s physical layer, in which all stations count slots from the same time, and the windows of its
/// figures 6 to 8.
fn hold_fhss(asking: bool) {
    // With a small first and a large last window, stations that have just transmitted are more likely to transmit next,
    // which the classic model ignores. The bound of the classic model is 2 % where this has little effect.
    for (first, last, classic) in [(16, 1024, 0.04), (32, 256, 0.02), (32, 1024, 0.02), (128, 1024, 0.02)] {
        let (config, times) = fhss(asking);
        let config = Config { cw_min: Some(first - 1), cw_max: Some(last - 1), ..config };
        let model = Model { times, windows: windows(first, last), retry_limit: 10_000 };
        hold(&format!("windows {first} to {last}, asking {asking}"), &config, &model, classic);
    }
}

// covers [Bianchi2000 IV], [Tinnirello2010]
#[test]
fn saturation_throughput_without_rts_matches_bianchi() {
    hold_fhss(false);
}

// covers [Bianchi2000 IV], [Tinnirello2010]
#[test]
fn saturation_throughput_with_rts_matches_bianchi() {
    hold_fhss(true);
}

/// 802.11b with the standard's times: collided stations count slots 1 + 364 - 222 = 143 us before bystanders, and
/// packets are given up. A frame of 1059 bytes at 11 Mbps takes 192 + 771 us, responses at 2 Mbps 192 + 56, an RTS at 2
/// Mbps 192 + 80.
fn standard_b(asking: bool) -> (Config, Model) {
    let config = Config { rts_threshold: asking.then_some(Bytes(0)), ..Config::default() };
    let [delay, data, answer, request, sifs, difs, eifs] = [1.0, 963.0, 248.0, 272.0, 10.0, 50.0, 364.0];
    let exchange = data + delay + sifs + answer + delay + difs;
    let (success, first) =
        if !asking { (exchange, data) } else { (request + delay + sifs + answer + delay + sifs + exchange, request) };
    let collision = first + delay + eifs;
    let times =
        Times { slot: 20e-6, success: success * 1e-6, collision: collision * 1e-6, ahead: 143e-6, slow: [0.0; 2] };
    (config, Model { times, windows: windows(32, 1024), retry_limit: 7 })
}

#[test]
fn saturation_throughput_of_802_11b_matches_the_refined_model() {
    for asking in [false, true] {
        let (config, model) = standard_b(asking);
        hold(&format!("802.11b, asking {asking}"), &config, &model, 0.02);
    }
}

/// Returns ns-2's throughput from the table of `crates/sim/tests/ns2/cell.tcl`: mean and standard error.
fn of_ns2(stations: u32) -> [f64; 2] {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/tests/ns2/cell.txt");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let name = format!("saturated {stations} receding ");
    let line = text.lines().find_map(|line| line.strip_prefix(&name)).unwrap_or_else(|| panic!("no line of {name}"));
    let figures: Vec<f64> = line.split(' ').map(|figure| figure.parse().unwrap()).collect();
    [mean(&figures), standard_error(&figures)]
}

/// The settings are ns-2's waiting time after a collision, EIFS plus DIFS for all stations, and its distance between
/// stations (docs/models/agreement-ns2.md).
#[test]
fn saturation_throughput_matches_ns2() {
    let silence = Some(Span::from_nanos(414_000));
    let delay = Some(Span::from_nanos(24));
    let config = Config { delay, eifs: silence, answer_timeout: silence, ..Config::default() };
    // The times are those of 802.11b, with a propagation delay of 24 ns and 414 us after a collision.
    let (_, mut model) = standard_b(false);
    model.times = Times {
        success: (963.0 + 10.0 + 248.0 + 0.048 + 50.0) * 1e-6,
        collision: (963.0 + 0.024 + 414.0) * 1e-6,
        ahead: 0.0,
        ..model.times
    };
    for n in [1, 2, 5, 10] {
        let ([theirs, their_error], [ours, error]) = (of_ns2(n), measure(&config, n, 20, 2000));
        let [classic, refined] = [model.bianchi(n), model.refined(n, 24e-9)].map(|figures| figures.packets);
        let says = format!(
            "{n} stations: ns-2 {theirs:.2} ± {their_error:.2}, ours {:.2} ± {:.2}, models {classic:.2}, {refined:.2}",
            ours.packets, error.packets
        );
        println!("{says}");
        assert!((ours.packets - theirs).abs() <= 3.0 * error.packets.hypot(their_error), "{says}");
        assert!((theirs - refined).abs() <= 0.01 * refined + 3.0 * their_error, "{says}");
    }
}

/// Returns Jain's index of the numbers of packets of `n` stations.
fn fairness(packets: &[(Time, usize)], n: usize) -> f64 {
    let mut counts = vec![0.0; n];
    packets.iter().for_each(|(_, station)| counts[*station] += 1.0);
    let squares: f64 = counts.iter().map(|count| count * count).sum();
    (packets.len() as f64).powi(2) / (n as f64 * squares)
}

/// In the long run all stations have equal shares. In the short run two stations share more evenly than with random
/// choices, because a station that has not transmitted has the shorter rest of a back-off [BergerSabbatel2004]; of many
/// stations, those that collided last have doubled windows, so they share less evenly. For random shares of w packets
/// among n stations the index is about 1 / (1 + (n - 1) / w).
#[test]
fn long_run_shares_are_equal() {
    for n in [2, 5, 10, 20, 50] {
        let mut cell = saturated(&Plan::around_one(Config::default(), n as u32));
        let all = deliver(&mut cell, 2000 * n, |_| ());
        let long = fairness(&all, n);
        let windows = |packets: usize| {
            let indices: Vec<f64> = all.chunks_exact(packets).map(|window| fairness(window, n)).collect();
            indices.iter().sum::<f64>() / indices.len() as f64
        };
        let [one, ten, hundred] = [n, 10 * n, 100 * n].map(windows);
        println!("{n} stations: {one:.3} over {n} packets, then tenfold {ten:.3}, {hundred:.3}, {long:.4} over all");
        assert!(long > 0.99, "{n} stations: {long}");
        assert!(one < ten && ten < hundred && hundred < long, "{n} stations: {one} {ten} {hundred} {long}");
        let by_chance = 1.0 / (1.0 + (n - 1) as f64 / (10 * n) as f64);
        assert_eq!(ten > by_chance, n == 2, "{n} stations: {ten} beside {by_chance}");
    }
}

// covers [Heusse2003]: one station at 1 Mbps among stations at 11 Mbps reduces the throughput of all stations to about
// its own.
#[test]
fn one_slow_station_reduces_all_to_its_throughput() {
    for n in [2, 5, 10, 20] {
        let (config, mut model) = standard_b(false);
        let fast = model.refined(n as u32, 1e-6).packets / n as f64;
        // 1059 bytes at 1 Mbps: 192 + 8472 us, acknowledged at 1 Mbps, 304 us.
        let more = 8664.0 - 963.0;
        model.times.slow = [(more + 304.0 - 248.0) * 1e-6, more * 1e-6];
        let each = model.refined(n as u32, 1e-6).packets / n as f64;
        let mut plan = Plan::around_one(config, n as u32);
        plan.rates = vec![Rate::from_bits_per_sec(1_000_000)];
        let mut cell = saturated(&plan);
        let begun = deliver(&mut cell, 100 * n, |_| ()).last().expect("packets").0;
        let all = deliver(&mut cell, 2000 * n, |_| ());
        let seconds = all[all.len() - 1].0.since(begun).as_secs_f64();
        let had = |station: usize| all.iter().filter(|(_, of)| *of == station).count() as f64 / seconds;
        let [mean, slow] = [all.len() as f64 / seconds / n as f64, had(0)];
        println!(
            "{n} stations: {mean:.2} packets/s each, the slow one {slow:.2}, model {each:.2}; {fast:.2} without it"
        );
        // The slow station's share has a random error of about 4 %, which also affects the total time.
        assert!((mean / each - 1.0).abs() < 0.05, "{n} stations: {mean} beside {each}");
        assert!((slow / mean - 1.0).abs() < 0.1, "{n} stations: {slow} of {mean}");
        // A pair of exchanges takes more than 963 + 8664 us instead of 2 x 963.
        assert!(n > 2 || mean < 0.3 * fast, "{n} stations: {mean} instead of {fast}");
    }
}
