//! The behaviour of each congestion control on six paths with one bottleneck, as readable tables: they show any change
//! of its arithmetic. Equilibria are tested in `equilibria.rs`, single rules by hand in the tests of each file.
//!
//! 500,000 bytes per second (a segment in 2 ms) and a round trip of 60 ms: a bandwidth-delay product of 30 segments.
//! Columns: cwnd, ssthresh, flight and queue, in segments; delivered and lost segments; the pacing rate in segments per
//! second. `UPDATE_GOLDEN=1` rewrites `golden/controls`. Reno on the first path is checked by hand; invariants are
//! checked for every table.

use crate::bottleneck;
use crate::common;

use std::fmt::Write;

use bottleneck::{Path, Run, SEGMENT};
use common::{golden, member};
use engine::{Span, Stream, Time};
use tcp::cc::hystart::{Kind, linux::Rounds};
use tcp::cc::{ControlConfig, Start, bbr, bbr3, cubic, dctcp, reno, westwood, window};

const PATH: Path =
    Path { rate: 500_000, rtt: Span::from_millis(60), buffer: 20_000, mark: None, loss: 0.0, bunch: Span::ZERO };

/// The path from this millisecond on.
type Change = (u64, Path);

/// The paths and their changes.
fn paths() -> Vec<(&'static str, Path, Vec<Change>)> {
    let deep = Path { buffer: 120_000, ..PATH };
    let air = Path { buffer: 60_000, loss: 0.01, ..PATH };
    let marks = Path { buffer: 60_000, mark: Some(8_000), ..PATH };
    let bunches = Path { buffer: 40_000, bunch: Span::from_millis(20), loss: 0.002, ..PATH };
    let slow = Path { rate: 200_000, ..deep };
    vec![
        ("a queue of 20 segments", PATH, vec![]),
        (
            "a queue of 120 segments, 30 ms more from 3 s on",
            deep,
            vec![(3000, Path { rtt: Span::from_millis(90), ..deep })],
        ),
        ("1 % lost in the air", air, vec![]),
        ("marks from 8 segments on", marks, vec![]),
        ("reports each 20 ms, 0.2 % lost", bunches, vec![]),
        ("two fifths of the rate from 2 to 4 s", deep, vec![(2000, slow), (4000, deep)]),
    ]
}

/// Each control with its defaults, and with each setting that selects a rule.
fn controls() -> Vec<(String, ControlConfig)> {
    let mut all: Vec<(String, ControlConfig)> =
        ControlConfig::MEMBERS.iter().map(|(name, _)| ((*name).to_owned(), member(name))).collect();
    let cubic = |name: &str, config| (name.to_owned(), ControlConfig::Cubic(config));
    let linux = cubic::Config { arithmetic: cubic::Arithmetic::Linux, ..cubic::Config::default() };
    all.push(cubic("cubic-plain", cubic::Config { hystart: Kind::Off, ..cubic::Config::default() }));
    all.push(cubic(
        "cubic-neither-friendly-nor-fast",
        cubic::Config { reno_friendly: false, fast_convergence: false, ..cubic::Config::default() },
    ));
    all.push(cubic("cubic-linux", linux.clone()));
    all.push(cubic(
        "cubic-linux-hystart",
        cubic::Config { hystart: Kind::Linux, hystart_rounds: Some(Rounds::AboveLowWindow), pace: true, ..linux },
    ));
    for detect in [1, 2] {
        let config = cubic::Config { hystart: Kind::Linux, hystart_detect: Some(detect), ..linux };
        all.push(cubic(&format!("cubic-linux-hystart-{detect}"), config));
    }
    let reno = |name: &str, config| (name.to_owned(), ControlConfig::Reno(config));
    all.push(reno("reno-counted", reno::Config { growth: Some(window::Growth::Counted), ..reno::Config::default() }));
    all.push(reno(
        "reno-basis-cwnd-paced",
        reno::Config {
            ssthresh_from: Some(reno::Basis::Cwnd),
            hystart: Some(Kind::PlusPlus),
            pace: true,
            ..reno::Config::default()
        },
    ));
    all.push(("bbr-policer".to_owned(), ControlConfig::Bbr(bbr::Config { policer: true, ..bbr::Config::default() })));
    all.push((
        "bbr-no-aggregation".to_owned(),
        ControlConfig::Bbr(bbr::Config {
            aggregation: false,
            min_rtt_window: Span::from_secs(2),
            ..bbr::Config::default()
        }),
    ));
    all.push((
        "bbr3-often".to_owned(),
        ControlConfig::Bbr3(bbr3::Config { probe_rtt_interval: Span::from_secs(2), ..bbr3::Config::default() }),
    ));
    all.push((
        "dctcp-counted".to_owned(),
        ControlConfig::Dctcp(dctcp::Config { growth: window::Growth::Counted, ..dctcp::Config::default() }),
    ));
    all.push((
        "westwood-counted".to_owned(),
        ControlConfig::Westwood(westwood::Config { growth: window::Growth::Counted, ..westwood::Config::default() }),
    ));
    all
}

