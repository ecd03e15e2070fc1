//! `lasthop completions`.

use std::io::Write;

use clap::{Args as ClapArgs, CommandFactory};
use clap_complete::Shell;

use crate::{Cli, Failure};

/// Arguments of `lasthop completions`.
#[derive(ClapArgs)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints a completion script.
pub fn run(args: &Args) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "lasthop", &mut script);
    // Not through `print`, which escapes characters that a script may need.
    let mut out = std::io::stdout().lock();
    out.write_all(&script)?;
    out.flush()?;
    Ok(())
}
