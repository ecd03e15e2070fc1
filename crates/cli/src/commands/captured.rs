//! Captures in the commands that read scenarios.

mod hosts;
pub mod joined;

use std::path::{Path, PathBuf};

use capture::transfer::Vantage;
use capture::{BadTimestamps, SkippedFrames};
use clap::{Args as ClapArgs, ValueEnum};
use lab::captures::{CaptureFailure, CaptureFile, is_capture};
use scenario::problem::Problem;

pub use hosts::{DataDirection, congestion_control, find_host_captures, refuse_comparison};
use hosts::{is_split, schemes_of};

use super::{ScenarioArgs, format_count, format_path, format_problems, unreadable_file};
use crate::CommandFailure;
use crate::input::is_stdin;
use crate::spool::name_file;
use crate::talk::write_note;

/// The arguments about a capture, if the file is one.
#[derive(ClapArgs)]
pub struct CaptureArgs {
    /// Of a capture: the number of the connection, as in `lasthop report` and tcp.stream of Wireshark [default: the one
    /// with most data]
    #[arg(long, value_name = "N", help_heading = "Captures (pcap, pcapng)")]
    pub stream: Option<u32>,
    /// Place of the capture [default: inferred from round trips]
    #[arg(long, value_enum, value_name = "PLACE", help_heading = "Captures (pcap, pcapng)")]
    pub at: Option<CapturePlace>,
}

/// The place of a capture.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CapturePlace {
    /// At the end that sends most data
    Sender,
    /// At the other end
    Receiver,
    /// Between them
    Middle,
}

impl From<CapturePlace> for Vantage {
    fn from(place: CapturePlace) -> Vantage {
        match place {
            CapturePlace::Sender => Vantage::Sender,
            CapturePlace::Receiver => Vantage::Receiver,
            CapturePlace::Middle => Vantage::Middle,
        }
    }
}

impl From<CaptureFailure> for CommandFailure {
    fn from(failure: CaptureFailure) -> CommandFailure {
        CommandFailure::Input(match failure.name_files(name_file) {
            CaptureFailure::Unreadable { path, error } => format_problems(&[unreadable_file(&path, &error)]),
            failure => format!("error: {failure}"),
        })
    }
}

impl CaptureArgs {
    /// Whether the file is a capture; options for any other kind of file are errors.
    pub fn reads_capture(&self, file: &Path, scenario: &ScenarioArgs) -> Result<bool, CommandFailure> {
        refuse_comparison(file)?;
        let is_capture = is_capture(file) || is_called_capture(file) || !find_host_captures(file).is_empty();
        let chosen = |options: &[(&'static str, bool)]| options.iter().find(|(_, given)| *given).map(|(name, _)| *name);
        let wrong = if is_capture {
            let ScenarioArgs { set, scheme, seed, .. } = scenario;
            chosen(&[("--set", !set.is_empty()), ("--scheme", scheme.is_some()), ("--seed", seed.is_some())])
        } else if file.exists() || is_stdin(file) {
            chosen(&[("--stream", self.stream.is_some()), ("--at", self.at.is_some())])
        } else {
            None
        };
        let Some(option) = wrong else { return Ok(is_capture) };
        let (expected, found) = if is_capture { ("a scenario", "a capture") } else { ("a capture", "another file") };
        let problem = Problem::new(expected).in_file(format_path(file)).found(found);
        Err(CommandFailure::Input(format_problems(&[problem.hint(format!("{option} is for {expected}"))])))
    }

    /// Returns the place of the capture; `None` if the user does not state it.
    pub fn place(&self) -> Option<Vantage> {
        self.at.map(Vantage::from)
    }
}

/// Whether a file has the name of a capture, independent of its contents.
pub fn is_called_capture(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    file.is_file() && [".pcap", ".pcapng", ".cap"].iter().any(|ending| name.ends_with(ending))
}

/// Returns the captures that a command reads: `path`, and `other` if it is given. For a result of `lasthop shell` these
/// are the captures of both ends of the connection with most data at the command's node, or the only capture that
/// contains this connection.
pub fn read_command_captures(
    path: &Path,
    other: Option<&PathBuf>,
    args: &CaptureArgs,
) -> Result<(CaptureFile, Option<CaptureFile>), CommandFailure> {
    let hosts = find_host_captures(path);
    let (first, other) = match other {
        Some(other) if hosts.is_empty() => open_both(path, other).map(|[one, other]| (one, Some(other)))?,
        Some(other) => {
            let problem = Problem::new("a result of `lasthop shell` alone, or two captures").in_file(format_path(path));
            return Err(CommandFailure::Input(format_problems(&[
                problem.found(format!("a result, and {}", format_path(other)))
            ])));
        }
        None => {
            let (first, others) = all_captures(path)?;
            let number = first.choose_connection(args.stream)?;
            let other = others.into_iter().find(|other| first.finds_in(number, other).is_some());
            (first, other)
        }
    };
    if args.at.is_some() && other.is_some() {
        let problem = Problem::new("one capture").in_file("--at").found("two captures");
        return Err(CommandFailure::Input(format_problems(&[
            problem.hint("comparing the two captures shows the end of each")
        ])));
    }
    Ok((first, other))
}

/// Reads the tables of two captures.
pub fn open_both(one: &Path, other: &Path) -> Result<[CaptureFile; 2], CommandFailure> {
    if one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other)) {
        let problem = Problem::new("captures of both ends of a connection").in_file(format_path(other));
        return Err(CommandFailure::Input(format_problems(&[problem.found("the same capture twice")])));
    }
    Ok([open_capture_file(one)?, open_capture_file(other)?])
}

