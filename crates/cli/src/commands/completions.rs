//! `lasthop completions`.

use std::io::Write;

use clap::Args as ClapArgs;
use clap_complete::Shell;

use crate::command_groups::Example;
use crate::{CommandFailure, completion};

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[
    (
        "lasthop completions bash > ~/.local/share/bash-completion/completions/lasthop",
        "Enable completion in bash; for one session: source <(lasthop completions bash)",
    ),
    ("lasthop completions zsh > ~/.zfunc/_lasthop", "Enable completion in zsh, if ~/.zfunc is in fpath"),
    ("lasthop completions fish > ~/.config/fish/completions/lasthop.fish", "Enable it in fish"),
];

/// Arguments of `lasthop completions`.
#[derive(ClapArgs)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script that enables completion.
pub fn print_completions(args: &Args) -> Result<(), CommandFailure> {
    let script = completion::write_script(&args.shell.to_string())?;
    // The script is not printed through `print`, because `print` would escape characters that the script needs.
    let mut out = std::io::stdout().lock();
    out.write_all(&script)?;
    out.flush()?;
    Ok(())
}
