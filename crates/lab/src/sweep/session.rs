//! The progress of a sweep against its store: which runs are missing, and whether the results require more runs.

use super::Plan;
use super::lanes::{Lanes, Missing, RunPosition, Task};
use super::precise::{Judge, Look, PointGrowth};
use super::progress::{Shard, SweepError, Tally, Watch, ask_to_continue};
use super::rekey::rekey_sweeps;
use crate::store::{Store, StoreError};
use observe::metric::Metric;

/// A sweep in rounds. In each round all missing runs are executed by the caller, on threads or in other processes, and
/// stored; then imprecise points request further runs.
pub struct SweepSession {
    /// The sweep's number in the store.
    id: i64,
    pub(super) lanes: Lanes,
    pub(super) missing: Missing,
    pub(super) tally: Tally,
    /// Points that may request more replications.
    growing: Vec<PointGrowth>,
    /// Position at which [`take`](Self::take) continues.
    next: RunPosition,
}

impl SweepSession {
    /// Begins or continues a sweep: records the description of the sweep in the store, and looks up which runs are
    /// finished.
    pub fn open(plan: &Plan, store: &mut Store, shard: Shard, watch: Watch<'_>) -> Result<Self, SweepError> {
        rekey_sweeps(store)?;
        let id = plan.note(store)?;
        let measured = plan.metrics.iter().chain(&plan.also_measured).copied();
        let of_delays: Vec<&Metric> = measured.filter(|metric| metric.is_of_delays()).collect();
        if !of_delays.is_empty() {
            store.measure_delays(&of_delays)?;
        }
        let mut lanes = Lanes::of(plan, shard);
        let points = (0..plan.points.len()).filter(|point| shard.has(*point as u64));
        let growing =
            Judge::of(plan).map_or_else(Vec::new, |judge| points.map(|at| PointGrowth::new(plan, at, judge)).collect());
        let mut tally = Tally::default();
        let missing = lanes.look_up(store, &mut tally, watch)?;
        Ok(SweepSession { id, lanes, missing, tally, growing, next: RunPosition::default() })
    }

    /// The sweep's number in the store.
    pub fn id(&self) -> i64 {
        self.id
    }

    /// The progress.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Takes up to `most` of the runs that were missing at the beginning of this round, ordered by cell, without runs
    /// that another program has finished since.
    pub fn take(&mut self, store: &Store, most: usize) -> Result<Vec<Task>, StoreError> {
        let mut taken = Vec::new();
        while taken.len() < most
            && let Some(task) = self.lanes.next_missing(&mut self.next)
        {
            if !store.has(task.digest, task.replication)? {
                taken.push(task);
            }
        }
        Ok(taken)
    }

    /// Stores finished runs, all of them or none.
    pub fn keep_all(&mut self, store: &Store, runs: &[(Task, String)]) -> Result<(), StoreError> {
        store.keep_all(runs.iter().map(|(task, summary)| (task.digest, task.replication, summary.as_str())))?;
        self.tally.done += runs.len() as u64;
        Ok(())
    }

    /// Begins the next round after all runs of the current round. Returns false if the sweep is complete. A point with
    /// missing runs of the current round requests no further runs.
    pub fn next_round(&mut self, plan: &Plan, store: &Store, watch: Watch<'_>) -> Result<bool, SweepError> {
        let mut grown = Vec::new();
        for mut growth in std::mem::take(&mut self.growing) {
            let outcome = loop {
                let outcome = growth.look(plan, store)?;
                ask_to_continue(watch, self.tally)?;
                if outcome != Look::On {
                    break outcome;
                }
            };
            if outcome == Look::More {
                grown.push(growth);
            }
        }
        self.growing = grown;
        if self.growing.is_empty() {
            return Ok(false);
        }
        self.lanes.extend(plan, &self.growing);
        self.missing = self.lanes.look_up(store, &mut self.tally, watch)?;
        self.next = RunPosition::default();
        Ok(true)
    }
}
