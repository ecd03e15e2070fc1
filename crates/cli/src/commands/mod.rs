//! The commands: each has one file, and a row in the table.

pub mod captured;
pub mod check;
pub mod compare;
pub mod completions;
pub mod convert;
pub mod drill;
pub mod explain;
pub mod export;
pub mod fit;
pub mod import;
pub mod list;
pub mod man;
pub mod merge;
pub mod new;
mod places;
pub mod plot;
pub mod report;
pub mod reproduce;
pub mod run;
pub mod schema;
#[cfg(target_os = "linux")]
pub mod shell;
#[cfg(not(target_os = "linux"))]
#[path = "no_shell.rs"]
pub mod shell;
mod shell_examples;
pub mod slurm;
pub mod steady;
pub mod sweep;
pub mod verify;
pub mod web;

/// A command of `shell.rs`.
mod emulate {
    pub use super::shell::{EMULATE_EXAMPLES as EXAMPLES, EmulateArgs as Args, emulate};
}

/// A command of `shell.rs`.
mod here {
    pub use super::shell::{HereArgs as Args, here};
}

use std::fmt::Display;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use clap::Args;
use engine::text::escape_controls;
use lab::atomic_file;
use lab::disk::Disk;
use lab::load::{Loaded, Overrides, Source};
use scenario::flows;
use scenario::problem::Problem;
use sim::Network;

use crate::CommandFailure;
use crate::command_groups::{Example, commands};
use crate::input::{self, STDIN};
use crate::spool::name_file;
use crate::talk::{write_detail, write_note};

const HELP_EXAMPLES: &[Example] =
    &[("lasthop help run", "Show the options of a command"), ("lasthop help", "Show the commands")];

commands! {
    "See a run" {
        /// Write a commented scenario to start from
        New new::write_new_scenario Prints,
        /// Run a scenario: print tables, write a result directory
        Run run::run_scenario Writes,
        /// List the causes that delayed a run, or a connection of a capture, with their costs
        ///
        /// List the causes of delay in a run, or in a connection of a capture (pcap, pcapng): waits, needless retransmissions
        /// and reductions, each with its cost, the costliest first.
        Explain explain::explain_run Writes,
        /// Draw a run, or a connection of a capture, as SVG and PNG
        ///
        /// Draw a run: sequence numbers and the congestion window against time, as SVG and PNG; or a connection of a capture
        /// (pcap, pcapng).
        Plot plot::plot_runs Writes,
        /// Change a scenario in the browser, and watch it run
        ///
        /// Serve a page on 127.0.0.1 to change a scenario and watch it run in the browser.
        Web web::serve_web Prints,
    }
    "Compare" {
        /// Compare schemes on the same channel: goodput, cost, and changed nodes
        Compare compare::compare_schemes Writes,
        /// Run every point, case and replication of a scenario's sweep, on all cores
        Sweep sweep::run_sweep_command Writes,
        /// Write a page of a store's results, or of the connections of a capture
        ///
        /// Write a store's results as one HTML file with pictures, tables, and the scenario to repeat them; or the connections
        /// of a capture (pcap, pcapng).
        Report report::report_file Writes,
        /// Write a store's results as CSV, Parquet, JSON, LaTeX or gnuplot
        Export export::export_store Writes,
        /// Find how long a scenario must run until the goodput of its flows is steady
        Steady steady::report_steady_state Prints,
        /// Print a script that runs a sweep as a job array of Slurm
        ///
        /// Print a script that runs a sweep as a job array of Slurm, and merges its shards.
        Slurm slurm::write_slurm_script Writes,
        /// Merge the shards of a sweep, made on different machines, into one store
        Merge merge::merge_stores Writes,
    }
    "Real packets" {
        /// Run a command behind a scenario's network, in real time (Linux)
        ///
        /// Run a command in a network namespace behind a scenario's network, in real time: Linux.
        Shell shell::run_in_shell Writes,
        /// Pass packets of TUN devices through a scenario's network, in real time (Linux)
        Emulate emulate::emulate Writes,
        /// Make a scenario of a capture, or of logs of iperf3 and ping
        ///
        /// Fit a scenario to a capture of a transfer, or to logs of iperf3 and ping, and compare its run with the
        /// measurement.
        Fit fit::fit_scenario Writes,
        /// Print a recording of a link, made by another program, as a table
        ///
        /// Print a recording of a link as a table: Pensieve, LeoReplayer, CellReplay, Raca's 5G, Mahimahi.
        Import import::import_recording Writes,
    }
    "Papers and checks" {
        /// Repeat a paper's evaluation: print its numbers next to simulated intervals
        Reproduce reproduce::report_reproduction Writes,
        /// Run packetdrill scripts against lasthop's TCP, in simulated time
        Drill drill::run_script_files Prints,
        /// Check a scenario for errors, without running it
        Check check::check_scenario Prints,
        /// Check every row of a store, and list damaged rows
        Verify verify::verify_store Prints,
    }
    "Everything else" {
        /// List the names that scenarios can use: schemes, channels, TCP variants, traces, ...
        List list::list_catalogue Prints,
        /// Print a datafile.dat of the thesis as a TOML scenario with the same results
        Convert convert::convert_scenario Prints,
        /// Print the JSON Schema of scenarios or of summaries
        ///
        /// Print the JSON Schema of scenarios, for editors, or of summaries, for programs that read them.
        Schema schema::print_schema Prints,
        /// Print the script with which a shell completes commands, options and names
        Completions completions::print_completions Prints,
        /// Print the manual page of this command, or write the pages of all commands
        Man man::write_manual Writes,
        + help HELP_EXAMPLES,
    }
    hidden {
        /// Become a command of `shell`
        #[command(name = "__here", hide = true)]
        Here here::here,
    }
}

