//! The delays of the runs of a sweep.

use std::ops::ControlFlow;

use lab::store::Store;
use lab::sweep::Plan;
use lab::sweep::analysis::{Analysis, analysis_to_json};
use lab::sweep::run::{Shard, run_sweep};
use observe::metric::find_metric;
use testkit::wire_text;

/// A sweep measures delays if it names one of their metrics, also for runs that a store has without them.
#[test]
fn sweep_measures_delays_that_it_names_and_repeats_runs_without_them() {
    let text = |metric: &str| {
        let flow = "mss = \"960 B\"\nbytes = \"9600 B\"\nreceive_window = \"960 B\"";
        let sweep = format!(
            "[sweep]\nreplications = 1\nmetrics = [\"{metric}\"]\naxes.links.wire.delay = [\"50 ms\", \"100 ms\"]"
        );
        format!("{}\n{sweep}", wire_text("8 Mbps", "100 ms", flow))
    };
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("delays.sqlite");
    let run = |metric: &str, store: &mut lab::store::Store| {
        let options = scenario::Overrides::default();
        let source = lab::load::of_text("delays".into(), "delays.toml".into(), text(metric).as_bytes(), &options);
        let plan =
            source.and_then(|source| lab::sweep::Plan::of(&source)).unwrap_or_else(|problems| panic!("{problems:?}"));
        let tally = lab::sweep::run::run_sweep(&plan, store, 1, Shard::WHOLE, &mut |_| ControlFlow::Continue(()));
        let id = plan.note(store).expect("the sweep is stored");
        let kept = store.sweep(id).expect("it is there");
        let analysis = lab::sweep::analysis::Analysis::of(store, kept, 1).expect("it can be read");
        (tally.expect("it runs").done, lab::sweep::analysis::analysis_to_json(&analysis))
    };
    let mut store = lab::store::Store::create(&path).expect("a store");
    assert_eq!(run("goodput_bps", &mut store).0, 2);
    drop(store);
    let mut store = lab::store::Store::open(&path).expect("the store");
    let (done, table) = run("rtt_mean_s", &mut store);
    let means: Vec<f64> =
        table.as_array().expect("rows").iter().map(|row| row["mean"].as_f64().expect("a mean")).collect();
    assert_eq!((done, means), (2, vec![0.10104, 0.20104]), "{table:#}");
    drop(store);
    let mut store = lab::store::Store::open(&path).expect("the store");
    assert_eq!(run("rtt_p95_s", &mut store).0, 0, "the runs have all delays");
    assert_eq!(run("goodput_bps", &mut store).0, 0, "and everything else");
}

/// The round trip of 960 B on 8 Mbps with 50 ms of delay is 0.96 + 0.04 + 2 x 50 ms plus headers: 101.04 ms, as above.
#[test]
fn metric_requested_outside_of_the_scenario_is_measured_also_in_an_older_store() {
    let flow = "mss = \"960 B\"\nbytes = \"9600 B\"\nreceive_window = \"960 B\"";
    let text = format!("{}\n[sweep]\nreplications = 2\n", wire_text("8 Mbps", "50 ms", flow));
    let options = scenario::Overrides::default();
    let source = lab::load::of_text("delays".into(), "delays.toml".into(), text.as_bytes(), &options);
    let mut plan = source.and_then(|source| Plan::of(&source)).unwrap_or_else(|problems| panic!("{problems:?}"));
    let dir = tempfile::tempdir().expect("a folder");
    let mut store = Store::create(&dir.path().join("s.sqlite")).expect("a store");
    let run = |plan: &Plan, store: &mut Store| {
        run_sweep(plan, store, 1, Shard::WHOLE, &mut |_| ControlFlow::Continue(())).expect("it runs").done
    };
    let show = |plan: &Plan, store: &mut Store, metric: &str| {
        let id = plan.note(store).expect("the sweep is stored");
        let kept = lab::store::KeptSweep { metrics: vec![metric.to_owned()], ..store.sweep(id).expect("it is there") };
        let analysis = Analysis::of(store, kept, 2).expect("it can be read");
        (analysis_to_json(&analysis)[0].clone(), analysis.warnings_of_runs())
    };
    assert_eq!(run(&plan, &mut store), 2);
    let (row, warnings) = show(&plan, &mut store, "rtt_p50_s");
    assert_eq!((&row["n"], &row["mean"], &row["lacking"]), (&0.into(), &serde_json::Value::Null, &2.into()));
    let expected = "2 runs were stored without delays and have no value of rtt_p50_s: `lasthop sweep --metric rtt_p50_s` \
                    repeats them";
    assert_eq!(warnings[0], expected);
    plan.also_measured = vec![find_metric("rtt_mean_s").expect("a metric")];
    assert_eq!(run(&plan, &mut store), 2, "runs without delays are repeated");
    let (row, warnings) = show(&plan, &mut store, "rtt_mean_s");
    assert_eq!((&row["n"], row["mean"].as_f64(), &row["lacking"]), (&2.into(), Some(0.10104), &0.into()));
    assert!(!warnings.iter().any(|warning| warning.contains("stored")), "{warnings:?}");
    assert_eq!(run(&plan, &mut store), 0);
}
