//! The observation of a run, made in three ways: while it runs, from its result directory, and from captures of both
//! ends.

mod captured;
mod coverage;
mod fact_lines;
mod transfer_story;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use engine::Span;
use lab::load::{self, Overrides};
use lab::run;
use observe::observation::ObservingSink;
use observe::output::Printers;
use scenario::Loaded;
use scenario::traces::Trace;
use sim::Network;
use testkit::{ObservedCase, constructed_cases, example_paths, load_example, open_example, run_with_sink};

use captured::observe_captures;
use coverage::{CoverageTable, compare_captured};
use fact_lines::{FactCounts, FactLines, hash_line};
use transfer_story::TransferStory;

/// Constructed runs of the fast lane: queues of flows, copies, outages and datagrams, a sender with SACK, and a proxy.
const FEW_CASES: [&str; 4] = ["queue-fq-codel", "air-copies", "datagrams-outage", "scheme-split"];

/// Examples of the fast lane: a scheme, and a handshake.
const FEW_EXAMPLES: [&str; 2] = ["snoop", "handshake"];

/// Examples whose events are in the second half of a minute.
const LONGER_EXAMPLES: [&str; 3] = ["handover", "walk", "walk-away"];

/// Loads an example, shortened to ten seconds or one minute unless it needs its whole duration.
fn shortened_example(path: &Path) -> ObservedCase {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let seconds = if LONGER_EXAMPLES.contains(&name.as_str()) { 60 } else { 10 };
    let whole = load_example(path, &Overrides::default());
    let set = vec![format!("duration=\"{seconds} s\"")];
    let source = open_example(path, &Overrides { set, ..Overrides::default() });
    let short = source.and_then(|source| source.resolve(&source.document)).ok();
    let is_shorter = whole.network.duration > Span::from_secs(seconds);
    ObservedCase { loaded: short.filter(|_| is_shorter).unwrap_or(whole), name }
}

fn is_one_of_few(path: &Path) -> bool {
    FEW_EXAMPLES.iter().any(|name| path.file_stem().is_some_and(|stem| stem == *name))
}

/// Observes a run while it runs.
fn observe_live(network: &Network, each: impl FnMut(&str)) {
    let mut sink = ObservingSink::new(network, FactLines::new(each));
    let ended = run_with_sink(network, &mut sink).ended;
    sink.finish(ended);
}

/// Runs a scenario into a result directory, as `lasthop run` does.
fn store_run(loaded: &Loaded, traces: &[&Trace], dir: &Path) {
    let stored =
        run::run_into_directory(loaded, traces, dir, Printers::default(), false, &mut |_| ControlFlow::Continue(()));
    assert!(stored.is_ok(), "{dir:?}: {:?}", stored.err());
}

/// Observes the run of a result directory, as `lasthop explain` and `lasthop plot` do.
fn observe_stored(dir: &Path, each: impl FnMut(&str)) {
    let loaded =
        load::load_from_disk(dir, &Overrides::default()).unwrap_or_else(|problems| panic!("{dir:?}: {problems:?}"));
    let mut sink = ObservingSink::new(&loaded.network, FactLines::new(each));
    let results = run::replay_result(&loaded, dir, &mut sink, |_| false, &mut |_| ControlFlow::Continue(()));
    sink.finish(results.unwrap_or_else(|error| panic!("{dir:?}: {error}")).ended);
}

/// Compares every line of both observations. Returns the number of lines.
fn compare_stored(case: &ObservedCase) -> usize {
    let folder = tempfile::tempdir().expect("a directory");
    let dir = folder.path().join(&case.name);
    store_run(&case.loaded, &[], &dir);
    let mut live = Vec::new();
    observe_live(case.network(), |line| live.push(hash_line(line)));
    let (mut number, mut other) = (0, None);
    observe_stored(&dir, |line| {
        if other.is_none() && live.get(number) != Some(&hash_line(line)) {
            other = Some((number, line.to_owned()));
        }
        number += 1;
    });
    if let Some((number, stored)) = other {
        let mut lines = Vec::new();
        observe_live(case.network(), |line| lines.push(line.to_owned()));
        panic!("{}: line {number}:\n  live   {:?}\n  stored {stored:?}", case.name, lines.get(number));
    }
    assert_eq!(number, live.len(), "{}: lines of the stored run, and of the live one", case.name);
    number
}

#[test]
fn result_directory_has_every_fact_of_a_few_constructed_runs() {
    let few = constructed_cases().into_iter().filter(|case| FEW_CASES.contains(&case.name.as_str()));
    let lines: Vec<usize> = few.map(|case| compare_stored(&case)).collect();
    assert!(lines.len() == FEW_CASES.len() && lines.iter().all(|lines| *lines > 3000), "{lines:?}");
}

