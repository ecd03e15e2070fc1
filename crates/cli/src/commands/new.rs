//! `lasthop new`.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use clap::Args as ClapArgs;
use scenario::problem::Problem;

use super::{listed, print, shown};
use crate::command_groups::Example;
use crate::talk::note;
use crate::{Failure, input};

/// Examples in its help.
pub const EXAMPLES: &[Example] = &[
    ("lasthop new first.toml", "Write a scenario to start from"),
    ("lasthop new - > second.toml", "The same, through standard output"),
];

/// Arguments of `lasthop new`.
#[derive(ClapArgs)]
pub struct Args {
    /// The file to write, such as first.toml, which must not exist; - is standard output
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// The scenario to start from.
const START: &str = include_str!("new.toml");

/// Writes a scenario.
pub fn run(args: &Args) -> Result<(), Failure> {
    if input::is_stdin(&args.file) {
        print(START)?;
        note("next: keep it, as with `lasthop new - > first.toml`; then `lasthop run first.toml`");
        return Ok(());
    }
    let file = shown(&args.file);
    let refused = |problem: Problem| Failure::Input(listed(&[problem.in_file(&file)]));
    if args.file.extension().is_some_and(|ending| ending == "dat") {
        let problem =
            Problem::new("a file name that does not end in .dat: such a file is read in the thesis's language");
        return Err(refused(problem.hint(shown(&args.file.with_extension("toml")))));
    }
    match OpenOptions::new().write(true).create_new(true).open(&args.file) {
        Ok(mut out) => out.write_all(START.as_bytes()).map_err(|error| unwritable(&file, &error))?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(refused(Problem::new("exists, and is not replaced").hint("choose another name")));
        }
        Err(error) => return Err(unwritable(&file, &error)),
    }
    note(format_args!(
        "wrote {file}; next: `lasthop run {file}`, then `lasthop explain {file}`; change a key, and `lasthop check {file}`"
    ));
    Ok(())
}

fn unwritable(file: &str, error: &std::io::Error) -> Failure {
    Failure::Run(format!("{file}: cannot be written: {error}"))
}
