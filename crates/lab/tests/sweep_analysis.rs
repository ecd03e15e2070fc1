//! Statistics of a sweep's stored runs, with handwritten results.

use std::path::{Path, PathBuf};

use lab::load::Overrides;
use lab::store::{Store, StoreError};
use lab::sweep::Plan;
use lab::sweep::analysis::{Analysis, ReplicationStatistics};
use observe::metric;
use serde_json::json;
use tempfile::TempDir;

/// Two cases at one point.
fn plan() -> Plan {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/goel1997-recoveries.toml");
    let set = vec!["sweep.metrics=[\"timeouts\"]".to_owned(), "sweep.replications=4".to_owned()];
    Plan::load(&example, &Overrides { set, ..Overrides::default() }).expect("the example is right")
}

/// A path for a store, in a directory that is removed on drop.
fn scratch() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("the system's temporary directory can be written");
    let path = dir.path().join("s.sqlite");
    (dir, path)
}

/// A store with these timeouts in the transfers of the cases.
fn store(path: &Path, timeouts: [&[u64]; 2], lasthop: &str) -> Store {
    let plan = plan();
    let mut store = Store::create(path).unwrap();
    plan.note(&mut store).unwrap();
    for (cell, timeouts) in plan.points[0].cells.iter().zip(timeouts) {
        for (replication, timeouts) in (0..).zip(timeouts) {
            let flow = json!({ "name": "download", "timeouts": timeouts });
            let summary = json!({ "lasthop": lasthop, "flows": [flow], "links": [] }).to_string();
            store.keep(cell.digest, replication, &summary).unwrap();
        }
    }
    store
}

fn analysis(timeouts: [&[u64]; 2]) -> Analysis {
    let (_dir, path) = scratch();
    let store = store(&path, timeouts, "1.0");
    let sweep = store.sweeps().unwrap().remove(0);
    Analysis::of(&store, sweep, u64::MAX).unwrap()
}

fn rows(analysis: &Analysis) -> Vec<ReplicationStatistics> {
    let entries = analysis.entries(metric::find_metric("timeouts").unwrap());
    entries.into_iter().filter_map(|entry| entry.row).collect()
}

/// By hand: the values 2, 4, 3, 3 and 1, 2, 3, 6 have differences -1, -2, 0, 3 with mean 0, which is no change.
/// Student's t for three degrees of freedom is 3.182, and the deviation of the differences is sqrt(14 / 3).
#[test]
fn cases_are_compared_by_paired_replications() {
    let rows = rows(&analysis([&[2, 4, 3, 3], &[1, 2, 3, 6]]));
    assert_eq!((rows[0].mean, rows[1].mean), (3.0, 3.0));
    assert!(rows[0].against.is_none());
    let against = rows[1].against.as_ref().unwrap();
    assert_eq!((against.pairs, against.difference, against.percent), (4, 0.0, Some(0.0)));
    let half = against.difference_ci.unwrap().half_width();
    assert!((half - 3.182 * (14.0f64 / 3.0).sqrt() / 2.0).abs() < 1e-3, "{half}");
    assert_eq!(rows[1].quantiles[1].value, 2.5);
}

/// The change is that of the means, not the mean of single changes. By hand: 0, 1, 1, 0 and 5, 2, 2, 0 change from 0.5
/// to 2.25. 5, 1 and 5, 3 change from 3 to 4, while single runs change by 0 and 200 %.
#[test]
fn change_between_cases_is_the_change_of_their_means() {
    for (runs, percent) in [([&[0, 1, 1, 0][..], &[5, 2, 2, 0][..]], 350.0), ([&[5, 1], &[5, 3]], 100.0 / 3.0)] {
        let rows = rows(&analysis(runs));
        let against = rows[1].against.as_ref().unwrap();
        assert!((against.percent.unwrap() - percent).abs() < 1e-9, "{against:?}");
        assert!((rows[1].mean / rows[0].mean - 1.0 - percent / 100.0).abs() < 1e-9);
        assert!(against.percent_ci.is_some_and(|ci| ci.contains(percent)));
    }
}

/// A change from 0 has no value in percent.
#[test]
fn change_from_zero_has_no_percentage() {
    let rows = rows(&analysis([&[0, 0, 0, 0], &[5, 2, 2, 0]]));
    let against = rows[1].against.as_ref().unwrap();
    assert_eq!((against.percent, against.percent_ci), (None, None));
    assert_eq!(against.difference, 2.25);
}

#[test]
fn case_without_runs_does_not_equal_another() {
    let same = |analysis: &Analysis| analysis.warnings().iter().any(|warning| warning.contains("in every run"));
    assert!(same(&analysis([&[1, 2], &[1, 2]])));
    assert!(!same(&analysis([&[], &[1, 2]])));
}

#[test]
fn runs_of_one_model_version_merge_and_other_results_do_not() {
    let dir = tempfile::tempdir().unwrap();
    let [ours, newer, wrong] = ["ours", "newer", "wrong"].map(|name| dir.path().join(name));
    let mut store_of_ours = store(&ours, [&[1, 2], &[3]], "1.0");
    store(&newer, [&[1, 2], &[3, 4]], "1.1");
    store(&wrong, [&[1, 7], &[]], "1.0");
    let merged = store_of_ours.merge(&newer).unwrap();
    assert_eq!((merged.runs, merged.sweeps), (1, 0));
    assert!(matches!(store_of_ours.merge(&wrong), Err(StoreError::Disagree { replication: 1, .. })));
}

