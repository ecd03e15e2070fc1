//! Enumeration of the runs of a sweep without a list, because there may be many millions of runs.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::plan::{CellId, Plan};
use super::precise::PointGrowth;
use super::progress::{Shard, SweepError, Tally, Watch, ask_to_continue};
use crate::store::{Digest, Store};
use scenario::sweep::Replications;

/// The number of runs that are looked up between calls of the progress callback.
const LOOKED_UP: u64 = 4096;

/// The replications of one cell. Points share a cell if the varied key has no effect on it, and the runs of the cell
/// are then executed once.
struct Lane {
    /// The first point and case of the cell.
    cell: CellId,
    digest: Digest,
    /// Numbers of the points to which the cell belongs, modulo the number of shards.
    remainders: BTreeSet<u64>,
    /// Replications requested now; earlier replications are finished.
    wanted: Range<u64>,
    /// Finished replications among the requested ones, as ranges.
    kept: Vec<Range<u64>>,
}

impl Lane {
    fn keeps(&self, replication: u64) -> bool {
        let after = self.kept.partition_point(|range| range.end <= replication);
        self.kept.get(after).is_some_and(|range| range.contains(&replication))
    }
}

/// Every run of a shard.
pub(super) struct Lanes {
    lanes: Vec<Lane>,
    of: HashMap<Digest, usize>,
    shard: Shard,
    /// The term that a replication adds to a point's number to choose the shard. The term is 0 for a rule that stops at
    /// a precision, because it needs all replications of a point in one shard.
    stride: u64,
}

/// The number of runs that are missing in a store, and the replications that include them.
pub(super) struct Missing {
    pub count: u64,
    pub among: Range<u64>,
}

/// Position among the runs.
#[derive(Clone, Copy, Default)]
pub(super) struct RunPosition {
    lane: usize,
    replication: u64,
}

/// One run of a sweep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Task {
    /// Case of the cell at its point. If several cases have the same network, the first one.
    pub cell: CellId,
    /// The key of the cell's results.
    pub digest: Digest,
    /// The number of the replication.
    pub replication: u64,
}

impl Lanes {
    pub fn of(plan: &Plan, shard: Shard) -> Self {
        let stride = match plan.replications {
            Replications::Fixed(_) => plan.points.len() as u64,
            Replications::UntilPrecise(_) => 0,
        };
        let mut lanes = Lanes { lanes: Vec::new(), of: HashMap::new(), shard, stride };
        let wanted = 0..plan.replications().0;
        for (point, at) in plan.points.iter().enumerate() {
            for (case, cell) in at.cells.iter().enumerate() {
                let number = match lanes.of.entry(cell.digest) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(new) => {
                        let remainders = BTreeSet::new();
                        let (cell, digest) = (CellId { point, case }, cell.digest);
                        lanes.lanes.push(Lane { cell, digest, remainders, wanted: wanted.clone(), kept: Vec::new() });
                        *new.insert(lanes.lanes.len() - 1)
                    }
                };
                lanes.lanes[number].remainders.insert(point as u64 % shard.count);
            }
        }
        lanes
    }

    /// Continues with the replications requested at points that grew. All earlier replications are finished.
    pub fn extend(&mut self, plan: &Plan, growing: &[PointGrowth]) {
        for lane in &mut self.lanes {
            lane.wanted.start = lane.wanted.end;
        }
        for growth in growing {
            for cell in &plan.points[growth.point].cells {
                let wanted = &mut self.lanes[self.of[&cell.digest]].wanted;
                wanted.end = wanted.end.max(growth.wanted);
            }
        }
    }

    /// Whether a run belongs to this shard.
    fn wants(&self, lane: &Lane, replication: u64) -> bool {
        lane.wanted.contains(&replication) && lane.remainders.contains(&self.shard.remainder(replication * self.stride))
    }

    fn number_wanted(&self, lane: &Lane) -> u64 {
        if self.stride.is_multiple_of(self.shard.count) {
            // All or none.
            return if self.wants(lane, lane.wanted.start) { lane.wanted.end - lane.wanted.start } else { 0 };
        }
        lane.wanted.clone().filter(|replication| self.wants(lane, *replication)).count() as u64
    }

    /// Counts the requested runs, and looks up which are finished.
    pub fn look_up(&mut self, store: &Store, tally: &mut Tally, watch: Watch<'_>) -> Result<Missing, SweepError> {
        tally.wanted += self.lanes.iter().map(|lane| self.number_wanted(lane)).sum::<u64>();
        let (mut count, mut first, mut end) = (0, u64::MAX, 0);
        let mut looked_up = 0;
        for number in 0..self.lanes.len() {
            let lane = &mut self.lanes[number];
            lane.kept = store.finished_ranges(lane.digest, lane.wanted.clone())?;
            let lane = &self.lanes[number];
            for replication in lane.wanted.clone() {
                if self.wants(lane, replication) {
                    if lane.keeps(replication) {
                        tally.found += 1;
                    } else {
                        count += 1;
                        first = first.min(replication);
                        end = end.max(replication + 1);
                    }
                }
                looked_up += 1;
                if looked_up % LOOKED_UP == 0 {
                    ask_to_continue(watch, *tally)?;
                }
            }
        }
        Ok(Missing { count, among: first..end })
    }

    /// Returns the missing run at or after `next`, ordered by cell; moves `next` past it.
    pub fn next_missing(&self, next: &mut RunPosition) -> Option<Task> {
        loop {
            let lane = self.lanes.get(next.lane)?;
            let replication = next.replication.max(lane.wanted.start);
            if replication >= lane.wanted.end {
                *next = RunPosition { lane: next.lane + 1, replication: 0 };
                continue;
            }
            next.replication = replication + 1;
            if self.wants(lane, replication) && !lane.keeps(replication) {
                return Some(Task { cell: lane.cell, digest: lane.digest, replication });
            }
        }
    }

    /// The missing runs, the first replication of every cell first.
    pub fn tasks(&self, among: Range<u64>) -> impl DoubleEndedIterator<Item = Task> {
        let width = self.lanes.len() as u64;
        let places = (among.start * width)..(among.end * width);
        places.filter_map(move |place| {
            let (lane, replication) = (&self.lanes[(place % width) as usize], place / width);
            let missing = self.wants(lane, replication) && !lane.keeps(replication);
            missing.then_some(Task { cell: lane.cell, digest: lane.digest, replication })
        })
    }
}
