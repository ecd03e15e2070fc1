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

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use engine::text::escape_controls;

use lab::run::RunError;

use commands::{
    check, compare, completions, convert, drill, explain, export, fit, import, list, man, merge, new, plot, report,
    reproduce, run, schema, shell, slurm, steady, sweep, verify, web,
};
use deferred::Deferred;
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

#[derive(Subcommand)]
enum Command {
    /// Write a commented scenario to start from
    New(Deferred<new::Args>),
    /// Run a scenario: print tables, write a result directory
    Run(Deferred<run::Args>),
    /// Run every point, case and replication of a scenario's sweep, on all cores
    Sweep(Deferred<sweep::Args>),
    /// Compare schemes on the same channel: goodput, cost, and changed nodes
    Compare(Deferred<compare::Args>),
    /// Write a store's results as CSV, Parquet, JSON, LaTeX or gnuplot
    Export(Deferred<export::Args>),
    /// Write a page of a store's results, or of the connections of a capture
    ///
    /// Write a store's results as one HTML file with pictures, tables, and the scenario to repeat them; or the connections
    /// of a capture (pcap, pcapng).
    Report(Deferred<report::Args>),
    /// Merge the shards of a sweep, made on different machines, into one store
    Merge(Deferred<merge::Args>),
    /// Print a script that runs a sweep as a job array of Slurm
    ///
    /// Print a script that runs a sweep as a job array of Slurm, and merges its shards.
    Slurm(Deferred<slurm::Args>),
    /// Check every row of a store, and list damaged rows
    Verify(Deferred<verify::Args>),
    /// Repeat a paper's evaluation: print its numbers next to simulated intervals
    Reproduce(Deferred<reproduce::Args>),
    /// Draw a run, or a connection of a capture, as SVG and PNG
    ///
    /// Draw a run: sequence numbers and the congestion window against time, as SVG and PNG; or a connection of a capture
    /// (pcap, pcapng).
    Plot(Deferred<plot::Args>),
    /// List the causes that delayed a run, or a connection of a capture, with their costs
    ///
    /// List the causes of delay in a run, or in a connection of a capture (pcap, pcapng): waits, needless retransmissions
    /// and reductions, each with its cost, the costliest first.
    Explain(Deferred<explain::Args>),
    /// Find how long a scenario must run until the goodput of its flows is steady
    Steady(Deferred<steady::Args>),
    /// Run packetdrill scripts against lasthop's TCP, in simulated time
    Drill(Deferred<drill::Args>),
    /// Run a command behind a scenario's network, in real time (Linux)
    ///
    /// Run a command in a network namespace behind a scenario's network, in real time: Linux.
    Shell(Deferred<Box<shell::Args>>),
    /// Pass packets of TUN devices through a scenario's network, in real time (Linux)
    Emulate(Deferred<shell::EmulateArgs>),
    /// Become a command of `shell`
    #[command(name = "__here", hide = true)]
    Here(Deferred<shell::HereArgs>),
    /// Change a scenario in the browser, and watch it run
    ///
    /// Serve a page on 127.0.0.1 to change a scenario and watch it run in the browser.
    Web(Deferred<web::Args>),
    /// Check a scenario for errors, without running it
    Check(Deferred<check::Args>),
    /// Print a datafile.dat of the thesis as a TOML scenario with the same results
    Convert(Deferred<convert::Args>),
    /// Make a scenario of a capture, or of logs of iperf3 and ping
    ///
    /// Fit a scenario to a capture of a transfer, or to logs of iperf3 and ping, and compare its run with the
    /// measurement.
    Fit(Deferred<fit::Args>),
    /// Print a recording of a link, made by another program, as a table
    ///
    /// Print a recording of a link as a table: Pensieve, LeoReplayer, CellReplay, Raca's 5G, Mahimahi.
    Import(Deferred<import::Args>),
    /// List the names that scenarios can use: schemes, channels, TCP variants, traces, ...
    List(Deferred<list::Args>),
    /// Print the JSON Schema of scenarios or of summaries
    ///
    /// Print the JSON Schema of scenarios, for editors, or of summaries, for programs that read them.
    Schema(Deferred<schema::Args>),
    /// Print the script with which a shell completes commands, options and names
    Completions(Deferred<completions::Args>),
    /// Print the manual page of this command, or write the pages of all commands
    Man(Deferred<man::Args>),
}

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
    let outcome = match command {
        Command::New(args) => new::write_new_scenario(&args),
        Command::Run(args) => run::run_scenario(&args),
        Command::Sweep(args) => sweep::run_sweep_command(&args),
        Command::Compare(args) => compare::compare_schemes(&args),
        Command::Export(args) => export::export_store(&args),
        Command::Report(args) => report::report_file(&args),
        Command::Merge(args) => merge::merge_stores(&args),
        Command::Slurm(args) => slurm::write_slurm_script(&args),
        Command::Verify(args) => verify::verify_store(&args),
        Command::Reproduce(args) => reproduce::report_reproduction(&args),
        Command::Plot(args) => plot::plot_runs(&args),
        Command::Explain(args) => explain::explain_run(&args),
        Command::Steady(args) => steady::report_steady_state(&args),
        Command::Drill(args) => drill::run_script_files(&args),
        Command::Web(args) => web::serve_web(&args),
        Command::Shell(args) => shell::run_in_shell(&args),
        Command::Emulate(args) => shell::emulate(&args),
        Command::Here(args) => shell::here(&args),
        Command::Check(args) => check::check_scenario(&args),
        Command::Convert(args) => convert::convert_scenario(&args),
        Command::Fit(args) => fit::fit_scenario(&args),
        Command::Import(args) => import::import_recording(&args),
        Command::List(args) => list::list_catalogue(&args),
        Command::Schema(args) => schema::print_schema(&args),
        Command::Completions(args) => completions::print_completions(&args),
        Command::Man(args) => man::write_manual(&args, &help::GROUPS),
    };
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
