//! The loop of a run: from a checked scenario to a summary and traces, without a disk.

use std::io;
use std::ops::ControlFlow;
use std::rc::Rc;

use engine::{Span, Time};
use scenario::Scenario;
use scenario::load::Loaded;
use scenario::problem::Problem;
use scenario::traces::Trace;
use sim::{Network, NullSink, Results, Sink, World};

use crate::output::{Outputs, Printers, TraceFiles};
use crate::summary::{Summary, summarize_measured_results};

/// Number of wake-ups between two calls of the progress callback: about 1 ms without traces, about 20 ms with all of
/// them.
const STRIDE: u64 = 20_000;

/// Progress callback: receives the completed share, from 0 to 1, and returns whether to continue.
pub type Watch<'a> = &'a mut dyn FnMut(f64) -> ControlFlow<()>;

/// Cancelled by the progress callback.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// The reason why a run with traces has no result.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// Cancelled by the progress callback.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// Two traces would be written to one file.
    #[error("{0}")]
    OneFile(Box<Problem>),
    /// A trace could not be written.
    #[error("{name}: cannot be written: {source}")]
    Unwritable {
        /// The name of the trace's file.
        name: String,
        /// The cause.
        source: io::Error,
    },
}

/// Optional tasks of a world besides the simulation.
#[derive(Clone, Copy)]
struct WorldOptions {
    /// Whether the world emits events to a sink.
    observed: bool,
    /// Whether the world measures delays.
    delays: bool,
}

/// Creates a world at time zero.
fn create_world(network: &Network, options: WorldOptions) -> World {
    let mut world = World::new(network, options.observed);
    if options.delays {
        world.measure_delays(network);
    }
    world
}

/// Runs to the end, or until the callback cancels or the sink stops accepting events.
fn drive_world<S: Sink>(
    world: &mut World,
    sink: &mut S,
    watch: Watch<'_>,
    full: fn(&S) -> bool,
) -> Result<(), Interrupted> {
    while !full(sink) && world.advance(STRIDE, sink) {
        if watch(world.progress()).is_break() {
            return Err(Interrupted);
        }
    }
    Ok(())
}

/// Runs without writing anything, measures the delays if `delays`, and returns the summary.
pub fn summarize_run(loaded: Titled<'_>, delays: bool, watch: Watch<'_>) -> Result<Summary, Interrupted> {
    let Titled { title, scenario, network } = loaded;
    let mut world = create_world(network, WorldOptions { observed: false, delays });
    drive_world(&mut world, &mut NullSink, watch, |_| false)?;
    Ok(summarize_measured_results(title, scenario, network, &world.results(), world.delays()))
}

/// Runs, passes events to `sink`, measures the delays if `delays`, and returns the summary and the time at which the run
/// ended.
pub fn summarize_run_with_sink<S: Sink>(
    loaded: Titled<'_>,
    sink: &mut S,
    delays: bool,
    watch: Watch<'_>,
) -> Result<(Summary, Time), Interrupted> {
    let Titled { title, scenario, network } = loaded;
    let mut world = create_world(network, WorldOptions { observed: true, delays });
    drive_world(&mut world, sink, watch, |_| false)?;
    let results = world.results();
    Ok((summarize_measured_results(title, scenario, network, &results, world.delays()), results.ended))
}

/// A network with its scenario and the title of its results.
#[derive(Clone, Copy)]
pub struct Titled<'a> {
    /// The title.
    pub title: &'a str,
    /// The scenario.
    pub scenario: &'a Scenario,
    /// The checked scenario.
    pub network: &'a Network,
}

/// Runs without writing anything.
pub fn simulate_network(network: &Network, watch: Watch<'_>) -> Result<Results, Interrupted> {
    let mut world = World::new(network, false);
    drive_world(&mut world, &mut NullSink, watch, |_| false)?;
    Ok(world.results())
}

/// Runs and passes events to `sink`, to the end or until the sink has `enough`.
pub fn run_into_sink<S: Sink>(
    network: &Network,
    sink: &mut S,
    enough: fn(&S) -> bool,
    watch: Watch<'_>,
) -> Result<Results, Interrupted> {
    let mut world = World::new(network, true);
    drive_world(&mut world, sink, watch, enough)?;
    Ok(world.results())
}

/// Runs the world to the end and writes periodic traces at each print interval.
fn drive_in_intervals(
    world: &mut World,
    every: Span,
    outputs: &mut Outputs,
    watch: Watch<'_>,
) -> Result<(), Interrupted> {
    let mut next = Time::ZERO + every;
    loop {
        let before = Time::from_nanos(next.as_nanos() - 1);
        while !outputs.has_failed() && world.advance_until(before, STRIDE, outputs) {
            if watch(world.progress()).is_break() {
                return Err(Interrupted);
            }
        }
        if outputs.has_failed() || world.is_over() {
            return Ok(());
        }
        outputs.state(next, world);
        next += every;
        if watch(world.progress()).is_break() {
            return Err(Interrupted);
        }
    }
}

/// Runs and passes the events to `outputs`; measures the delays if `delays`. Returns the summary, the outputs to be
/// finished, and the time at which the run ended.
///
/// # Errors
/// The callback cancels.
pub fn run_with_outputs(
    loaded: &Loaded,
    mut outputs: Outputs,
    delays: bool,
    watch: Watch<'_>,
) -> Result<(Summary, Outputs, Time), Interrupted> {
    let Loaded { network, scenario, .. } = loaded;
    let mut world = create_world(network, WorldOptions { observed: !outputs.is_empty(), delays });
    match outputs.print_interval() {
        _ if outputs.is_empty() => drive_world(&mut world, &mut NullSink, watch, |_| false)?,
        Some(every) => drive_in_intervals(&mut world, every, &mut outputs, watch)?,
        None => drive_world(&mut world, &mut outputs, watch, Outputs::has_failed)?,
    }
    let results = world.results();
    Ok((
        summarize_measured_results(loaded.title(), scenario, network, &results, world.delays()),
        outputs,
        results.ended,
    ))
}

/// Runs, writes the selected traces to `files`, and prints traces. The summary has delays if `delays`.
///
/// # Errors
/// Two traces have one file name, a file cannot be written, or the callback cancels.
pub fn run_with_traces(
    loaded: &Loaded,
    traces: &[&Trace],
    files: Rc<dyn TraceFiles>,
    printers: Printers,
    delays: bool,
    watch: Watch<'_>,
) -> Result<Summary, TraceError> {
    let outputs = Outputs::open(traces, &loaded.network, files, &loaded.scenario.output, printers);
    if let Some(problem) = outputs.clash() {
        return Err(TraceError::OneFile(Box::new(problem)));
    }
    let (summary, outputs, ended) = run_with_outputs(loaded, outputs, delays, watch)?;
    outputs.finish(ended).map_err(|(name, source)| TraceError::Unwritable { name, source })?;
    Ok(summary)
}
