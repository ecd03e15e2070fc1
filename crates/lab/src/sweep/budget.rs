//! The time budgets of a stored sweep, for which the first replications of the sweep are run again and explained.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use engine::Span;
use observe::explain::{Cause, Explain};
use sim::{Network, Transport};

use super::again;
use super::analysis::{Analysis, CellRuns};
use crate::run;
use crate::store::KeptCell;

/// The time budget of one flow in one run.
#[derive(Clone, Debug)]
pub struct CellBudget {
    /// The cell of the run.
    pub cell: KeptCell,
    /// The replication.
    pub replication: u64,
    /// The seed.
    pub seed: u64,
    /// The name of the flow, the first TCP flow of the scenario.
    pub flow: String,
    /// The time from the flow's start to its end, or to the end of the run.
    pub took: Span,
    /// Whether the flow completed.
    pub completed: bool,
    /// The causes of the time in the order of [`Cause::ALL`]; their sum is `took`.
    pub causes: Vec<(Cause, Span)>,
}

/// The time budgets of a sweep.
#[derive(Clone, Debug, Default)]
pub struct Budgets {
    /// A budget for each cell, by point and case; `None` for cells without runs or without a TCP flow.
    pub cells: Vec<CellBudget>,
    /// The number of cells with runs beyond the limit.
    pub left_out: usize,
    /// Reason for missing budgets.
    pub problem: Option<String>,
}

/// Runs the first stored replication of each cell again, of at most `limit` cells, on `jobs` threads, and explains its
/// first TCP flow. The result does not depend on `jobs`. Scenarios that cannot be run again give a `problem`.
/// `watch` receives the numbers of finished and of all runs.
///
/// # Errors
///
/// If `watch` breaks off.
pub fn explain_budgets(
    analysis: &Analysis,
    limit: usize,
    jobs: usize,
    watch: &(dyn Fn(u64, u64) -> ControlFlow<()> + Sync),
) -> Result<Budgets, run::RunError> {
    let cells = match again::rebuild_cells(analysis) {
        Ok(cells) => cells,
        Err(problem) => return Ok(Budgets { problem: Some(problem), ..Budgets::default() }),
    };
    let with_runs: Vec<(&CellRuns, u64, &Network)> = analysis
        .cells
        .iter()
        .zip(&cells)
        .filter_map(|(cell, again)| Some((cell, cell.runs.first()?.0, &again.network)))
        .collect();
    let shown = &with_runs[..with_runs.len().min(limit)];
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let found = Mutex::new(vec![None; shown.len()]);
    let wanted = shown.len() as u64;
    let mut go_on = |_: f64| watch(done.load(Ordering::Relaxed) as u64, wanted);
    let work = |watch: run::Watch<'_>| {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some((cell, replication, network)) = shown.get(place) else { return Ok::<_, run::Interrupted>(()) };
            let budget = explain_replication(&cell.cell, *replication, network, watch)?;
            found.lock().unwrap_or_else(PoisonError::into_inner)[place] = budget;
            done.fetch_add(1, Ordering::Relaxed);
        }
    };
    let outcome = thread::scope(|scope| {
        let other = || work(&mut |_| watch(done.load(Ordering::Relaxed) as u64, wanted));
        // The system may refuse more threads; the existing threads do all the work.
        let threads: Vec<_> =
            (1..jobs.min(shown.len())).map_while(|_| thread::Builder::new().spawn_scoped(scope, other).ok()).collect();
        let first = work(&mut go_on);
        let others =
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        others.fold(first, Result::and)
    });
    outcome?;
    let cells = found.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect();
    Ok(Budgets { cells, left_out: with_runs.len() - shown.len(), problem: None })
}

/// Runs and explains one replication. Returns `None` without a TCP flow.
fn explain_replication(
    cell: &KeptCell,
    replication: u64,
    network: &Network,
    watch: run::Watch<'_>,
) -> Result<Option<CellBudget>, run::Interrupted> {
    let Some(flow) = network.flows.iter().position(|flow| flow.transport == Transport::Tcp) else { return Ok(None) };
    let network = Network { replication, ..network.clone() };
    let mut explain = Explain::new(&network);
    let results = run::run_into_sink(&network, &mut explain, |_| false, watch)?;
    let report = explain.finish(results.ended).swap_remove(flow);
    Ok(Some(CellBudget {
        cell: cell.clone(),
        replication,
        seed: network.seed,
        flow: network.flows[flow].name.clone(),
        took: report.took,
        completed: report.completed,
        causes: Cause::ALL
            .into_iter()
            .filter_map(|cause| report.budget.iter().find(|(other, _)| *other == cause).copied())
            .collect(),
    }))
}
