//! `lasthop merge`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use lab::store::Store;
use lab::sweep::rekey;

use super::{print, shown};
use crate::Failure;

/// Arguments of `lasthop merge`.
#[derive(ClapArgs)]
pub struct Args {
    /// The store that takes the others' runs; made if it is not there
    into: PathBuf,
    /// The stores to take from; they are not changed
    #[arg(required = true)]
    from: Vec<PathBuf>,
}

/// Merges stores.
pub fn run(args: &Args) -> Result<(), Failure> {
    // Before the target is made: a wrong name shall not leave an empty store behind.
    for other in &args.from {
        Store::open(other)?;
    }
    let mut store = Store::create(&args.into)?;
    for other in &args.from {
        let merged = store.merge(other)?;
        let (into, other) = (shown(&args.into), shown(other));
        let counted = |count: u64, what: &str| format!("{count} new {what}{}", if count == 1 { "" } else { "s" });
        let (runs, sweeps) = (counted(merged.runs, "run"), counted(merged.sweeps, "sweep"));
        print(&format!("{into}: {runs} and {sweeps} from {other}\n"))?;
    }
    // Shards of one sweep may have been made by versions that name runs differently.
    rekey::rekey(&mut store)?;
    Ok(())
}
