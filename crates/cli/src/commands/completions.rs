//! `lasthop completions`.

use std::io::Write;

use clap::{Args as ClapArgs, CommandFactory};
use clap_complete::Shell;

use crate::help::Example;
use crate::{Cli, Failure};

/// Examples in its help.
pub const EXAMPLES: &[Example] = &[
    (
        "lasthop completions bash > ~/.local/share/bash-completion/completions/lasthop",
        "Enable completion in bash; for one session: source <(lasthop completions bash)",
    ),
    ("lasthop completions zsh > ~/.zfunc/_lasthop", "Enable it in zsh, if ~/.zfunc is in fpath"),
    ("lasthop completions fish > ~/.config/fish/completions/lasthop.fish", "Enable it in fish"),
];

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
