//! Runs a scenario into a result directory.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use engine::{Span, Time};
use sim::{Network, NullSink, Results, Sink, World};

use observe::delay::Delays;
use observe::output::{Outputs, PRINTER, Printers, TraceFiles};
use observe::summary::{Recorded, Summary, summary, summary_of};
use scenario::Scenario;
use scenario::traces::Trace;

use crate::disk::Directory;
use crate::load::{Loaded, to_toml};
use crate::result_dir::{Partial, origin, origin_of};
pub use crate::run_error::RunError;

/// Wake-ups between two calls of the progress callback: about 1 ms without traces, about 20 ms with all of them.
const STRIDE: u64 = 20_000;

/// Progress callback: receives the completed share, from 0 to 1, and returns whether to continue.
pub type Watch<'a> = &'a mut dyn FnMut(f64) -> ControlFlow<()>;

/// Runs to the end, or until the callback cancels or the sink stops accepting events.
fn drive<S: Sink>(world: &mut World, sink: &mut S, watch: Watch<'_>, full: fn(&S) -> bool) -> Result<(), RunError> {
    while !full(sink) && world.advance(STRIDE, sink) {
        if watch(world.progress()).is_break() {
            return Err(RunError::Interrupted);
        }
    }
    Ok(())
}

/// Runs without writing anything, measures the delays if `delays`, and returns the summary.
pub fn summarized(loaded: Titled<'_>, delays: bool, watch: Watch<'_>) -> Result<Summary, RunError> {
    let Titled { title, scenario, network } = loaded;
    let mut delays = delays.then(|| Delays::of(network));
    let results = match &mut delays {
        Some(delays) => record(network, delays, |_| false, watch)?,
        None => simulate(network, watch)?,
    };
    Ok(summary_of(title, scenario, network, &results, delays.as_ref()))
}

/// A network with the scenario from which it was made, and the title of its results.
#[derive(Clone, Copy)]
pub struct Titled<'a> {
    /// The title.
    pub title: &'a str,
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Its checked form.
    pub network: &'a Network,
}

/// Runs without writing anything.
pub fn simulate(network: &Network, watch: Watch<'_>) -> Result<Results, RunError> {
    let mut world = World::new(network, false);
    drive(&mut world, &mut NullSink, watch, |_| false)?;
    Ok(world.results())
}

/// Runs and passes events to `sink`, to the end or until the sink has `enough`.
pub fn record<S: Sink>(
    network: &Network,
    sink: &mut S,
    enough: fn(&S) -> bool,
    watch: Watch<'_>,
) -> Result<Results, RunError> {
    let mut world = World::new(network, true);
    drive(&mut world, sink, watch, enough)?;
    Ok(world.results())
}

/// Repeats the run whose result is in `dir`, and passes its events to `sink`. A result is a function of the scenario
/// and the program; if this program computes another result, the function fails instead of showing it. A run that ended
/// early because the sink had `enough` is not compared.
pub fn replay<S: Sink>(
    loaded: &Loaded,
    dir: &Path,
    sink: &mut S,
    enough: fn(&S) -> bool,
    watch: Watch<'_>,
) -> Result<Results, RunError> {
    let path = dir.join("summary.json");
    let unreadable = |source| RunError::Unreadable { path: path.clone(), source };
    let kept = fs::read_to_string(&path).map_err(unreadable)?;
    let kept = Recorded::parse(&kept).map_err(|error| unreadable(io::Error::other(error)))?;
    let results = record(&loaded.network, sink, enough, watch)?;
    if enough(sink) {
        return Ok(results);
    }
    let again = summary(loaded.title(), &loaded.scenario, &loaded.network, &results);
    if !kept.agrees_with(&again.into()) {
        return Err(RunError::OtherProgram(path));
    }
    Ok(results)
}

/// The scenario's file from which the result in `dir` was made, if `dir` has a result of another file than `loaded`.
pub fn made_of_another(loaded: &Loaded, dir: &Path) -> Option<String> {
    origin_of(dir).filter(|other| *other != origin(&loaded.path))
}

/// The outcome of a run.
pub struct Done {
    /// The summary, which is also written to the result directory, if there is one.
    pub summary: Summary,
    /// Whether the result replaced an earlier one.
    pub replaced: bool,
}

/// The sink of an observed run: the traces, and the delays if they are measured.
type Observed = (Outputs, Option<Delays>);

