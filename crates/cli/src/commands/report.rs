//! `lasthop report`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use lab::problem::Problem;

use super::export::analyses;
use super::{listed, print, shown, sweep};
use crate::Failure;

/// Arguments of `lasthop report`.
#[derive(ClapArgs)]
pub struct Args {
    /// The store of a sweep
    store: PathBuf,
    /// The page [default: the store's name with .html]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// A figure to show, from `lasthop list metrics`; may be repeated [default: those of each sweep]
    #[arg(long, value_name = "NAME")]
    metric: Vec<String>,
}

/// Writes a store's results as a page.
pub fn run(args: &Args) -> Result<(), Failure> {
    let metrics = args.metric.iter().map(|name| sweep::find(name)).collect::<Result<Vec<_>, _>>()?;
    let sweeps = analyses(&args.store)?;
    let out = args.out.clone().unwrap_or_else(|| args.store.with_extension("html"));
    if same(&out, &args.store) {
        let problem = Problem::new("a file other than the store").in_file("--out").found(shown(&out));
        return Err(Failure::Input(listed(&[problem.hint("--out PAGE.html")])));
    }
    let name = args.store.file_name().unwrap_or_default().to_string_lossy();
    let page = report::html(&report::store::page(&name, &sweeps, &metrics));
    write(&out, &page).map_err(|error| Failure::Run(format!("{}: cannot be written: {error}", shown(&out))))?;
    print(&format!("{}\n", shown(&out)))
}

/// Whether two paths are one file. One that is not there is no other.
fn same(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// A page appears whole or not at all.
fn write(path: &Path, page: &str) -> io::Result<()> {
    let partial = path.with_added_extension("partial");
    let written = (|| {
        if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
            fs::create_dir_all(dir)?;
        }
        fs::write(&partial, page)?;
        fs::rename(&partial, path)
    })();
    written.inspect_err(|_| {
        // What was begun is of no use to anyone.
        let _ = fs::remove_file(&partial);
    })
}