#[test]
#[ignore = "takes a minute: cargo xtask test --full"]
fn result_directory_has_every_fact_of_the_constructed_runs() {
    let lines = constructed_cases().iter().map(compare_stored).min();
    assert!(lines > Some(3000), "{lines:?}");
}

#[test]
fn replayed_results_of_a_few_examples_give_every_fact_of_the_live_run() {
    let few = example_paths().into_iter().filter(|path| is_one_of_few(path));
    let lines: Vec<usize> = few.map(|path| compare_stored(&shortened_example(&path))).collect();
    assert!(lines.len() == FEW_EXAMPLES.len() && lines.iter().all(|lines| *lines > 3000), "{lines:?}");
}

#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn result_directory_has_every_fact_of_all_examples() {
    let lines = example_paths().iter().map(|path| compare_stored(&shortened_example(path))).min();
    assert!(lines > Some(100), "{lines:?}");
}

/// The compared facts include each kind of fact.
#[test]
fn constructed_runs_have_facts_of_every_kind() {
    let mut counts = FactCounts::default();
    for case in constructed_cases() {
        let mut sink = ObservingSink::new(case.network(), counts);
        let ended = run_with_sink(case.network(), &mut sink).ended;
        counts = sink.finish(ended);
    }
    let kinds = ["Absorbed", "Answered", "Delivered", "Failed", "Gone", "Passed", "Reached", "Sender", "Sent"];
    let found: Vec<&str> = counts.0.keys().map(String::as_str).collect();
    assert_eq!(found, kinds);
}

/// The trace of captures.
fn select_pcapng() -> &'static Trace {
    scenario::traces::parse_trace_names(&["pcapng".to_owned()]).expect("a trace")[0]
}

/// Compares the captures of both ends of each flow with the run. Returns the number of flows.
fn compare_with_captures(case: &ObservedCase, table: &mut CoverageTable) -> usize {
    let folder = tempfile::tempdir().expect("a directory");
    let dir = folder.path().join(&case.name);
    store_run(&case.loaded, &[select_pcapng()], &dir);
    let flows = scenario::flows::over_tcp(case.network());
    for &flow in &flows {
        let mut sink = ObservingSink::new(case.network(), TransferStory::of_flow(flow as u32));
        let ended = run_with_sink(case.network(), &mut sink).ended;
        let run = sink.finish(ended);
        table.case = format!("{}, flow {flow}", case.name);
        let captured = observe_captures(&dir, case.network(), &run, flow);
        compare_captured(table, &captured.unwrap_or_else(|error| panic!("{}: {error}", table.case)), &run);
    }
    flows.len()
}

/// The kinds of facts that captures have.
const KINDS: [&str; 22] = [
    "arrivals",
    "blocked",
    "completed",
    "cwnd",
    "delay",
    "fast-recovery",
    "fast-retransmits",
    "in-order",
    "least-rtt",
    "loss-places",
    "losses",
    "max",
    "opening",
    "reasons",
    "receive-window",
    "round-trips",
    "rto",
    "slowest-hop",
    "ssthresh",
    "timeouts",
    "transmissions",
    "una",
];

/// Checks that each known value is the run's, and that at least 95 % of the run's are within the bounds.
fn check_coverage(table: &CoverageTable) {
    for (kind, row) in &table.rows {
        assert!(row.known.is_complete() && row.inferred.is_covered(), "{kind}: {row:?}");
    }
    assert_eq!(table.rows.keys().copied().collect::<Vec<_>>(), KINDS);
    // No capture of the ends shows where a segment was lost. Without a SYN a capture does not show the receive window.
    let [places, windows] = ["loss-places", "receive-window"].map(|kind| &table.rows[kind]);
    assert!(places.unknown > 500 && (places.known.of, places.inferred.of) == (0, 0), "{places:?}");
    assert!(windows.unknown > 15_000 && windows.inferred.of == 0, "{windows:?}");
}

#[test]
fn captures_of_both_ends_have_the_facts_of_the_constructed_runs() {
    let mut table = CoverageTable::default();
    let flows: usize = constructed_cases().iter().map(|case| compare_with_captures(case, &mut table)).sum();
    assert_eq!(flows, 45);
    check_coverage(&table);
}

#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn captures_of_both_ends_have_the_facts_of_the_examples() {
    let mut table = CoverageTable::default();
    let compare = |path: &PathBuf| compare_with_captures(&shortened_example(path), &mut table);
    let flows: usize = example_paths().iter().map(compare).sum();
    assert!(flows > 60, "{flows}");
    check_coverage(&table);
}
