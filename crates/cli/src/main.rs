//! The `lasthop` command.
//!
//! stdout is data, stderr is talk. Exit codes: 0 done, 1 the run failed, 2 the input is wrong, 130 interrupted.

mod commands;
mod progress;
mod table;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use lab::run::RunError;

use commands::{check, convert, explain, list, plot, run, schema};

/// A laboratory for TCP over wireless paths.
#[derive(Parser)]
#[command(version, about, after_help = "Exit codes: 0 done, 1 the run failed, 2 the input is wrong, 130 interrupted.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a scenario: print a table, write a result directory
    Run(run::Args),
    /// Draw a run: sequence numbers and the congestion window against time, as SVG and PNG
    Plot(plot::Args),
    /// Say what held a run up: waits, needless resending and cuts, with what each cost, the costliest first
    Explain(explain::Args),
    /// Say what is wrong with a scenario, without running it
    Check(check::Args),
    /// Print a datafile.dat of the thesis as a TOML scenario with the same results
    Convert(convert::Args),
    /// List what scenarios can name: schemes, channels, TCP variants, traces, ...
    List(list::Args),
    /// Print the JSON Schema of scenarios, for editors
    Schema,
}

/// How a command ends when it does not end well.
enum Failure {
    /// The input is wrong: exit code 2.
    Input(String),
    /// The run failed: exit code 1.
    Run(String),
    /// Ctrl-C: exit code 130, as a shell would have it.
    Interrupted(String),
    /// Whoever read our output has gone away: nothing to complain about.
    BrokenPipe,
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => Failure::Run(format!("standard output: {error}")),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Interrupted => Failure::Interrupted(error.to_string()),
            _ => Failure::Run(error.to_string()),
        }
    }
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Run(args) => run::run(&args),
        Command::Plot(args) => plot::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::List(args) => list::run(&args),
        Command::Schema => schema::run(),
    };
    match outcome {
        Ok(()) | Err(Failure::BrokenPipe) => ExitCode::SUCCESS,
        Err(Failure::Run(message)) => {
            eprintln!("error: {message}");
            ExitCode::from(1)
        }
        Err(Failure::Input(message)) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
        Err(Failure::Interrupted(message)) => {
            eprintln!("{message}");
            ExitCode::from(130)
        }
    }
}