/// The arguments of every command that reads a scenario.
#[derive(Args)]
pub struct ScenarioArgs {
    /// A TOML scenario, a datafile.dat of the thesis, a result directory, or - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Change a key of the scenario, such as links.air.rate="2 Mbps"; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// The scheme of every node, such as refined-icmp (see `lasthop list schemes`)
    #[arg(long, value_name = "NAME")]
    pub scheme: Option<String>,
    /// The random seed, 0 to 2^63 - 1
    #[arg(long, value_name = "N", value_parser = parse_seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,
}

/// Parses a seed. Scenarios are TOML, whose integers end at 2^63 - 1.
fn parse_seed(text: &str) -> Result<u64, String> {
    const MAX: u64 = i64::MAX as u64;
    text.parse().ok().filter(|seed| *seed <= MAX).ok_or_else(|| format!("a whole number, 0 to {MAX}, was expected"))
}

/// The arguments of every command that runs many times.
#[derive(Args)]
pub struct Jobs {
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    jobs: Option<NonZeroUsize>,
}

fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "a number of threads, at least 1, was expected".to_owned())
}

impl Jobs {
    /// The number of threads.
    pub fn count(&self) -> usize {
        if let Some(jobs) = self.jobs {
            return jobs.get();
        }
        let cores = available_parallelism().map_or(1, NonZeroUsize::get);
        write_detail(format_args!("default: --jobs {cores}, all cores"));
        cores
    }
}

impl ScenarioArgs {
    /// Reads and checks the scenario; warnings go to stderr.
    pub fn load(&self) -> Result<Loaded, CommandFailure> {
        let loaded = resolve_source(&self.open()?)?;
        print_warnings(&loaded.warnings);
        Ok(loaded)
    }

    /// Reads the scenario without checking it.
    pub fn open(&self) -> Result<Source, CommandFailure> {
        input::open_source(&self.file, &self.overrides()).map_err(refuse_input)
    }

    /// The result directory named by the file argument, unless an option changes the run.
    pub fn result_directory(&self) -> Option<&Path> {
        let changed = !self.set.is_empty() || self.scheme.is_some() || self.seed.is_some();
        (!input::is_stdin(&self.file) && self.file.is_dir() && !changed).then_some(self.file.as_path())
    }

