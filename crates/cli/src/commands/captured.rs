//! Captures in the commands that read scenarios.

mod hosts;
pub mod joined;

use std::path::{Path, PathBuf};

use capture::transfer::Vantage;
use capture::{BadTimestamps, Skipped};
use clap::{Args as ClapArgs, ValueEnum};
use lab::captures::{CaptureFailure, CaptureFile, is_capture};
use scenario::problem::Problem;

pub use hosts::{DataDirection, congestion_control, of_hosts, refuse_comparison};
use hosts::{is_split, schemes_of};

use super::{ScenarioArgs, count, listed, shown, unreadable_file};
use crate::Failure;
use crate::input::is_stdin;
use crate::talk::note;

/// The arguments about a capture, if the file is one.
#[derive(ClapArgs)]
pub struct CaptureArgs {
    /// Of a capture: the number of the connection, as in `lasthop report` and tcp.stream of Wireshark [default: the one
    /// with most data]
    #[arg(long, value_name = "N", help_heading = "Captures (pcap, pcapng)")]
    pub stream: Option<u32>,
    /// Of a capture: where it was taken [default: inferred from round trips]
    #[arg(long, value_enum, value_name = "PLACE", help_heading = "Captures (pcap, pcapng)")]
    pub at: Option<Place>,
}

/// The place of a capture.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Place {
    /// At the end that sends most data
    Sender,
    /// At the other end
    Receiver,
    /// Between them
    Middle,
}

impl From<Place> for Vantage {
    fn from(place: Place) -> Vantage {
        match place {
            Place::Sender => Vantage::Sender,
            Place::Receiver => Vantage::Receiver,
            Place::Middle => Vantage::Middle,
        }
    }
}

impl From<CaptureFailure> for Failure {
    fn from(failure: CaptureFailure) -> Failure {
        Failure::Input(match failure {
            CaptureFailure::Unreadable { path, error } => listed(&[unreadable_file(&path, &error)]),
            failure => format!("error: {failure}"),
        })
    }
}

impl CaptureArgs {
    /// Whether the file is a capture; options for the other kind of file are errors.
    pub fn reads_capture(&self, scenario: &ScenarioArgs) -> Result<bool, Failure> {
        let file = &scenario.file;
        refuse_comparison(file)?;
        let is_capture = is_capture(file) || is_called_capture(file) || !of_hosts(file).is_empty();
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
        let problem = Problem::new(expected).in_file(shown(file)).found(found);
        Err(Failure::Input(listed(&[problem.hint(format!("{option} is for {expected}"))])))
    }

    /// The place of the capture, if it is given.
    pub fn place(&self) -> Option<Vantage> {
        self.at.map(Vantage::from)
    }
}

/// Whether a file has the name of a capture, whatever it contains.
pub fn is_called_capture(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    file.is_file() && [".pcap", ".pcapng", ".cap"].iter().any(|ending| name.ends_with(ending))
}

/// The captures that a command reads: `path`, and `other` if it is given. For a result of `lasthop shell` they are the
/// captures of both ends of the connection with most data at the command's node, or the only capture that contains it.
pub fn captures(
    path: &Path,
    other: Option<&PathBuf>,
    args: &CaptureArgs,
) -> Result<(CaptureFile, Option<CaptureFile>), Failure> {
    let hosts = of_hosts(path);
    let (first, other) = match other {
        Some(other) if hosts.is_empty() => open_both(path, other).map(|[one, other]| (one, Some(other)))?,
        Some(other) => {
            let problem = Problem::new("a result of `lasthop shell` alone, or two captures").in_file(shown(path));
            return Err(Failure::Input(listed(&[problem.found(format!("a result, and {}", shown(other)))])));
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
        return Err(Failure::Input(listed(&[problem.hint("which end each was taken at follows from both")])));
    }
    Ok((first, other))
}

/// Reads the tables of two captures.
pub fn open_both(one: &Path, other: &Path) -> Result<[CaptureFile; 2], Failure> {
    if one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other)) {
        let problem = Problem::new("those of both ends of a connection").in_file(shown(other));
        return Err(Failure::Input(listed(&[problem.found("the same capture twice")])));
    }
    Ok([open(one)?, open(other)?])
}

/// The capture at `path`. For a result of real hosts the capture of the command's node, and the other captures unless the
/// connections end on the path.
pub fn all_captures(path: &Path) -> Result<(CaptureFile, Vec<CaptureFile>), Failure> {
    let hosts = of_hosts(path);
    let [first, others @ ..] = &hosts[..] else { return Ok((open(path)?, Vec::new())) };
    let at_end = |file: CaptureFile| CaptureFile { at_end: true, ..file };
    let first = at_end(open(first)?);
    if let Some(control) = congestion_control(path).filter(|name| name.starts_with("bbr")) {
        note(format_args!(
            "note: the machine's congestion control was {control}, which does not halve its window at a loss: window-cut \
             is not what it did, unless the program chose another"
        ));
    }
    let schemes = schemes_of(path).join(", ");
    if is_split(path) {
        note(format_args!(
            "note: {schemes} ends the connections on the path: {} is taken alone, and shows the part up to there",
            shown(&first.path)
        ));
        return Ok((first, Vec::new()));
    }
    if !schemes.is_empty() {
        note(format_args!(
            "note: made with {schemes}: the captures show the path together with it. What it repairs is not lost, what it \
             withholds is, and a fit is that of both"
        ));
    }
    let mut readable = Vec::new();
    for path in others {
        match CaptureFile::open(path) {
            Ok(file) => {
                warn_of_damage(path, file.incomplete.as_deref(), file.skipped, file.bad_timestamps);
                readable.push(at_end(file));
            }
            // The other nodes may have had none.
            Err(CaptureFailure::NoConnection { .. }) => {}
            Err(failure) => note(format_args!("warning: {failure}; it is left out")),
        }
    }
    Ok((first, readable))
}

/// Reads the table of connections of a capture; warns of damaged parts.
pub fn open(path: &Path) -> Result<CaptureFile, Failure> {
    let file = CaptureFile::open(path)?;
    warn_of_damage(path, file.incomplete.as_deref(), file.skipped, file.bad_timestamps);
    Ok(file)
}

/// Warns of damaged parts of a capture.
pub fn warn_of_damage(path: &Path, incomplete: Option<&str>, skipped: Skipped, bad_timestamps: BadTimestamps) {
    let name = shown(path);
    if let Some(incomplete) = incomplete {
        note(format_args!("warning: {name}: {incomplete}"));
    }
    if skipped.damaged > 0 {
        note(format_args!("warning: {name}: {} with damaged or cut headers", count(skipped.damaged, "frame")));
    }
    if bad_timestamps.frames > 0 {
        note(format_args!("warning: {name}: {bad_timestamps}"));
    }
}

/// Refuses options that do not apply to captures.
pub fn refuse(options: &[(&str, bool)]) -> Result<(), Failure> {
    let Some((option, _)) = options.iter().find(|(_, given)| *given) else { return Ok(()) };
    let problem = Problem::new("a scenario or its results").in_file(*option).found("a capture");
    Err(Failure::Input(listed(&[problem.hint("--stream N chooses the connection of a capture")])))
}
