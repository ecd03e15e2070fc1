//! The simulator's senders compared with those of ns-2: transmission times of segments.
//!
//! The tables in `ns2/` are the output of `ns2/drops.tcl`; `cargo xtask ns2` regenerates them. The comparison, its
//! settings and the reasons of differences are described in `docs/models/agreement-ns2.md`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use sim::Event;
use testkit::{build_network, record_events, wire_text};

/// One transmission time in milliseconds, and the segments sent then.
type Row = (f64, Vec<u64>);

/// For each list of lost segments: the segments that ns-2 sent.
fn theirs(agent: &str) -> Vec<(Vec<u64>, Vec<Row>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/ns2/{agent}.txt"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let number = |word: &str| -> u64 { word.trim_end_matches('r').parse().unwrap() };
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        let at = words.next().unwrap().parse().unwrap();
        (at, words.map(number).collect())
    };
    let case = |text: &str| {
        let mut lines = text.trim().lines();
        let lost = lines.next().unwrap().split(' ').map(number).collect();
        (lost, lines.map(row).collect())
    };
    text.split("\nlost ").skip(1).map(case).collect()
}

/// Segments sent by the simulator with the TCP settings `tcp` in TOML.
fn ours(tcp: &str, lost: &[u64]) -> Vec<Row> {
    let flow = format!("bytes = \"57600 B\"\nmss = \"960 B\"\nreceive_window = \"61440 B\"\ntcp = {tcp}");
    let text = wire_text("800 kbps", "100 ms", &flow);
    let channel = format!("[links.wire]\nchannel = {{ kind = \"scripted\", drop = {lost:?} }}");
    let (_, events) = record_events(&build_network(&text.replace("[links.wire]", &channel)));
    let mut rows: Vec<Row> = Vec::new();
    for (at, event) in events {
        if let Event::Sender { event: tcp::Event::SegmentSent { seq, .. }, .. } = event {
            let at = at.as_nanos() as f64 / 1e6;
            match rows.last_mut() {
                Some((last, segments)) if *last == at => segments.push(seq / 960),
                _ => rows.push((at, vec![seq / 960])),
            }
        }
    }
    rows
}

/// Number of leading rows that agree within `tolerance` milliseconds.
fn agreeing(theirs: &[Row], ours: &[Row], tolerance: f64) -> usize {
    let same = |(a, b): &(&Row, &Row)| (a.0 - b.0).abs() <= tolerance && a.1 == b.1;
    theirs.iter().zip(ours).take_while(same).count()
}

fn side_by_side(theirs: &[Row], ours: &[Row]) -> String {
    let shown = |row: Option<&Row>| row.map_or(String::new(), |(at, segments)| format!("{at:10.3} {segments:?}"));
    let mut text = String::from("       ns-2                         ours\n");
    for index in 0..theirs.len().max(ours.len()) {
        writeln!(text, "{index:4} {:28} {}", shown(theirs.get(index)), shown(ours.get(index))).unwrap();
    }
    text
}

/// The retransmitted segments with their times.
fn resent(rows: &[Row]) -> Vec<(f64, u64)> {
    let mut seen = BTreeSet::new();
    let all = rows.iter().flat_map(|(at, segments)| segments.iter().map(|segment| (*at, *segment)));
    all.filter(|(_, segment)| !seen.insert(*segment)).collect()
}

/// A sender of ns-2 and its counterpart.
struct Pair {
    /// Name of the ns-2 sender in its table.
    agent: &'static str,
    /// Settings of the counterpart in TOML.
    tcp: &'static str,
    /// Tolerance of times in milliseconds.
    tolerance: f64,
    /// For each case, the number of rows that agree before the given reason causes a difference.
    agree: [usize; 5],
}

/// ns-2 writes times with a resolution of one microsecond.
const WRITTEN: f64 = 0.001;
/// The simulator pads SACK options to a multiple of four bytes, and ns-2 does not. Therefore each acknowledgment with
/// such an option takes longer, by 20 us for one or two blocks, and delays an acknowledgment queued behind it. Rows are
/// 10 ms apart.
const PADDED: f64 = 0.5;

