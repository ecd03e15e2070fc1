//! The thesis's evaluation as a benchmark: 45 cells, four cases each, `REPLICATIONS` replications (100 by default).
//!
//! ```sh
//! cargo bench -p lasthop-lab --bench evaluation
//! ```
//!
//! The same runs are timed three times: in a plain loop that stores nothing, in a sweep on one thread, and in a sweep
//! on all cores. The second compared with the first gives the cost of planning and of the store; the third compared
//! with the second gives the speed-up of several cores.

#![allow(clippy::disallowed_methods, reason = "a benchmark reads a clock")]
#![allow(clippy::disallowed_macros, reason = "a benchmark is watched to the end")]

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::thread::available_parallelism;
use std::time::Instant;

use lab::load::Overrides;
use lab::run::simulate_network;
use lab::store::Store;
use lab::sweep::Plan;
use lab::sweep::run::{Shard, run_sweep};
use observe::summary::summarize_results;
use sim::Network;

fn main() {
    let replications: u64 =
        std::env::var("REPLICATIONS").map_or(100, |text| text.parse().expect("REPLICATIONS is a number"));
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/goel1997-tables.toml");
    let set = vec![format!("sweep.replications={replications}")];
    let plan = Plan::load(&example, &Overrides { set, ..Overrides::default() }).expect("the example is right");
    let runs = plan.points.len() * plan.cases.len() * replications as usize;
    // The length of bursts has no effect on a channel without loss. Therefore these cells share their runs, as in a
    // sweep.
    let mut seen = HashSet::new();
    let cells = plan.points.iter().flat_map(|point| &point.cells);
    let cells: Vec<_> = cells.filter(|cell| seen.insert(cell.digest)).collect();
    let distinct = cells.len() * replications as usize;
    println!("{runs} transfers of 10.24 MB, {distinct} different ones");

    let mut bytes = 0;
    let plain = measure_seconds(|| {
        for cell in &cells {
            for replication in 0..replications {
                let network = Network { replication, ..cell.network.clone() };
                let results =
                    simulate_network(&network, &mut |_| ControlFlow::Continue(())).expect("an uninterrupted run");
                bytes += summarize_results("", &cell.scenario, &network, &results).to_string().len();
            }
        }
    });
    println!("a plain loop, nothing kept   {plain:7.2} s   {:6.3} ms each", 1000.0 * plain / distinct as f64);

    let sweep = |jobs: usize| {
        let dir = tempfile::tempdir().expect("the system's temporary directory can be written");
        let path = dir.path().join("s.sqlite");
        measure_seconds(|| {
            let mut store = Store::create(&path).expect("a store can be made");
            let go_on = &mut |_| ControlFlow::Continue(());
            let tally = run_sweep(&plan, &mut store, jobs, Shard::WHOLE, go_on).expect("an uninterrupted sweep");
            assert_eq!(tally.done, distinct as u64);
        })
    };
    let one = sweep(1);
    let share = 100.0 * (one - plain) / one;
    println!("a sweep on one thread        {one:7.2} s   {share:6.1} % for plan and store");
    let cores = available_parallelism().map_or(1, usize::from);
    let all = sweep(cores);
    println!("a sweep on {cores} threads         {all:7.2} s   {:6.2} times as fast", one / all);
    println!("{bytes} bytes of summaries");
}

fn measure_seconds(work: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    work();
    begin.elapsed().as_secs_f64()
}
