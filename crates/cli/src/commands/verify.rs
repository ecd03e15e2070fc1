//! `lasthop verify`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use lab::store::{Store, StoreVerification};

use super::{format_count, format_path, print_visible};
use crate::CommandFailure;
use crate::command_groups::Example;

const AFTER_HELP: &str = "\
Exit codes: 0 every row matches its checksum (or was removed by --remove), 1 some rows do not match, 2 the file is no \
store or cannot be read.";

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[
    ("lasthop verify results/selective-repeat.sqlite", "Check the rows of a store"),
    (
        "lasthop verify results/selective-repeat.sqlite --remove",
        "Remove damaged rows; the sweep then repeats their runs",
    ),
];

/// Arguments of `lasthop verify`.
#[derive(ClapArgs)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// The store of a sweep
    store: PathBuf,
    /// Remove the damaged rows; the sweep then repeats the missing runs only
    #[arg(long)]
    remove: bool,
}

/// Maximum number of damaged rows that are listed.
const LISTED: usize = 50;

/// Checks every row.
pub fn verify_store(args: &Args) -> Result<(), CommandFailure> {
    let store = format_path(&args.store);
    let found = Store::verify(&args.store)?;
    let [sweeps, cells, runs] = found.rows;
    let rows = [format_count(sweeps, "sweep"), format_count(cells, "cell"), format_count(runs, "run")];
    print_visible(&format!("{store}: {}\n", rows.join(", ")))?;
    if !found.checksums {
        print_visible("its rows had no checksums until now: earlier changes cannot be detected\n")?;
    }
    print_visible(&render_damage(&found))?;
    if found.is_sound() {
        return print_visible("every row matches its checksum\n");
    }
    if !args.remove {
        let hint = match (found.damage.is_empty(), found.file.is_empty()) {
            (_, false) => format!(
                "`lasthop verify {store} --remove` rebuilds indices, and changes nothing if there is other damage; then \
                 `sqlite3 {store} .recover` extracts readable rows, and a sweep into a new store repeats the other runs"
            ),
            _ => format!(
                "`lasthop verify {store} --remove` removes them; `lasthop sweep FILE --out {store}` then repeats only \
                 the missing runs"
            ),
        };
        return Err(CommandFailure::Run(format!("{store} is damaged\n  hint: {hint}")));
    }
    let removed = Store::remove_damage(&args.store)?.len();
    let removed = format_count(removed, "row");
    print_visible(&format!("removed {removed}; `lasthop sweep FILE --out {store}` repeats the missing runs\n"))
}

/// A line for each error found.
fn render_damage(found: &StoreVerification) -> String {
    let rows = found.damage.iter().map(|damage| format!("damaged: {damage}\n")).take(LISTED);
    let more = found.damage.len().saturating_sub(LISTED);
    let more = (more > 0).then(|| format!("damaged: {more} more\n"));
    let file = found.file.iter().map(|line| format!("SQLite finds: {line}\n"));
    rows.chain(more).chain(file).collect()
}
