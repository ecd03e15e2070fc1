//! Compares the times of segments after losses with those of Linux.
//!
//! The tables in `linux/` come from the kernel of one machine; `cargo xtask kernel --tables` rewrites them.
//! `docs/models/agreement-linux.md` explains the comparison and the differences.

use std::fmt::Write;
use std::path::Path;

use drill::endpoint::open_endpoint;
use drill::host::Host;
use drill::lossy::{record_bursts, render_bursts};

/// A row of a table: milliseconds, and the segments sent.
type Line = (f64, String);

fn lines(text: &str) -> Vec<Line> {
    let line = |line: &str| {
        let (at, sent) = line.trim().split_once(' ').unwrap();
        (at.parse().unwrap(), sent.to_owned())
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(line).collect()
}

/// The segments of a row in any order: Linux holds a segment back for a moment if the segment could become longer
/// (`tcp_tso_should_defer`), so a retransmission may overtake it.
fn set(row: &str) -> Vec<(u32, bool)> {
    let run = |run: &str| {
        let again = run.ends_with('r');
        let run = run.trim_end_matches('r');
        let (from, to) = run.split_once('-').unwrap_or((run, run));
        let (from, to): (u32, u32) = (from.parse().unwrap(), to.parse().unwrap());
        (from..=to).map(move |segment| (segment, again)).collect::<Vec<_>>()
    };
    let mut all: Vec<(u32, bool)> = row.split(' ').flat_map(run).collect();
    all.sort_unstable();
    all
}

/// The segments that Linux sends, for each set of lost segments.
fn theirs(control: &str) -> Vec<(Vec<u32>, Vec<Line>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/linux/{control}.txt"));
    let table = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let case = |text: &str| {
        let (lost, rows) = text.split_once('\n').unwrap();
        (lost.split(' ').map(|number| number.parse().unwrap()).collect(), lines(rows))
    };
    table.split("\nlost ").skip(1).map(case).collect()
}

/// Maximum lateness of a busy machine in milliseconds, summed over a run. Rows are 100 ms apart.
const LATE: f64 = 10.0;

/// Returns the allowed lateness of a row. A row without an acknowledgment is caused by a timer, which is late by up to
/// an eighth of its time and two ticks of 4 ms (`kernel/time/timer.c`).
fn allowed(since_before: f64) -> f64 {
    if since_before < 150.0 { LATE } else { LATE + since_before / 8.0 + 8.0 }
}

/// The number of leading rows that agree.
fn agreeing(theirs: &[Line], ours: &[Line]) -> usize {
    let mut before = 0.0;
    let same = |(theirs, ours): &(&Line, &Line)| {
        let allowed = allowed(theirs.0 - std::mem::replace(&mut before, theirs.0));
        (theirs.0 - ours.0).abs() <= allowed && set(&theirs.1) == set(&ours.1)
    };
    theirs.iter().zip(ours).take_while(same).count()
}

fn side_by_side(theirs: &[Line], ours: &[Line]) -> String {
    let shown = |line: Option<&Line>| line.map_or(String::new(), |(at, sent)| format!("{at:8.1} {sent}"));
    let mut text = format!("{:40} ours\n", "Linux");
    for index in 0..theirs.len().max(ours.len()) {
        writeln!(text, "{:40} {}", shown(theirs.get(index)), shown(ours.get(index))).unwrap();
    }
    text
}

/// Rows that agree before the first difference, for each case of the table; `None` for all rows. The difference is that
/// Linux lets the acknowledgment that ends recovery grow cwnd.
const PART: [(&str, [Option<usize>; 6]); 2] =
    [("reno", [None, Some(4), None, None, None, None]), ("cubic", [None, Some(4), None, None, None, None])];

#[test]
fn segments_after_losses_match_linux_until_a_known_difference() {
    for (control, part) in PART {
        let cases = theirs(control);
        assert_eq!(cases.len(), part.len(), "{control}");
        for ((lost, theirs), part) in cases.iter().zip(part) {
            let ours = lines(&render_bursts(&record_bursts(&mut Host::new(&open_endpoint), control, lost).unwrap()));
            let table = side_by_side(theirs, &ours);
            assert_eq!(theirs.len(), ours.len(), "{control}, {lost:?}\n{table}");
            assert_eq!(agreeing(theirs, &ours), part.unwrap_or(theirs.len()), "{control}, {lost:?}\n{table}");
        }
    }
}

/// Transmissions at the same time have an order. Sequence numbers do not show it if a retransmission was sent after new
/// data.
#[test]
fn segments_are_not_retransmitted_twice() {
    for (control, _) in PART {
        for (lost, _) in theirs(control) {
            let rows = lines(&render_bursts(&record_bursts(&mut Host::new(&open_endpoint), control, &lost).unwrap()));
            let mut again: Vec<u32> =
                rows.iter().flat_map(|(_, row)| set(row)).filter(|(_, again)| *again).map(|(one, _)| one).collect();
            again.sort_unstable();
            assert_eq!(again, lost, "{control}");
        }
    }
}
