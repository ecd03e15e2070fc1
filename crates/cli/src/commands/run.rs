//! `lasthop run`.

use std::io::{self, BufWriter, ErrorKind, Stdout, Write, stdout};
use std::path::PathBuf;

use clap::Args as ClapArgs;
use engine::Span;
use lab::features;
use lab::load::Loaded;
use lab::run::{self, RunOutcome};
use observe::output::Printers;
use scenario::EventKinds;
use scenario::goel1997::TRACE_FILE;
use scenario::problem::Problem;
use scenario::traces::Trace;

use super::places::{in_results, name_run};
use super::{ScenarioArgs, format_path, format_problems, print_if_open};
use crate::command_groups::Example;
use crate::progress::ProgressReport;
use crate::talk::{write_detail, write_message, write_note};
use crate::{CommandFailure, table};

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[
    ("lasthop run examples/snoop.toml", "Print tables, and keep the result in results/snoop-seed1"),
    (
        "lasthop run examples/snoop.toml --scheme unmodified --set links.air.rate=\"1 Mbps\"",
        "Change the scheme and a key for this run",
    ),
    ("lasthop run examples/snoop.toml --trace pcapng", "Also write captures for Wireshark"),
];

/// Arguments of `lasthop run`.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// Where to write results [default: `results/NAME[-SCHEME][-HASH]-seedN`, with SCHEME if --scheme is given, and
    /// HASH, six digits made of the changes, if --set is]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write nothing: only print the result
    #[arg(long, conflicts_with_all = ["out", "trace"])]
    no_out: bool,
    /// Traces to write, separated by commas: names from `lasthop list traces`, `all` or `none`
    /// [default: output.traces of the scenario]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    trace: Option<Vec<String>>,
    /// Kinds of events that the event trace shows, separated by commas, from `lasthop list events`; with a - in front,
    /// all but these, such as --events=-corrupted,-state [default: output.events of the scenario]
    #[arg(long, value_name = "LIST", value_delimiter = ',', allow_hyphen_values = true)]
    events: Option<Vec<String>>,
    /// Print the event trace to standard output during the run; the table then goes to standard error
    #[arg(long, conflicts_with = "json")]
    print_events: bool,
    /// Print a line for each flow and interval of this length during the run: goodput, retransmissions, cwnd, RTT, wait
    /// in queues
    #[arg(long, value_name = "TIME", conflicts_with_all = ["json", "print_events"])]
    interval: Option<Span>,
    /// Do not measure delays, which takes up to half of the time of a run without traces
    #[arg(long)]
    no_delays: bool,
    /// Print the summary as one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// Runs a scenario.
pub fn run_scenario(args: &Args) -> Result<(), CommandFailure> {
    let mut loaded = args.scenario.load()?;
    if loaded.scenario.sweep.take().is_some() {
        let file = format_path(&args.scenario.file);
        write_note(format_args!("note: one run, [sweep] is ignored; `lasthop sweep {file}` runs the sweep"));
    }
    let traces = select_run_traces(args, &mut loaded)?;
    if let Some(interval) = args.interval {
        if interval == Span::ZERO {
            return Err(CommandFailure::Input(format_problems(&[Problem::new("more than 0")
                .in_file("--interval")
                .found("0 s")])));
        }
        loaded.scenario.output.series_interval = Some(interval);
    }
    warn_of_unused(args, &loaded, &traces);
    let dir = match &args.out {
        Some(dir) => Some(dir.clone()),
        None if args.no_out => None,
        None => Some(choose_run_directory(args, &loaded)?),
    };
    match &dir {
        None if !traces.is_empty() => write_note("note: the traces of output.traces are not written: --no-out"),
        Some(dir) if args.out.is_none() => write_detail(format_args!("default: --out {}", format_path(dir))),
        _ => {}
    }
    let progress = ProgressReport::new(&loaded.stem);
    let printer = || Box::new(BufWriter::new(UntilClosed(stdout()))) as Box<dyn Write>;
    let printers = Printers { events: args.print_events.then(printer), series: args.interval.map(|_| printer()) };
    let done = match &dir {
        Some(dir) => {
            run::run_into_directory(&loaded, &traces, dir, printers, !args.no_delays, &mut |share| progress.set(share))
        }
        None => run::run_without_directory(&loaded, printers, !args.no_delays, &mut |share| progress.set(share)),
    };
    progress.finish();
    let RunOutcome { summary, replaced } = done?;
    if args.json {
        print_if_open(&format!("{summary:#}\n"))?;
    } else if args.print_events {
        write_message(table::render_summary(&summary));
    } else {
        print_if_open(&table::render_summary(&summary))?;
    }
    let Some(dir) = dir else { return Ok(()) };
    let replaced = if replaced { " (replaced an earlier result)" } else { "" };
    write_note(format_args!("results in {}{replaced}", format_path(&dir)));
    if args.scenario.file.extension().is_some_and(|ending| ending == "dat") && loaded.records_air() {
        let file = format_path(&dir.join(TRACE_FILE));
        write_note(format_args!("note: read_from_trace = 0 {file} repeats the channel of this run"));
    }
    Ok(())
}

