//! `lasthop merge`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use lab::store::Store;
use lab::sweep::rekey;

use scenario::problem::Problem;

use super::{format_count, format_path, format_problems, print_visible};
use crate::CommandFailure;
use crate::command_groups::Example;
use crate::talk::write_note;

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[
    ("lasthop merge results/half1.sqlite -o results/all.sqlite", "Add the runs of a shard to a store"),
    ("lasthop merge results/half1.sqlite results/half2.sqlite -o results/all.sqlite", "Join two shards"),
];

/// Arguments of `lasthop merge`.
#[derive(ClapArgs)]
pub struct Args {
    /// Stores whose runs are copied; these stores are not changed. Without --out the first one receives the runs of the
    /// other stores
    #[arg(required = true, value_name = "STORE")]
    stores: Vec<PathBuf>,
    /// The store that receives the runs; created if it does not exist
    #[arg(short, long, value_name = "STORE")]
    out: Option<PathBuf>,
}

/// Merges stores.
pub fn merge_stores(args: &Args) -> Result<(), CommandFailure> {
    let (into, from) = match (&args.out, &args.stores[..]) {
        (Some(out), stores) => (out, stores),
        (None, [first, others @ ..]) if !others.is_empty() => (first, others),
        _ => {
            let problem = Problem::new("a store that receives the runs: --out STORE is missing");
            return Err(CommandFailure::Input(format_problems(&[problem])));
        }
    };
    // The stores are checked before the target is created, because a wrong name must not leave an empty store.
    for other in from {
        if Store::open(other)?.dropped_a_line() {
            write_note(format_args!("{}: its last line was incomplete and is dropped", format_path(other)));
        }
    }
    let mut store = Store::create(into)?;
    for other in from {
        let merged = store.merge(other)?;
        let (into, other) = (format_path(into), format_path(other));
        let (runs, sweeps) = (format_count(merged.runs, "new run"), format_count(merged.sweeps, "new sweep"));
        print_visible(&format!("{into}: {runs} and {sweeps} from {other}\n"))?;
    }
    // Shards of one sweep may have been made by versions that name runs differently.
    rekey::rekey_sweeps(&mut store)?;
    Ok(())
}
