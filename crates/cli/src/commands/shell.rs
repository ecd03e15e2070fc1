//! `lasthop shell` and `lasthop emulate`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use emulate::session::{self, EmulationEnd, Plan, Status};
use engine::Quantity;
use lab::load::Loaded;
use lab::result_dir::EMULATION;
use scenario::problem::Problem;

use super::places::in_results;
pub use super::shell_examples::{EMULATE_EXAMPLES, EXAMPLES};
use super::{ScenarioArgs, format_path, format_problems, print_visible, resolve_source};
use crate::progress::StatusLine;
use crate::talk::{write_detail, write_message, write_note};
use crate::{CommandFailure, table};

/// The arguments of both commands.
#[derive(ClapArgs)]
struct EmulationArgs {
    /// Let the scenario's flows run as cross traffic
    #[arg(long)]
    flows: bool,
    /// Real-time priority (SCHED_FIFO), which needs root: packets leave within 0.1 ms of their time
    #[arg(long)]
    real_time: bool,
    /// Where to write captures and summary [default: results/NAME-shell, and if that exists, NAME-shell-2, and so on]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write nothing
    #[arg(long, conflicts_with = "out")]
    no_out: bool,
}

/// Arguments of `lasthop shell`.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    scenario: Option<ScenarioArgs>,
    /// The node that is the command's host [default: `mobile`, or the receiver of the first flow]
    #[arg(long, value_name = "NODE")]
    node: Option<String>,
    /// Run a command at another node too, such as 'server=iperf3 -s'; may be repeated [default: a node at the other end
    /// of the first flow, which answers pings]
    #[arg(long, value_name = "NODE=COMMAND")]
    and: Vec<String>,
    /// Let packets for the machine's own network leave at a node, by pasta [default: the node at the other end]
    #[arg(long, value_name = "NODE", num_args = 0..=1, require_equals = true)]
    outside: Option<Option<String>>,
    /// MTU of the devices in bytes
    #[arg(long, value_name = "BYTES", default_value_t = session::MTU, value_parser = clap::value_parser!(u16).range(1280..))]
    mtu: u16,
    /// Only report whether this machine permits emulation
    #[arg(long, exclusive = true)]
    check: bool,
    #[command(flatten)]
    common: EmulationArgs,
    /// The command and its arguments [default: $SHELL]
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Arguments of `lasthop emulate`.
#[derive(ClapArgs)]
pub struct EmulateArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// The TUN device of a node, created if it does not exist; at least twice
    #[arg(long, value_name = "NODE=DEVICE", required = true)]
    tun: Vec<String>,
    #[command(flatten)]
    common: EmulationArgs,
}

/// Arguments of the process that becomes a command of `lasthop shell`.
#[derive(ClapArgs)]
pub struct HereArgs {
    /// Keep rights over the namespaces
    #[arg(long)]
    keep_rights: bool,
    #[arg(last = true)]
    command: Vec<OsString>,
}

impl EmulationArgs {
    /// # Errors
    /// Results would be replaced that cannot be repeated.
    fn plan(&self, loaded: &Loaded) -> Result<Plan, CommandFailure> {
        if let Some(out) = self.out.as_ref().filter(|out| out.join(EMULATION).is_file()) {
            let problem =
                Problem::new("a new directory").in_file("--out").found(format!("{}, a result", format_path(out)));
            let problem = problem.hint("real traffic cannot be repeated: remove it, or choose another directory");
            return Err(CommandFailure::Input(format_problems(&[problem])));
        }
        let default = || choose_new_directory(&format!("{}-shell", loaded.stem));
        let out = (!self.no_out).then(|| self.out.clone().unwrap_or_else(default));
        if let Some(out) = out.as_ref().filter(|_| self.out.is_none()) {
            write_detail(format_args!("default: --out {}", format_path(out)));
        }
        let warn: fn(&str) = |text| super::print_warnings(&[text.to_owned()]);
        let program = own_program();
        Ok(Plan { real_time: self.real_time, flows: self.flows, out, program, warn: Some(warn), ..Plan::default() })
    }
}

/// The program of this process if the process is the command itself. Another program, such as Python, contains only the
/// library.
pub fn own_program() -> Option<PathBuf> {
    crate::is_program().then(std::env::current_exe)?.ok()
}

/// Chooses a directory in `results` that does not exist yet. No result is replaced, because runs with real hosts cannot
/// be repeated.
fn choose_new_directory(name: &str) -> PathBuf {
    let numbered = (2..).map(|number| in_results(format!("{name}-{number}")));
    let free = std::iter::once(in_results(name)).chain(numbered).find(|dir| !dir.exists());
    free.unwrap_or_else(|| in_results(name))
}