/// The metadata of a store describe the runs in the store, not the latest analysis of these runs.
#[test]
fn analysis_of_fewer_replications_leaves_the_store_unchanged() {
    let (_dir, path) = scratch();
    let mut store = store(&path, [&[1, 2, 3, 4], &[1, 2, 3, 4]], "1.0");
    let asked = |store: &Store| store.sweeps().unwrap()[0].scenario.contains("replications = 4");
    assert!(asked(&store));
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/goel1997-recoveries.toml");
    let with = |count: u64| {
        let set = vec![format!("sweep.replications={count}")];
        Plan::load(&example, &Overrides { set, ..Overrides::default() }).expect("the example is right")
    };
    let first = with(2).note(&mut store).unwrap();
    assert!(asked(&store));
    assert_eq!(with(8).note(&mut store).unwrap(), first);
    assert!(!asked(&store));
}

/// By hand, for two values a and b: half of the 90 % interval is 6.314 |a - b| / 2, and half of the 95 % interval is
/// 12.706 |a - b| / 2.
#[test]
fn confidence_intervals_have_the_level_of_the_stopping_rule() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/goel1997-recoveries.toml");
    for (rule, t) in [("2", 12.706), ("{ precision = 0.1, level = 0.9, min = 2, max = 2 }", 6.314)] {
        let set = vec!["sweep.metrics=[\"timeouts\"]".to_owned(), format!("sweep.replications={rule}")];
        let plan = Plan::load(&example, &Overrides { set, ..Overrides::default() }).expect("the example is right");
        let (_dir, path) = scratch();
        let mut store = Store::create(&path).unwrap();
        plan.note(&mut store).unwrap();
        for (replication, timeouts) in [(0, 10), (1, 12)] {
            let flow = json!({ "name": "download", "timeouts": timeouts });
            let summary = json!({ "flows": [flow], "links": [] }).to_string();
            store.keep(plan.points[0].cells[0].digest, replication, &summary).unwrap();
        }
        let sweep = store.sweeps().unwrap().remove(0);
        let rows = rows(&Analysis::of(&store, sweep, u64::MAX).unwrap());
        let half = rows[0].half.unwrap();
        assert!((half - t).abs() < 1e-3, "{half}");
    }
}

/// By hand, for two values a and b: the 95 % interval of the mean reaches 12.706 |a - b| / 2 to both sides, and that of
/// one run reaches sqrt(3) times as far. A share is from 0 to 1, a count is not negative.
#[test]
fn intervals_are_truncated_to_the_range_of_the_metric() {
    let (_dir, path) = scratch();
    let plan = plan();
    let mut store = Store::create(&path).unwrap();
    plan.note(&mut store).unwrap();
    for (replication, timeouts, busy) in [(0, 1, 0.9), (1, 2, 0.98)] {
        let flow = json!({ "name": "download", "timeouts": timeouts });
        let direction = json!({ "utilization": busy });
        let link = json!({ "name": "air", "forward": direction, "backward": direction });
        let summary = json!({ "flows": [flow], "links": [link] }).to_string();
        store.keep(plan.points[0].cells[0].digest, replication, &summary).unwrap();
    }
    let sweep = store.sweeps().unwrap().remove(0);
    let analysis = Analysis::of(&store, sweep, u64::MAX).unwrap();
    let row = |name: &str| analysis.entries(metric::find_metric(name).unwrap())[0].row.clone().unwrap();
    let share = row("utilization");
    let (ci, run) = (share.ci.unwrap(), share.run.unwrap());
    assert!((ci.low - (0.94 - 12.706 * 0.04)).abs() < 1e-4 && ci.high == 1.0, "{ci:?}");
    assert!((run.low - (0.94 - 12.706 * 0.04 * 3f64.sqrt())).abs() < 1e-4 && run.high == 1.0, "{run:?}");
    assert!((share.half.unwrap() - 12.706 * 0.04).abs() < 1e-4, "half of it is what it was");
    let count = row("timeouts");
    let run = count.run.unwrap();
    assert!(run.low == 0.0 && (run.high - (1.5 + 12.706 * 0.5 * 3f64.sqrt())).abs() < 1e-3, "{run:?}");
}

#[test]
fn unused_link_directions_are_idle_and_flows_are_not() {
    let (_dir, path) = scratch();
    let plan = plan();
    let mut store = Store::create(&path).unwrap();
    plan.note(&mut store).unwrap();
    for (cell, dropped) in plan.points[0].cells.iter().zip([0, 3]) {
        let flow = json!({ "name": "download", "timeouts": 0 });
        let direction = |dropped: u64| json!({ "packets_dropped": dropped, "packets_marked": 0 });
        let link =
            |name: &str, dropped| json!({ "name": name, "forward": direction(dropped), "backward": direction(0) });
        let summary = json!({ "flows": [flow], "links": [link("wire", 0), link("air", dropped)] }).to_string();
        store.keep(cell.digest, 0, &summary).unwrap();
    }
    let sweep = store.sweeps().unwrap().remove(0);
    let analysis = Analysis::of(&store, sweep, u64::MAX).unwrap();
    let idle = |name: &str| {
        let metric = metric::find_metric(name).unwrap();
        Analysis::idle(metric, &analysis.entries(metric)).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(idle("packets_dropped"), ["air backward", "wire backward", "wire forward"]);
    assert_eq!(idle("packets_marked"), [""; 0], "where there is nothing at all, that is what is shown");
    assert_eq!(idle("timeouts"), [""; 0]);
}
