//! The `lasthop` command, as a library: the binary and the Python package call [`main`].
//!
//! Results go to stdout, messages to stderr. Exit codes: 0 done, 1 the run failed, 2 the input is wrong, 3 a script needs an
//! unsupported feature, 130 interrupted; `shell` passes on the exit code of its command.

mod argument_tips;
mod command_groups;
mod commands;
mod completion;
mod defaults;
mod deferred;
mod help;
mod input;
mod progress;
mod spool;
mod sweep_table;
mod table;
mod talk;

use std::borrow::Cow;
use std::ffi::OsString;
#[cfg(unix)]
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::{CommandFactory, FromArgMatches, Parser};
use engine::text::escape_controls;

use lab::run::RunError;

use commands::Command;
use talk::{Volume, write_detail, write_message};

const EXIT_CODES: &str = "Exit codes: 0 done, 1 the run failed, 2 the input is wrong, 3 a script of `drill` needs an \
     unsupported feature, 130 interrupted; `shell` returns the exit code of its command.";

/// A laboratory for TCP over wireless paths.
#[derive(Parser)]
#[command(version, long_version = LONG_VERSION.as_str(), about, after_help = EXIT_CODES)]
struct Cli {
    #[command(flatten)]
    volume: Volume,
    #[command(subcommand)]
    command: Command,
}

/// Version and model version: results of different model versions may differ.
static LONG_VERSION: LazyLock<String> =
    LazyLock::new(|| format!("{}\nmodel version {}", env!("CARGO_PKG_VERSION"), sim::MODEL_VERSION));

/// The reason why a command fails.
enum CommandFailure {
    /// The input is wrong: exit code 2.
    Input(String),
    /// The run failed: exit code 1.
    Run(String),
    /// The input is correct but needs an unsupported feature: exit code 3.
    Unsupported(String),
    /// Ctrl-C: exit code 130, by the convention of shells.
    Interrupted(String),
    /// The executed command returned this exit code; all messages are printed.
    Exit(u8),
    /// The reader of standard output closed it, which is not an error.
    BrokenPipe,
}

impl From<std::io::Error> for CommandFailure {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => CommandFailure::BrokenPipe,
            _ => CommandFailure::Run(format!("standard output: {error}")),
        }
    }
}

impl From<RunError> for CommandFailure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Interrupted => CommandFailure::Interrupted(error.to_string()),
            RunError::OneFile(problem) => CommandFailure::Input(format!("error: {problem}")),
            // Standard output is the only pipe to which a run writes.
            RunError::Unwritable { ref source, .. } if source.kind() == std::io::ErrorKind::BrokenPipe => {
                CommandFailure::BrokenPipe
            }
            _ => CommandFailure::Run(error.to_string()),
        }
    }
}

/// Turns the signal for a file above the system's size limit into an error of the write, which is reported.
fn outlive_file_size_limit() {
    // The flag is not read. Any handler keeps the signal from ending the process.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// Exit code after clap has rejected the arguments or printed help.
fn clap_exit_code(error: &clap::Error) -> u8 {
    let text = error.render();
    // clap prints the arguments unescaped.
    if let Cow::Owned(text) = escape_controls(&text.to_string()) {
        write_message(text.trim_end());
    } else if let Err(unsaid) = error.print()
        && !error.use_stderr()
    {
        // Help is data.
        return report_outcome(Err(unsaid.into()));
    }
    u8::try_from(error.exit_code()).unwrap_or(1)
}

/// Whether this process is the command itself.
static IS_PROGRAM: AtomicBool = AtomicBool::new(false);

/// Runs the command as [`main`] does, in a process that is the command itself and may start its program again.
pub fn main_as_program(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    IS_PROGRAM.store(true, Ordering::Relaxed);
    main(arguments)
}

/// Whether the program of this process is the command, not another program that contains the library.
#[cfg(target_os = "linux")]
fn is_program() -> bool {
    IS_PROGRAM.load(Ordering::Relaxed)
}

/// The command and its arguments.
fn parse_arguments(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let mut command = Cli::command();
    let parsed = match command.try_get_matches_from_mut(arguments) {
        Ok(mut matches) => Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command)),
        Err(error) => Err(error),
    };
    if IS_PROGRAM.load(Ordering::Relaxed) {
        // The exit of the process frees the memory: freeing thousands of texts takes a tenth of the start-up time.
        std::mem::forget(command);
    }
    parsed
}

/// Runs the command with these arguments, of which the first is its name, and returns its exit code.
///
/// Ctrl-C is handled by a handler of the process once a command that can be interrupted has begun.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    outlive_file_size_limit();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if completion::answer_shell(&arguments) {
        return 0;
    }
    let Cli { volume, command } = match parse_arguments(&arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let error = help::complete_help(error, &arguments);
            return clap_exit_code(&argument_tips::with_tip(error, &arguments));
        }
    };
    volume.apply();
    #[allow(clippy::disallowed_methods, reason = "the time that a command takes, not simulated time")]
    let began = Instant::now();
    let outcome = command.execute();
    write_detail(format_args!("time: {:.3} s", began.elapsed().as_secs_f64()));
    report_outcome(outcome)
}

/// Prints the failure, and returns the exit code.
fn report_outcome(outcome: Result<(), CommandFailure>) -> u8 {
    match outcome {
        Ok(()) | Err(CommandFailure::BrokenPipe) => 0,
        Err(CommandFailure::Exit(code)) => code,
        Err(CommandFailure::Run(message)) => {
            write_message(format_args!("error: {message}"));
            1
        }
        Err(CommandFailure::Input(message)) => {
            write_message(message);
            2
        }
        Err(CommandFailure::Unsupported(message)) => {
            write_message(message);
            3
        }
        Err(CommandFailure::Interrupted(message)) => {
            write_message(message);
            130
        }
    }
}
