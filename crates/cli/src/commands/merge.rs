//! `lasthop merge`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use lab::store::Store;
use lab::sweep::rekey;

use scenario::problem::Problem;

use super::{count, listed, print, shown};
use crate::Failure;
use crate::command_groups::Example;
use crate::talk::note;

/// Examples in its help.
pub const EXAMPLES: &[Example] = &[
    ("lasthop merge results/half1.sqlite -o results/all.sqlite", "Add the runs of a shard to a store"),
    ("lasthop merge results/half1.sqlite results/half2.sqlite -o results/all.sqlite", "Join two shards"),
];

/// Arguments of `lasthop merge`.
#[derive(ClapArgs)]
pub struct Args {
    /// The stores to take from; they are not changed. Without --out the first one receives the runs of the others
    #[arg(required = true, value_name = "STORE")]
    stores: Vec<PathBuf>,
    /// The store that receives the runs; created if it does not exist
    #[arg(short, long, value_name = "STORE")]
    out: Option<PathBuf>,
}

/// Merges stores.
pub fn run(args: &Args) -> Result<(), Failure> {
    let (into, from) = match (&args.out, &args.stores[..]) {
        (Some(out), stores) => (out, stores),
        (None, [first, others @ ..]) if !others.is_empty() => (first, others),
        _ => {
            let problem = Problem::new("a store that receives the runs: --out STORE is missing");
            return Err(Failure::Input(listed(&[problem])));
        }
    };
    // Before the target is created: a wrong name must not leave an empty store.
    for other in from {
        if Store::open(other)?.dropped_a_line() {
            note(format_args!("{}: its last line was incomplete and is dropped", shown(other)));
        }
    }
    let mut store = Store::create(into)?;
    for other in from {
        let merged = store.merge(other)?;
        let (into, other) = (shown(into), shown(other));
        let (runs, sweeps) = (count(merged.runs, "new run"), count(merged.sweeps, "new sweep"));
        print(&format!("{into}: {runs} and {sweeps} from {other}\n"))?;
    }
    // Shards of one sweep may have been made by versions that name runs differently.
    rekey::rekey_sweeps(&mut store)?;
    Ok(())
}
