//! Append-only stores: their contents, also after a kill or a full disk, and merging.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use lab::load::{Overrides, Source, open_from_disk};
use lab::store::{Digest, Store, StoreError};
use lab::sweep::Plan;
use lab::sweep::analysis::{Analysis, analysis_to_json};
use lab::sweep::run::{Shard, run_sweep};

fn source() -> Source {
    let set = ["duration=\"2 s\"", "sweep.replications=3", "sweep.axes.links.air.rate=[\"1 Mbps\", \"2 Mbps\"]"];
    let overrides = Overrides { set: set.map(str::to_owned).to_vec(), ..Overrides::default() };
    open_from_disk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/goel-refined.toml"), &overrides).unwrap()
}

fn plan() -> Plan {
    Plan::of(&source()).unwrap()
}

fn dir(test: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("journals-{test}"));
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

/// Executes the missing runs of a shard on two threads; returns their number.
fn swept(store: &mut Store, shard: Shard) -> u64 {
    run_sweep(&plan(), store, 2, shard, &mut |_| ControlFlow::Continue(())).unwrap().done
}

fn analysis(store: &mut Store) -> String {
    let kept = plan().note(store).and_then(|id| store.sweep(id)).unwrap();
    analysis_to_json(&Analysis::of(store, kept, 3).unwrap()).to_string()
}

fn complete(path: &Path) -> Store {
    let mut store = Store::create(path).unwrap();
    assert_eq!(swept(&mut store, Shard::WHOLE), 6);
    store
}