    /// The changes by the options.
    pub fn overrides(&self) -> Overrides {
        Overrides { set: self.set.clone(), scheme: self.scheme.clone(), seed: self.seed }
    }
}

/// The flow over TCP that `--flow` names.
fn find_named_flow(network: &Network, name: &str) -> Result<usize, CommandFailure> {
    flows::tcp_flow(network, name)
        .map_err(|problem| CommandFailure::Input(format_problems(&[problem.in_file("--flow")])))
}

/// The scenario of a source, checked.
fn resolve_source(source: &Source) -> Result<Loaded, CommandFailure> {
    source.resolve(&source.document).map_err(refuse_input)
}

/// Wrong input.
fn refuse_input(problems: Vec<Problem>) -> CommandFailure {
    CommandFailure::Input(format_problems(&problems))
}

/// The problem with a file that cannot be read. If it does not exist, a hint names the nearest file.
fn unreadable_file(path: &Path, error: &io::Error) -> Problem {
    let problem = Problem::new(format!("cannot be read: {error}")).in_file(format_path(path));
    match nearest_file(path) {
        Some(near) => problem.hint(format!("did you mean \"{}\"?", format_path(&near))),
        None => problem,
    }
}

/// An error of reading or copying standard input.
fn refuse_stdin(error: io::Error) -> CommandFailure {
    CommandFailure::Input(format!("error: {STDIN}: cannot be read: {error}"))
}

/// The file whose path is nearest to a path that does not exist.
fn nearest_file(path: &Path) -> Option<PathBuf> {
    scenario::nearest_path(&Disk, path)
}

/// Prints warnings.
fn print_warnings(warnings: &[impl Display]) {
    for warning in warnings {
        write_note(format_args!("warning: {warning}"));
    }
}

/// The nearest of `known` to `name`, as a hint, or all of them, in lines, if none is near.
fn nearest_of_many<'a>(problem: Problem, name: &str, known: impl Iterator<Item = &'a str>) -> Problem {
    const WIDTH: usize = 100;
    let known: Vec<&str> = known.collect();
    let problem = problem.did_you_mean(name, known.iter().copied());
    if problem.hint.is_some() {
        return problem;
    }
    let mut lines = vec!["known:".to_owned()];
    for name in known {
        let line = lines.last_mut().filter(|line| line.len() + name.len() + 2 <= WIDTH);
        match line {
            Some(line) => *line += &format!(" {name},"),
            None => lines.push(format!("    {name},")),
        }
    }
    problem.hint(lines.join("\n").trim_end_matches(','))
}

/// Problems as an error message, one after another.
fn format_problems(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(|problem| format!("error: {problem}")).collect();
    lines.join("\n")
}

/// Prints to stdout, with control characters escaped. A closed stdout is `CommandFailure::BrokenPipe`.
fn print_visible(text: &str) -> Result<(), CommandFailure> {
    let mut out = std::io::stdout().lock();
    out.write_all(escape_controls(text).as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Prints as [`print_visible`] does, for commands that write files after printing: a closed stdout does not stop them.
fn print_if_open(text: &str) -> Result<(), CommandFailure> {
    match print_visible(text) {
        Err(CommandFailure::BrokenPipe) => Ok(()),
        printed => printed,
    }
}

/// A number with its noun, such as "1 run" or "2 runs".
fn format_count(number: impl Display, what: &str) -> String {
    let number = number.to_string();
    let ending = if number == "1" { "" } else { "s" };
    format!("{number} {what}{ending}")
}

/// A path as text.
fn format_path(path: &Path) -> String {
    name_file(path).display().to_string()
}

/// Writes a file, and creates its directory; the file appears complete or not at all.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), CommandFailure> {
    let unwritable = |error| CommandFailure::Run(format!("{}: cannot be written: {error}", format_path(path)));
    atomic_file::write_atomically(path, bytes).map_err(unwritable)
}
