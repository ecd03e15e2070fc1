//! `lasthop new`.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use scenario::problem::Problem;

use super::{format_path, format_problems, print_visible};
use crate::command_groups::Example;
use crate::talk::write_note;
use crate::{CommandFailure, input};

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[
    ("lasthop new first.toml", "Write a scenario to start from"),
    ("lasthop new - > second.toml", "The same, through standard output"),
    ("lasthop new wifi.toml --like wifi", "Write one of a Wi-Fi cell"),
];

/// Arguments of `lasthop new`.
#[derive(ClapArgs)]
pub struct Args {
    /// The file to write, such as first.toml, which must not exist; - is standard output
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The kind of path or traffic that the scenario has
    #[arg(long, value_enum, value_name = "KIND", default_value_t = StartKind::Burst)]
    like: StartKind,
}

/// The scenarios to start from.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StartKind {
    /// A wireless link whose losses come in bursts
    Burst,
    /// A Wi-Fi cell (802.11n) behind a home connection
    Wifi,
    /// A cell of LTE
    Lte,
    /// A geostationary satellite
    Satellite,
    /// Web pages beside a download
    Page,
    /// A telephone call beside an upload
    Voip,
    /// A walk from one access point to another
    Handover,
    /// A local network
    Lan,
}

impl StartKind {
    /// The text of the scenario.
    fn text(self) -> &'static str {
        match self {
            StartKind::Burst => include_str!("new.toml"),
            StartKind::Wifi => include_str!("like/wifi.toml"),
            StartKind::Lte => include_str!("like/lte.toml"),
            StartKind::Satellite => include_str!("like/satellite.toml"),
            StartKind::Page => include_str!("like/page.toml"),
            StartKind::Voip => include_str!("like/voip.toml"),
            StartKind::Handover => include_str!("like/handover.toml"),
            StartKind::Lan => include_str!("like/lan.toml"),
        }
    }
}

/// Writes a scenario.
pub fn write_new_scenario(args: &Args) -> Result<(), CommandFailure> {
    if input::is_stdin(&args.file) {
        print_visible(args.like.text())?;
        write_note("next: write it to a file, as with `lasthop new - > first.toml`; then `lasthop run first.toml`");
        return Ok(());
    }
    let file = format_path(&args.file);
    let refused = |problem: Problem| CommandFailure::Input(format_problems(&[problem.in_file(&file)]));
    if args.file.extension().is_some_and(|ending| ending == "dat") {
        let problem =
            Problem::new("a file name that does not end in .dat: such a file is read in the thesis's language");
        return Err(refused(problem.hint(format_path(&args.file.with_extension("toml")))));
    }
    match OpenOptions::new().write(true).create_new(true).open(&args.file) {
        Ok(mut out) => out.write_all(args.like.text().as_bytes()).map_err(|error| refuse_unwritable(&file, &error))?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(refused(Problem::new("exists, and is not replaced").hint("choose another name")));
        }
        Err(error) => return Err(refuse_unwritable(&file, &error)),
    }
    write_note(format_args!(
        "wrote {file}; next: `lasthop run {file}`, then `lasthop explain {file}`; change a key, and `lasthop check {file}`"
    ));
    Ok(())
}

fn refuse_unwritable(file: &str, error: &std::io::Error) -> CommandFailure {
    CommandFailure::Run(format!("{file}: cannot be written: {error}"))
}
