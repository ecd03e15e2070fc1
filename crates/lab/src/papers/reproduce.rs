//! A paper's sweeps, run and compared with what it prints.

use std::collections::HashSet;

use stats::Level;

use super::{Number, Paper};
use crate::store::{Store, StoreError};
use crate::sweep::Plan;
use crate::sweep::analysis::Analysis;
use crate::sweep::run::{self, Shard, SweepError, Tally, Watch};

/// A paper's numbers beside ours, and the sweeps they came from.
pub struct Reproduction {
    /// The paper's numbers, in the order of its pages.
    pub numbers: Vec<Number>,
    /// Its sweeps, in its order.
    pub sweeps: Vec<Analysis>,
    /// Replications of each cell.
    pub replications: u64,
}

/// Runs what `store` does not have yet, and compares.
pub fn reproduce(
    paper: &Paper,
    replications: u64,
    store: &mut Store,
    jobs: usize,
    watch: Watch<'_>,
) -> Result<Reproduction, SweepError> {
    let plans: Vec<_> = paper.sweeps.iter().filter_map(|source| source.plan(replications).ok()).collect();
    let cells =
        |plan: &Plan| plan.points.iter().flat_map(|point| &point.cells).map(|cell| cell.digest).collect::<Vec<_>>();
    // Points share runs in which what is varied is not at work.
    let wanted = plans.iter().flat_map(cells).collect::<HashSet<_>>().len() as u64 * replications;
    let mut sweeps = Vec::new();
    let mut before = Tally { wanted, ..Tally::default() };
    for plan in &plans {
        let so_far = |tally: Tally| Tally { wanted, found: before.found + tally.found, done: before.done + tally.done };
        let outcome = run::run(plan, store, jobs, Shard::WHOLE, &mut |tally| watch(so_far(tally)));
        let tally = outcome.map_err(|error| match error {
            SweepError::Interrupted(tally) => SweepError::Interrupted(so_far(tally)),
            other => other,
        })?;
        before.found += tally.found;
        before.done += tally.done;
        let id = store.note(plan)?;
        let gone = || StoreError::Damaged { path: store.path().to_owned(), found: "a sweep is gone".into() };
        let kept = store.sweeps()?.into_iter().find(|sweep| sweep.id == id).ok_or_else(gone)?;
        sweeps.push(Analysis::of(store, kept, replications, Level::default())?);
    }
    Ok(Reproduction { numbers: (paper.numbers)(&sweeps), sweeps, replications })
}

#[cfg(test)]
mod tests {
    use crate::papers::PAPERS;

    #[test]
    fn every_scenario_of_every_paper_is_right() {
        for paper in PAPERS {
            for sweep in paper.sweeps {
                sweep.plan(2).unwrap_or_else(|problems| panic!("{}: {problems:?}", sweep.name));
            }
            for picture in paper.pictures {
                let loaded = picture.scenario.load(picture.scheme);
                loaded.unwrap_or_else(|problems| panic!("{}: {problems:?}", picture.place));
            }
            for chart in paper.charts {
                let sweep = paper.sweeps.iter().find(|sweep| sweep.name == chart.sweep);
                let plan = sweep.and_then(|sweep| sweep.plan(2).ok()).unwrap_or_else(|| panic!("{}", chart.place));
                let cases: Vec<&str> = plan.cases.iter().map(|case| case.name.as_str()).collect();
                assert!(chart.cases.iter().all(|case| cases.contains(case)), "{}", chart.place);
                let keys: Vec<&String> = plan.axes.iter().flat_map(|axis| &axis.keys).collect();
                assert!(keys.iter().any(|key| *key == chart.along), "{}", chart.place);
                assert!(chart.only.iter().all(|(only, _)| keys.iter().any(|key| key == only)), "{}", chart.place);
            }
        }
    }
}