/// Returns the capture at `path`. For a result of real hosts, returns the capture of the command's node, and the other
/// captures unless the connections end on the path.
pub fn all_captures(path: &Path) -> Result<(CaptureFile, Vec<CaptureFile>), CommandFailure> {
    let hosts = find_host_captures(path);
    let [first, others @ ..] = &hosts[..] else { return Ok((open_capture_file(path)?, Vec::new())) };
    let at_end = |file: CaptureFile| CaptureFile { at_end: true, ..file };
    let first = at_end(open_capture_file(first)?);
    if let Some(control) = congestion_control(path).filter(|name| name.starts_with("bbr")) {
        write_note(format_args!(
            "note: the machine's congestion control was {control}, which does not halve its window at a loss: \
             window-cut does not describe it, unless the program chose another"
        ));
    }
    let schemes = schemes_of(path).join(", ");
    if is_split(path) {
        write_note(format_args!(
            "note: {schemes} splits the connections on the path: only {} is used, and shows the path up to the split",
            format_path(&first.path)
        ));
        return Ok((first, Vec::new()));
    }
    if !schemes.is_empty() {
        write_note(format_args!(
            "note: the run used {schemes}: the captures show the path and the scheme together. Packets that the scheme \
             repairs do not count as lost, packets that it withholds do, and a fit describes both"
        ));
    }
    let mut readable = Vec::new();
    for path in others {
        match CaptureFile::open(path) {
            Ok(file) => {
                warn_of_damage(path, file.incomplete.as_deref(), file.skipped, file.bad_timestamps);
                readable.push(at_end(file));
            }
            // Captures of other nodes may not contain the connection.
            Err(CaptureFailure::NoConnection { .. }) => {}
            Err(failure) => write_note(format_args!("warning: {failure}; this capture is left out")),
        }
    }
    Ok((first, readable))
}

/// Reads the table of connections of a capture; warns of damaged parts.
pub fn open_capture_file(path: &Path) -> Result<CaptureFile, CommandFailure> {
    let file = CaptureFile::open(path)?;
    warn_of_damage(path, file.incomplete.as_deref(), file.skipped, file.bad_timestamps);
    Ok(file)
}

/// Warns of damaged parts of a capture.
pub fn warn_of_damage(path: &Path, incomplete: Option<&str>, skipped: SkippedFrames, bad_timestamps: BadTimestamps) {
    let name = format_path(path);
    if let Some(incomplete) = incomplete {
        write_note(format_args!("warning: {name}: {incomplete}"));
    }
    if skipped.damaged > 0 {
        write_note(format_args!(
            "warning: {name}: {} with damaged or truncated headers",
            format_count(skipped.damaged, "frame")
        ));
    }
    if bad_timestamps.frames > 0 {
        write_note(format_args!("warning: {name}: {bad_timestamps}"));
    }
}

/// Refuses options that do not apply to captures.
pub fn refuse_options(options: &[(&str, bool)]) -> Result<(), CommandFailure> {
    let Some((option, _)) = options.iter().find(|(_, given)| *given) else { return Ok(()) };
    let problem = Problem::new("a scenario or its results").in_file(*option).found("a capture");
    Err(CommandFailure::Input(format_problems(&[problem.hint("--stream N chooses the connection of a capture")])))
}