/// Standard output that discards everything once its reader has closed it, so that the run continues and writes its
/// files.
struct UntilClosed(Stdout);

impl Write for UntilClosed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(bytes.len()),
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0.flush() {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            flushed => flushed,
        }
    }
}

/// Warns of settings of the event trace in a run without event trace. Files in the thesis's language always have an
/// interval.
fn warn_of_unused(args: &Args, loaded: &Loaded, traces: &[&Trace]) {
    if args.print_events || traces.iter().any(|trace| trace.name == "events") {
        return;
    }
    let unused = "has no effect without --trace events or --print-events";
    if args.events.is_some() {
        write_note(format_args!("warning: --events {unused}"));
    }
    if loaded.scenario.output.print_interval.is_some() && args.scenario.file.extension().is_none_or(|end| end != "dat")
    {
        write_note(format_args!("warning: output.print_interval {unused}"));
    }
}

/// The selected traces and kinds of events, of the options or else of the scenario. The scenario is changed to match.
fn select_run_traces(args: &Args, loaded: &mut Loaded) -> Result<Vec<&'static Trace>, CommandFailure> {
    if let Some(names) = &args.trace {
        loaded.scenario.output.traces = names.iter().map(|name| name.trim().to_owned()).collect();
    }
    if let Some(names) = &args.events {
        loaded.scenario.output.events = names.iter().map(|name| name.trim().to_owned()).collect();
        EventKinds::select(&loaded.scenario.output.events)
            .map_err(|problem| CommandFailure::Input(format_problems(&[problem.in_file("--events")])))?;
    }
    let (selected, omitted) = features::select_traces(&loaded.scenario.output.traces).map_err(|problem| {
        let problem = match args.trace {
            Some(_) => problem.in_file("--trace"),
            None => problem.in_file(format_path(&loaded.path)).key("output.traces"),
        };
        CommandFailure::Input(format_problems(&[problem]))
    })?;
    omitted.iter().for_each(write_note);
    Ok(selected)
}

/// The directory of a run in `results/`. A result of another scenario with the same name is an error.
fn choose_run_directory(args: &Args, loaded: &Loaded) -> Result<PathBuf, CommandFailure> {
    let dir = in_results(name_run(loaded, &args.scenario));
    match run::made_of_another(loaded, &dir) {
        None => Ok(dir),
        Some(other) => {
            let problem = Problem::new("a result of this scenario, or none").in_file(format_path(&dir));
            let problem = problem.found(format!("the result of {other}"));
            Err(CommandFailure::Input(format_problems(&[
                problem.hint("choose another directory with --out, or remove this one")
            ])))
        }
    }
}