/// A journal contains the same results as an SQLite store, also when it is opened again. No run is repeated.
#[test]
fn journal_and_sqlite_store_have_equal_contents() {
    let dir = dir("same");
    let mut journal = complete(&dir.join("s.jsonl"));
    let expected = analysis(&mut complete(&dir.join("s.sqlite")));
    assert_eq!(analysis(&mut journal), expected);
    drop(journal);
    let lines = fs::read_to_string(dir.join("s.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 1 + 1 + 6, "versions, the sweep, six runs");
    let mut again = Store::create(&dir.join("s.jsonl")).unwrap();
    assert_eq!(swept(&mut again, Shard::WHOLE), 0);
    assert_eq!(analysis(&mut again), expected);
    assert_eq!(fs::read_to_string(dir.join("s.jsonl")).unwrap(), lines, "it has not grown");
}

#[test]
fn merged_shards_equal_the_unsharded_sweep() {
    let dir = dir("shards");
    let mut whole = Store::create(&dir.join("all.sqlite")).unwrap();
    for index in 1..=2 {
        let path = dir.join(format!("{index}.jsonl"));
        let mut store = Store::create(&path).unwrap();
        assert_eq!(swept(&mut store, Shard { index, count: 2 }), 3);
        drop(store);
        assert_eq!(whole.merge(&path).unwrap().runs, 3);
    }
    assert_eq!(analysis(&mut whole), analysis(&mut complete(&dir.join("one.sqlite"))));
}

/// A file cut at any byte gives the runs before it, and can be continued.
#[test]
fn truncated_journal_is_continued() {
    let dir = dir("cut");
    let path = dir.join("s.jsonl");
    let expected = analysis(&mut complete(&path));
    let whole = fs::read(&path).unwrap();
    let first = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    for cut in (first..whole.len()).step_by(whole.len() / 40) {
        fs::write(&path, &whole[..cut]).unwrap();
        let mut store = Store::create(&path).unwrap();
        assert_eq!(store.dropped_a_line(), whole[cut - 1] != b'\n', "cut at {cut}");
        let runs = whole[..cut].split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")).count();
        assert_eq!(swept(&mut store, Shard::WHOLE), 6 - (runs as u64).saturating_sub(2), "cut at {cut}");
        assert_eq!(analysis(&mut store), expected);
        drop(store);
        assert_eq!(analysis(&mut Store::create(&path).unwrap()), expected);
    }
}

/// A changed byte before the last line is always detected, with the number of its line.
#[test]
fn changed_byte_is_reported_with_its_line() {
    let dir = dir("changed");
    let path = dir.join("s.jsonl");
    complete(&path);
    let whole = fs::read(&path).unwrap();
    for place in (0..whole.len() - 1).step_by(whole.len() / 50) {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let line = whole[..place].iter().filter(|byte| **byte == b'\n').count() + 1;
        let error = Store::open(&path).unwrap_err().to_string();
        assert!(error.contains(&format!("line {line}:")), "byte {place}: {error}");
        assert!(error.contains("hint: ") && !error.contains("sqlite3"), "{error}");
    }
}

#[test]
fn other_files_are_refused() {
    let dir = dir("others");
    let path = dir.join("s.jsonl");
    assert!(matches!(Store::open(&path), Err(StoreError::Unopened { .. })));
    for contents in ["", "{\"crc32\":\"0", "no store"] {
        fs::write(&path, contents).unwrap();
        assert!(matches!(Store::open(&path), Err(StoreError::NotAStore(_))), "{contents}");
    }
    fs::write(&path, "{\"t\":0.0}\n").unwrap();
    assert!(Store::open(&path).unwrap_err().to_string().contains("line 1: found no checksum"));
}

/// The version is part of the first line, whose checksum is recalculated here.
#[test]
fn journal_of_another_version_is_refused_with_that_version() {
    let dir = dir("version");
    let path = dir.join("s.jsonl");
    complete(&path);
    let text = fs::read_to_string(&path).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let model = format!("\"model\":{}", sim::MODEL_VERSION);
    let header = first[20..].replace(&model, "\"model\":999");
    assert_ne!(header, first[20..]);
    let sum = crc32fast::hash(header.as_bytes());
    fs::write(&path, format!("{{\"crc32\":\"{sum:08x}\",{header}\n{rest}")).unwrap();
    let error = Store::open(&path).unwrap_err().to_string();
    assert!(error.contains("model 999") && error.contains(&format!("model {}", sim::MODEL_VERSION)), "{error}");
}

/// A run that is repeated for its delays replaces the first result, also after the file is read again.
#[test]
fn repeated_run_with_delays_replaces_the_first() {
    let dir = dir("delays");
    let path = dir.join("s.jsonl");
    complete(&path);
    let mut source = source();
    source.document.set("sweep.metrics=[\"delay_mean_s\"]").unwrap();
    let plan = Plan::of(&source).unwrap();
    let mut store = Store::create(&path).unwrap();
    for made in [6, 0] {
        let tally = run_sweep(&plan, &mut store, 2, Shard::WHOLE, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(tally.done, made);
        store = Store::create(&dir.join("other.jsonl")).unwrap();
        drop(store);
        store = Store::create(&path).unwrap();
    }
}

#[test]
fn merging_into_a_journal_is_refused() {
    let dir = dir("into");
    complete(&dir.join("s.sqlite"));
    let error = Store::create(&dir.join("s.jsonl")).unwrap().merge(&dir.join("s.sqlite")).unwrap_err().to_string();
    assert!(error.contains("name one that ends with .sqlite"), "{error}");
}

#[test]
fn second_program_cannot_append_to_an_open_journal() {
    let dir = dir("two");
    let path = dir.join("s.jsonl");
    let _first = Store::create(&path).unwrap();
    let mut second = Store::create(&path).unwrap();
    let outcome = run_sweep(&plan(), &mut second, 1, Shard::WHOLE, &mut |_| ControlFlow::Continue(()));
    let error = outcome.unwrap_err().to_string();
    assert!(error.contains("another program appends to it"), "{error}");
    // Reading is allowed.
    assert!(Store::open(&path).is_ok());
}

/// The keys of the two cells, and the summary of a run of the first.
fn cells_and_run(path: &Path) -> ([Digest; 2], String) {
    let store = Store::open(path).unwrap();
    let cells: Vec<Digest> = store.cells(1).unwrap().iter().map(|cell| cell.digest).collect();
    let lines = fs::read_to_string(path).unwrap();
    let mut runs = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let run = runs.find(|run| run["run"] == cells[0].to_string()).unwrap();
    (cells.try_into().unwrap(), run["summary"].as_str().unwrap().to_owned())
}

/// A run counts as finished only after its line is written.
#[test]
fn run_is_stored_by_a_retry_after_a_failed_write() {
    let dir = dir("retry");
    let path = dir.join("s.jsonl");
    complete(&dir.join("full.jsonl"));
    let ([digest, _], summary) = cells_and_run(&dir.join("full.jsonl"));
    let first = Store::create(&path).unwrap();
    let mut second = Store::create(&path).unwrap();
    assert!(plan().note(&mut second).is_err());
    assert!(second.sweeps().unwrap().is_empty());
    assert!(second.keep(digest, 0, &summary).is_err());
    assert!(!second.has(digest, 0).unwrap());
    drop(first);
    plan().note(&mut second).unwrap();
    second.keep(digest, 0, &summary).unwrap();
    assert!(second.has(digest, 0).unwrap());
    let read = Store::open(&path).unwrap();
    assert!(read.has(digest, 0).unwrap() && read.sweeps().unwrap().len() == 1);
}

/// The second of two runs differs from its stored result. Therefore the first run is not stored either.
#[test]
fn runs_stored_together_are_written_all_or_not_at_all() {
    let dir = dir("together");
    let path = dir.join("s.jsonl");
    complete(&path);
    let ([digest, other], summary) = cells_and_run(&path);
    let before = fs::read(&path).unwrap();
    let mut store = Store::create(&path).unwrap();
    let of_delays: Vec<_> = observe::metric::METRICS.iter().copied().filter(|metric| metric.is_of_delays()).collect();
    store.measure_delays(&of_delays).unwrap();
    let error = store.keep_all([(digest, 7, summary.as_str()), (other, 0, summary.as_str())]).unwrap_err();
    assert!(matches!(error, StoreError::Otherwise { .. }), "{error}");
    assert!(!store.has(digest, 7).unwrap());
    assert_eq!(fs::read(&path).unwrap(), before);
    store.keep_all([(digest, 7, summary.as_str()), (digest, 8, summary.as_str())]).unwrap();
    drop(store);
    assert_eq!(Store::open(&path).unwrap().finished_ranges(digest, 7..9).unwrap(), vec![7..9]);
}
