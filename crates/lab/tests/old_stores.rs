//! Stores and result directories of earlier versions: the stores in `before/` were written before keys were computed
//! from canonical forms.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use lab::load::{self, Overrides};
use lab::store::Store;
use lab::sweep::Plan;
use lab::sweep::analysis::{Analysis, analysis_to_json};
use lab::sweep::rekey::rekey_sweeps;
use lab::sweep::run::{Shard, SweepError, Tally, run_sweep};
use observe::metric;
use observe::summary::{RecordedSummary, flow};
use serde_json::Value;

fn before(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/before").join(name)
}

/// A copy of the old store.
fn store() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.sqlite");
    fs::copy(before("store.sqlite"), &path).unwrap();
    // The store was written with model 9. The scenarios have the same results in the current model.
    change(&path, &format!("UPDATE sweeps SET model = {}", sim::MODEL_VERSION));
    // The old format has no column `form`.
    let checksum = "row_checksum(id, digest, name, title, scenario, metrics, lasthop, model)";
    change(&path, &format!("UPDATE sweeps SET checksum = {checksum}"));
    (dir, path)
}

/// The sweep of an earlier scenario, whose keys may have new names.
fn plan(file: &str) -> Plan {
    let text = scenario::document::with_new_names(&fs::read_to_string(before(file)).unwrap()).unwrap();
    let text = text.replace("\"back_offs\"", "\"backoffs\"");
    let stem = file.trim_end_matches(".toml").to_owned();
    let source = load::of_text(stem, file.into(), text.as_bytes(), &Overrides::default());
    source.and_then(|source| Plan::of(&source)).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn swept(plan: &Plan, store: &mut Store) -> Result<Tally, SweepError> {
    run_sweep(plan, store, 2, Shard::WHOLE, &mut |_| ControlFlow::Continue(()))
}

/// The JSON of a sweep, without fields that the old version did not have.
fn shown(store: &Store, name: &str) -> Value {
    let sweep = store.sweeps().unwrap().into_iter().find(|sweep| sweep.name == name).unwrap();
    let mut shown = analysis_to_json(&Analysis::of(store, sweep, u64::MAX).unwrap());
    for entry in shown.as_array_mut().unwrap() {
        assert_eq!(entry.as_object_mut().unwrap().remove("lacking"), Some(0.into()));
    }
    shown
}

fn kept(name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(before(name)).unwrap()).unwrap()
}

/// Returns the results of an old store under the current names of metrics.
fn kept_now(name: &str) -> Value {
    let mut kept = kept(name);
    for entry in kept.as_array_mut().unwrap() {
        let former = entry["metric"].as_str().and_then(metric::find_metric_by_former_name);
        if let Some(metric) = former {
            entry["metric"] = metric.name.into();
        }
    }
    kept
}

#[test]
fn old_store_shows_the_same_results() {
    let (_dir, path) = store();
    let store = Store::open(&path).unwrap();
    assert_eq!(shown(&store, "wire"), kept("wire.json"));
    assert!(Store::verify(&path).unwrap().is_sound());
}

#[test]
fn old_runs_are_found_under_their_new_keys() {
    let (_dir, path) = store();
    let mut store = Store::open(&path).unwrap();
    for (name, runs) in [("wire", 8), ("cell", 2)] {
        let plan = plan(&format!("{name}.toml"));
        assert_eq!(swept(&plan, &mut store).unwrap(), Tally { wanted: runs, found: runs, done: 0 });
        assert_eq!(shown(&store, name), kept_now(&format!("{name}.json")));
    }
    assert_eq!(store.sweeps().unwrap().len(), 2, "it is the same sweep");
    assert!(Store::verify(&path).unwrap().is_sound());
}

#[test]
fn old_and_new_runs_are_merged() {
    let (dir, path) = store();
    let now = dir.path().join("now.sqlite");
    let plan = plan("wire.toml");
    let mut store = Store::create(&now).unwrap();
    swept(&plan, &mut store).unwrap();
    store.merge(&path).unwrap();
    assert!(rekey_sweeps(&mut store).unwrap().is_empty());
    assert_eq!(shown(&store, "wire"), kept("wire.json"));
    assert_eq!(store.sweeps().unwrap().iter().filter(|sweep| sweep.name == "wire").count(), 1);
}

/// A scenario that can no longer be read has no key. Its stored results are still shown.
#[test]
fn sweep_with_an_unreadable_scenario_is_unchanged() {
    let (_dir, path) = store();
    let mut store = Store::open(&path).unwrap();
    change(&path, "UPDATE sweeps SET scenario = 'duration = \"1 s\"' WHERE name = 'wire'");
    change(
        &path,
        "UPDATE sweeps SET checksum = row_checksum(id, digest, name, title, scenario, metrics, lasthop, model, form)",
    );
    assert_eq!(rekey_sweeps(&mut store).unwrap(), ["wire"]);
    assert_eq!(store.sweeps().unwrap()[0].form, 0);
    let sweep = store.sweeps().unwrap().remove(0);
    assert_eq!(Analysis::of(&store, sweep, u64::MAX).unwrap().runs(), 8);
}

