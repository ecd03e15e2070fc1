//! `lasthop merge`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use lab::store::Store;
use lab::sweep::rekey;

use super::{count, print, shown};
use crate::Failure;
use crate::talk::note;

/// Arguments of `lasthop merge`.
#[derive(ClapArgs)]
pub struct Args {
    /// The store that receives the runs of the others; created if it does not exist
    into: PathBuf,
    /// The stores to take from; they are not changed
    #[arg(required = true)]
    from: Vec<PathBuf>,
}

/// Merges stores.
pub fn run(args: &Args) -> Result<(), Failure> {
    // Before the target is created: a wrong name must not leave an empty store.
    for other in &args.from {
        if Store::open(other)?.dropped_a_line() {
            note(format_args!("{}: its last line was incomplete and is dropped", shown(other)));
        }
    }
    let mut store = Store::create(&args.into)?;
    for other in &args.from {
        let merged = store.merge(other)?;
        let (into, other) = (shown(&args.into), shown(other));
        let (runs, sweeps) = (count(merged.runs, "new run"), count(merged.sweeps, "new sweep"));
        print(&format!("{into}: {runs} and {sweeps} from {other}\n"))?;
    }
    // Shards of one sweep may have been made by versions that name runs differently.
    rekey::rekey(&mut store)?;
    Ok(())
}
