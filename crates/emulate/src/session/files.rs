//! The result directory of an emulation.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;

use engine::Time;
use host::Error;
use lab::load::{Loaded, to_toml};
use lab::result_dir::{PartialResult, format_origin};
use observe::summary::Summary;
use wire::pcapng::{Direction, Writer};

use super::{EmulationReport, Plan};

/// Size of writes to a capture, in bytes. With 8 kB, the default, a packet costs 18 % more time.
const BUFFER: usize = 1 << 16;

/// The name of the report.
pub const REPORT: &str = lab::result_dir::EMULATION;

/// The name of the output of the commands of a plan that is [`logged`](Plan::logged).
pub const LOG: &str = "commands.log";

/// Files written during an emulation, and files written after it.
pub(super) struct Files(Option<OpenFiles>);

struct OpenFiles {
    partial: PartialResult,
    captures: Vec<Capture>,
    log: Option<File>,
    origin: String,
}

struct Capture {
    name: String,
    writer: Writer<BufWriter<File>>,
    /// The first error, after which nothing more is written.
    failed: Option<io::Error>,
}

fn write_error(source: io::Error) -> Error {
    Error::Other { what: "the result directory cannot be written", source }
}

fn run_error(error: lab::run::RunError) -> Error {
    write_error(io::Error::other(error))
}

/// The last lines of a log, each marked as a quotation.
pub fn last_lines(log: &Path) -> String {
    const LINES: usize = 5;
    let text = fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].iter().map(|line| format!("  | {line}\n")).collect()
}

impl Files {
    /// Begins the result directory of `plan`, if the plan has one, with a capture of each node.
    pub fn create(loaded: &Loaded, plan: &Plan) -> Result<Self, Error> {
        let Some(dir) = &plan.out else { return Ok(Files(None)) };
        let partial = PartialResult::create(dir).map_err(run_error)?;
        let capture = |place: &super::RealHost| {
            let name = format!("{}.pcapng", place.name);
            let file = BufWriter::with_capacity(BUFFER, File::create(partial.dir().join(&name))?);
            Ok(Capture { name, writer: Writer::new(file, &[&place.name])?, failed: None })
        };
        let captures = plan.places.iter().map(capture).collect::<io::Result<_>>().map_err(write_error)?;
        partial.write("scenario.toml", to_toml(&loaded.scenario).as_bytes()).map_err(run_error)?;
        let log = plan.logged.then(|| File::create(partial.dir().join(LOG))).transpose().map_err(write_error)?;
        Ok(Files(Some(OpenFiles { captures, log, origin: format_origin(&loaded.path), partial })))
    }

    /// The log file of the output of the commands; `None` if the output is not logged.
    pub fn log(&self) -> Option<&File> {
        self.0.as_ref()?.log.as_ref()
    }

    /// Adds the end of the log to an error of a command: the log is deleted with the unfinished directory.
    pub fn with_log(&self, error: Error) -> Error {
        match (error, self.0.as_ref().filter(|open| open.log.is_some())) {
            (Error::Program { line, message }, Some(open)) => {
                let message = format!("{message}\n{}", last_lines(&open.partial.dir().join(LOG)).trim_end());
                Error::Program { line, message }
            }
            (error, _) => error,
        }
    }

    /// Records a packet that passes the device of a node, to or from the host.
    pub fn packet(&mut self, device: usize, from_host: bool, at: Time, bytes: &[u8]) {
        let Some(capture) = self.0.as_mut().and_then(|open| open.captures.get_mut(device)) else { return };
        let direction = if from_host { Direction::Out } else { Direction::In };
        if capture.failed.is_none() {
            capture.failed = capture.writer.whole(0, at, direction, bytes).err();
        }
    }

    /// Completes the result directory, with the report and the summary.
    pub fn finish(self, report: &EmulationReport, summary: &Summary) -> Result<(), Error> {
        let Some(OpenFiles { partial, captures, log, origin }) = self.0 else { return Ok(()) };
        let mut names = vec![REPORT.to_owned()];
        names.extend(log.map(|_| LOG.to_owned()));
        let mut failed = None;
        for capture in captures {
            let written = capture.failed.map_or(Ok(()), Err).and_then(|()| capture.writer.finish().map(|_| ()));
            failed = failed.or(written.err());
            names.push(capture.name);
        }
        let text = serde_json::to_string_pretty(report).map_err(|error| write_error(error.into()))?;
        partial.write(REPORT, format!("{text}\n").as_bytes()).map_err(run_error)?;
        partial.write("summary.json", format!("{summary:#}\n").as_bytes()).map_err(run_error)?;
        partial.complete(&names, &origin).map_err(run_error)?;
        failed.map_or(Ok(()), |error| Err(write_error(error)))
    }
}
