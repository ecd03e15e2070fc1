//! One command in a namespace.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, PipeWriter};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use host::{Error, process};

use super::nodes::NodeNamespace;

/// The subcommand of `lasthop` that becomes a command of a namespace.
pub const HERE: &str = "__here";

/// The exit code of a command by the convention of shells.
pub(super) fn exit_code(status: ExitStatus) -> u8 {
    let by_signal = status.signal().map(|signal| 128 + signal);
    status.code().or(by_signal).and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// Destination of a command's output, and its input.
pub(super) enum CommandOutput<'a> {
    /// The command uses the standard streams of this process.
    Own,
    /// Standard output and error go to a file, and the command has no input.
    Log(&'a File),
    /// Standard output and error go to a pipe, and the command has no input.
    Pipe(&'a PipeWriter),
}

impl CommandOutput<'_> {
    fn apply(&self, command: &mut Command) -> io::Result<()> {
        let [out, err]: [Stdio; 2] = match self {
            CommandOutput::Own => return Ok(()),
            CommandOutput::Log(file) => [file.try_clone()?.into(), file.try_clone()?.into()],
            CommandOutput::Pipe(pipe) => [pipe.try_clone()?.into(), pipe.try_clone()?.into()],
        };
        command.stdin(Stdio::null()).stdout(out).stderr(err);
        Ok(())
    }
}

/// Starts a command in a namespace. With `program` the command ends when this process ends.
pub(super) fn spawn_command(
    node: &NodeNamespace,
    words: Vec<OsString>,
    program: Option<&Path>,
    output: CommandOutput<'_>,
) -> Result<Child, Error> {
    let shown = words[0].to_string_lossy().into_owned();
    let mut command = match program {
        Some(program) => {
            let mut command = Command::new(program);
            command.arg(HERE).arg("--").args(&words);
            command
        }
        None => {
            let mut command = Command::new(&words[0]);
            command.args(&words[1..]);
            command
        }
    };
    command.env("LASTHOP_NODE", &node.place.name);
    output.apply(&mut command).map_err(|source| Error::Other { what: "output cannot be passed on", source })?;
    let spawned = node.namespace.call(move || command.spawn())?;
    spawned.map_err(|error| Error::Program { line: shown, message: format!("cannot be run: {error}") })
}

/// Replaces the process by a command of a namespace, which ends when its parent ends. Returns only if the command
/// cannot be run, with the exit code by the convention of shells, and the reason.
pub fn run_here(words: &[OsString], keep_rights: bool) -> (u8, String) {
    let Some(first) = words.first() else { return (2, "expected a command".to_owned()) };
    let error = process::become_command(words, keep_rights);
    let code = if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
    (code, format!("{}: cannot be run: {error}", first.to_string_lossy()))
}
