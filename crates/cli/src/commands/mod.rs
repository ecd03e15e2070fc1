//! One file for each command.

pub mod check;
pub mod convert;
pub mod explain;
pub mod list;
pub mod plot;
pub mod run;
pub mod schema;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use lab::load::{Loaded, Overrides, load};
use lab::problem::Problem;

use crate::Failure;

/// What every command that reads a scenario takes.
#[derive(Args)]
pub struct ScenarioArgs {
    /// A TOML scenario, a datafile.dat of the thesis, or a result directory
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Change a key of the scenario, such as links.air.rate="2 Mbps"; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// The scheme of every node, such as refined-icmp (see `lasthop list schemes`)
    #[arg(long, value_name = "NAME")]
    pub scheme: Option<String>,
    /// What chance begins with
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub seed: Option<u64>,
}

impl ScenarioArgs {
    /// Reads and checks the scenario; warnings go to stderr.
    pub fn load(&self) -> Result<Loaded, Failure> {
        let overrides = Overrides { set: self.set.clone(), scheme: self.scheme.clone(), seed: self.seed };
        let loaded = load(&self.file, &overrides).map_err(|problems| Failure::Input(listed(&problems)))?;
        for warning in &loaded.warnings {
            eprintln!("warning: {warning}");
        }
        Ok(loaded)
    }
}

/// Problems as an error message, one after another.
fn listed(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(|problem| format!("error: {problem}")).collect();
    lines.join("\n")
}

/// Prints to stdout, minding those who close it early.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// A path as people write it.
fn shown(path: &Path) -> String {
    path.display().to_string()
}
