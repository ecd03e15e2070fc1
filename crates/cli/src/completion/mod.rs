//! Completion in shells: commands, options, names of the catalogue, and of the scenario on the line.
//!
//! A shell's script runs this program with [`VARIABLE`] and the words of the line; the candidates are printed.

mod names;
mod scripts;

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::sync::Arc;

use clap::{ArgMatches, Command, CommandFactory};
use clap_complete::engine::ArgValueCompleter;
use clap_complete::env::{EnvCompleter, Shells};

pub use scripts::SHELLS;

use crate::Cli;
use names::ArgumentNames;

/// Environment variable with the name of the shell that requests candidates.
const VARIABLE: &str = "LASTHOP_COMPLETE";

/// Prints the candidates if a shell requests them, and returns whether a shell does. A completion has no errors: if a
/// word or a file cannot be read, there are fewer candidates.
pub fn answer_shell(arguments: &[OsString]) -> bool {
    let Some(name) = env::var_os(VARIABLE) else { return false };
    let words = arguments.iter().position(|word| word == "--").map(|separator| &arguments[separator + 1..]);
    if let (Some(shell), Some(words @ [_, ..])) = (find_shell(&name), words) {
        let mut text = Vec::new();
        let mut command = add_completers(Cli::command(), words);
        let here = env::current_dir().ok();
        if shell.write_complete(&mut command, words.to_vec(), here.as_deref(), &mut text).is_ok() {
            // A shell that has closed its end needs no candidates.
            let _ = std::io::stdout().lock().write_all(&text);
        }
    }
    true
}

/// The shell with this name.
fn find_shell(name: &OsStr) -> Option<&'static dyn EnvCompleter> {
    const ALL: Shells<'static> = Shells(&SHELLS);
    let name = name.to_str()?;
    ALL.0.iter().copied().find(|shell| shell.is(name))
}

/// The script with which a shell completes the command.
///
/// # Errors
/// The shell is unknown.
pub fn write_script(shell: &str) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let found = find_shell(OsStr::new(shell)).ok_or(std::io::ErrorKind::NotFound)?;
    found.write_registration(VARIABLE, "lasthop", "lasthop", "lasthop", &mut text)?;
    Ok(text)
}

/// Assigns a completer to each option that accepts names.
fn add_completers(mut command: Command, words: &[OsString]) -> Command {
    // Defines the arguments of all commands.
    command.build();
    let typed = Arc::new(typed_arguments(words));
    command.mut_subcommands(|command| {
        let name = command.get_name().to_owned();
        command.mut_args(|arg| match ArgumentNames::of_argument(&name, &arg) {
            Some(names) => {
                let typed = Arc::clone(&typed);
                arg.add(ArgValueCompleter::new(move |word: &OsStr| names.candidates(word, typed.as_ref().as_ref())))
            }
            None => arg,
        })
    })
}

/// The arguments of the command line that could be parsed.
fn typed_arguments(words: &[OsString]) -> Option<ArgMatches> {
    let mut matches = Cli::command().ignore_errors(true).try_get_matches_from(words).ok()?;
    matches.remove_subcommand().map(|(_, arguments)| arguments)
}
