//! The delays of the runs of a sweep.

use std::ops::ControlFlow;

use lab::sweep::run::Shard;
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