fn begin(config: &ControlConfig, path: Path) -> Run {
    let segment = SEGMENT as f64;
    let stream = Stream::named(1, 0, "timelines");
    Run::new(config.build(Start { segment, cwnd: 10.0 * segment, ssthresh: f64::INFINITY, stream }), path, 1)
}

/// Writes a row of the present state.
fn row(run: &Run, ms: u64, table: &mut String) {
    let segments = |bytes: f64| bytes / SEGMENT as f64;
    let last = run.log.last().expect("something was reported");
    let ssthresh = run.cc.ssthresh();
    let ssthresh = if ssthresh.is_finite() { format!("{:.3}", segments(ssthresh)) } else { "-".to_owned() };
    let pace = run.cc.pacing_rate().map_or("-".to_owned(), |rate| format!("{:.2}", segments(rate)));
    writeln!(
        table,
        "{ms:>6} {:>8.3} {ssthresh:>8} {:>4} {:>4} {:>6} {:>5} {pace:>8}",
        segments(run.cc.cwnd()),
        segments(last.flight),
        last.queue / SEGMENT,
        last.delivered / SEGMENT,
        last.lost / SEGMENT,
    )
    .unwrap();
}

#[test]
fn congestion_tables_match_the_golden_files() {
    for (name, config) in controls() {
        let rate_based = name.starts_with("bbr");
        let mut text = format!("{name}\n");
        for (what, path, changes) in paths() {
            writeln!(
                text,
                "\n{what}\n{:>6} {:>8} {:>8} {:>4} {:>4} {:>6} {:>5} {:>8}",
                "ms", "cwnd", "ssthresh", "fly", "wait", "arrive", "lost", "pace"
            )
            .unwrap();
            let mut run = begin(&config, path);
            let mut changes = changes.into_iter().peekable();
            let end = if rate_based { 13_000 } else { 7_000 };
            let mut ms = 0;
            while ms < end {
                ms += if ms < 1000 { 100 } else { 250 };
                run.until(Time::from_millis(ms));
                row(&run, ms, &mut text);
                if let Some((_, path)) = changes.next_if(|(at, _)| *at == ms) {
                    run.change(path);
                }
            }
            check(&name, &run);
        }
        golden(&format!("controls/{name}.txt"), &text);
    }
}

/// Invariants of all controls: deliveries do not exceed the service rate or the segments sent, and the flight is at
/// most the maximum cwnd so far.
fn check(name: &str, run: &Run) {
    let mut most: f64 = 10.0 * SEGMENT as f64;
    for (before, moment) in run.log.iter().zip(&run.log[1..]) {
        most = most.max(before.cwnd).max(moment.cwnd);
        assert!(moment.delivered as f64 <= PATH.rate as f64 * moment.at.as_secs_f64(), "{name}: {moment:?}");
        assert!(moment.flight <= most, "{name}: {moment:?}");
        assert!(moment.delivered >= before.delivered && moment.lost >= before.lost, "{name}: {moment:?}");
    }
    let last = run.log[run.log.len() - 1];
    assert!(last.delivered as f64 > 0.1 * PATH.rate as f64 * last.at.as_secs_f64(), "{name}: {last:?}");
}

/// Reno by hand. The first ten segments are served in 2 ms each and reported from 62 to 80 ms, each report allowing two
/// segments: cwnd is 20 at 100 ms. These two need 4 ms of service, so their 20 reports arrive from 124 to 162 ms: cwnd
/// is then 40. The queue holds 20 and the path 30: it is full at 51. A loss is detected three arrivals later, and
/// halves cwnd.
#[test]
fn reno_doubles_each_round_trip_until_the_queue_is_full() {
    let mut run = begin(&ControlConfig::Reno(reno::Config::default()), PATH);
    let mut window = |ms| run.until(Time::from_millis(ms)).cc.cwnd() / SEGMENT as f64;
    assert_eq!([61, 62, 80, 123, 124, 162].map(&mut window), [10.0, 11.0, 20.0, 20.0, 21.0, 40.0]);
    run.until(Time::from_millis(1000));
    let before = run.log.iter().take_while(|moment| moment.lost == 0).count();
    let cut = run.log[before];
    assert!(run.log[..before].iter().all(|moment| moment.queue <= PATH.buffer));
    let flight = cut.flight + (cut.lost + SEGMENT) as f64;
    assert_eq!(cut.cwnd, (flight / 2.0).max(2.0 * SEGMENT as f64), "half of what was in flight");
}