/// Reasons for divergence:
/// - *threshold*: with cwnd equal to ssthresh, the state after recovery, ours adds a segment, ns-2 1/cwnd;
/// - *pipe*: ours removes lost data from the pipe when it is known to be lost [RFC6675 s4], ns-2 when it is
///   retransmitted;
/// - *first duplicates*: ours sends a new segment for each of the first two, ns-2's Fack does not;
/// - *Vegas's cut*: ns-2 sends a new segment with the retransmission, so it reduces cwnd by less than ours, which
///   halves the flight;
/// - *Vegas's timer*: ns-2 retransmits before the third duplicate if the segment has waited longer than a timeout of
///   finer resolution.
const PAIRS: &[Pair] = &[
    // threshold
    Pair {
        agent: "tahoe",
        tcp: r#"{ recovery = "tahoe", control = { kind = "reno", ssthresh_from = "window" } }"#,
        tolerance: WRITTEN,
        agree: [22, 22, 22, 22, 31],
    },
    // threshold
    Pair {
        agent: "reno",
        tcp: r#"{ variant = "reno", control = { kind = "reno", ssthresh_from = "window" } }"#,
        tolerance: WRITTEN,
        agree: [23, 25, 23, 22, 31],
    },
    // The cause is the threshold; the last sender agrees to its end.
    Pair {
        agent: "newreno",
        tcp: r#"{ recovery = "newreno", control = { kind = "reno", ssthresh_from = "window" } }"#,
        tolerance: WRITTEN,
        agree: [23, 28, 32, 35, 42],
    },
    // The first difference is caused by the threshold, the others by the pipe.
    Pair {
        agent: "sack1",
        tcp: r#"{ recovery = "sack", control = { kind = "reno", ssthresh_from = "window" } }"#,
        tolerance: PADDED,
        agree: [25, 21, 19, 18, 24],
    },
    // first duplicates; the last: pipe.
    Pair {
        agent: "fack",
        tcp: r#"{ recovery = "fack", control = { kind = "reno", ssthresh_from = "window" } }"#,
        tolerance: PADDED,
        agree: [15, 15, 15, 15, 22],
    },
    // Vegas's cut; the last: Vegas's timer.
    Pair { agent: "vegas", tcp: r#"{ variant = "vegas" }"#, tolerance: WRITTEN, agree: [15, 15, 15, 15, 21] },
];

#[test]
fn segments_leave_at_the_times_of_ns2_until_a_known_difference() {
    for Pair { agent, tcp, tolerance, agree } in PAIRS {
        let cases = theirs(agent);
        assert_eq!(cases.len(), agree.len(), "{agent}");
        for ((lost, theirs), expected) in cases.iter().zip(agree) {
            let ours = ours(tcp, lost);
            let table = side_by_side(theirs, &ours);
            assert_eq!(
                agreeing(theirs, &ours, *tolerance),
                (*expected).min(theirs.len()),
                "{agent}, {lost:?}\n{table}"
            );
        }
    }
}

/// Retransmissions without SACK have the same times to the end, although the values of cwnd differ in between.
#[test]
fn retransmission_times_equal_those_of_ns2() {
    for Pair { agent, tcp, tolerance, .. } in PAIRS.iter().filter(|pair| ["reno", "newreno"].contains(&pair.agent)) {
        for (lost, theirs) in theirs(agent) {
            let ours = ours(tcp, &lost);
            let (again, also) = (resent(&theirs), resent(&ours));
            let same = |(a, b): (&(f64, u64), &(f64, u64))| (a.0 - b.0).abs() <= *tolerance && a.1 == b.1;
            let table = side_by_side(&theirs, &ours);
            assert!(again.len() == also.len() && again.iter().zip(&also).all(same), "{agent}, {lost:?}\n{table}");
        }
    }
}
