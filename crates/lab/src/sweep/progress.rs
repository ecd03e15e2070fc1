//! Shards, progress and errors of sweeps.

use std::ops::ControlFlow;

use crate::store::StoreError;

/// A shard of a sweep, for one machine: number `index` of `count`, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// The shard's number, from 1.
    pub index: u64,
    /// The number of shards.
    pub count: u64,
}

impl Shard {
    /// The whole sweep as one shard.
    pub const WHOLE: Shard = Shard { index: 1, count: 1 };

    pub(super) fn has(self, number: u64) -> bool {
        number % self.count == self.index - 1
    }

    /// Returns the remainder, modulo the number of shards, that the numbers of the points in this shard have after
    /// `more` is added.
    pub(super) fn remainder(self, more: u64) -> u64 {
        let (index, more) = (self.index - 1, more % self.count);
        if index >= more { index - more } else { self.count - (more - index) }
    }
}

/// The progress of a sweep.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Runs requested so far; with `until precise` the number may grow.
    pub wanted: u64,
    /// Number of these runs that were finished before this sweep started, as far as they have been looked up.
    pub found: u64,
    /// Number of these runs that this sweep has finished.
    pub done: u64,
}

/// The reason why a sweep ended early. Finished runs are stored.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The store could not accept a result.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Cancelled by the progress callback.
    #[error("interrupted: {} of {} runs are finished and stored\n  hint: the same command continues", .0.found + .0.done, .0.wanted)]
    Interrupted(Tally),
}

/// Progress callback: receives the progress of the sweep, and returns whether to continue.
pub type Watch<'a> = &'a mut dyn FnMut(Tally) -> ControlFlow<()>;

pub(super) fn ask_to_continue(watch: Watch<'_>, tally: Tally) -> Result<(), SweepError> {
    if watch(tally).is_break() { Err(SweepError::Interrupted(tally)) } else { Ok(()) }
}
