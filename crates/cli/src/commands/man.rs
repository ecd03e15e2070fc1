//! `lasthop man`.

use std::io;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Command, CommandFactory};
use clap_mangen::Man;

use super::{print, shown, write_whole};
use crate::{Cli, Failure};

/// Arguments of `lasthop man`.
#[derive(ClapArgs)]
pub struct Args {
    /// Where to write lasthop.1 and a page for each command, such as lasthop-run.1 [default: lasthop.1 to standard
    /// output]
    dir: Option<PathBuf>,
}

/// Prints or writes manual pages.
pub fn run(args: &Args) -> Result<(), Failure> {
    let mut whole = Cli::command().disable_help_subcommand(true);
    // Gives commands their full names.
    whole.build();
    let Some(dir) = &args.dir else { return print(&page(&whole)?.1) };
    let shown_commands = whole.get_subcommands().filter(|command| !command.is_hide_set());
    for command in std::iter::once(&whole).chain(shown_commands) {
        let (name, text) = page(command)?;
        let path = dir.join(name);
        write_whole(&path, text.as_bytes())?;
        print(&format!("{}\n", shown(&path)))?;
    }
    Ok(())
}

/// The file name and the text of a command's page.
fn page(command: &Command) -> io::Result<(String, String)> {
    let man = Man::new(command.clone());
    let mut text = Vec::new();
    man.render(&mut text)?;
    Ok((man.get_filename(), String::from_utf8_lossy(&text).into_owned()))
}