/// Runs the world to the end and writes periodic traces at each print interval.
fn drive_in_intervals(
    world: &mut World,
    every: Span,
    observed: &mut Observed,
    watch: Watch<'_>,
) -> Result<(), RunError> {
    let mut next = Time::ZERO + every;
    loop {
        let before = Time::from_nanos(next.as_nanos() - 1);
        while !observed.0.failed() && world.advance_until(before, STRIDE, observed) {
            if watch(world.progress()).is_break() {
                return Err(RunError::Interrupted);
            }
        }
        if observed.0.failed() || world.is_over() {
            return Ok(());
        }
        observed.0.state(next, world);
        next += every;
        if watch(world.progress()).is_break() {
            return Err(RunError::Interrupted);
        }
    }
}

/// Runs and passes the events to `outputs`; measures the delays if `delays`. Returns the summary, the outputs to be
/// finished, and the time at which the run ended.
fn observed(
    loaded: &Loaded,
    outputs: Outputs,
    delays: bool,
    watch: Watch<'_>,
) -> Result<(Summary, Outputs, Time), RunError> {
    let Loaded { network, scenario, .. } = loaded;
    let mut observed = (outputs, delays.then(|| Delays::of(network)));
    let results = if observed.0.is_empty() && !delays {
        simulate(network, watch)?
    } else {
        let mut world = World::new(network, true);
        match observed.0.print_interval() {
            Some(every) => drive_in_intervals(&mut world, every, &mut observed, watch)?,
            None => drive(&mut world, &mut observed, watch, |observed| observed.0.failed())?,
        }
        world.results()
    };
    let (outputs, delays) = observed;
    Ok((summary_of(loaded.title(), scenario, network, &results, delays.as_ref()), outputs, results.ended))
}

/// Runs, writes the selected traces to `files`, and prints traces. The summary has delays if `delays`.
///
/// # Errors
/// Two traces have one file name, a file cannot be written, or the callback cancels.
pub fn traced(
    loaded: &Loaded,
    traces: &[&Trace],
    files: Rc<dyn TraceFiles>,
    printers: Printers,
    delays: bool,
    watch: Watch<'_>,
) -> Result<Summary, RunError> {
    let outputs = Outputs::open(traces, &loaded.network, files, &loaded.scenario.output, printers);
    if let Some(problem) = outputs.clash() {
        return Err(RunError::OneFile(Box::new(problem)));
    }
    let (summary, outputs, ended) = observed(loaded, outputs, delays, watch)?;
    outputs.finish(ended).map_err(|(name, source)| RunError::Unwritable { path: PathBuf::from(name), source })?;
    Ok(summary)
}

/// Runs without a result directory: only prints traces. The summary has delays if `delays`.
pub fn unkept(loaded: &Loaded, printers: Printers, delays: bool, watch: Watch<'_>) -> Result<Done, RunError> {
    let summary = traced(loaded, &[], Rc::new(Directory::default()), printers, delays, watch)?;
    Ok(Done { summary, replaced: false })
}

/// Runs, writes `summary.json`, `scenario.toml` and the selected traces to `dir`, and prints traces. The summary has delays if
/// `delays`.
pub fn run(
    loaded: &Loaded,
    traces: &[&Trace],
    dir: &Path,
    printers: Printers,
    delays: bool,
    watch: Watch<'_>,
) -> Result<Done, RunError> {
    let open = |dir: &Path, printers| {
        let files = Rc::new(Directory(dir.to_owned()));
        Outputs::open(traces, &loaded.network, files, &loaded.scenario.output, printers)
    };
    // Checked before anything is written.
    if let Some(problem) = open(dir, Printers::default()).clash() {
        return Err(RunError::OneFile(Box::new(problem)));
    }
    let partial = Partial::create(dir)?;
    let outputs = open(&partial.dir, printers);
    let files: Vec<String> = outputs.file_names().collect();
    let (summary, outputs, ended) = observed(loaded, outputs, delays, watch)?;
    outputs.finish(ended).map_err(|(name, source)| {
        let path = if name == PRINTER { PathBuf::from(name) } else { partial.dir.join(name) };
        RunError::Unwritable { path, source }
    })?;
    partial.write("scenario.toml", to_toml(&loaded.scenario).as_bytes())?;
    partial.write("summary.json", format!("{summary:#}\n").as_bytes())?;
    let replaced = partial.complete(&files, &origin(&loaded.path))?;
    Ok(Done { summary, replaced })
}
