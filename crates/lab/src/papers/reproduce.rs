//! Runs a paper's sweeps and compares the results with its printed numbers.

use std::collections::HashSet;

use super::{Number, Paper, PaperScenario};
use crate::store::{Digest, Store};
use crate::sweep::Plan;
use crate::sweep::analysis::Analysis;
use crate::sweep::run::{self, Shard, SweepError, Tally, Watch};

/// A paper's numbers with the simulated ones, and the sweeps from which the simulated ones are computed.
pub struct Reproduction {
    /// The paper's numbers, in the order of its pages.
    pub numbers: Vec<Number>,
    /// The sweeps, in the paper's order.
    pub sweeps: Vec<Analysis>,
    /// Replications of each cell.
    pub replications: u64,
}

/// Runs the replications that `store` does not have, and compares the results with the paper.
///
/// # Panics
/// If one of the paper's sweeps is invalid for this number of replications, or a number has a reading that the paper's
/// file does not declare. Both are errors of the program, which contains the papers.
pub fn reproduce_paper(
    paper: &Paper,
    replications: u64,
    store: &mut Store,
    jobs: usize,
    watch: Watch<'_>,
) -> Result<Reproduction, SweepError> {
    let plan = |source: &PaperScenario| {
        source.plan(replications).unwrap_or_else(|problems| panic!("the sweep {} is wrong: {problems:?}", source.name))
    };
    let plans: Vec<_> = paper.sweeps.iter().map(plan).collect();
    let cells = |plan: &Plan| -> HashSet<Digest> {
        plan.points.iter().flat_map(|point| &point.cells).map(|cell| cell.digest).collect()
    };
    // Points and sweeps share runs if the varied key has no effect on them.
    let wanted = plans.iter().flat_map(cells).collect::<HashSet<_>>().len() as u64 * replications;
    let mut sweeps = Vec::new();
    let mut before = Tally { wanted, ..Tally::default() };
    let mut counted: HashSet<Digest> = HashSet::new();
    for plan in &plans {
        let cells = cells(plan);
        // Runs shared with earlier sweeps were counted in those sweeps.
        let shared = cells.intersection(&counted).count() as u64 * replications;
        let so_far = |tally: Tally| Tally {
            wanted,
            found: before.found + tally.found.saturating_sub(shared),
            done: before.done + tally.done,
        };
        let outcome = run::run_sweep(plan, store, jobs, Shard::WHOLE, &mut |tally| watch(so_far(tally)));
        let tally = outcome.map_err(|error| match error {
            SweepError::Interrupted(tally) => SweepError::Interrupted(so_far(tally)),
            other => other,
        })?;
        before = so_far(tally);
        counted.extend(cells);
        let id = plan.note(store)?;
        sweeps.push(Analysis::of(store, store.sweep(id)?, replications)?);
    }
    let numbers = (paper.numbers)(&sweeps);
    for (reading, _) in numbers.iter().flat_map(|number| &number.alternatives) {
        assert!(paper.readings.contains(reading), "{} does not declare the reading {}", paper.name, reading.name);
    }
    Ok(Reproduction { numbers, sweeps, replications })
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::papers::{PAPERS, Reading};
    use serde_json::json;

    macro_rules! sweep {
        ($bytes:literal) => {
            concat!(
                r#"title = "Shared cells"
duration = "1 s"
[nodes]
left = { kind = "host" }
right = { kind = "host" }
[links.wire]
kind = "wired"
between = ["left", "right"]
rate = "8 Mbps"
delay = "1 ms"
[flows.f]
from = "left"
to = "right"
bytes = "2 kB"
[sweep]
axes.flows.f.bytes = "#,
                $bytes
            )
        };
    }

    /// The third sweep has one point in common with the other sweeps, and one additional point.
    static PAPER: Paper = Paper {
        name: "shared",
        reference: "",
        replications: 3,
        sweeps: &[
            PaperScenario { name: "one", text: sweep!(r#"["2 kB", "3 kB"]"#) },
            PaperScenario { name: "two", text: sweep!(r#"["2 kB", "3 kB"]"#) },
            PaperScenario { name: "three", text: sweep!(r#"["3 kB", "4 kB"]"#) },
        ],
        readings: &[],
        numbers: |_| Vec::new(),
        charts: &[],
        pictures: &[],
        words: "",
    };

    #[test]
    fn runs_shared_by_sweeps_are_counted_once() {
        let (_dir, mut store) = Store::scratch();
        let mut last = Vec::new();
        for _ in 0..2 {
            let mut tallies = vec![Tally::default()];
            let reproduction = reproduce_paper(&PAPER, 3, &mut store, 1, &mut |tally| {
                assert_eq!(tally.wanted, 9);
                assert!(tally.found + tally.done <= tally.wanted, "{tally:?}");
                tallies.push(tally);
                ControlFlow::Continue(())
            });
            assert_eq!(reproduction.unwrap().sweeps.len(), 3);
            last.push(tallies.pop().unwrap());
        }
        assert_eq!((last[0].found, last[0].done), (0, 9));
        assert_eq!(last[1].done, 0, "nothing is run twice");
    }

    #[test]
    #[should_panic(expected = "the sweep bad is wrong")]
    fn invalid_sweep_panics() {
        let paper = Paper { sweeps: &[PaperScenario { name: "bad", text: "title = 3" }], ..PAPER };
        let (_dir, mut store) = Store::scratch();
        let _ = reproduce_paper(&paper, 3, &mut store, 1, &mut |_| ControlFlow::Continue(()));
    }

    #[test]
    #[should_panic(expected = "shared does not declare the reading odd")]
    fn undeclared_reading_panics() {
        static ODD: Reading = Reading { name: "odd", what: "", source: "" };
        let numbers = |_: &[Analysis]| vec![Number::new("p", json!({}), "s", 1.0, None).or(&ODD, None)];
        let paper = Paper { sweeps: &[], numbers, ..PAPER };
        let (_dir, mut store) = Store::scratch();
        let _ = reproduce_paper(&paper, 3, &mut store, 1, &mut |_| ControlFlow::Continue(()));
    }

    #[test]
    fn every_scenario_of_every_paper_is_valid() {
        for paper in PAPERS {
            for sweep in paper.sweeps {
                // The smallest and the largest number of replications that the command accepts.
                for replications in [2, 100_000] {
                    sweep.plan(replications).unwrap_or_else(|problems| panic!("{}: {problems:?}", sweep.name));
                }
            }
            for picture in paper.pictures {
                let loaded = picture.load();
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
