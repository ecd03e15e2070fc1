//! Which part of a sweep is run, how far it is, and why it ends early.

use std::ops::ControlFlow;

use crate::store::StoreError;

/// A part of a sweep that one machine does: number `index` of `count`, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Which, from 1.
    pub index: u64,
    /// Of how many.
    pub count: u64,
}

impl Shard {
    /// The whole.
    pub const WHOLE: Shard = Shard { index: 1, count: 1 };

    pub(super) fn has(self, number: u64) -> bool {
        number % self.count == self.index - 1
    }

    /// The remainder that numbers must leave, divided by the count of shards, to be of this shard with `more` added.
    pub(super) fn remainder(self, more: u64) -> u64 {
        let (index, more) = (self.index - 1, more % self.count);
        if index >= more { index - more } else { self.count - (more - index) }
    }
}

/// How far a sweep is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Runs that are wanted so far; with `until precise` it may grow.
    pub wanted: u64,
    /// Of these, finished before this sweep began, as far as they have been looked up.
    pub found: u64,
    /// Of these, finished now.
    pub done: u64,
}

/// Why a sweep did not come to its end. What had finished is kept.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The store could not take a result.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Whoever watched said that it was enough.
    #[error("interrupted: {} of {} runs are finished and kept\n  hint: the same command goes on from there", .0.found + .0.done, .0.wanted)]
    Interrupted(Tally),
}

/// Is shown how far the sweep is, and says whether to go on.
pub type Watch<'a> = &'a mut dyn FnMut(Tally) -> ControlFlow<()>;

pub(super) fn ask(watch: Watch<'_>, tally: Tally) -> Result<(), SweepError> {
    if watch(tally).is_break() { Err(SweepError::Interrupted(tally)) } else { Ok(()) }
}