/// Damaged rows do not get valid checksums.
#[test]
fn upgrade_keeps_damaged_rows_marked() {
    let (_dir, path) = store();
    change(&path, "UPDATE runs SET summary = replace(summary, '\"timeouts\":', '\"timeouts\":1') WHERE rowid = 3");
    let verified = Store::verify(&path).unwrap();
    assert_eq!(verified.damage.len(), 1, "{:?}", verified.damage);
    assert!(verified.damage[0].to_string().starts_with("replication "), "{}", verified.damage[0]);
}

/// Whether `whole` contains every value of `part` at the same place.
fn has_all(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(key, value)| whole.get(key).is_some_and(|found| has_all(found, value)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(found, value)| has_all(found, value))
        }
        _ => whole == part,
    }
}

/// Values of an old summary are written again; missing fields that did not apply are added.
#[test]
fn summary_of_an_old_store_is_read_and_written_with_all_its_values() {
    let text = fs::read_to_string(before("run/summary.json")).unwrap();
    let recorded = RecordedSummary::parse(&text).unwrap();
    assert!(metric::METRICS.iter().all(|metric| !recorded.lacks(metric)));
    assert_eq!(recorded.flows[0].bytes_delivered, 40_000);
    let mut renamed = text;
    for metric in metric::METRICS.iter() {
        for was in metric.was {
            renamed = renamed.replace(&format!("\"{was}\":"), &format!("\"{}\":", metric.name));
        }
    }
    let old = serde_json::from_str(&renamed).unwrap();
    let again = serde_json::to_value(&*recorded).unwrap();
    assert!(has_all(&again, &old) && !has_all(&old, &again), "{again:#}");
    assert_eq!(RecordedSummary::parse(&again.to_string()).unwrap(), recorded);
}

/// Runs stored before `timeouts` was a metric, simulated by removing it from the set of metrics.
fn without_timeouts(path: &Path) {
    change(path, "UPDATE metric_sets SET names = replace(names, ' timeouts', '')");
    change(path, "UPDATE metric_sets SET checksum = row_checksum(id, names)");
    change(path, "UPDATE runs SET summary = replace(summary, '\"timeouts\":', '\"unknown\":')");
    change(path, "UPDATE runs SET checksum = row_checksum(digest, replication, summary, metric_set)");
}

#[test]
fn runs_without_a_metric_are_counted_and_refilled() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.sqlite");
    let plan = plan("wire.toml");
    swept(&plan, &mut Store::create(&path).unwrap()).unwrap();
    without_timeouts(&path);

    // A new metric does not invalidate stored runs, which have no value of it.
    let mut store = Store::open(&path).unwrap();
    assert_eq!(swept(&plan, &mut store).unwrap(), Tally { wanted: 8, found: 8, done: 0 });
    let analysis = |store: &Store| Analysis::of(store, store.sweeps().unwrap().remove(0), u64::MAX).unwrap();
    let before = analysis(&store);
    let entries = before.entries(&flow::timeouts);
    assert_eq!(entries.len(), 4);
    assert!(
        entries.iter().all(|entry| (entry.row.is_none(), entry.lacking, entry.without) == (true, 2, 0)),
        "{entries:?}"
    );
    assert!(before.entries(&flow::completion_time_s).iter().all(|entry| entry.row.is_some() && entry.lacking == 0));

    // A metric that is not shown is not refilled.
    store.refill(&[&flow::goodput_bps]).unwrap();
    assert_eq!(swept(&plan, &mut store).unwrap().done, 0);
    store.refill(&[&flow::timeouts]).unwrap();
    assert_eq!(swept(&plan, &mut store).unwrap(), Tally { wanted: 8, found: 0, done: 8 });
    assert_eq!(swept(&plan, &mut store).unwrap(), Tally { wanted: 8, found: 8, done: 0 });
    assert!(analysis(&store).entries(&flow::timeouts).iter().all(|entry| entry.row.is_some() && entry.lacking == 0));
    assert!(Store::verify(&path).unwrap().is_sound());
}

#[test]
fn run_with_another_result_is_not_refilled() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("s.sqlite");
    let plan = plan("wire.toml");
    swept(&plan, &mut Store::create(&path).unwrap()).unwrap();
    change(
        &path,
        "UPDATE runs SET summary = replace(summary, '\"bytes_delivered\":60000', '\"bytes_delivered\":59999')",
    );
    without_timeouts(&path);
    let mut store = Store::open(&path).unwrap();
    store.refill(&[&flow::timeouts]).unwrap();
    let error = swept(&plan, &mut store).unwrap_err().to_string();
    assert!(error.contains("has another result than before"), "{error}");
}

/// Changes a store directly with SQL.
fn change(path: &Path, sql: &str) {
    let db = rusqlite::Connection::open(path).unwrap();
    lab::store::register_checksum(&db).unwrap();
    db.execute(sql, []).unwrap();
}