/// Runs a command behind a simulated network.
pub fn run_in_shell(args: &Args) -> Result<(), CommandFailure> {
    if args.check {
        return report_machine();
    }
    let Some(scenario) = &args.scenario else {
        return Err(CommandFailure::Input("error: expected the file of a scenario, or --check".to_owned()));
    };
    session::prepare_namespaces().map_err(fail_run)?;
    let loaded = load_emulated(scenario)?;
    let places = session::parse_hosts(&loaded.network, args.node.as_deref(), &args.and);
    let wrong = |problem| CommandFailure::Input(format_problems(&[problem]));
    let mut places = places.map_err(wrong)?;
    let outside =
        args.outside.as_ref().map(|name| session::gateway_place(&loaded.network, &mut places, name.as_deref()));
    let outside = outside.transpose().map_err(wrong)?;
    let mut command = args.command.clone();
    if command.is_empty() {
        command.push(std::env::var_os("SHELL").unwrap_or_else(|| "/bin/sh".into()));
        write_detail(format_args!("default: COMMAND {}", command[0].to_string_lossy()));
    }
    if !is_found(&command[0]) {
        // The exit code is the shells' convention. Results do not exist yet.
        write_message(format_args!("error: {}: cannot be run: it was not found", command[0].to_string_lossy()));
        return Err(CommandFailure::Exit(NOT_FOUND));
    }
    let plan = Plan { places, mtu: args.mtu, command, outside, ..args.common.plan(&loaded)? };
    write_note(session::render_introduction(&plan));
    // An interactive shell uses the terminal exclusively.
    let line = StatusLine::new(&loaded.stem, !args.command.is_empty());
    let ended =
        session::run_shell(&loaded, &plan, &mut |status| line.show(render_live_status(status))).map_err(fail_run);
    line.finish();
    report_emulation_end(&plan, ended?)
}

/// The exit code of a command that does not exist.
const NOT_FOUND: u8 = 127;

/// Whether the path of execvp(3) has a program of this name.
fn is_found(program: &OsStr) -> bool {
    if Path::new(program).components().count() > 1 {
        return Path::new(program).exists();
    }
    // execvp searches the default path of the C library if PATH is not set.
    std::env::var_os("PATH").is_none_or(|path| std::env::split_paths(&path).any(|dir| dir.join(program).exists()))
}

/// Lets packets of devices cross a simulated network.
pub fn emulate(args: &EmulateArgs) -> Result<(), CommandFailure> {
    let loaded = load_emulated(&args.scenario)?;
    let devices = session::parse_devices(&loaded.network, &args.tun);
    let devices = devices.map_err(|problem| CommandFailure::Input(format_problems(&[problem])))?;
    let places = devices.iter().map(|device| device.place.clone()).collect();
    let plan = Plan { places, ..args.common.plan(&loaded)? };
    write_note(format_args!("emulation runs until Ctrl-C; addresses: {}", session::render_introduction(&plan)));
    let line = StatusLine::new(&loaded.stem, true);
    let ended = session::emulate_network(&loaded, &plan, &devices, &mut |status| line.show(render_live_status(status)))
        .map_err(fail_run);
    line.finish();
    report_emulation_end(&plan, ended?)
}

/// Replaces this process by a command in a namespace.
pub fn here(args: &HereArgs) -> Result<(), CommandFailure> {
    let (code, message) = session::run_here(&args.command, args.keep_rights);
    write_message(format_args!("error: {message}"));
    Err(CommandFailure::Exit(code))
}

/// Reads and checks the scenario, and prints warnings to stderr. A scheme without effect at real ends gets a single
/// warning about that.
fn load_emulated(scenario: &ScenarioArgs) -> Result<Loaded, CommandFailure> {
    let loaded = resolve_source(&scenario.open()?)?;
    let without_effect = session::without_sender(&loaded);
    let covered = |warning: &&Problem| !without_effect.is_empty() && warning.lint == Some("scheme-out-of-place");
    let others: Vec<&Problem> = loaded.warnings.iter().filter(|warning| !covered(warning)).collect();
    super::print_warnings(&others);
    super::print_warnings(&without_effect);
    Ok(loaded)
}

fn render_live_status(status: &Status) -> String {
    format!(
        "{:.0} s, {}, {} queued, {} lost",
        status.now.as_secs_f64(),
        Quantity::Rate.format_brief(status.rate_bps),
        status.queued,
        status.lost
    )
}

fn fail_run(error: impl std::fmt::Display) -> CommandFailure {
    CommandFailure::Run(error.to_string())
}

/// Reports to standard error, because the command uses standard output.
fn report_emulation_end(plan: &Plan, ended: EmulationEnd) -> Result<(), CommandFailure> {
    write_note(table::render_links(&ended.summary).trim_end());
    write_note(ended.report.text().trim_end());
    super::print_warnings(&ended.report.warnings());
    if let Some(out) = &plan.out {
        write_note(format_args!("results in {}", format_path(out)));
    }
    if let Some(failure) = ended.failure {
        return Err(CommandFailure::Run(failure));
    }
    if ended.code == 0 { Ok(()) } else { Err(CommandFailure::Exit(ended.code)) }
}

/// Prints the rights and devices that this machine provides. Fails if a required one is missing.
fn report_machine() -> Result<(), CommandFailure> {
    let findings = host::check_machine();
    let mut unmet = false;
    for finding in &findings {
        let found = match &finding.found {
            Ok(()) => "yes".to_owned(),
            Err(error) if finding.required => format!("no: {error}"),
            Err(error) => format!("no (optional): {error}"),
        };
        unmet |= finding.required && finding.found.is_err();
        print_visible(&format!("{}: {found}\n", finding.what))?;
    }
    if unmet {
        Err(CommandFailure::Run("`lasthop shell` cannot run here".to_owned()))
    } else {
        print_visible("`lasthop shell` can run here\n")
    }
}
