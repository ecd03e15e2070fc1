//! Running a scenario into a result directory.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use engine::Time;
use serde_json::Value;
use sim::{Event, Network, Nobody, Results, Sink, World};

use crate::load::{Loaded, to_toml};
use crate::output::summary::summary;
use crate::output::{Outputs, Trace};
use crate::result_dir::Partial;

/// Why a run came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A file or directory could not be written.
    #[error("{}: cannot be written: {source}", path.display())]
    Unwritable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file of a result could not be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A result does not come out again.
    #[error("{}: this program gets other results from the scenario beside it\n  hint: another version made them, or a file was changed; run the scenario again", .0.display())]
    OtherProgram(PathBuf),
    /// Whoever watched said that it was enough.
    #[error("interrupted; nothing was written")]
    Interrupted,
    /// A directory that would be replaced holds something that no run wrote.
    #[error("{}: is not replaced: lasthop did not write {found}\n  hint: choose another directory with --out, or move that file", dir.display())]
    NotOurs {
        /// The directory.
        dir: PathBuf,
        /// What no run wrote.
        found: String,
    },
}

/// Wake-ups between two looks at the progress: a millisecond without traces, perhaps twenty with all of them.
const STRIDE: u64 = 20_000;

/// Is shown how much of the work is done, from 0 to 1, and says whether to go on.
pub type Watch<'a> = &'a mut dyn FnMut(f64) -> ControlFlow<()>;

/// Runs to the end, or until the watch says that it is enough or the sink that it can take no more.
fn drive<S: Sink>(world: &mut World, sink: &mut S, watch: Watch<'_>, full: fn(&S) -> bool) -> Result<(), RunError> {
    while !full(sink) && world.advance(STRIDE, sink) {
        if watch(world.progress()).is_break() {
            return Err(RunError::Interrupted);
        }
    }
    Ok(())
}

/// Runs without writing anything.
pub fn simulate(network: &Network, watch: Watch<'_>) -> Result<Results, RunError> {
    let mut world = World::new(network, false);
    drive(&mut world, &mut Nobody, watch, |_| false)?;
    Ok(world.results())
}

/// Runs and tells `sink` every event.
pub fn observe<S: Sink>(network: &Network, sink: &mut S, watch: Watch<'_>) -> Result<Results, RunError> {
    let mut world = World::new(network, true);
    drive(&mut world, sink, watch, |_| false)?;
    Ok(world.results())
}

/// Runs and keeps every event, for plots.
pub fn record(network: &Network, watch: Watch<'_>) -> Result<(Results, Vec<(Time, Event)>), RunError> {
    let mut events = Vec::new();
    let results = observe(network, &mut events, watch)?;
    Ok((results, events))
}

/// Runs again what made the result in `dir`, and keeps every event; see [`observe_again`].
pub fn replay(loaded: &Loaded, dir: &Path, watch: Watch<'_>) -> Result<(Results, Vec<(Time, Event)>), RunError> {
    let mut events = Vec::new();
    let results = observe_again(loaded, dir, &mut events, watch)?;
    Ok((results, events))
}

/// Runs again what made the result in `dir`, and tells `sink` every event. A result is a function of its scenario and
/// the program; if another program made it, this says so instead of showing something else.
pub fn observe_again<S: Sink>(
    loaded: &Loaded,
    dir: &Path,
    sink: &mut S,
    watch: Watch<'_>,
) -> Result<Results, RunError> {
    let path = dir.join("summary.json");
    let kept = fs::read(&path).map_err(|source| RunError::Unreadable { path: path.clone(), source })?;
    let kept: Value = serde_json::from_slice(&kept)
        .map_err(|error| RunError::Unreadable { path: path.clone(), source: io::Error::other(error) })?;
    let results = observe(&loaded.network, sink, watch)?;
    let again = summary(title(loaded), &loaded.network, &results);
    if ["events", "simulated_s", "flows", "links"].iter().any(|key| kept[key] != again[key]) {
        return Err(RunError::OtherProgram(path));
    }
    Ok(results)
}

/// What a run is called.
fn title(loaded: &Loaded) -> &str {
    if loaded.scenario.title.is_empty() { &loaded.stem } else { &loaded.scenario.title }
}

/// Runs, and writes `summary.json`, `scenario.toml` and the chosen traces to `dir`. Gives the summary.
pub fn run(loaded: &Loaded, traces: &[&Trace], dir: &Path, watch: Watch<'_>) -> Result<Value, RunError> {
    let partial = Partial::create(dir)?;
    let mut outputs = Outputs::open(traces, &loaded.network, &partial.dir, loaded.scenario.output.print_interval);
    let files: Vec<String> = outputs.file_names().collect();
    let results = if outputs.is_empty() {
        simulate(&loaded.network, watch)?
    } else {
        let mut world = World::new(&loaded.network, true);
        drive(&mut world, &mut outputs, watch, Outputs::failed)?;
        world.results()
    };
    outputs.finish(results.ended).map_err(|(path, source)| RunError::Unwritable { path, source })?;
    let summary = summary(title(loaded), &loaded.network, &results);
    partial.write("scenario.toml", to_toml(&loaded.scenario).as_bytes())?;
    partial.write("summary.json", format!("{summary:#}\n").as_bytes())?;
    partial.complete(dir, &files)?;
    Ok(summary)
}
